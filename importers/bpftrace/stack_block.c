/* SPDX-License-Identifier: MIT */
#include "importers/bpftrace/stack_block.h"

#define NOT_OURS (TD_LINE_ISSUE + 1)

struct td_stack_tool {
	const char *name;
	const char *begins, *has; /* its banner */
	int64_t scale; /* from its unit to ours */
	const char *unit;
	size_t frames_at; /* columns before them; what stands further to the right is the process, or the value */
	bool bare_process; /* it may look like a frame */
};

static const struct td_stack_tool tools[] = {
	{ "profile", "Sampling at ", "", 1, "count", 4, false },
	{ "offcputime", "Tracing off-CPU time (us) of ", "", 1000, "ns", 4, true },
	{ "stackcount", "Tracing ", " functions for \"", 1, "count", 2, false },
};

static const struct td_stack_tool *tool_of(struct td_str line)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(tools); i++)
		if (line.len && line.p[0] == tools[i].begins[0] &&
		    td_str_starts(line, tools[i].begins) && td_str_find(line, tools[i].has))
			return &tools[i];
	return NULL;
}

bool td_stack_banner(struct td_str line)
{
	return tool_of(line) != NULL;
}

static void begin_block(struct td_stack_blocks *b)
{
	b->frames.n = 0;
	b->process_id = 0;
}

void td_stack_blocks_done(struct td_stack_blocks *b)
{
	td_frames_done(&b->frames);
}

static int add_frame(struct td_import *imp, struct td_stack_blocks *b, struct td_str text)
{
	const char *plus = td_str_rchr(text, '+');
	uint32_t symbol_id = 0;

	if (plus && plus > text.p)
		text.len = (size_t)(plus - text.p);
	if (!td_str_eq(text, "[unknown]"))
		symbol_id = td_store_string(imp->store, text.p, text.len);
	return td_frames_add(&b->frames, symbol_id, 0) < 0 ? -ENOMEM : TD_LINE_SKIPPED;
}

/* The value ends the block. */
static int put_total(struct td_import *imp, struct td_stack_blocks *b, int64_t value)
{
	struct td_stack_total total = { .source_id = imp->source_id };
	uint32_t process = b->process_id;

	if (imp->line_unterminated)
		return td_reject(imp, "cut-line");
	if (!process && b->tool->bare_process && b->frames.n > 1)
		process = b->frames.frames[--b->frames.n].symbol_id;
	if ((!b->frames.n && !process) || value < 0 || value > INT64_MAX / b->tool->scale)
		return td_reject(imp, "impossible-stack");
	total.name = td_import_keep_cstr(imp, b->tool->name);
	total.unit = td_import_keep_cstr(imp, b->tool->unit);
	total.value = value * b->tool->scale;
	/* of a process that had no frames of the kind that was asked for it is all */
	total.stack_id = process ? td_store_stack(imp->store, 0, process, 0) : 0;
	if (b->frames.n)
		total.stack_id = td_frames_stack(&b->frames, imp->store, total.stack_id);
	begin_block(b);
	if (!total.stack_id)
		return -ENOMEM;
	td_store_stack_total(imp->store, &total);
	return TD_LINE_ROW;
}

/* "-                dd (25036)", "tar [15069]" */
static bool is_process(const struct td_stack_blocks *b, struct td_str text, size_t at)
{
	return td_str_starts(text, "- ") || at > b->tool->frames_at;
}

static int indented_line(struct td_import *imp, struct td_stack_blocks *b, struct td_str text,
			 size_t at)
{
	struct td_scan s = td_scan_of(text.p, text.len);
	int64_t value;

	if (td_scan_i64(&s, &value) && td_scan_done(&s))
		return put_total(imp, b, value);
	if (td_str_eq(text, "--"))
		return TD_LINE_SKIPPED;
	if (!is_process(b, text, at))
		return add_frame(imp, b, text);
	while (text.len && (text.p[0] == '-' || text.p[0] == ' '))
		text = (struct td_str){ text.p + 1, text.len - 1 };
	b->process_id = td_store_string(imp->store, text.p, text.len);
	return TD_LINE_SKIPPED;
}

/* The tool goes on behind these: "[...]", "06:05:13", "WARNING: 2 stack traces lost" */
static bool is_of_tool(struct td_str line)
{
	return line.p[0] == '[' || td_is_digit(line.p[0]) || td_str_starts(line, "WARNING: ");
}

int td_stack_block_line(struct td_import *imp, struct td_stack_blocks *b, struct td_str line)
{
	size_t at = 0;

	if (line.len && line.p[0] != ' ') {
		if (!b->tool || !is_of_tool(line))
			b->tool = tool_of(line);
		begin_block(b);
		return NOT_OURS;
	}
	while (at < line.len && line.p[at] == ' ')
		at++;
	if (!b->tool || at == line.len || at < b->tool->frames_at) {
		begin_block(b);
		return NOT_OURS;
	}
	line = (struct td_str){ line.p + at, line.len - at };
	while (line.p[line.len - 1] == ' ')
		line.len--;
	return indented_line(imp, b, line, at);
}
