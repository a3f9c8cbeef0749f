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
#include "common/json/lex.h"
#include "importers/core/importers.h"
#include "importers/sysstat/iostat.h"
#include "importers/sysstat/json.h"
#include "importers/sysstat/machine.h"
#include "common/json/text.h"

#define HELD_MAX 1000000 /* values of one report, which only damage can make so many */

struct value {
	struct td_str device; /* in the store, as name is; .p NULL: of avg-cpu */
	struct td_str name;
	double value;
};

struct json {
	struct td_sysstat_json json; /* first: see there */
	struct td_iostat io;
	unsigned disks_depth; /* of the array of disks being read; 0: none */
	struct value *values; /* of the report, not put yet */
	size_t nvalues, values_cap;
	bool in_report, has_time;
	bool began; /* the line before was the begin of the statistics */
};

/* --- values --- */

static int hold(struct td_import *imp, struct json *j, const cJSON *value)
{
	struct td_str name = { value->string, strlen(value->string) };
	int r;

	if (!name.len || j->nvalues >= HELD_MAX)
		return 0;
	r = td_grow(&j->values, &j->values_cap, j->nvalues);
	if (r < 0)
		return r;
	j->values[j->nvalues++] =
		(struct value){ .name = td_import_keep(imp, name), .value = value->valuedouble };
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
	j->nvalues = 0;
	return r;
}

/* avg-cpu, or a disk. */
static int put_row(struct td_import *imp, const cJSON *row)
{
	struct json *j = imp->state;
	struct td_str device = { NULL, 0 };
	size_t from = j->nvalues;
	const cJSON *member;

	cJSON_ArrayForEach(member, row)
	{
		int r = cJSON_IsNumber(member) ? hold(imp, j, member) : 0;

		if (r < 0)
			return r;
		if (j->disks_depth && cJSON_IsString(member) &&
		    strcmp(member->string, "disk_device") == 0)
			device = td_import_keep(imp, td_sysstat_json_text(member));
	}
	if (j->disks_depth && !device.p)
		j->nvalues = from; /* of what they are is not said */
	for (size_t i = from; i < j->nvalues; i++)
		j->values[i].device = device;
	return j->has_time ? put_values(imp, j) : 0;
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

static int text_event(struct td_import *imp, struct json *j)
{
	_cleanup_(td_strbuf_done) struct td_strbuf buf = TD_STRBUF_INIT;
	const char *key = td_json_events_key(&j->json.events, TD_JSON_STRING);
	struct td_str text =
		td_json_decode(j->json.events.text, &buf); /* other programs write "11\/20\/26" */
	char host[256];

	if (strcmp(key, "timestamp") == 0) {
		j->has_time = td_iostat_time(imp, &j->io, text);
		return j->has_time ? put_values(imp, j) : -EBADMSG;
	}
	if (strcmp(key, "nodename") == 0) {
		(void)snprintf(host, sizeof(host), "%.*s", (int)TD_MIN(text.len, (size_t)255),
			       text.p);
		td_import_set_tool(imp, "iostat", NULL, host);
		td_iostat_banner(&j->io);
	}
	return 0;
}

static bool is_of_statistics(const struct json *j)
{
	return strcmp(td_json_events_around(&j->json.events, 1), "statistics") == 0;
}

static int open_event(struct td_import *imp, struct json *j)
{
	const struct td_json_events *e = &j->json.events;
	const char *key = td_json_events_key(e, TD_JSON_OPEN);

	if (e->is_object && strcmp(key, "avg-cpu") == 0) {
		j->disks_depth = 0;
		return td_sysstat_json_row(imp);
	} else if (!e->is_object && strcmp(key, "disk") == 0) {
		j->disks_depth = e->depth;
	} else if (e->is_object && j->disks_depth && e->depth == j->disks_depth + 1) {
		return td_sysstat_json_row(imp);
	} else if (strcmp(key, "statistics") == 0) {
		j->began = true;
	} else if (is_of_statistics(j)) {
		j->nvalues = 0;
		j->disks_depth = 0;
		j->in_report = true;
		j->has_time = false;
	}
	return 0;
}

static int close_event(struct td_import *imp, struct json *j)
{
	if (j->disks_depth && j->json.events.depth <= j->disks_depth)
		j->disks_depth = 0;
	else if (!j->disks_depth && is_of_statistics(j))
		return end_report(imp, j);
	return 0;
}

static int on_event(struct td_import *imp, enum td_json_event event)
{
	struct json *j = imp->state;

	if (event == TD_JSON_OPEN)
		return open_event(imp, j);
	if (event == TD_JSON_CLOSE)
		return close_event(imp, j);
	return event == TD_JSON_STRING ? text_event(imp, j) : 0;
}

/* --- lines --- */

static int iostat_json_line(struct td_import *imp, char *line, size_t len)
{
	struct json *j = imp->state;

	if (j->began && td_str_is_blank((struct td_str){ line, len }))
		j->io.omits_first = true;
	j->began = false;
	return td_sysstat_json_line(imp, line, len);
}

static int iostat_json_begin(struct td_import *imp, struct td_err *err)
{
	struct json *j = imp->state;

	(void)err;
	j->json.on_event = on_event;
	j->json.on_row = put_row;
	td_iostat_init(&j->io);
	return 0;
}

static int iostat_json_end(struct td_import *imp)
{
	struct json *j = imp->state;
	int r = td_sysstat_json_end(imp) ? 0 : end_report(imp, j);

	free(j->values);
	return r;
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
	.surest = 88,
	.host = td_sysstat_json_host,
	.host_marks = td_sysstat_json_host_marks,
	.begin = iostat_json_begin,
	.line = iostat_json_line,
	.takes_tail = td_sysstat_json_takes_tail,
	.end = iostat_json_end,
};
