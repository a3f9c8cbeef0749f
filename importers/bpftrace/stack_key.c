/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "common/cleanup.h"
#include "importers/bpftrace/stack_key.h"
#include "importers/core/frames.h"

#define STACKS_MAX 2 /* of a key: kstack and ustack; frames of more go to the last */
#define VALUE_MAX 9.2e18

struct stacks {
	struct td_frames items[STACKS_MAX]; /* in the order of the key */
	size_t n;
	bool in_stack;
	bool is_kernel[STACKS_MAX];
	uint32_t around; /* stack: the other parts of the key */
};

static void stacks_done(struct stacks *s)
{
	for (size_t i = 0; i < STACKS_MAX; i++)
		td_frames_done(&s->items[i]);
}

/* How the kernel is entered, and its threads begin. */
static bool enters_kernel(struct td_str symbol)
{
	static const char *const names[] = { "do_syscall_64",    "entry_SYSCALL_64",
					     "ret_from_fork",    "asm_",
					     "el0t_64_sync",     "el0_svc",
					     "secondary_startup" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++)
		if (td_str_starts(symbol, names[i]))
			return true;
	return false;
}

static bool is_address(struct td_str s)
{
	struct td_scan t = td_scan_of(s.p, s.len);
	uint64_t n;

	return td_scan_literal(&t, "0x") && td_scan_hex(&t, &n);
}

static int add_frame(struct td_import *imp, struct stacks *s, struct td_str text)
{
	size_t at;
	const char *plus = td_str_rchr(text, '+');

	if (!s->in_stack && s->n < STACKS_MAX)
		s->n++;
	s->in_stack = true;
	at = s->n - 1;
	if (plus && plus > text.p)
		text.len = (size_t)(plus - text.p);
	s->is_kernel[at] |= enters_kernel(text);
	return td_frames_add(&s->items[at],
			     is_address(text) ? 0 : td_store_string(imp->store, text.p, text.len),
			     0);
}

/* A line of the key: a frame, or what stands between stacks. */
static int add_line(struct td_import *imp, struct stacks *s, struct td_str line)
{
	bool indented = line.len && (line.p[0] == ' ' || line.p[0] == '\t');

	while (line.len && memchr(" \t,", line.p[0], 3)) {
		line.p++;
		line.len--;
	}
	while (line.len && memchr(" \t,", line.p[line.len - 1], 3))
		line.len--;
	if (line.len && indented)
		return add_frame(imp, s, line);
	s->in_stack = false;
	if (line.len)
		s->around = td_store_stack(imp->store, s->around,
					   td_store_string(imp->store, line.p, line.len), 0);
	return 0;
}

static uint32_t whole(struct td_import *imp, struct stacks *s)
{
	size_t outer = s->n > 1 && s->is_kernel[1] && !s->is_kernel[0] ? 0 : s->n - 1;
	uint32_t id = td_frames_stack(&s->items[outer], imp->store, s->around);

	return s->n > 1 ? td_frames_stack(&s->items[1 - outer], imp->store, id) : id;
}

bool td_stack_key(struct td_import *imp, const struct td_maps_value *v)
{
	_cleanup_(stacks_done) struct stacks s = { 0 };
	struct td_str rest = v->key;
	int r = 0;

	if (!rest.p || !memchr(rest.p, '\n', rest.len) || !(fabs(v->value) < VALUE_MAX))
		return false;
	while (rest.len && r >= 0) {
		const char *end = memchr(rest.p, '\n', rest.len);
		size_t len = end ? (size_t)(end - rest.p) : rest.len;

		r = add_line(imp, &s, (struct td_str){ rest.p, len });
		rest = (struct td_str){ rest.p + len + (end != NULL),
					rest.len - len - (end != NULL) };
	}
	if (r < 0 || !s.n)
		return false;
	td_store_stack_total(imp->store, &(struct td_stack_total){
						 .source_id = imp->source_id,
						 .name = td_import_keep(imp, v->name).p,
						 .stack_id = whole(imp, &s),
						 .value = (int64_t)v->value,
					 });
	return true;
}
