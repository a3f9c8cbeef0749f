/* SPDX-License-Identifier: MIT */
/*
 * chrome=FILE: the Trace Event Format, for chrome://tracing, speedscope and whatever else reads
 * JSON (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU).
 *
 *     {"displayTimeUnit":"ns","otherData":{"start_ns":"1700024375000000000"},"traceEvents":[
 *     {"ph":"M","name":"process_name","pid":4242,"tid":0,"args":{"name":"python"}},
 *     {"ph":"X","name":"read","cat":"call","pid":4242,"tid":4243,"ts":12.345,"dur":0.5,"args":{"file":"/data/x","ret":512}},
 *     ...
 *     ]}
 *
 * Times are microseconds from the begin of the run: those of UTC have more digits than numbers of
 * JSON readers. Tracks that are of no process (disks, GPUs, phases) become processes, and those
 * below them threads, with numbers that Linux does not give.
 */
#include <math.h>

#include "analyzer/export/events/events.h"
#include "analyzer/export/export.h"
#include "analyzer/export/files.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/json/write.h"

#define OTHERS (INT64_C(1) << 31) /* tracks that are no thread of Linux's: viewers know 32 bits */
#define OUT_BYTES (1U << 16)

struct place {
	int64_t pid, tid;
	char *name; /* of a counter, owned; viewers tell counters of a process by it */
};

struct chrome {
	FILE *f; /* borrowed */
	int64_t start_ns;
	struct place *places; /* by track; owned */
	size_t n, cap;
	struct td_strbuf out;
	bool begun;
};

static void chrome_done(struct chrome *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->places[i].name);
	free(c->places);
	td_strbuf_done(&c->out);
}

static int flush(struct chrome *c, size_t least)
{
	int r = td_strbuf_error(&c->out);

	if (r < 0 || c->out.len <= least)
		return r;
	if (fwrite(c->out.p, 1, c->out.len, c->f) != c->out.len)
		return -errno;
	td_strbuf_reset(&c->out);
	return 0;
}

static struct td_str str(const char *text)
{
	return (struct td_str){ text, strlen(text) };
}

static void begin(struct chrome *c, const char *phase, const struct place *place)
{
	td_strbuf_addf(&c->out, "%s{\"ph\":\"%s\",\"pid\":%lld,\"tid\":%lld", c->begun ? ",\n" : "",
		       phase, (long long)place->pid, (long long)place->tid);
	c->begun = true;
}

/* ,"name":NAME */
static void add_name(struct chrome *c, const char *key, struct td_str name)
{
	td_strbuf_addf(&c->out, ",\"%s\":", key);
	td_json_add_string(&c->out, name);
}

static void add_number(struct chrome *c, double value)
{
	if (isfinite(value))
		td_strbuf_addf(&c->out, "%.17g", value);
	else
		td_strbuf_adds(&c->out, "null");
}

/* ,"ts":MICROSECONDS */
static void add_time(struct chrome *c, const char *key, int64_t ns)
{
	uint64_t n = (uint64_t)(ns < 0 ? -ns : ns);

	td_strbuf_addf(&c->out, ",\"%s\":%s%llu.%03u", key, ns < 0 ? "-" : "",
		       (unsigned long long)(n / 1000), (unsigned)(n % 1000));
}

/* --- tracks --- */

static void put_metadata(struct chrome *c, const char *what, const char *key,
			 const struct place *place, struct td_str name)
{
	begin(c, "M", place);
	add_name(c, "name", str(what));
	td_strbuf_addf(&c->out, ",\"args\":{\"%s\":", key);
	td_json_add_string(&c->out, name);
	td_strbuf_adds(&c->out, "}}");
}

static struct place place_of(const struct chrome *c, const struct td_event_track *t)
{
	struct place above = t->parent ? c->places[t->parent - 1] : (struct place){ 0 };

	if (t->type == TD_EVENT_TRACK_PROCESS)
		return (struct place){ .pid = t->pid, .tid = OTHERS + t->id };
	if (t->type == TD_EVENT_TRACK_THREAD)
		return (struct place){ .pid = t->pid, .tid = t->tid };
	return (struct place){ .pid = t->parent ? above.pid : OTHERS + t->id,
			       .tid = OTHERS + t->id };
}

static int put_track(void *self, const struct td_event_track *t)
{
	struct chrome *c = self;
	struct place place = place_of(c, t);

	if (td_grow(&c->places, &c->cap, c->n) < 0)
		return -ENOMEM;
	if (t->type == TD_EVENT_TRACK_PROCESS || !t->parent)
		put_metadata(c, "process_name", "name", &place, t->name);
	if (t->label.p)
		put_metadata(c, "process_labels", "labels", &place, t->label);
	if (t->type == TD_EVENT_TRACK_COUNTER) {
		/* TD_EVENT_COUNTER has no name */
		if (asprintf(&place.name, "%.*s%s%.*s", (int)t->name.len,
			     t->name.p ? t->name.p : "", t->unit.len ? ", " : "", (int)t->unit.len,
			     t->unit.p ? t->unit.p : "") < 0)
			return -ENOMEM;
	} else if (t->type != TD_EVENT_TRACK_PROCESS) {
		put_metadata(c, "thread_name", "name", &place, t->name);
	}
	c->places[c->n++] = place;
	return flush(c, OUT_BYTES);
}

/* --- events --- */

static void add_args(struct chrome *c, const struct td_event *e)
{
	td_strbuf_adds(&c->out, ",\"args\":{");
	for (size_t i = 0; i < e->nargs; i++) {
		const struct td_event_arg *a = &e->args[i];

		td_strbuf_addf(&c->out, "%s\"%s\":", i ? "," : "", td_event_keys[a->key]);
		if (a->type == TD_EVENT_STRING)
			td_json_add_string(&c->out, a->string.text);
		else if (a->type == TD_EVENT_INTEGER)
			td_strbuf_addf(&c->out, "%lld", (long long)a->integer);
		else
			add_number(c, a->real);
	}
	td_strbuf_adds(&c->out, "}}");
}

static void put_value(struct chrome *c, const struct td_event *e, const struct place *place)
{
	begin(c, "C", place);
	add_name(c, "name", str(place->name));
	add_time(c, "ts", e->start_ns - c->start_ns);
	td_strbuf_adds(&c->out, ",\"args\":{\"value\":");
	add_number(c, e->value);
	td_strbuf_adds(&c->out, "}}");
}

/* An arrow goes from the begin of a call to the begin of the work. */
static void put_flow(struct chrome *c, const struct td_event *e, const struct place *place)
{
	begin(c, e->begins_flow ? "s" : "f", place);
	td_strbuf_addf(&c->out, ",\"name\":\"launch\",\"cat\":\"flow\",\"id\":%llu%s",
		       (unsigned long long)e->flow, e->begins_flow ? "" : ",\"bp\":\"e\"");
	add_time(c, "ts", e->start_ns - c->start_ns);
	td_strbuf_addc(&c->out, '}');
}

static int put_event(void *self, const struct td_event *e)
{
	struct chrome *c = self;
	const struct place *place = &c->places[e->track - 1];

	if (e->type == TD_EVENT_COUNTER) {
		put_value(c, e, place);
		return flush(c, OUT_BYTES);
	}
	begin(c, e->type == TD_EVENT_SLICE ? "X" : "i", place);
	add_name(c, "name", e->name.iid ? e->name.text : str(""));
	add_name(c, "cat", str(td_event_categories[e->category]));
	add_time(c, "ts", e->start_ns - c->start_ns);
	if (e->type == TD_EVENT_SLICE)
		add_time(c, "dur", e->dur_ns);
	else
		td_strbuf_adds(&c->out, ",\"s\":\"t\"");
	add_args(c, e);
	if (e->flow)
		put_flow(c, e, place);
	return flush(c, OUT_BYTES);
}

/* --- all --- */

static int write_all(struct chrome *c, sqlite3 *db, struct td_event_counts *ret, struct td_err *err)
{
	const struct td_event_sink sink = { c, put_track, put_event };
	int r;

	c->start_ns = td_events_start(db);
	td_strbuf_addf(&c->out,
		       "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"start_ns\":\"%lld\"},"
		       "\"traceEvents\":[\n",
		       (long long)c->start_ns);
	r = td_events_walk(db, &sink, ret, err);
	td_strbuf_adds(&c->out, "\n]}\n");
	return r == 0 ? flush(c, 0) : r;
}

static int export_chrome(const struct td_exporter *self, struct td_export *job, struct td_err *err)
{
	_cleanup_(td_export_files_done) struct td_export_files files = { .force = job->force };
	_cleanup_(chrome_done) struct chrome c = { 0 };
	_cleanup_fclose_ FILE *f = NULL;
	struct td_event_counts n;
	int r = td_export_open(&files, job->target, &f, err);

	(void)self;
	c.f = f;
	if (r == 0)
		r = write_all(&c, job->db, &n, err);
	r = td_export_end(&files, &f, r, err);
	if (r == 0)
		r = td_export_name(&files, err);
	return r == 0 ? td_events_note(&job->notes, job->target, &n) : r;
}

const struct td_exporter td_exporter_chrome = {
	.name = "chrome",
	.target = "FILE",
	.desc = "the same as JSON of trace events, for chrome://tracing and older viewers",
	.run = export_chrome,
};
