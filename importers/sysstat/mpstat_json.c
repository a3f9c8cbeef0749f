/* SPDX-License-Identifier: MIT */
/*
 * mpstat -o JSON:
 *
 *     {"sysstat": {"hosts": [ {"nodename": "box", ..., "date": "05/01/2024", "statistics": [
 *         {"timestamp": "10:00:01 AM",
 *          "cpu-load": [
 *             {"cpu": "all", "usr": 2.15, "nice": 0.00, ..., "idle": 82.88},
 *             {"cpu": "0", "core": "0", "socket": "0", "node": "0", "usr": 2.71, ...} ],
 *          "node-load": [ {"node": "all", "usr": 2.15, ...}, ... ],
 *          "sum-interrupts": [ {"cpu": "all", "intr": 451.00}, ... ],
 *          "individual-interrupts": [ {"cpu": "0", "intr": [ {"name": "24", "value": 0.00}, ... ]}, ... ],
 *          "soft-interrupts": [ the same ]}, ...
 *
 * Line breaks mean nothing: it may be one line, or one member per line, in any order: values wait for
 * what tells whose they are, and of when. A file cut by a kill gives all that is in it. Date and time are
 * localised as in the text form; what becomes of the values is said in mpstat.c.
 */
#include "common/array.h"
#include "common/cleanup.h"
#include "importers/core/importers.h"
#include "common/json/events.h"
#include "common/json/text.h"
#include "importers/sysstat/mpstat.h"

#define HELD_MAX 1000000 /* values without a time, which only damage can make so many */

enum section { SECTION_NONE, SECTION_CPU, SECTION_NODE, SECTION_INTR, SECTION_IRQ, SECTION_SOFT };

struct value {
	const char *track, *unit; /* in the store */
	enum td_mpstat_of of;
	int64_t number;
	double value;
};

struct json {
	struct td_json_events events;
	struct td_mpstat m;
	enum section section;
	unsigned section_depth; /* of its array; its rows are one deeper, their interrupts three */
	struct value *values; /* not put yet */
	size_t nvalues, values_cap;
	size_t row_from; /* the first value of the row being read */
	int64_t row_number; /* below TD_MPSTAT_ALL: not said yet */
	char irq_name[TD_MPSTAT_NAME_MAX]; /* of the interrupt being read */
	double irq_value;
	bool has_irq_value;
	struct td_mpstat_time time; /* of the statistics being read */
	int64_t ns;
	bool has_time;
	unsigned nstatistics;
	bool some; /* of the line being read: values in it */
	bool noted_other;
};

static const struct {
	const char *key;
	enum section section;
} sections[] = {
	{ "cpu-load", SECTION_CPU },         { "node-load", SECTION_NODE },
	{ "sum-interrupts", SECTION_INTR },  { "individual-interrupts", SECTION_IRQ },
	{ "soft-interrupts", SECTION_SOFT },
};

/* --- values --- */

static enum td_mpstat_of of_section(enum section section)
{
	return section == SECTION_NODE ? TD_MPSTAT_OF_NODE : TD_MPSTAT_OF_CPU;
}

static const char *keep(struct td_import *imp, const char *text)
{
	uint32_t id = td_store_cstr(imp->store, text);

	return id ? td_store_text(imp->store, id).p : "";
}

static int hold(struct td_import *imp, struct json *j, const char *track, const char *unit,
		double value)
{
	int r = td_grow(&j->values, &j->values_cap, j->nvalues);

	if (r < 0)
		return r;
	j->some = true;
	j->values[j->nvalues++] = (struct value){
		.track = keep(imp, track),
		.unit = unit,
		.of = of_section(j->section),
		.number = TD_MPSTAT_ALL - 1,
		.value = value,
	};
	return 0;
}

/* Puts the values of whole rows, if their time is known. */
static int flush(struct td_import *imp, struct json *j)
{
	int r = 0;

	if (!j->has_time || !j->nvalues)
		return 0;
	if (!td_mpstat_begin_row(imp, &j->m, j->ns, &j->time)) {
		td_note(imp, "clock-changed", NULL);
		j->nvalues = 0;
		return 0;
	}
	for (size_t i = 0; i < j->nvalues && r >= 0; i++) {
		const struct value *v = &j->values[i];
		uint32_t track = td_mpstat_track(imp, v->of, v->number, v->track, v->unit);
		struct td_sample sample = td_mpstat_sample(&j->m, track, v->value);

		r = td_put_sample(imp, &sample);
	}
	j->nvalues = 0;
	return r;
}

static void begin_row(struct json *j)
{
	j->row_from = j->nvalues;
	j->row_number = TD_MPSTAT_ALL - 1;
}

static int end_row(struct td_import *imp, struct json *j)
{
	if (j->row_number < TD_MPSTAT_ALL || j->nvalues > HELD_MAX)
		j->nvalues = TD_MIN(j->row_from, j->nvalues); /* whose they are is not said */
	for (size_t i = j->row_from; i < j->nvalues; i++)
		j->values[i].number = j->row_number;
	return flush(imp, j);
}

static void end_interrupt(struct json *j)
{
	j->irq_name[0] = '\0';
	j->has_irq_value = false;
}

static int interrupt(struct td_import *imp, struct json *j)
{
	struct td_str name = { j->irq_name, strlen(j->irq_name) };
	char track[TD_MPSTAT_NAME_MAX];
	int r = 0;

	if (name.len && j->has_irq_value) {
		td_mpstat_interrupt(j->section == SECTION_SOFT, name, track);
		r = hold(imp, j, track, "1/s", j->irq_value);
	}
	end_interrupt(j);
	return r;
}

/* --- members --- */

/* "cpu": "0" of a row, or "core", "socket", "node" of a CPU. */
static void place_member(struct td_import *imp, struct json *j, const char *key, int64_t number)
{
	bool is_own = strcmp(key, j->section == SECTION_NODE ? "node" : "cpu") == 0;

	if (is_own)
		j->row_number = number;
	else if (j->nstatistics == 1 && j->row_number >= 0 &&
		 (strcmp(key, "core") == 0 || strcmp(key, "socket") == 0 ||
		  strcmp(key, "node") == 0))
		td_mpstat_topology(imp, j->row_number, key, number);
}

static int row_member(struct td_import *imp, struct json *j, enum td_json_event event,
		      const char *key)
{
	struct td_str name = { key, strlen(key) };
	char track[TD_MPSTAT_NAME_MAX];
	const char *unit;
	int64_t number;

	if (event == TD_JSON_STRING) {
		if (td_mpstat_scan_number(j->events.text, &number))
			place_member(imp, j, key, number);
		return 0;
	}
	if (strcmp(key, "cpu") == 0 || strcmp(key, "node") == 0) {
		double n = j->events.number;

		if (n >= TD_MPSTAT_ALL && n <= TD_MPSTAT_NUMBER_MAX)
			place_member(imp, j, key, (int64_t)n);
		return 0;
	}
	unit = td_mpstat_column(of_section(j->section), name, track);
	return name.len ? hold(imp, j, track, unit, j->events.number) : 0;
}

static void interrupt_member(struct json *j, enum td_json_event event, const char *key)
{
	if (event == TD_JSON_STRING && strcmp(key, "name") == 0)
		(void)snprintf(j->irq_name, sizeof(j->irq_name), "%.*s", (int)j->events.text.len,
			       j->events.text.p);
	if (event == TD_JSON_NUMBER && strcmp(key, "value") == 0) {
		j->irq_value = j->events.number;
		j->has_irq_value = true;
	}
}

/* Of the host and of the statistics. */
static int other_member(struct td_import *imp, struct json *j, const char *key)
{
	struct td_str text = j->events.text;
	char host[256];

	if (strcmp(key, "date") == 0) {
		td_mpstat_banner(imp, &j->m, text);
	} else if (strcmp(key, "nodename") == 0) {
		(void)snprintf(host, sizeof(host), "%.*s", (int)text.len, text.p);
		td_import_set_tool(imp, "mpstat", NULL, host);
	} else if (strcmp(key, "timestamp") == 0) {
		j->has_time = td_mpstat_scan_time(text, &j->time);
		if (j->has_time)
			j->ns = td_mpstat_unwrap(imp, &j->m, &j->time);
		return flush(imp, j);
	}
	return 0;
}

static int value_event(struct td_import *imp, struct json *j, enum td_json_event event)
{
	const char *key = td_json_events_key(&j->events, event);
	unsigned deeper = j->events.depth - j->section_depth;

	if (event == TD_JSON_WORD)
		return 0;
	if (j->section != SECTION_NONE && deeper == 1)
		return row_member(imp, j, event, key);
	if (j->section != SECTION_NONE && deeper == 3)
		interrupt_member(j, event, key);
	return j->section == SECTION_NONE && event == TD_JSON_STRING ? other_member(imp, j, key)
								     : 0;
}

/* --- objects and arrays --- */

static void open_array(struct td_import *imp, struct json *j, const char *key)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(sections); i++) {
		if (strcmp(key, sections[i].key) != 0)
			continue;
		j->section = sections[i].section;
		j->section_depth = j->events.depth;
		return;
	}
	if (j->section == SECTION_NONE && !j->noted_other &&
	    strcmp(td_json_events_around(&j->events, 2), "statistics") == 0) {
		td_note(imp, "other-table", key);
		j->noted_other = true;
	}
}

static void open_event(struct td_import *imp, struct json *j)
{
	const char *key = td_json_events_key(&j->events, TD_JSON_OPEN);

	if (!j->events.is_object) {
		open_array(imp, j, key);
	} else if (j->section != SECTION_NONE && j->events.depth == j->section_depth + 1) {
		begin_row(j);
		end_interrupt(j);
	} else if (strcmp(td_json_events_around(&j->events, 1), "statistics") == 0) {
		j->nvalues = 0; /* of statistics that say no time */
		j->has_time = false;
		j->section = SECTION_NONE;
		j->nstatistics++;
	}
}

static int close_event(struct td_import *imp, struct json *j)
{
	unsigned depth = j->events.depth;

	if (j->section == SECTION_NONE)
		return 0;
	if (depth <= j->section_depth) {
		j->section = SECTION_NONE;
		return 0;
	}
	if (depth == j->section_depth + 1)
		return end_row(imp, j);
	return depth == j->section_depth + 3 ? interrupt(imp, j) : 0;
}

static int on_event(void *arg, struct td_json_events *events, enum td_json_event event)
{
	struct td_import *imp = arg;
	struct json *j = imp->state;

	(void)events;
	if (event == TD_JSON_OPEN)
		open_event(imp, j);
	else
		return event == TD_JSON_CLOSE ? close_event(imp, j) : value_event(imp, j, event);
	return 0;
}

/* --- lines --- */

static bool in_row(const struct json *j)
{
	return j->section != SECTION_NONE && j->events.depth > j->section_depth &&
	       j->nvalues > j->row_from;
}

static int mpstat_json_line(struct td_import *imp, char *line, size_t len)
{
	struct json *j = imp->state;
	int r;

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

static int mpstat_json_begin(struct td_import *imp, struct td_err *err)
{
	struct json *j = imp->state;

	(void)err;
	td_mpstat_init(&j->m);
	begin_row(j);
	return 0;
}

static int mpstat_json_end(struct td_import *imp)
{
	struct json *j = imp->state;

	if (j->events.depth > 0) { /* mpstat closes it when interrupted, but not when killed */
		td_note(imp, "unclosed", "the JSON ends before its time");
		td_store_source_at(imp->store, imp->source_id)->state = TD_STATE_CUT;
	} else if (j->nstatistics == 1) {
		td_note(imp, "one-report",
			"the only report may be of the time since boot (mpstat without interval), "
			"which its JSON does not tell");
	}
	free(j->values);
	return 0;
}

/* Line breaks mean nothing here; what is not whole is told from the text. */
static bool mpstat_json_takes_tail(const char *tail, size_t len)
{
	(void)tail;
	(void)len;
	return true;
}

static int mpstat_json_sniff(const char *head, size_t len)
{
	bool found = false;

	if (!td_json_begins(head, len, "sysstat") || !memmem(head, len, "\"statistics\"", 12))
		return 0;
	for (size_t i = 0; i < TD_ARRAY_SIZE(sections) && !found; i++)
		found = memmem(head, len, sections[i].key, strlen(sections[i].key)) != NULL;
	return found ? 90 : 0;
}

const struct td_importer td_importer_mpstat_json = {
	.name = "mpstat-json",
	.desc = "mpstat -o JSON: utilisation and interrupts per CPU and NUMA node",
	.clock = TD_CLOCK_LOCAL,
	.state_size = sizeof(struct json),
	.sniff = mpstat_json_sniff,
	.begin = mpstat_json_begin,
	.line = mpstat_json_line,
	.takes_tail = mpstat_json_takes_tail,
	.end = mpstat_json_end,
};
