/* SPDX-License-Identifier: MIT */
/*
 * bpftrace -f json: one object per line.
 *
 *     {"type": "attached_probes", "data": {"probes": 6}}                           skipped
 *     {"type": "printf", "data": "PID    COMM               FD ERR PATH\n"}        text
 *     {"type": "time", "data": "08:56:40\n"}                                       text
 *     {"type": "map", "data": {"@c": {"3012,ls": 7}}}                              summary
 *     {"type": "hist", "data": {"@b": {"sh": [{"min": 512, "max": 1023, "count": 6}]}}}
 *     {"type": "stats", "data": {"@s": {"count": 3545, "average": 4687, "total": 16615974}}}
 *     {"type": "lost_events", "data": {"events": 12}}                              counted
 *
 * The text is put together to lines again (a record may hold a part of one) and read like the text form:
 * as one of bpftrace's tools (bpftrace_tools.c), or, if one of its first lines says so, as an
 * mlperf-traces script or a program given with --layout (bpftrace.c). A record counts as a row if a row
 * came of it or will, with the records after it. Summaries are those of bpftrace/maps.h.
 */
#include <math.h>

#include "common/cleanup.h"
#include "importers/bpftrace/bpftrace.h"
#include "importers/bpftrace/bpftrace_tools.h"
#include "importers/core/importers.h"
#include "common/json/text.h"

#define PROBE_LINES 64 /* of text, until which the layout must show itself */
#define TEXT_MAX ((size_t)1024 * 1024)

struct json {
	struct td_tools tools;
	struct td_strbuf text; /* of printf records, not ended by a newline yet */
	unsigned nlines; /* of text so far, up to PROBE_LINES */
	void *layouts; /* state of td_importer_bpftrace, once it reads the text; owned */
	bool noted_other;
};

/* --- text --- */

static int start_layouts(struct td_import *imp, struct json *j)
{
	struct td_err err;
	int r;

	imp->state = j->layouts = calloc(1, td_importer_bpftrace.state_size);
	r = j->layouts ? td_importer_bpftrace.begin(imp, &err) : -ENOMEM;
	imp->state = j;
	return r;
}

/* One line of the text, with its newline in place of the NUL that readers expect. A verdict. */
static int text_line(struct td_import *imp, struct json *j, char *line, size_t len)
{
	int r;

	if (!j->layouts && j->tools.table.tool == TD_TOOL_NONE && j->nlines < PROBE_LINES) {
		j->nlines++;
		if (td_bpftrace_sniff_with(line, len + 1, imp->options->layouts) > 0) {
			r = start_layouts(imp, j);
			if (r < 0)
				return r;
		}
	}
	line[len] = '\0';
	if (!j->layouts)
		return td_tools_line(imp, &j->tools, line, len);
	imp->state = j->layouts;
	r = td_importer_bpftrace.line(imp, line, len);
	imp->state = j;
	return r;
}

/* A name with newlines in it: the record is a row as a whole, and no line of it but the first is one by itself. */
static bool is_long_row(const struct json *j)
{
	const struct td_tool_table *t = &j->tools.table;
	struct td_str text = { j->text.p, j->text.len ? j->text.len - 1 : 0 };
	struct td_tool_row row;
	const char *nl;

	if (j->layouts || t->tool == TD_TOOL_NONE || !text.len || text.p[text.len] != '\n' ||
	    !memchr(text.p, '\n', text.len) || !td_tool_row(t, text, &row))
		return false;
	while ((nl = memchr(text.p, '\n', text.len))) {
		size_t taken = (size_t)(nl + 1 - text.p);

		text = (struct td_str){ nl + 1, text.len - taken };
		nl = memchr(text.p, '\n', text.len);
		if (td_tool_row(t, (struct td_str){ text.p, nl ? (size_t)(nl - text.p) : text.len },
				&row))
			return false;
	}
	return true;
}

static int put_text(struct td_import *imp, struct json *j, struct td_str data)
{
	int verdict = TD_LINE_SKIPPED;
	char *p, *nl;

	td_json_add_decoded(&j->text, data);
	if (td_strbuf_error(&j->text) < 0)
		return -ENOMEM;
	if (is_long_row(j)) {
		verdict = text_line(imp, j, j->text.p, j->text.len - 1);
		td_strbuf_reset(&j->text);
		return verdict;
	}
	for (p = j->text.p; p && (nl = memchr(p, '\n', (size_t)(j->text.p + j->text.len - p)));
	     p = nl + 1) {
		int r = text_line(imp, j, p, (size_t)(nl - p));

		if (r < 0)
			return r;
		if (verdict != TD_LINE_ROW && r != TD_LINE_SKIPPED)
			verdict = r;
		/* what follows in the same record belongs to the row: a path with a newline in it */
		if (r == TD_LINE_ROW)
			j->tools.in_table = false;
	}
	j->tools.in_table |= verdict == TD_LINE_ROW;
	if (!p || p == j->text.p + j->text.len) {
		td_strbuf_reset(&j->text);
		return verdict;
	}
	j->text.len -= (size_t)(p - j->text.p);
	memmove(j->text.p, p, j->text.len + 1);
	if (j->text.len > TEXT_MAX) {
		td_strbuf_reset(&j->text);
		return td_reject(imp, "line-too-long");
	}
	return TD_LINE_ROW;
}

/* --- maps --- */

static void put_stats(struct td_import *imp, struct td_str name, struct td_str key,
		      struct td_str stats)
{
	static const char *const members[] = { "count", "average", "total" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(members); i++) {
		double value;

		if (td_json_number(td_json_get(stats, members[i]), &value))
			td_maps_summary(imp, name, key, members[i], NAN, NAN, value);
	}
}

/* {"min": 512, "max": 1023, "count": 6}: an open end lacks; {"interval_start": "...", "value": 9} */
static bool put_bucket(struct td_import *imp, struct td_str name, struct td_str key,
		       struct td_str bucket)
{
	double low = NAN, high = NAN, count;
	struct td_str start;

	if (td_json_number(td_json_get(bucket, "value"), &count) &&
	    td_json_string(td_json_get(bucket, "interval_start"), &start)) {
		td_maps_summary(imp, name, start, NULL, NAN, NAN, count);
		return true;
	}
	if (!td_json_number(td_json_get(bucket, "count"), &count))
		return false;
	(void)td_json_number(td_json_get(bucket, "min"), &low);
	if (td_json_number(td_json_get(bucket, "max"), &high))
		high += 1;
	td_maps_summary(imp, name, key, "count", low, high, count);
	return true;
}

static bool put_buckets(struct td_import *imp, struct td_str name, struct td_str key,
			struct td_str array)
{
	struct td_scan s = td_scan_of(array.p + 1, array.len - 1);
	struct td_str bucket;
	bool some = false;

	while (td_json_value(&s, &bucket)) {
		some |= put_bucket(imp, name, key, bucket);
		td_scan_blanks(&s);
		if (!td_scan_char(&s, ','))
			break;
	}
	return some;
}

/* The value of a map, or of one of its keys. A verdict. */
static int put_value(struct td_import *imp, struct json *j, struct td_str name, struct td_str key,
		     struct td_str value)
{
	_cleanup_(td_strbuf_done) struct td_strbuf label = TD_STRBUF_INIT;
	struct td_maps_value v = { .name = name, .key = key };

	if (value.p[0] == '[')
		return put_buckets(imp, name, key, value) ? TD_LINE_ROW : TD_LINE_SKIPPED;
	if (td_json_is_object(value)) {
		put_stats(imp, name, key, value);
		return TD_LINE_ROW;
	}
	if (!td_json_number(value, &v.value)) {
		if (!j->tools.noted_text)
			td_note(imp, "text-map", NULL);
		j->tools.noted_text = true;
		return TD_LINE_SKIPPED;
	}
	td_strbuf_add(&label, name.p, name.len);
	if (key.p)
		td_strbuf_addf(&label, "[%.*s]", (int)key.len, key.p);
	if (td_strbuf_error(&label) < 0)
		return -ENOMEM;
	v.label = (struct td_str){ label.p, label.len };
	return td_tools_map_value(imp, &j->tools, &v);
}

/* Is it what stats() gives, and no map with keys of these names? */
static bool is_stats(struct td_str object)
{
	struct td_str average = td_json_get(object, "average");
	double value;

	return average.p && td_json_number(average, &value) && td_json_get(object, "total").p;
}

static int put_map(struct td_import *imp, struct json *j, struct td_str name, struct td_str value)
{
	struct td_str none = { NULL, 0 }, key, member;
	struct td_scan s = td_scan_of(value.p, value.len);
	int verdict = TD_LINE_SKIPPED;

	if (!td_json_is_object(value) || is_stats(value))
		return put_value(imp, j, name, none, value);
	while (td_json_member(&s, &key, &member) > 0) {
		int r = put_value(imp, j, name, key, member);

		if (r < 0)
			return r;
		if (verdict != TD_LINE_ROW && r != TD_LINE_SKIPPED)
			verdict = r;
	}
	return verdict;
}

static int put_maps(struct td_import *imp, struct json *j, struct td_str data)
{
	struct td_scan s = td_scan_of(data.p, data.len);
	struct td_str name, value;
	int verdict = TD_LINE_SKIPPED;

	while (td_json_is_object(data) && td_json_member(&s, &name, &value) > 0) {
		int r = put_map(imp, j, name, value);

		if (r < 0)
			return r;
		if (verdict != TD_LINE_ROW && r != TD_LINE_SKIPPED)
			verdict = r;
	}
	return verdict;
}

/* --- records --- */

enum record { RECORD_TEXT, RECORD_MAP, RECORD_LOST, RECORD_NONE };

static const struct {
	const char *type;
	enum record record;
} types[] = {
	{ "printf", RECORD_TEXT },
	{ "time", RECORD_TEXT },
	{ "cat", RECORD_TEXT },
	{ "join", RECORD_TEXT },
	{ "syscall", RECORD_TEXT },
	{ "map", RECORD_MAP },
	{ "value", RECORD_MAP },
	{ "hist", RECORD_MAP },
	{ "lhist", RECORD_MAP },
	{ "stats", RECORD_MAP },
	{ "tseries", RECORD_MAP },
	{ "lost_events", RECORD_LOST },
	{ "attached_probes", RECORD_NONE },
};

static int put_record(struct td_import *imp, struct json *j, struct td_str type, struct td_str data)
{
	struct td_str text;
	double n;

	for (size_t i = 0; i < TD_ARRAY_SIZE(types); i++) {
		if (!td_str_eq(type, types[i].type))
			continue;
		switch (types[i].record) {
		case RECORD_TEXT:
			return td_json_string(data, &text) ? put_text(imp, j, text)
							   : td_reject(imp, "not-a-record");
		case RECORD_MAP:
			return put_maps(imp, j, data);
		case RECORD_LOST:
			if (td_json_number(td_json_get(data, "events"), &n) && n > 0 && n < 1e18)
				td_lost(imp, (uint64_t)n);
			return TD_LINE_SKIPPED;
		case RECORD_NONE:
			return TD_LINE_SKIPPED;
		}
	}
	if (!j->noted_other)
		td_note(imp, "other-record", NULL);
	j->noted_other = true;
	return TD_LINE_SKIPPED;
}

static int json_line(struct td_import *imp, char *line, size_t len)
{
	struct json *j = imp->state;
	struct td_scan s = td_scan_of(line, len);
	struct td_str object, type;

	td_scan_blanks(&s);
	if (td_scan_done(&s))
		return td_tools_line(imp, &j->tools, line, 0);
	if (*s.p != '{')
		return td_str_starts(td_scan_rest(&s), "ERROR: ") ||
				       td_str_starts(td_scan_rest(&s), "WARNING: ")
			       ? TD_LINE_SKIPPED
			       : td_reject(imp, "not-a-record");
	if (!td_json_value(&s, &object))
		return td_reject(imp, imp->line_unterminated ? "cut-line" : "not-a-record");
	imp->line_unterminated = false; /* the lines in it have their own ends */
	if (!td_json_string(td_json_get(object, "type"), &type))
		return td_reject(imp, "not-a-record");
	return put_record(imp, j, type, td_json_get(object, "data"));
}

/* --- begin and end --- */

static int json_begin(struct td_import *imp, struct td_err *err)
{
	struct json *j = imp->state;

	(void)err;
	td_tools_init(&j->tools, td_store_source_at(imp->store, imp->source_id)->path);
	return 0;
}

/* A record says itself where it ends. */
static bool json_takes_tail(const char *tail, size_t len)
{
	return tail[len - 1] == '}';
}

static int json_end(struct td_import *imp)
{
	struct json *j = imp->state;
	int r = 0;

	if (j->text.len)
		td_note(imp, "cut-text", "the last line of the printed text has no end");
	if (j->layouts) {
		imp->state = j->layouts;
		r = td_importer_bpftrace.end(imp);
		imp->state = j;
		free(j->layouts);
	}
	td_strbuf_done(&j->text);
	td_tools_done(&j->tools);
	return r;
}

static int json_sniff(const char *head, size_t len)
{
	static const char begin[] = "{\"type\": \"";
	const char *p = head, *nl;

	for (; (nl = memchr(p, '\n', (size_t)(head + len - p))); p = nl + 1) {
		struct td_str line = { p, (size_t)(nl - p) }, type;

		if (!td_str_starts(line, begin) || !td_str_find(line, "\", \"data\": "))
			continue;
		type = (struct td_str){ p + strlen(begin), line.len - strlen(begin) };
		for (size_t i = 0; i < TD_ARRAY_SIZE(types); i++)
			if (td_str_starts(type, types[i].type) &&
			    type.p[strlen(types[i].type)] == '"')
				return 80;
	}
	return 0;
}

const struct td_importer td_importer_bpftrace_json = {
	.name = "bpftrace-json",
	.desc = "bpftrace -f json: the text and the maps of any program that is read as text, too",
	.clock = TD_CLOCK_RELATIVE,
	.state_size = sizeof(struct json),
	.sniff = json_sniff,
	.surest = 80,
	.begin = json_begin,
	.line = json_line,
	.takes_tail = json_takes_tail,
	.end = json_end,
};
