/* SPDX-License-Identifier: MIT */
/*
 * Frames, the innermost first: address, symbol, offset, module.
 *
 *     	ffffffff821ef691 do_syscall_64+0x71 ([kernel.kallsyms])
 *     	           f82ad std::function<void ()>::operator()() const+0xd (/tmp/x (deleted))
 *     	          551234 load (inlined)
 *     	b8b09a2442aac4fb [unknown] ([unknown])
 */
#include "common/array.h"
#include "importers/perf/samples.h"

#define UNKNOWN "[unknown]"

void td_perf_sample_done(struct td_perf_sample *s)
{
	td_frames_done(&s->frames);
}

bool td_perf_is_sample(struct td_str event)
{
	static const char *const events[] = { "cycles",           "cpu-cycles",
					      "cpu-clock",        "task-clock",
					      "cpu/cycles/",      "cpu/cpu-cycles/",
					      "cpu_core/cycles/", "cpu_atom/cycles/" };
	const char *colon = memchr(event.p, ':', event.len);

	if (colon) /* modifiers */
		event.len = (size_t)(colon - event.p);
	for (size_t i = 0; i < TD_ARRAY_SIZE(events); i++)
		if (td_str_eq(event, events[i]))
			return true;
	return false;
}

/* Where " (module)" begins; NULL: there is none. Symbols have blanks and parentheses, too, but no offset within. */
static const char *module_at(struct td_str text)
{
	const char *p = NULL, *end = text.p + text.len;

	if (!td_str_ends(text, ")"))
		return NULL;
	for (const char *q = text.p;
	     (q = td_str_find((struct td_str){ q, (size_t)(end - q) }, "+0x")); q++) {
		struct td_scan s = td_scan_of(q + 3, (size_t)(end - q - 3));
		uint64_t offset;

		if (td_scan_hex(&s, &offset) && td_scan_literal(&s, " ("))
			p = s.p - 2;
	}
	if (p)
		return p;
	/* no offset: a path, or what is none: "[vdso]", "inlined" */
	p = td_str_find(text, " (/");
	if (!p)
		p = td_str_find(text, " ([");
	return p ? p : td_str_find(text, " (inlined)");
}

static uint32_t string_of(struct td_import *imp, struct td_str text)
{
	return text.len && !td_str_eq(text, UNKNOWN) ? td_store_string(imp->store, text.p, text.len)
						     : 0;
}

/* "+0x71" at its end says where in the function it was. */
static void cut_offset(struct td_str *symbol)
{
	const char *plus = td_str_rchr(*symbol, '+');

	if (plus && plus > symbol->p && plus + 2 < symbol->p + symbol->len && plus[1] == '0' &&
	    plus[2] == 'x')
		symbol->len = (size_t)(plus - symbol->p);
}

/* 1 if it was a frame, else 0; or -ENOMEM. */
static int add_frame(struct td_import *imp, struct td_perf_sample *s, struct td_str line)
{
	struct td_scan scan = td_scan_of(line.p, line.len);
	struct td_str symbol, module = { "", 0 };
	const char *open;
	uint64_t address;
	int r;

	(void)td_scan_blanks(&scan);
	if (!td_scan_hex(&scan, &address) || !td_scan_blanks(&scan))
		return 0;
	symbol = td_scan_rest(&scan);
	open = module_at(symbol);
	if (open) {
		module = (struct td_str){ open + 2, (size_t)(symbol.p + symbol.len - open - 3) };
		symbol.len = (size_t)(open - symbol.p);
	}
	cut_offset(&symbol);
	if (td_str_eq(module, "inlined"))
		module.len = 0;
	r = td_frames_add(&s->frames, string_of(imp, symbol), string_of(imp, module));
	return r < 0 ? r : 1;
}

int td_perf_sample_end(struct td_import *imp, struct td_perf_sample *s)
{
	if (!s->open)
		return 0;
	s->open = false;
	s->row.kind_id = td_store_cstr(imp->store, TD_STACK_CPU);
	s->row.stack_id = s->frames.n ? td_frames_stack(&s->frames, imp->store, 0)
				      : td_store_stack(imp->store, 0, 0, 0);
	return td_put_stack(imp, &s->row);
}

int td_perf_sample_begin(struct td_import *imp, struct td_perf_sample *s,
			 const struct td_stack_sample *row, struct td_str args)
{
	int r = td_perf_sample_end(imp, s);

	s->row = *row;
	s->open = true;
	if (r == 0 && args.len)
		r = add_frame(imp, s, args);
	return r < 0 ? r : 0;
}

int td_perf_sample_frame(struct td_import *imp, struct td_perf_sample *s, struct td_str line)
{
	int r = add_frame(imp, s, line);

	return r < 0 ? r : r ? TD_LINE_ROW : TD_LINE_SKIPPED;
}
