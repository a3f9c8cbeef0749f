/* SPDX-License-Identifier: MIT */
/*
 * What bpftrace's and bcc's own tools print: a banner, a header that names the columns, rows.
 *
 *     Attaching 6 probes...                                    skipped
 *     Tracing open syscalls... Hit Ctrl-C to end.              skipped
 *     PID    COMM               FD ERR PATH                    skipped: the columns
 *     2851   tmux: server        3   0 /etc/ld.so.cache        call
 *     Lost 12 events                                           skipped, counted
 *     ^C
 *     @bytes[cat]: 4096                                        summary (bpftrace/maps.h)
 *     10:42:35                                                 time of the map entries below it,
 *     @[vfs_read]: 5172                                        which are samples then
 *
 * and blocks of stacks (bpftrace/stack_block.h).
 *
 * bpftrace/tools_columns.c knows the headings, bpftrace/tools_rows.c and bpftrace/tools_events.c say what becomes of a
 * tool's rows.
 *
 * Times are TIME(s) and TIME(ms) since the start of the tool (RELATIVE), TIME of the day (LOCAL_TOD; with
 * TIME(s) beside it, a reading of the wall clock) or ENDTIME_us of the CSV form, which is CLOCK_MONOTONIC
 * (BOOT: they differ by the time the machine slept). Without any the clock is RELATIVE, the rows get their
 * number in ns as their time, and no-time-stamps is noted.
 *
 * Documentation shows such output between prose: text behind a blank line that is not a row is passed
 * over, within a table it is an issue (not-a-row). other-clock: a table whose times are of another kind
 * than those before. no-title: a bucket of a histogram whose title was not seen. text-map: a map with texts as
 * values, noted once. unused-tool: there was nothing but stacks of other tools, which are not read.
 */
#include <math.h>

#include "common/cleanup.h"
#include "importers/bpftrace/bpftrace_tools.h"
#include "importers/bpftrace/stack_key.h"
#include "importers/core/importers.h"

void td_tools_init(struct td_tools *t, const char *path)
{
	*t = (struct td_tools){
		.block_tod_ns = TD_NULL,
		.prev_tod_ns = TD_NULL,
		.prev_sample_ns = TD_NULL,
		.table_tod_ns = TD_NULL,
		.prev_table_ns = TD_NULL,
		.is_statsnoop = strstr(path, "statsnoop") != NULL,
	};
}

void td_tools_done(struct td_tools *t)
{
	td_maps_done(&t->maps);
	td_stack_blocks_done(&t->stacks);
	td_strbuf_done(&t->held);
}

/* --- map entries --- */

int td_tools_map_value(struct td_import *imp, struct td_tools *t, const struct td_maps_value *v)
{
	struct td_sample s = TD_SAMPLE_INIT;
	struct td_str label;
	int r;

	if (td_stack_key(imp, v))
		return TD_LINE_ROW;
	if (t->block_tod_ns == TD_NULL) {
		td_maps_summary(imp, v->name, v->key, NULL, NAN, NAN, v->value);
		return TD_LINE_ROW;
	}
	if (!td_tools_clock(imp, t, TD_TOOLS_TIME_TOD))
		return td_reject(imp, "other-clock");
	label = td_store_text(imp->store, td_store_string(imp->store, v->label.p, v->label.len));
	s.ts_ns = t->block_tod_ns;
	if (t->prev_tod_ns != TD_NULL && t->prev_tod_ns < s.ts_ns)
		s.dur_ns = s.ts_ns - t->prev_tod_ns;
	s.track_id = td_store_track(imp->store, imp->source_id, label.p ? label.p : "", "", 0, 0);
	s.value = v->value;
	r = td_put_sample(imp, &s);
	return r < 0 ? r : TD_LINE_ROW;
}

/* TD_LINE_*, -errno, or TD_LINE_ISSUE + 1: not a line of a map. */
static int map_line(struct td_import *imp, struct td_tools *t, struct td_str line)
{
	struct td_maps_value v;

	switch (td_maps_line(imp, &t->maps, line, &v)) {
	case TD_MAPS_NOT:
		return TD_LINE_ISSUE + 1;
	case TD_MAPS_ROW:
		return TD_LINE_ROW;
	case TD_MAPS_TITLE:
		return TD_LINE_SKIPPED;
	case TD_MAPS_TEXT:
		if (!t->noted_text)
			td_note(imp, "text-map", NULL);
		t->noted_text = true;
		return TD_LINE_SKIPPED;
	case TD_MAPS_VALUE:
		return td_tools_map_value(imp, t, &v);
	default:
		return -ENOMEM;
	}
}

/* What tools like top print behind the time above a table. */
static bool is_table_time(struct td_str rest)
{
	return td_str_starts(rest, "loadavg: ") || td_str_starts(rest, "Buffers MB: ");
}

/* "10:42:35" above map entries or a table, or "10:42:35 PIDs/sec: @: 90" with an entry. */
static int time_line(struct td_import *imp, struct td_tools *t, struct td_scan s, int64_t tod_ns)
{
	const char *at;

	td_scan_blanks(&s);
	at = td_scan_done(&s) ? NULL : memchr(s.p, '@', (size_t)(s.end - s.p));
	if (!td_scan_done(&s) && !at && !is_table_time(td_scan_rest(&s)))
		return TD_LINE_ISSUE + 1;
	t->prev_table_ns = t->table_tod_ns;
	t->prev_tod_ns = t->block_tod_ns != TD_NULL ? t->block_tod_ns : t->prev_tod_ns;
	t->block_tod_ns = t->table_tod_ns = td_tools_tod(imp, t, tod_ns);
	if (!at)
		return TD_LINE_SKIPPED;
	return map_line(imp, t, (struct td_str){ at, (size_t)(s.end - at) });
}

/* --- lines --- */

bool td_tools_lost(struct td_import *imp, struct td_str line)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	uint64_t n;

	if ((!td_scan_literal(&s, "Lost ") && !td_scan_literal(&s, "Possibly lost ")) ||
	    !td_scan_u64(&s, &n) ||
	    (!td_scan_literal(&s, " events") && !td_scan_literal(&s, " samples")))
		return false;
	td_lost(imp, n);
	return true;
}

static bool is_noise(struct td_str s)
{
	static const char *const begins[] = {
		"Attaching ", "Attached ", "Tracing",       "Counting ",          "Detaching",
		"Sampling ",  "ERROR: ",   "WARNING: ",     "Warning: ",          "[...]",
		"# ",         "$ ",        "cannot attach", "Total References: ",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(begins) && s.len; i++)
		if (begins[i][0] == s.p[0] && td_str_starts(s, begins[i]))
			return true;
	return false;
}

/* memleak, which prints the stacks of what was not freed */
static bool is_memleak(struct td_str s)
{
	return td_str_starts(s, "Attaching to ") && td_str_ends(s, ", Ctrl+C to quit.");
}

/* Banners of tools that print stacks which are not read. */
static bool is_unused(struct td_str s)
{
	return td_str_starts(s, "Tracing blocked time (us) by ") || is_memleak(s);
}

/* "p:c:malloc(size_t size):size_t:size", or what the user called it, stands above each table of argdist. */
static bool keep_title(struct td_tools *t, struct td_str line)
{
	(void)snprintf(t->title, sizeof(t->title), "%.*s", (int)TD_MIN(line.len, sizeof(t->title)),
		       line.p);
	return t->table.tool != TD_TOOL_NONE && t->table.name &&
	       strcmp(t->table.name, "argdist") == 0;
}

/* A blank line ends what a table, a histogram or a time of day is about. */
static int blank_line(struct td_import *imp, struct td_tools *t)
{
	struct td_maps_value v;

	t->in_table = false;
	if (t->block_tod_ns != TD_NULL)
		t->prev_tod_ns = t->block_tod_ns;
	t->block_tod_ns = TD_NULL;
	return td_maps_line(imp, &t->maps, (struct td_str){ "", 0 }, &v) == -ENOMEM
		       ? -ENOMEM
		       : TD_LINE_SKIPPED;
}

/* Digits may be missing from it if the line has no end. */
static bool ends_in_number(const struct td_tool_table *t)
{
	switch (t->columns[t->ncolumns - 1].heading->kind) {
	case TD_TOOL_INT:
	case TD_TOOL_NS:
	case TD_TOOL_VALUE:
		return true;
	default:
		return false;
	}
}

static int table_row(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row)
{
	int r;

	if (imp->line_unterminated && ends_in_number(&t->table))
		return td_reject(imp, "cut-line");
	r = td_tools_put(imp, t, row);
	if (r > 0)
		return td_reject(imp, "other-clock");
	t->in_table = t->has_rows = true;
	return r < 0 ? r : TD_LINE_ROW;
}

/* The second line of biosnoop's header. */
static bool is_second_header(struct td_str line)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	struct td_str a, b;

	td_scan_blanks(&s);
	return td_scan_token(&s, &a) && td_scan_blanks(&s) && td_scan_token(&s, &b) &&
	       td_str_eq(a, "MAJOR") && td_str_eq(b, "MINOR");
}

/* The stack of the event above it: "        tcp_drop+0x1 [kernel]", "	b'kfree_skb+0x90'". Events begin at the
 * margin. */
static bool is_stack(const struct td_tool_table *table, struct td_str line)
{
	bool is_event = table->tool == TD_TOOL_MARK || table->tool == TD_TOOL_SPAN ||
			table->tool == TD_TOOL_CALL;

	return is_event && table->columns[0].at == 0 &&
	       (td_str_starts(line, "    ") || td_str_starts(line, "\t"));
}

/* --- rows of several lines --- */

#define HELD_MAX ((size_t)64 * 1024)

/* Stores the row that is held; now: the line that is being read. 0 or -errno. */
static int put_held(struct td_import *imp, struct td_tools *t, struct td_str now)
{
	struct td_str held = { t->held.p, t->held.len };
	uint64_t no = imp->line_no;
	struct td_tool_row row;
	int r = 0;

	if (!held.len)
		return 0;
	imp->line_no = t->held_no;
	td_import_row_text(imp, held.p, held.len);
	if (td_tool_row(&t->table, held, &row))
		r = td_tools_put(imp, t, &row);
	td_import_close_lines(imp, r > 0 ? "other-clock" : NULL, held.p, held.len);
	imp->line_no = no;
	td_import_row_text(imp, now.p, now.len);
	td_strbuf_reset(&t->held);
	return r < 0 ? r : 0;
}

/* execsnoop.bt prints arguments as they are: python -c 'import os\nprint(1)' makes two lines. */
static int hold_row(struct td_import *imp, struct td_tools *t, struct td_str line)
{
	int r = put_held(imp, t, line);

	if (r < 0)
		return r;
	t->held_no = imp->line_no;
	t->in_table = t->has_rows = true;
	td_strbuf_add(&t->held, line.p, line.len);
	return td_strbuf_error(&t->held) < 0 ? -ENOMEM : TD_LINE_OPEN;
}

/* Is it nothing else that a tool prints? */
static bool continues_row(const struct td_tools *t, struct td_str line)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	struct td_tool_table table;
	int64_t tod_ns;

	(void)td_scan_char(&s, '[');
	return t->held.len && t->in_table && t->held.len + line.len < HELD_MAX &&
	       !td_scan_tod(&s, &tod_ns) && line.p[0] != '@' && !is_noise(line) &&
	       !td_str_starts(line, "Lost ") && !td_str_starts(line, "Possibly lost ") &&
	       !td_tool_header(line, &table) && !is_stack(&t->table, line);
}

static int continue_row(struct td_tools *t, struct td_str line)
{
	td_strbuf_addc(&t->held, '\n');
	td_strbuf_add(&t->held, line.p, line.len);
	return td_strbuf_error(&t->held) < 0 ? -ENOMEM : TD_LINE_OPEN;
}

static int other_line(struct td_import *imp, struct td_tools *t, struct td_str line)
{
	struct td_tool_table table;
	struct td_scan s = td_scan_of(line.p, line.len);
	int64_t tod_ns;
	int r;

	if (td_tool_header(line, &table)) {
		t->table = table;
		t->in_table = true;
		t->prev_sample_ns = TD_NULL;
		return TD_LINE_SKIPPED;
	}
	(void)td_scan_char(&s, '['); /* syscount */
	if (td_scan_tod(&s, &tod_ns)) {
		(void)td_scan_char(&s, ']');
		r = td_tools_sentence(imp, t, td_scan_rest(&s), tod_ns);
		if (r > TD_LINE_ISSUE)
			r = time_line(imp, t, s, tod_ns);
		if (r <= TD_LINE_ISSUE)
			return r;
	}
	r = map_line(imp, t, line);
	if (r <= TD_LINE_ISSUE)
		return r;
	if (td_maps_is_bucket(line))
		return td_reject(imp, "no-title");
	t->has_unused |= is_unused(line);
	if (td_tools_lost(imp, line) || is_noise(line) || is_second_header(line))
		return TD_LINE_SKIPPED;
	if (is_stack(&t->table, line))
		return TD_LINE_SKIPPED;
	if (keep_title(t, line))
		return TD_LINE_SKIPPED;
	return t->in_table ? td_reject(imp, "not-a-row") : TD_LINE_SKIPPED;
}

/* What sslsniff saw stands between these. */
static bool is_data(struct td_tools *t, struct td_str line)
{
	bool was = t->in_data;

	if (td_str_starts(line, "----- DATA -----"))
		t->in_data = true;
	else if (td_str_starts(line, "----- END DATA "))
		t->in_data = false;
	return was || t->in_data;
}

int td_tools_line(struct td_import *imp, struct td_tools *t, char *text, size_t len)
{
	struct td_str line = { text, len };
	struct td_tool_row row;
	int r;

	while (td_str_starts(line, "^C")) { /* the terminal's echo */
		line.p += 2;
		line.len -= 2;
	}
	if (is_data(t, line))
		return TD_LINE_SKIPPED;
	r = td_stack_block_line(imp, &t->stacks, line);
	if (r <= TD_LINE_ISSUE)
		return r;
	if (!t->maps.in_key && t->table.tool != TD_TOOL_NONE && td_tool_row(&t->table, line, &row))
		return t->joins && td_tool_has(&t->table, TD_TOOL_ARGS) ? hold_row(imp, t, line)
									: table_row(imp, t, &row);
	if (!td_str_is_blank(line) && continues_row(t, line))
		return continue_row(t, line);
	r = put_held(imp, t, line);
	if (r < 0)
		return r;
	if (td_str_is_blank(line))
		return blank_line(imp, t);
	if (td_str_find(line, "statsnoop"))
		t->is_statsnoop = true;
	else if (td_str_find(line, "opensnoop"))
		t->is_statsnoop = false;
	return other_line(imp, t, line);
}

/* --- the importer --- */

static int tools_begin(struct td_import *imp, struct td_err *err)
{
	struct td_tools *t = imp->state;

	(void)err;
	td_tools_init(t, td_store_source_at(imp->store, imp->source_id)->path);
	t->joins = true;
	return 0;
}

static int tools_line(struct td_import *imp, char *line, size_t len)
{
	struct td_tools *t = imp->state;
	int r = td_tools_line(imp, t, line, len);

	t->has_rows |= r == TD_LINE_ROW;
	return r;
}

static int tools_end(struct td_import *imp)
{
	struct td_tools *t = imp->state;
	int r = put_held(imp, t, (struct td_str){ "", 0 });

	if (t->has_unused && !t->has_rows)
		td_note(imp, "unused-tool", "the output of this tool, stacks mostly, is not read");
	if (t->time == TD_TOOLS_TIME_TOD && t->has_tod && !t->has_fractions)
		td_import_note_seconds(imp);
	td_tools_done(t);
	return r;
}

#define SNIFF_TABLE 70
#define SNIFF_BASHREADLINE                                                                         \
	93 /* above ps, which has columns of these names, but not in this order */
#define SNIFF_MAPS 60
#define SNIFF_BANNER 40
#define SNIFF_UNUSED 20

/* What was seen so far. */
struct sniffed {
	struct td_tool_table table;
	bool banner, title, row, unused;
	size_t entries, others;
};

static bool is_sentence_at(struct td_str line)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	int64_t tod_ns;

	return td_scan_tod(&s, &tod_ns) && td_tools_is_sentence(td_scan_rest(&s));
}

/* "@[cat]: 12", "08:56:38 PIDs/sec: @: 90" */
static bool is_entry(struct td_str line)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	const char *at = line.p;
	int64_t tod_ns;

	if (td_scan_tod(&s, &tod_ns))
		at = td_str_find(line, "@");
	return at && td_maps_is_entry((struct td_str){ at, (size_t)(line.p + line.len - at) });
}

static void sniff_line(struct sniffed *f, struct td_str line)
{
	struct td_tool_table table;
	struct td_tool_row row;
	bool sentence;

	while (td_str_starts(line, "^C"))
		line = (struct td_str){ line.p + 2, line.len - 2 };
	sentence = is_sentence_at(line);
	f->unused |= is_unused(line) || td_stack_banner(line);
	f->banner |= td_str_starts(line, "Attaching ") || td_str_starts(line, "Attached ");
	if (td_tool_header(line, &table))
		f->table = table;
	else if (!sentence && f->table.tool != TD_TOOL_NONE && td_tool_row(&f->table, line, &row))
		f->row = true;
	else if (sentence || td_maps_is_title(line))
		f->title = true;
	else if (td_maps_is_bucket(line) || is_entry(line))
		f->entries++;
	else if (!td_str_is_blank(line) && !is_noise(line) && line.p[0] != '@')
		f->others++;
}

/* A header with a row below it, or maps. A tool that had nothing to say leaves its banner. */
static int tools_sniff(const char *head, size_t len)
{
	struct sniffed f = { .table = { .tool = TD_TOOL_NONE } };
	const char *p = head, *nl;

	for (; !f.row && (nl = memchr(p, '\n', (size_t)(head + len - p))); p = nl + 1)
		sniff_line(&f, (struct td_str){ p, (size_t)(nl - p) - (nl > p && nl[-1] == '\r') });
	if (f.row && f.table.name && strcmp(f.table.name, "bashreadline") == 0)
		return SNIFF_BASHREADLINE;
	if (f.row)
		return SNIFF_TABLE;
	if (f.title || (f.entries && (f.banner || f.entries > f.others)))
		return SNIFF_MAPS;
	if (f.banner && (f.table.tool != TD_TOOL_NONE || !f.others))
		return SNIFF_BANNER;
	return f.unused ? SNIFF_UNUSED : 0;
}

const struct td_importer td_importer_bpftrace_tools = {
	.name = "bpftrace-tools",
	.desc = "bpftrace's and bcc's own tools (opensnoop, biosnoop, ext4slower, ...), maps, "
		"histograms",
	.clock = TD_CLOCK_RELATIVE,
	.state_size = sizeof(struct td_tools),
	.sniff = tools_sniff,
	.surest = SNIFF_BASHREADLINE,
	.begin = tools_begin,
	.line = tools_line,
	.end = tools_end,
};
