/* SPDX-License-Identifier: MIT */
/*
 * iostat -o JSON:
 *
 *     {"sysstat": {
 *         "hosts": [ { "nodename": "box", ..., "date": "11/20/26", "statistics": [
 *                         (a blank line if -y was given)
 *             { "timestamp": "11/20/26 11:26:34",
 *               "avg-cpu":  {"user": 54.43, "nice": 0.00, ..., "idle": 39.22},
 *               "disk": [
 *                   {"disk_device": "vda", "r/s": 43.22, "w/s": 56.17, ..., "util": 0.77}
 *
 * Other line breaks and orders mean the same: values wait for the name of their disk and the time of their
 * report. What is made of them: as in iostat.c. An iostat that was killed leaves the JSON open: all that is in
 * it is read, and the source is cut.
 */
#include "common/array.h"
#include "common/cleanup.h"
#include "importers/core/importers.h"
#include "importers/sysstat/iostat.h"
#include "common/json/events.h"
#include "common/json/text.h"

#define HELD_MAX 1000000 /* values of one report, which only damage can make so many */

struct value {
	struct td_str device; /* in the store, as name is; .p NULL: of avg-cpu */
	struct td_str name;
	double value;
};

enum part { PART_NONE, PART_CPU, PART_DISKS };

struct json {
	struct td_json_events events;
	struct td_iostat io;
	enum part part;
	unsigned part_depth; /* of the object avg-cpu, or of the array of disks */
	struct td_str device; /* of the disk being read; .p NULL: not said yet */
	struct value *values; /* of the report, not put yet */
	size_t nvalues, values_cap;
	size_t row_from; /* the first value of the row being read */
	bool in_report, has_time;
	bool began; /* the line before was the begin of the statistics */
	bool some; /* of the line being read: values in it */
};

static struct td_str keep(struct td_import *imp, struct td_str s)
{
	uint32_t id = td_store_string(imp->store, s.p, s.len);

	return id ? td_store_text(imp->store, id) : (struct td_str){ "", 0 };
}

/* --- values --- */

static int hold(struct td_import *imp, struct json *j, const char *key)
{
	struct td_str name = { key, strlen(key) };
	int r;

	if (!name.len || j->nvalues >= HELD_MAX)
		return 0;
	r = td_grow(&j->values, &j->values_cap, j->nvalues);
	if (r < 0)
		return r;
	j->some = true;
	j->values[j->nvalues++] =
		(struct value){ .name = keep(imp, name), .value = j->events.number };
	return 0;
}

static int put_values(struct td_import *imp, struct json *j)
{
	int r = 0;

	for (size_t i = 0; i < j->nvalues && r >= 0; i++) {
		const struct value *v = &j->values[i];

		r = v->device.p ? td_iostat_disk(imp, &j->io, v->device, v->name, v->value, 0)
				: td_iostat_cpu(imp, &j->io, v->name, v->value);
	}
	j->nvalues = j->row_from = 0;
	return r;
}

/* A row is whole: avg-cpu, or a disk, whose name may have come last. */
static int end_row(struct td_import *imp, struct json *j)
{
	if (j->part == PART_DISKS && !j->device.p)
		j->nvalues = j->row_from;
	for (size_t i = j->row_from; i < j->nvalues; i++)
		j->values[i].device = j->device;
	j->row_from = j->nvalues;
	return j->has_time ? put_values(imp, j) : 0;
}

static void begin_row(struct json *j)
{
	j->row_from = j->nvalues;
	j->device = (struct td_str){ NULL, 0 };
}

/* Of a report without time the end tells that there is none to come. */
static int end_report(struct td_import *imp, struct json *j)
{
	bool is_untimed = j->in_report && !j->has_time && j->nvalues && !j->io.is_timed;

	if (is_untimed)
		td_iostat_untimed_report(imp, &j->io);
	else
		j->nvalues = 0;
	j->in_report = false;
	return put_values(imp, j);
}

/* --- events --- */

static int value_event(struct td_import *imp, struct json *j, enum td_json_event event)
{
	const char *key = td_json_events_key(&j->events, event);
	unsigned row_depth = j->part_depth + (j->part == PART_DISKS);
	struct td_str text = j->events.text;
	char host[256];

	if (event == TD_JSON_NUMBER)
		return j->part != PART_NONE && j->events.depth == row_depth ? hold(imp, j, key) : 0;
	if (event != TD_JSON_STRING)
		return 0;
	if (strcmp(key, "disk_device") == 0) {
		j->device = keep(imp, text);
	} else if (strcmp(key, "timestamp") == 0) {
		j->has_time = td_iostat_time(imp, &j->io, text);
		return j->has_time ? put_values(imp, j) : -EBADMSG;
	} else if (strcmp(key, "nodename") == 0) {
		(void)snprintf(host, sizeof(host), "%.*s", (int)TD_MIN(text.len, (size_t)255),
			       text.p);
		td_import_set_tool(imp, "iostat", NULL, host);
		td_iostat_banner(&j->io);
	}
	return 0;
}

static void open_event(struct json *j)
{
	const char *key = td_json_events_key(&j->events, TD_JSON_OPEN);
	bool is_cpu = j->events.is_object && strcmp(key, "avg-cpu") == 0;

	if (is_cpu || (!j->events.is_object && strcmp(key, "disk") == 0)) {
		j->part = is_cpu ? PART_CPU : PART_DISKS;
		j->part_depth = j->events.depth;
		begin_row(j);
	} else if (j->part == PART_DISKS && j->events.depth == j->part_depth + 1) {
		begin_row(j);
	} else if (strcmp(key, "statistics") == 0) {
		j->began = true;
	} else if (strcmp(td_json_events_around(&j->events, 1), "statistics") == 0) {
		j->nvalues = j->row_from = 0;
		j->part = PART_NONE;
		j->in_report = true;
		j->has_time = false;
	}
}

static int close_event(struct td_import *imp, struct json *j)
{
	unsigned depth = j->events.depth;
	int r = 0;

	if (j->part != PART_NONE && depth == j->part_depth + (j->part == PART_DISKS))
		r = end_row(imp, j);
	if (j->part != PART_NONE && depth <= j->part_depth)
		j->part = PART_NONE;
	else if (j->part == PART_NONE &&
		 strcmp(td_json_events_around(&j->events, 1), "statistics") == 0)
		r = end_report(imp, j);
	return r;
}

static int on_event(void *arg, struct td_json_events *events, enum td_json_event event)
{
	struct td_import *imp = arg;
	struct json *j = imp->state;

	(void)events;
	if (event == TD_JSON_OPEN)
		open_event(j);
	else
		return event == TD_JSON_CLOSE ? close_event(imp, j) : value_event(imp, j, event);
	return 0;
}

/* --- lines --- */

static bool in_row(const struct json *j)
{
	return j->part != PART_NONE && j->nvalues > j->row_from;
}

static bool is_blank(const char *line, size_t len)
{
	return strspn(line, " \t\r") >= len;
}

static int iostat_json_line(struct td_import *imp, char *line, size_t len)
{
	struct json *j = imp->state;
	int r;

	if (j->began && is_blank(line, len))
		j->io.omits_first = true;
	j->began = false;
	j->some = false;
	j->events.unterminated = imp->line_unterminated;
	r = td_json_events_line(imp, &j->events, line, len, on_event);
	if (r == -EBADMSG) {
		j->nvalues = TD_MIN(j->nvalues, j->row_from);
		begin_row(j);
		return td_reject(imp, imp->line_unterminated ? "cut-line" : "spoilt-line");
	}
	if (r < 0)
		return r;
	if (imp->line_unterminated && in_row(j))
		return td_reject(imp, "cut-line");
	/* one member per line: a line with a part of a row counts as one */
	return j->some || in_row(j) ? TD_LINE_ROW : TD_LINE_SKIPPED;
}

static int iostat_json_begin(struct td_import *imp, struct td_err *err)
{
	struct json *j = imp->state;

	(void)err;
	td_iostat_init(&j->io);
	return 0;
}

static int iostat_json_end(struct td_import *imp)
{
	struct json *j = imp->state;
	int r = 0;

	if (j->events.depth > 0) { /* iostat closes it when interrupted, but not when killed */
		td_note(imp, "unclosed", "the JSON ends before its time");
		td_store_source_at(imp->store, imp->source_id)->state = TD_STATE_CUT;
		if (in_row(j))
			j->nvalues = j->row_from;
		r = end_report(imp, j);
	}
	free(j->values);
	return r;
}

/* Line breaks mean nothing here; what is not whole is told from the text. */
static bool iostat_json_takes_tail(const char *tail, size_t len)
{
	(void)tail;
	(void)len;
	return true;
}

static int iostat_json_sniff(const char *head, size_t len)
{
	struct td_str s = { head, len };

	if (!td_json_begins(head, len, "sysstat") || !td_str_find(s, "\"statistics\""))
		return 0;
	return td_str_find(s, "\"disk_device\"") || td_str_find(s, "\"avg-cpu\"") ? 88 : 0;
}

const struct td_importer td_importer_iostat_json = {
	.name = "iostat-json",
	.desc = "iostat -o JSON: rates and utilisation per disk",
	.clock = TD_CLOCK_LOCAL,
	.state_size = sizeof(struct json),
	.sniff = iostat_json_sniff,
	.begin = iostat_json_begin,
	.line = iostat_json_line,
	.takes_tail = iostat_json_takes_tail,
	.end = iostat_json_end,
};
