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
#include "common/json/lex.h"
#include "importers/core/importers.h"
#include "common/json/text.h"
#include "importers/sysstat/json.h"
#include "importers/sysstat/mpstat.h"
#include "importers/sysstat/machine.h"

#define HELD_MAX 1000000 /* values without a time, which only damage can make so many */

enum section { SECTION_NONE, SECTION_CPU, SECTION_NODE, SECTION_INTR, SECTION_IRQ, SECTION_SOFT };

struct value {
	const char *track, *unit; /* in the store */
	enum td_mpstat_of of;
	int64_t number;
	double value;
};

struct json {
	struct td_sysstat_json json; /* first: see there */
	struct td_mpstat m;
	enum section section;
	unsigned section_depth; /* of its array; its rows are one deeper */
	struct value *values; /* not put yet */
	size_t nvalues, values_cap;
	struct td_mpstat_time time; /* of the statistics being read */
	int64_t ns;
	bool has_time;
	unsigned nstatistics;
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

static int hold(struct td_import *imp, struct json *j, int64_t number, const char *track,
		const char *unit, double value)
{
	int r;

	if (j->nvalues >= HELD_MAX)
		return 0;
	r = td_grow(&j->values, &j->values_cap, j->nvalues);
	if (r < 0)
		return r;
	j->values[j->nvalues++] = (struct value){
		.track = td_import_keep_cstr(imp, track),
		.unit = unit,
		.of = of_section(j->section),
		.number = number,
		.value = value,
	};
	return 0;
}

/* Puts the values of whole rows, if their time is known. */
static int flush(struct td_import *imp, struct json *j)
{
	uint32_t device_id = 0;
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
		struct td_sample sample;
		uint32_t track;

		/* those of a row are of one device */
		if (i == 0 || v->of != v[-1].of || v->number != v[-1].number)
			device_id = td_mpstat_device(imp, v->of, v->number);
		track = td_store_track(imp->store, imp->source_id, v->track, v->unit, device_id, 0);
		sample = td_mpstat_sample(&j->m, track, v->value);
		r = td_put_sample(imp, &sample);
	}
	j->nvalues = 0;
	return r;
}

/* --- rows --- */

/* "0", "all" or 0; below TD_MPSTAT_ALL: neither. */
static int64_t number_of(const cJSON *value)
{
	int64_t number = TD_MPSTAT_ALL - 1;

	if (cJSON_IsNumber(value) && value->valuedouble >= TD_MPSTAT_ALL &&
	    value->valuedouble <= TD_MPSTAT_NUMBER_MAX)
		return (int64_t)value->valuedouble;
	if (cJSON_IsString(value))
		(void)td_mpstat_scan_number(td_sysstat_json_text(value), &number);
	return number;
}

/* "intr": [{"name": "24", "value": 0.00}, ...] */
static int hold_interrupts(struct td_import *imp, struct json *j, int64_t number, const cJSON *list)
{
	char track[TD_MPSTAT_NAME_MAX];
	const cJSON *each;
	int r = 0;

	cJSON_ArrayForEach(each, list)
	{
		const cJSON *value = cJSON_GetObjectItemCaseSensitive(each, "value");
		struct td_str name =
			td_sysstat_json_text(cJSON_GetObjectItemCaseSensitive(each, "name"));

		if (!name.len || !cJSON_IsNumber(value))
			continue;
		td_mpstat_interrupt(j->section == SECTION_SOFT, name, track);
		r = hold(imp, j, number, track, "1/s", value->valuedouble);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Is it where a CPU sits, or the number of a row, which is known? */
static bool is_place(const char *key)
{
	return strcmp(key, "cpu") == 0 || strcmp(key, "core") == 0 || strcmp(key, "socket") == 0 ||
	       strcmp(key, "node") == 0;
}

static int hold_member(struct td_import *imp, struct json *j, int64_t number, const cJSON *member)
{
	struct td_str name = { member->string, strlen(member->string) };
	char track[TD_MPSTAT_NAME_MAX];
	const char *unit;

	if (cJSON_IsArray(member))
		return hold_interrupts(imp, j, number, member);
	if (!cJSON_IsNumber(member) || !name.len || is_place(member->string))
		return 0;
	unit = td_mpstat_column(of_section(j->section), name, track);
	return hold(imp, j, number, track, unit, member->valuedouble);
}

/* "core": "0", "socket": "0", "node": "0" of a CPU, once. */
static void put_topology(struct td_import *imp, const struct json *j, int64_t cpu, const cJSON *row)
{
	static const char *const places[] = { "core", "socket", "node" };

	if (j->section == SECTION_NODE || j->nstatistics != 1 || cpu < 0)
		return;
	for (size_t i = 0; i < TD_ARRAY_SIZE(places); i++) {
		int64_t number = number_of(cJSON_GetObjectItemCaseSensitive(row, places[i]));

		if (number >= TD_MPSTAT_ALL)
			td_mpstat_topology(imp, cpu, places[i], number);
	}
}

/* A CPU or a node. */
static int put_row(struct td_import *imp, const cJSON *row)
{
	struct json *j = imp->state;
	int64_t number = number_of(
		cJSON_GetObjectItemCaseSensitive(row, j->section == SECTION_NODE ? "node" : "cpu"));
	const cJSON *member;

	if (number < TD_MPSTAT_ALL)
		return 0; /* whose values these are is not said */
	put_topology(imp, j, number, row);
	cJSON_ArrayForEach(member, row)
	{
		int r = hold_member(imp, j, number, member);

		if (r < 0)
			return r;
	}
	return flush(imp, j);
}

/* --- around the rows --- */

/* Of the host and of the statistics. */
static int text_event(struct td_import *imp, struct json *j)
{
	_cleanup_(td_strbuf_done) struct td_strbuf buf = TD_STRBUF_INIT;
	const char *key = td_json_events_key(&j->json.events, TD_JSON_STRING);
	struct td_str text =
		td_json_decode(j->json.events.text, &buf); /* other programs write "11\/20\/26" */
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

static void open_array(struct td_import *imp, struct json *j, const char *key)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(sections); i++) {
		if (strcmp(key, sections[i].key) != 0)
			continue;
		j->section = sections[i].section;
		j->section_depth = j->json.events.depth;
		return;
	}
	if (j->section == SECTION_NONE && !j->noted_other &&
	    strcmp(td_json_events_around(&j->json.events, 2), "statistics") == 0) {
		td_note(imp, "other-table", key);
		j->noted_other = true;
	}
}

static int open_event(struct td_import *imp, struct json *j)
{
	const struct td_json_events *e = &j->json.events;

	if (!e->is_object) {
		open_array(imp, j, td_json_events_key(e, TD_JSON_OPEN));
	} else if (j->section != SECTION_NONE && e->depth == j->section_depth + 1) {
		return td_sysstat_json_row(imp);
	} else if (strcmp(td_json_events_around(e, 1), "statistics") == 0) {
		j->nvalues = 0; /* of statistics that say no time */
		j->has_time = false;
		j->section = SECTION_NONE;
		j->nstatistics++;
	}
	return 0;
}

static int on_event(struct td_import *imp, enum td_json_event event)
{
	struct json *j = imp->state;

	if (event == TD_JSON_OPEN)
		return open_event(imp, j);
	if (event == TD_JSON_CLOSE && j->json.events.depth <= j->section_depth)
		j->section = SECTION_NONE;
	else if (event == TD_JSON_STRING && j->section == SECTION_NONE)
		return text_event(imp, j);
	return 0;
}

static int mpstat_json_begin(struct td_import *imp, struct td_err *err)
{
	struct json *j = imp->state;

	(void)err;
	j->json.on_event = on_event;
	j->json.on_row = put_row;
	td_mpstat_init(&j->m);
	return 0;
}

static int mpstat_json_end(struct td_import *imp)
{
	struct json *j = imp->state;

	if (td_sysstat_json_end(imp) && j->nstatistics == 1)
		td_note(imp, "one-report",
			"the only report may be of the time since boot (mpstat without interval), "
			"which its JSON does not tell");
	free(j->values);
	return 0;
}

#define SNIFF_FIRST_KEY 94 /* no line that looks like another tool's makes it one of these */

static int mpstat_json_sniff(const char *head, size_t len)
{
	bool found = false;

	if (!td_json_begins(head, len, "sysstat") || !td_find(head, len, "\"statistics\"", 12))
		return 0;
	for (size_t i = 0; i < TD_ARRAY_SIZE(sections) && !found; i++)
		found = td_find(head, len, sections[i].key, strlen(sections[i].key)) != NULL;
	return found ? SNIFF_FIRST_KEY : 0;
}

const struct td_importer td_importer_mpstat_json = {
	.name = "mpstat-json",
	.desc = "mpstat -o JSON: utilisation and interrupts per CPU and NUMA node",
	.clock = TD_CLOCK_LOCAL,
	.state_size = sizeof(struct json),
	.sniff = mpstat_json_sniff,
	.surest = SNIFF_FIRST_KEY,
	.host = td_sysstat_json_host,
	.host_marks = td_sysstat_json_host_marks,
	.begin = mpstat_json_begin,
	.line = td_sysstat_json_line,
	.takes_tail = td_sysstat_json_takes_tail,
	.end = mpstat_json_end,
};
