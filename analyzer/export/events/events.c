/* SPDX-License-Identifier: MIT */
#include "analyzer/export/events/events_private.h"
#include "common/units.h"
#include "schema/db.h"

const char *const td_event_categories[TD_EVENT_NCATEGORIES] = {
	[TD_EVENT_CALL] = "call",     [TD_EVENT_REQUEST] = "block_request",
	[TD_EVENT_SCHED] = "sched",   [TD_EVENT_GPU] = "gpu",
	[TD_EVENT_SPAN] = "span",     [TD_EVENT_MARK] = "mark",
	[TD_EVENT_SAMPLE] = "sample", [TD_EVENT_FINDING] = "finding",
	[TD_EVENT_LOSS] = "loss",
};

const char *const td_event_keys[TD_EVENT_NKEYS] = {
	[TD_EVENT_ADVICE] = "advice",
	[TD_EVENT_ARGS] = "args",
	[TD_EVENT_ASKED_BYTES] = "asked_bytes",
	[TD_EVENT_BYTES] = "bytes",
	[TD_EVENT_COLD_BYTES] = "cold_bytes",
	[TD_EVENT_CORRELATION] = "correlation",
	[TD_EVENT_CPU] = "cpu",
	[TD_EVENT_DONE_BYTES] = "done_bytes",
	[TD_EVENT_DUR_NS] = "dur_ns",
	[TD_EVENT_FD] = "fd",
	[TD_EVENT_FILE] = "file",
	[TD_EVENT_GENERATED] = "generated",
	[TD_EVENT_KIND] = "kind",
	[TD_EVENT_LEVEL] = "level",
	[TD_EVENT_LOST] = "lost",
	[TD_EVENT_NUMBER] = "number",
	[TD_EVENT_OFFSET_BYTES] = "offset_bytes",
	[TD_EVENT_PROCESS] = "process",
	[TD_EVENT_QUEUE_NS] = "queue_ns",
	[TD_EVENT_REASON] = "reason",
	[TD_EVENT_RET] = "ret",
	[TD_EVENT_RUN_NUMBER] = "run_number",
	[TD_EVENT_SECTOR] = "sector",
	[TD_EVENT_STATE] = "state",
	[TD_EVENT_TEXT] = "text",
	[TD_EVENT_VALUE] = "value",
};

int td_walk_literal(struct td_walk *w, const char *text, size_t len, struct td_event_text *ret)
{
	uint32_t id = td_intern_add(&w->literals, text, len);

	if (!id)
		return -ENOMEM;
	*ret = (struct td_event_text){ (uint64_t)id * TD_EVENT_NLOOKUPS,
				       td_intern_get(&w->literals, id) };
	return 0;
}

int td_walk_put(struct td_walk *w, struct td_event *e)
{
	w->counts->slices += e->type == TD_EVENT_SLICE;
	w->counts->instants += e->type == TD_EVENT_INSTANT;
	w->counts->values += e->type == TD_EVENT_COUNTER;
	w->counts->flows += e->flow && e->begins_flow;
	return w->sink->event(w->sink->self, e);
}

int td_events_note(struct td_strbuf *notes, const char *target, const struct td_event_counts *n)
{
	const struct {
		long long n;
		const char *what;
	} left_out[] = {
		{ n->no_value, "samples without a value" },
		{ n->no_time, "times that no import stores" },
		{ n->crowded, "durations, where more overlap than are drawn" },
		{ n->no_flow, "arrows, where there are too many" },
	};
	char buf[5][TD_UNITS_BUF];

	td_strbuf_addf(notes,
		       "%s, tracks: %s, slices: %s, instants: %s, counter values: %s, arrows: %s\n",
		       target, td_format_count(buf[0], TD_UNITS_BUF, n->tracks),
		       td_format_count(buf[1], TD_UNITS_BUF, n->slices),
		       td_format_count(buf[2], TD_UNITS_BUF, n->instants),
		       td_format_count(buf[3], TD_UNITS_BUF, n->values),
		       td_format_count(buf[4], TD_UNITS_BUF, n->flows));
	for (size_t i = 0; i < TD_ARRAY_SIZE(left_out); i++)
		if (left_out[i].n)
			td_strbuf_addf(notes, "left out: %s: %s\n", left_out[i].what,
				       td_format_count(buf[0], TD_UNITS_BUF, left_out[i].n));
	return td_strbuf_error(notes);
}

static void walk_done(struct td_walk *w)
{
	td_walk_tracks_done(w);
	td_flows_done(&w->flows);
	td_lookups_done(&w->lookups);
	td_intern_done(&w->literals);
}

int64_t td_events_start(sqlite3 *db)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int64_t ns = 0;

	if (sqlite3_prepare_v2(db, "SELECT start_ns FROM run", -1, &s, NULL) == SQLITE_OK &&
	    sqlite3_step(s) == SQLITE_ROW)
		ns = sqlite3_column_int64(s, 0);
	return ns < 0 || ns > TD_EVENT_TIME_MAX ? 0 : ns;
}

int td_events_walk(sqlite3 *db, const struct td_event_sink *sink, struct td_event_counts *ret,
		   struct td_err *err)
{
	_cleanup_(walk_done) struct td_walk w = {
		.db = db,
		.sink = sink,
		.counts = ret,
		.err = err,
	};
	int r;

	*ret = (struct td_event_counts){ 0 };
	r = td_walk_others(&w);
	return r == 0 ? td_walk_rows(&w) : r;
}
