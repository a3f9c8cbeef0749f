/* SPDX-License-Identifier: MIT */
/*
 * mpstat -o JSON:
 *
 *     {"sysstat": {"hosts": [ {"nodename": "box", ..., "date": "05/01/2024", "statistics": [
 *         {"timestamp": "10:00:01 AM", "cpu-load": [
 *             {"cpu": "all", "usr": 2.15, "nice": 0.00, ..., "idle": 82.88},
 *             {"cpu": "0", "usr": 2.71, ...} ]}, ...
 *
 * Read as it comes, member by member, so that a file cut by a kill gives all that is in it and memory
 * does not grow with it. Line breaks mean nothing: it may be one line, or one member per line. Date
 * and time are localised as in the text form. Of the arrays, cpu-load and sum-interrupts become
 * samples (columns as in mpstat.c); node-load and the single interrupts are noted.
 */
#include "common/cleanup.h"
#include "importers/importers.h"
#include "importers/json_text.h"
#include "importers/mpstat.h"

#define TEXT_MAX 128 /* longest text of interest */

enum section { SECTION_NONE, SECTION_CPU, SECTION_INTR, SECTION_OTHER };

struct json {
	struct td_mpstat m;
	enum section section;
	char key[32]; /* of the member whose value comes next; "" for a value without one */
	int64_t ns; /* of the latest timestamp */
	struct td_mpstat_time time;
	bool has_time;
	int64_t cpu; /* of the object being read; below TD_MPSTAT_ALL: none */
	double values[TD_MPSTAT_NCOLUMNS];
	bool has_value[TD_MPSTAT_NCOLUMNS];
	bool in_row; /* some of the object's values are read, its end is not */
	bool noted_other;
	int64_t depth; /* of braces and brackets */
};

static const struct {
	const char *key;
	enum section section;
} sections[] = {
	{ "cpu-load", SECTION_CPU },          { "sum-interrupts", SECTION_INTR },
	{ "node-load", SECTION_OTHER },       { "individual-interrupts", SECTION_OTHER },
	{ "soft-interrupts", SECTION_OTHER },
};

static void note_other(struct td_import *imp, struct json *j)
{
	if (!j->noted_other)
		td_note(imp, "other-table", "values per NUMA node or interrupt are not read");
	j->noted_other = true;
}

static void begin_object(struct json *j)
{
	j->cpu = TD_MPSTAT_ALL - 1;
	j->in_row = false;
	memset(j->has_value, 0, sizeof(j->has_value));
}

/* 1: samples were stored, 0: nothing to store, -errno. */
static int end_object(struct td_import *imp, struct json *j)
{
	struct td_sample sample;
	int r = 0;

	if (j->in_row && !td_mpstat_begin_row(imp, &j->m, j->ns, &j->time))
		j->in_row = false;
	for (int i = 0; i < TD_MPSTAT_NCOLUMNS && j->in_row && r >= 0; i++) {
		if (!j->has_value[i])
			continue;
		r = td_mpstat_sample(imp, &j->m, j->cpu, (enum td_mpstat_column)i, j->values[i],
				     &sample);
		if (r >= 0)
			r = td_put_sample(imp, &sample);
		if (r >= 0)
			r = 1;
	}
	begin_object(j);
	return r;
}

static void string_member(struct td_import *imp, struct json *j, struct td_str value)
{
	if (strcmp(j->key, "date") == 0) {
		td_mpstat_banner(imp, &j->m, value);
	} else if (strcmp(j->key, "timestamp") == 0) {
		j->section = SECTION_NONE;
		j->has_time = td_mpstat_scan_time(value, &j->time);
		if (j->has_time)
			j->ns = td_mpstat_unwrap(imp, &j->m, &j->time);
	} else if (strcmp(j->key, "nodename") == 0) {
		char host[TEXT_MAX];

		(void)snprintf(host, sizeof(host), "%.*s", (int)value.len, value.p);
		td_import_set_tool(imp, "mpstat", NULL, host);
	} else if (strcmp(j->key, "cpu") == 0 && !td_mpstat_scan_cpu(value, &j->cpu)) {
		j->cpu = TD_MPSTAT_ALL - 1;
	}
}

static void number_member(struct json *j, double value)
{
	int column = td_mpstat_column((struct td_str){ j->key, strlen(j->key) });

	if (strcmp(j->key, "cpu") == 0) {
		j->cpu = value >= 0 && value <= TD_MPSTAT_CPU_MAX ? (int64_t)value : TD_MPSTAT_ALL;
		return;
	}
	if (column < 0 || j->cpu < TD_MPSTAT_ALL || !j->has_time ||
	    j->section != (column == TD_MPSTAT_INTR ? SECTION_INTR : SECTION_CPU))
		return;
	j->values[column] = value;
	j->has_value[column] = j->in_row = true;
}

static void begin_array(struct td_import *imp, struct json *j)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(sections); i++) {
		if (strcmp(j->key, sections[i].key) != 0)
			continue;
		j->section = sections[i].section;
		if (j->section == SECTION_OTHER)
			note_other(imp, j);
	}
}

/* The text between quotes; the scan stands behind them. false: it does not end on this line. */
static bool scan_string(struct td_scan *s, struct td_str *ret)
{
	const char *p = s->p;

	if (p == s->end || *p != '"')
		return false;
	for (p++; p < s->end && *p != '"'; p++)
		if (*p == '\\')
			p++;
	if (p >= s->end)
		return false;
	*ret = (struct td_str){ s->p + 1, (size_t)(p - s->p) - 1 };
	s->p = p + 1;
	return true;
}

/* A string is a key if a colon follows it, else a value. */
static bool string_token(struct td_import *imp, struct json *j, struct td_scan *s)
{
	struct td_str text;

	if (!scan_string(s, &text))
		return false;
	td_scan_blanks(s);
	if (td_scan_char(s, ':')) {
		(void)snprintf(j->key, sizeof(j->key), "%.*s", (int)TD_MIN(text.len, (size_t)31),
			       text.p);
		return true;
	}
	text.len = TD_MIN(text.len, (size_t)TEXT_MAX - 1);
	string_member(imp, j, text);
	j->key[0] = '\0';
	return true;
}

/* A number or a word such as null. */
static bool bare_token(struct td_import *imp, struct json *j, struct td_scan *s)
{
	const char *from = s->p;
	double value;

	if (td_scan_double(s, &value)) {
		if (td_scan_done(s) && imp->line_unterminated)
			return false; /* more digits may have followed */
		number_member(j, value);
	} else {
		while (s->p < s->end && *s->p >= 'a' && *s->p <= 'z')
			s->p++;
	}
	j->key[0] = '\0';
	return s->p > from;
}

/* 1: a row ended here, 0: not, -EBADMSG: not JSON, or other -errno. */
static int next_token(struct td_import *imp, struct json *j, struct td_scan *s)
{
	switch (*s->p) {
	case '"':
		return string_token(imp, j, s) ? 0 : -EBADMSG;
	case '{':
		j->depth++;
		begin_object(j);
		break;
	case '}':
		j->depth--;
		s->p++;
		return end_object(imp, j);
	case '[':
		j->depth++;
		begin_array(imp, j);
		break;
	case ']':
		j->depth--;
		break;
	case ',':
	case '\r':
		break;
	default:
		return bare_token(imp, j, s) ? 0 : -EBADMSG;
	}
	s->p++;
	return 0;
}

static int mpstat_json_line(struct td_import *imp, char *line, size_t len)
{
	struct json *j = imp->state;
	struct td_scan s = td_scan_of(line, len);
	bool row = false;

	for (td_scan_blanks(&s); !td_scan_done(&s); td_scan_blanks(&s)) {
		int r = next_token(imp, j, &s);

		if (r == -EBADMSG) {
			begin_object(j);
			return td_reject(imp, imp->line_unterminated ? "cut-line" : "spoilt-line");
		}
		if (r < 0)
			return r;
		row |= r > 0;
	}
	if (imp->line_unterminated && j->in_row)
		return td_reject(imp, "cut-line");
	/* one member per line: a line with a part of a row counts as one */
	return row || j->in_row ? TD_LINE_ROW : TD_LINE_SKIPPED;
}

static int mpstat_json_begin(struct td_import *imp, struct td_err *err)
{
	struct json *j = imp->state;

	(void)err;
	td_mpstat_init(&j->m);
	begin_object(j);
	return 0;
}

static int mpstat_json_end(struct td_import *imp)
{
	struct json *j = imp->state;

	if (j->depth > 0) { /* mpstat closes it when interrupted, but not when killed */
		td_note(imp, "unclosed", "the JSON ends before its time");
		td_store_source_at(imp->store, imp->source_id)->state = TD_STATE_CUT;
	}
	td_mpstat_done(&j->m);
	return 0;
}

static int mpstat_json_sniff(const char *head, size_t len)
{
	bool found = false;

	if (!td_json_begins(head, len, "sysstat") || !memmem(head, len, "\"timestamp\"", 11))
		return 0;
	for (size_t i = 0; i < TD_ARRAY_SIZE(sections) && !found; i++)
		found = memmem(head, len, sections[i].key, strlen(sections[i].key)) != NULL;
	return found ? 90 : 0;
}

const struct td_importer td_importer_mpstat_json = {
	.name = "mpstat-json",
	.desc = "mpstat -o JSON: utilisation per CPU",
	.clock = TD_CLOCK_LOCAL,
	.state_size = sizeof(struct json),
	.sniff = mpstat_json_sniff,
	.begin = mpstat_json_begin,
	.line = mpstat_json_line,
	.end = mpstat_json_end,
};
