/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks, as stackcollapse-*.pl, 'profile -f' and 'offcputime -f' of bcc, py-spy and
 * async-profiler write them: a stack a line, from the outermost frame on, and its value.
 *
 *     python;main;load;read 15
 *     java;Interpreter;vfs_read_[k] 3        annotated: of the kernel; _[i] inlined, _[j] compiled while it ran
 *
 * A stack_total; what the value counts the text does not say. Its name is that of the file.
 */
#include "common/cleanup.h"
#include "importers/core/importers.h"

#define KERNEL "[kernel.kallsyms]" /* as perf calls it */
#define DEPTH_MAX 4096

/* The stack and its value, which stands behind the last blank. */
static bool scan_line(struct td_str line, struct td_str *ret_stack, int64_t *ret_value)
{
	const char *blank = td_str_rchr(line, ' ');
	struct td_scan s;

	if (!blank || blank == line.p)
		return false;
	*ret_stack = (struct td_str){ line.p, (size_t)(blank - line.p) };
	s = td_scan_of(blank + 1, (size_t)(line.p + line.len - blank - 1));
	return td_scan_i64(&s, ret_value) && td_scan_done(&s) && *ret_value >= 0;
}

/* Every line is one, and most have several frames. Other texts that end in numbers have blanks
 * before the first semicolon, or begin with none of a name. */
static int folded_sniff(const char *head, size_t len)
{
	struct td_scan s = td_scan_of(head, len);
	struct td_str line, stack;
	unsigned lines = 0, deep = 0;
	int64_t value;

	while (lines < 200 && td_scan_line(&s, false, &line)) {
		const char *semicolon = memchr(line.p, ';', line.len);

		if (td_str_is_blank(line))
			continue;
		lines++;
		if (!scan_line(line, &stack, &value) || td_is_digit(line.p[0]) ||
		    memchr(line.p, '\t', line.len) || memchr(line.p, '"', line.len))
			return 0;
		deep += semicolon && semicolon > line.p && semicolon + 1 < stack.p + stack.len &&
			semicolon[1] != ' ';
	}
	return deep && deep * 2 >= lines ? 50 : 0;
}

/* Cuts an annotation off; true: it says that the frame is of the kernel. */
static bool cut_annotation(struct td_str *frame)
{
	static const char *const notes[] = { "_[k]", "_[i]", "_[j]" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(notes); i++)
		if (frame->len > strlen(notes[i]) && td_str_ends(*frame, notes[i])) {
			frame->len -= strlen(notes[i]);
			return i == 0;
		}
	return false;
}

static uint32_t stack_of(struct td_import *imp, struct td_str text)
{
	uint32_t id = 0;

	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		const char *end = memchr(text.p, ';', text.len);
		struct td_str frame = { text.p, end ? (size_t)(end - text.p) : text.len };
		uint32_t module_id = 0;

		if (cut_annotation(&frame))
			module_id = td_store_cstr(imp->store, KERNEL);
		if (frame.len)
			id = td_store_stack(imp->store, id,
					    td_store_string(imp->store, frame.p, frame.len),
					    module_id);
		if (!end)
			break;
		text = (struct td_str){ end + 1, (size_t)(text.p + text.len - end - 1) };
	}
	return id;
}

static int folded_line(struct td_import *imp, char *text, size_t len)
{
	struct td_stack_total total = { .source_id = imp->source_id };
	struct td_str line = { text, len }, stack;

	if (td_str_is_blank(line))
		return TD_LINE_SKIPPED;
	if (!scan_line(line, &stack, &total.value))
		return td_reject(imp, "not-a-stack");
	total.stack_id = stack_of(imp, stack);
	if (!total.stack_id)
		return td_store_error(imp->store) < 0 ? -ENOMEM : td_reject(imp, "not-a-stack");
	total.name = td_import_keep_cstr(imp, td_store_source_at(imp->store, imp->source_id)->path);
	td_store_stack_total(imp->store, &total);
	return TD_LINE_ROW;
}

const struct td_importer td_importer_folded = {
	.name = "folded",
	.desc = "folded stacks: stackcollapse-*.pl, bcc's profile -f, py-spy",
	.clock = TD_CLOCK_NONE,
	.sniff = folded_sniff,
	.surest = 50,
	.line = folded_line,
};
