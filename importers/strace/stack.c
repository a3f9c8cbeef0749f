/* SPDX-License-Identifier: MIT */
/*
 * Frames, the innermost first, as strace's unwind.c prints them:
 *
 *      > /usr/lib/libc.so.6(__open64+0xd0) [0xf8090]
 *      > /usr/bin/cat() [0x2f31]                       no symbol
 *      > unexpected_backtracing_error [0x1]            the unwinder gave up; also without an address
 *
 * With -e read and -e write what the call transferred stands between it and its stack.
 */
#include "importers/strace/events.h"
#include "importers/strace/stack.h"

void td_strace_stack_done(struct td_strace_stack *s)
{
	td_frames_done(&s->frames);
}

/* Cuts " [0xf8090]" off the end. */
static void cut_address(struct td_str *s)
{
	const char *open = td_str_rchr(*s, '[');

	if (open && open > s->p && open[-1] == ' ' && td_str_ends(*s, "]"))
		s->len = (size_t)(open - 1 - s->p);
}

/* Where the module ends and the symbol begins. Blanks are before parentheses in names of files only: "x (deleted)". */
static const char *symbol_of(struct td_str s)
{
	for (const char *p = s.p; (p = memchr(p, '(', (size_t)(s.p + s.len - p))); p++)
		if (p > s.p && p[-1] != ' ')
			return p;
	return NULL;
}

static int add_frame(struct td_import *imp, struct td_frames *frames, struct td_str text)
{
	const char *open, *offset;
	struct td_str symbol;
	uint32_t module_id;

	cut_address(&text);
	open = td_str_ends(text, ")") ? symbol_of(text) : NULL;
	if (!open)
		return td_frames_add(frames, td_store_string(imp->store, text.p, text.len), 0);
	module_id = td_store_string(imp->store, text.p, (size_t)(open - text.p));
	symbol = (struct td_str){ open + 1, (size_t)(text.p + text.len - open - 2) };
	offset = td_str_rchr(symbol, '+');
	if (offset)
		symbol.len = (size_t)(offset - symbol.p);
	return td_frames_add(frames,
			     symbol.len ? td_store_string(imp->store, symbol.p, symbol.len) : 0,
			     module_id);
}

int td_strace_stack_line(struct td_import *imp, struct td_strace_stack *s,
			 struct td_strace_tasks *tasks, struct td_str line)
{
	const size_t mark = strlen(TD_STRACE_FRAME);
	int r;

	if (s->frames.n == 0) {
		s->of_call = tasks->newest.line_no && tasks->newest.line_no + 1 == imp->line_no;
		/* what the call transferred; the stack comes behind it */
		if (s->of_call && !td_str_starts(line, TD_STRACE_FRAME))
			tasks->newest.line_no = imp->line_no;
	}
	if (!td_str_starts(line, TD_STRACE_FRAME))
		return TD_LINE_SKIPPED;
	if (!s->of_call || line.len == mark)
		return TD_LINE_SKIPPED;
	r = add_frame(imp, &s->frames, (struct td_str){ line.p + mark, line.len - mark });
	return r < 0 ? r : TD_LINE_ROW;
}

int td_strace_stack_end(struct td_import *imp, struct td_strace_stack *s,
			struct td_strace_tasks *tasks)
{
	uint32_t stack_id = td_frames_stack(&s->frames, imp->store, 0);

	return stack_id ? td_strace_put_stack(imp, tasks, stack_id) : 0;
}
