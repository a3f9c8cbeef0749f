/* SPDX-License-Identifier: MIT */
/*
 * What a recording says of itself: where and when it was made, its clock, what it lost and cost, and how it ended.
 */
#include <math.h>

#include "common/caldate.h"
#include "common/json/write.h"
#include "importers/recording/recording.h"

/* --- begin and end --- */

static uint32_t start_args(struct td_import *imp, struct td_str kernel, struct td_str command,
			   uint32_t cpus)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	td_strbuf_addc(&b, '{');
	td_json_add_key(&b, "command");
	td_json_add_string(&b, command);
	td_json_add_key(&b, "kernel");
	td_json_add_string(&b, kernel);
	td_json_add_key(&b, "cpus");
	td_strbuf_addf(&b, "%u}", cpus);
	return td_strbuf_error(&b) < 0 ? 0 : td_store_string(imp->store, b.p, b.len);
}

static const char *text_of(struct td_import *imp, struct td_str text)
{
	uint32_t id = td_rec_string(imp, text);

	return id ? td_store_text(imp->store, id).p : NULL;
}

int td_record_header_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record *rd = imp->state;
	struct td_wire_header h = TD_REC(rec, td_wire_header);
	struct td_scan s = TD_REC_TEXT(rec, td_wire_header, text);
	struct td_str host, kernel, version, command;
	struct td_mark mark = TD_MARK_INIT;
	int r;

	if (memcmp(h.magic, TD_WIRE_MAGIC, sizeof(h.magic)) != 0)
		return td_record_stop(imp, "no-header", "the begin of the recording is missing");
	if (h.version != TD_WIRE_VERSION)
		return td_record_stop(imp, "other-version",
				      "written by another version of tracedb-record");
	if (!td_rec_text(&s, h.host_len, &host) || !td_rec_text(&s, h.release_len, &kernel) ||
	    !td_rec_text(&s, h.tool_len, &version) || !td_rec_text(&s, h.args_len, &command))
		return td_record_stop(imp, "spoilt-record", "its first record is spoilt");
	rd->started = true;
	rd->page_bytes = h.page_bytes;
	td_import_set_tool(imp, "tracedb-record", text_of(imp, version), text_of(imp, host));
	mark.ts_ns = td_rec_i64(h.start_ns);
	mark.name_id = td_store_cstr(imp->store, "record-start");
	mark.args_id = start_args(imp, kernel, command, h.cpus);
	r = td_put_mark(imp, &mark);
	return r < 0 ? r : TD_LINE_ROW;
}

int td_record_rank_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_wire_rank w = TD_REC(rec, td_wire_rank);

	if (w.rank > INT32_MAX)
		return td_rec_spoilt(imp);
	td_import_set_rank(imp, w.rank, "environment");
	return TD_LINE_ROW;
}

/* By enum td_wire_why. */
static const struct {
	const char *name;
	const char *note; /* kind of issue; NULL: nothing is missing */
	const char *words;
} whys[] = {
	[TD_WIRE_WHY_COMMAND] = { "command", NULL, NULL },
	[TD_WIRE_WHY_SIGNAL] = { "signal", NULL, NULL },
	[TD_WIRE_WHY_DURATION] = { "duration", NULL, NULL },
	[TD_WIRE_WHY_SIZE] = { "size", "size-limit",
			       "the recording ended when it reached the size that was allowed" },
	[TD_WIRE_WHY_GONE] = { "gone", NULL, NULL },
	[TD_WIRE_WHY_ERROR] = { "error", "recording-failed",
				"the recording ended before its time: the disk was full, or could "
				"not be written" },
	[TD_WIRE_WHY_TRIGGER] = { "trigger", NULL, NULL },
};

int td_record_end_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record *rd = imp->state;
	struct td_wire_end e = TD_REC(rec, td_wire_end);
	struct td_mark mark = TD_MARK_INIT;
	const char *why = "unknown";
	char json[64];
	int r;

	if (e.why < TD_ARRAY_SIZE(whys))
		why = whys[e.why].name;
	rd->ended = true;
	/* what a full disk or the size's limit cost has a record of its own */
	if (e.why != TD_WIRE_WHY_SIZE && e.why != TD_WIRE_WHY_ERROR && e.records >= imp->line_no)
		rd->missing = e.records - (imp->line_no - 1);
	mark.ts_ns = td_rec_i64(e.time_ns);
	mark.name_id = td_store_cstr(imp->store, "record-end");
	mark.value = e.status;
	(void)snprintf(json, sizeof(json), "{\"why\":\"%s\"}", why);
	mark.args_id = td_store_cstr(imp->store, json);
	r = td_put_mark(imp, &mark);
	if (r < 0)
		return r;
	if (e.why < TD_ARRAY_SIZE(whys) && whys[e.why].note) {
		imp->line_no = 0; /* it is about the whole */
		td_note(imp, whys[e.why].note, whys[e.why].words);
	}
	return TD_LINE_ROW;
}

/* --- the clock --- */

/* Leaves out the wider one of every two. */
static void thin_anchors(struct td_record *rd)
{
	size_t n = 0;

	for (size_t i = 0; i + 1 < rd->nanchors; i += 2) {
		const struct td_anchor *a = &rd->anchors[i], *b = &rd->anchors[i + 1];
		bool first = a->after_ns - a->before_ns <= b->after_ns - b->before_ns;

		rd->anchors[n++] = first ? *a : *b;
	}
	rd->nanchors = n;
}

/* Somebody set the wall clock if this reading cannot agree with those before it. */
static void watch_steps(struct td_import *imp, const struct td_anchor *a)
{
	struct td_record *rd = imp->state;
	int64_t low = a->wall_ns - a->after_ns, high = a->wall_ns - a->before_ns;
	char words[128];
	double by_s;

	if (low <= rd->offset_high_ns && high >= rd->offset_low_ns) {
		rd->offset_low_ns = TD_MAX(rd->offset_low_ns, low);
		rd->offset_high_ns = TD_MIN(rd->offset_high_ns, high);
		return;
	}
	by_s = ((double)low - (double)rd->offset_low_ns) / (double)TD_SEC_NS;
	(void)snprintf(words, sizeof(words),
		       "the wall clock was set by about %+.6f s: times before and after that in "
		       "sources that use it do not fit both",
		       by_s);
	td_note(imp, "clock-set", words);
	rd->offset_low_ns = low;
	rd->offset_high_ns = high;
}

int td_record_anchor_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record *rd = imp->state;
	struct td_wire_anchor w = TD_REC(rec, td_wire_anchor);
	struct td_anchor a = {
		.source_id = imp->source_id,
		.wall = TD_CLOCK_UTC,
		.before_ns = (int64_t)w.before_ns,
		.after_ns = (int64_t)w.after_ns,
		.wall_ns = w.utc_ns,
	};

	if (w.after_ns > TD_RECORD_TIME_MAX || w.before_ns > w.after_ns || w.utc_ns < 0 ||
	    (uint64_t)w.utc_ns > TD_RECORD_TIME_MAX)
		return td_rec_spoilt(imp);
	watch_steps(imp, &a);
	if (rd->nanchors == TD_RECORD_ANCHORS)
		thin_anchors(rd);
	rd->anchors[rd->nanchors++] = a;
	return TD_LINE_ROW;
}

void td_record_put_anchors(struct td_import *imp)
{
	struct td_record *rd = imp->state;

	for (size_t i = 0; i < rd->nanchors; i++)
		td_store_anchor(imp->store, &rd->anchors[i]);
}

/* --- figures --- */

static void put_summary(struct td_import *imp, const char *name, const char *key, const char *unit,
			double value)
{
	struct td_summary m = TD_SUMMARY_INIT(imp->source_id);

	m.name = name;
	m.key = key;
	m.unit = unit;
	m.value = value;
	td_store_summary(imp->store, &m);
}

int td_record_summary_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_wire_summary w = TD_REC(rec, td_wire_summary);
	struct td_scan s = TD_REC_TEXT(rec, td_wire_summary, text);
	struct td_str name, key, unit;
	struct td_summary m = {
		.source_id = imp->source_id, .low = w.low, .high = w.high, .value = w.value
	};

	if (!td_rec_text(&s, w.name_len, &name) || !td_rec_text(&s, w.key_len, &key) ||
	    !td_rec_text(&s, w.unit_len, &unit) || !name.len || isnan(w.value))
		return td_rec_spoilt(imp);
	m.name = text_of(imp, name);
	m.key = text_of(imp, key);
	m.unit = text_of(imp, unit);
	if (m.name)
		td_store_summary(imp->store, &m);
	return TD_LINE_ROW;
}

int td_record_cost_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_wire_cost w = TD_REC(rec, td_wire_cost);
	struct td_scan s = TD_REC_TEXT(rec, td_wire_cost, name);
	struct td_str name;
	const char *key;

	if (!td_rec_text(&s, w.name_len, &name) || !name.len)
		return td_rec_spoilt(imp);
	key = text_of(imp, name);
	if (!key)
		return TD_LINE_ROW;
	if (w.runs == 0) {
		put_summary(imp, "collector.cpu", key, "ns", (double)w.cpu_ns);
		return TD_LINE_ROW;
	}
	put_summary(imp, "bpf.run_time", key, "ns", (double)w.cpu_ns);
	put_summary(imp, "bpf.runs", key, "", (double)w.runs);
	if (w.measured_ms)
		put_summary(imp, "bpf.measured", key, "ns", w.measured_ms * 1e6);
	return TD_LINE_ROW;
}

int td_record_loss_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_wire_loss w = TD_REC(rec, td_wire_loss);
	struct td_scan s = TD_REC_TEXT(rec, td_wire_loss, name);
	struct td_str name;
	struct td_loss l = {
		.source_id = imp->source_id,
		.ring = w.ring,
		.from_ns = (int64_t)w.from_ns,
		.to_ns = (int64_t)w.to_ns,
		.generated = (int64_t)w.generated,
		.lost = (int64_t)w.lost,
		.ring_peak_bytes = w.ring_peak_bytes,
		.ring_size_bytes = w.ring_size_bytes,
	};

	/* no sum of them can overflow */
	if (!td_rec_text(&s, w.name_len, &name) || !name.len || w.to_ns > TD_RECORD_TIME_MAX ||
	    w.from_ns > w.to_ns || w.generated > UINT64_C(1) << 40 || w.lost > w.generated)
		return td_rec_spoilt(imp);
	l.name = text_of(imp, name);
	if (!l.name)
		return TD_LINE_ROW;
	if (l.ring_size_bytes == 0)
		l.ring = l.ring_peak_bytes = l.ring_size_bytes = TD_NULL;
	td_store_loss(imp->store, &l);
	td_lost(imp, w.lost);
	return TD_LINE_ROW;
}

/* --- notes --- */

/* As the kinds of all importers are written. */
static bool is_kind(struct td_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((s.p[i] < 'a' || s.p[i] > 'z') && s.p[i] != '-')
			return false;
	return s.len > 0 && s.len <= 40;
}

int td_record_note_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_wire_note w = TD_REC(rec, td_wire_note);
	struct td_scan s = TD_REC_TEXT(rec, td_wire_note, text);
	struct td_str kind, text;
	const char *name, *words;

	if (!td_rec_text(&s, w.kind_len, &kind) || !td_rec_text(&s, w.text_len, &text) ||
	    !is_kind(kind))
		return td_rec_spoilt(imp);
	name = text_of(imp, kind);
	words = text_of(imp, text);
	imp->line_no = 0; /* it is about the whole */
	if (name)
		td_note(imp, name, words ? words : "");
	return TD_LINE_ROW;
}
