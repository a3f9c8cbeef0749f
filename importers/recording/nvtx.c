/* SPDX-License-Identifier: MIT */
/* What a program says by NVTX (record --cuda): the rows of a trace of the same program by nsys. */
#include "common/array.h"
#include "common/json/write.h"
#include "importers/recording/recording.h"

/* Ranges that have begun are looked for one by one, the last one first, which mostly is the one. Nobody has so many. */
#define OPEN_MAX 4096

/* The payload as a value of JSON; a float has fewer digits. */
static void add_payload(struct td_strbuf *b, const struct td_wire_nvtx *w)
{
	double d;
	float f;

	if (w->payload_type == TD_WIRE_NVTX_FLOAT) {
		memcpy(&f, &w->payload, sizeof(f));
		d = (double)f;
	} else {
		memcpy(&d, &w->payload, sizeof(d));
	}
	if (w->payload_type == TD_WIRE_NVTX_U64)
		td_strbuf_addf(b, "%llu", (unsigned long long)w->payload);
	else if (isfinite(d))
		td_strbuf_addf(b, "%.17g", d);
	else
		td_strbuf_adds(b, "null");
}

/* TD_NULL: there is none, or it is no integer that SQLite can hold. */
static int64_t integer_payload(const struct td_wire_nvtx *w)
{
	uint32_t half;

	memcpy(&half, &w->payload, sizeof(half));
	switch (w->payload_type) {
	case TD_WIRE_NVTX_U64:
		return w->payload <= INT64_MAX ? (int64_t)w->payload : TD_NULL;
	case TD_WIRE_NVTX_I64:
		return (int64_t)w->payload;
	case TD_WIRE_NVTX_U32:
		return half;
	case TD_WIRE_NVTX_I32:
		return (int32_t)half;
	default:
		return TD_NULL;
	}
}

static bool has_other_payload(const struct td_wire_nvtx *w)
{
	return w->payload_type == TD_WIRE_NVTX_DOUBLE || w->payload_type == TD_WIRE_NVTX_FLOAT ||
	       (w->payload_type == TD_WIRE_NVTX_U64 && w->payload > INT64_MAX);
}

static void add_name(struct td_import *imp, struct td_strbuf *b, const char *key, uint32_t name_id)
{
	td_json_add_key(b, key);
	td_json_add_string(b, td_store_text(imp->store, name_id));
}

/* As importers/nsys/nvtx.c has it. 0: out of memory. */
static uint32_t args_of(struct td_import *imp, const struct td_wire_nvtx *w, const char *style)
{
	const struct td_record *rd = imp->state;
	uint32_t domain = td_record_gpu_name(rd, w->pid, w->domain);
	uint32_t category = td_record_gpu_name(rd, w->pid, w->category_name);
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	td_strbuf_addf(&b, "{\"style\":\"%s\"", style);
	if (has_other_payload(w)) {
		td_json_add_key(&b, "payload");
		add_payload(&b, w);
	}
	if (domain)
		add_name(imp, &b, "domain", domain);
	if (category) {
		add_name(imp, &b, "category", category);
	} else if (w->category) {
		td_json_add_key(&b, "category");
		td_strbuf_addf(&b, "%u", w->category);
	}
	td_strbuf_addc(&b, '}');
	return td_strbuf_error(&b) < 0 ? 0 : td_store_string(imp->store, b.p, b.len);
}

/* The text as a string, that of '' if there is none. */
static uint32_t text_of(struct td_import *imp, const struct td_wire_nvtx *w)
{
	uint32_t id = td_record_gpu_name(imp->state, w->pid, w->text);

	return id ? id : td_store_cstr(imp->store, "");
}

/* --- ranges --- */

/* Its end is not there: it was under way when the recording ended, or is lost. */
static int put_unfinished(struct td_import *imp, struct td_record_nvtx *range)
{
	range->row.state_id = td_store_cstr(imp->store, "unfinished");
	return td_put_span(imp, &range->row);
}

static int begin_range(struct td_import *imp, const struct td_wire_nvtx *w, const char *style)
{
	struct td_record *rd = imp->state;
	struct td_record_nvtx range = { .range = w->range, .pid = w->pid, .row = TD_SPAN_INIT };
	int r = td_record_who(imp, w->pid, w->head.tid, &range.row.process_id,
			      &range.row.thread_id);

	if (r < 0)
		return r;
	range.row.start_ns = (int64_t)w->time_ns;
	range.row.kind_id = td_store_cstr(imp->store, "nvtx");
	range.row.name_id = text_of(imp, w);
	range.row.number = integer_payload(w);
	range.row.args_id = args_of(imp, w, style);
	if (!range.row.args_id)
		return -ENOMEM;
	if (rd->nnvtx == OPEN_MAX)
		r = put_unfinished(imp, &range);
	else
		r = td_grow(&rd->nvtx, &rd->nvtx_cap, rd->nnvtx);
	if (r >= 0 && rd->nnvtx < OPEN_MAX)
		rd->nvtx[rd->nnvtx++] = range;
	return r < 0 ? r : TD_LINE_ROW;
}

static int push_row(struct td_import *imp, const struct td_wire_nvtx *w)
{
	return begin_range(imp, w, "PushPop");
}

static int start_row(struct td_import *imp, const struct td_wire_nvtx *w)
{
	return begin_range(imp, w, "StartEnd");
}

int td_record_nvtx_end_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record *rd = imp->state;
	struct td_wire_nvtx_end w = TD_REC(rec, td_wire_nvtx_end);
	size_t i = rd->nnvtx;
	int r;

	while (i && (rd->nvtx[i - 1].range != w.range || rd->nvtx[i - 1].pid != w.pid))
		i--;
	if (!i)
		return TD_LINE_SKIPPED; /* its begin is lost */
	if (w.time_ns > TD_RECORD_TIME_MAX || (int64_t)w.time_ns < rd->nvtx[i - 1].row.start_ns)
		return td_rec_spoilt(imp);
	rd->nvtx[i - 1].row.dur_ns = (int64_t)w.time_ns - rd->nvtx[i - 1].row.start_ns;
	rd->nvtx[i - 1].row.state_id = td_store_cstr(imp->store, "complete");
	r = td_put_span(imp, &rd->nvtx[i - 1].row);
	rd->nvtx[i - 1] = rd->nvtx[--rd->nnvtx];
	return r < 0 ? r : TD_LINE_ROW;
}

int td_record_settle_nvtx(struct td_import *imp)
{
	struct td_record *rd = imp->state;
	int r = 0;

	for (size_t i = 0; i < rd->nnvtx && r >= 0; i++)
		r = put_unfinished(imp, &rd->nvtx[i]);
	return r;
}

/* --- what is no range --- */

static int mark_row(struct td_import *imp, const struct td_wire_nvtx *w)
{
	int64_t value = integer_payload(w);
	struct td_mark row = TD_MARK_INIT;
	int r = td_record_who(imp, w->pid, w->head.tid, &row.process_id, &row.thread_id);

	if (r < 0)
		return r;
	row.ts_ns = (int64_t)w->time_ns;
	row.name_id = text_of(imp, w);
	if (value != TD_NULL)
		row.value = (double)value;
	row.args_id = args_of(imp, w, "Mark");
	r = row.args_id ? td_put_mark(imp, &row) : -ENOMEM;
	return r < 0 ? r : TD_LINE_ROW;
}

static int thread_row(struct td_import *imp, const struct td_wire_nvtx *w)
{
	uint32_t process, thread;
	int r = td_record_who(imp, w->pid, w->head.tid, &process, &thread);

	if (r < 0)
		return r;
	if (thread)
		td_store_thread_at(imp->store, thread)->name_id = text_of(imp, w);
	return TD_LINE_ROW;
}

/* By enum td_wire_nvtx_kind. */
static int (*const kinds[])(struct td_import *imp, const struct td_wire_nvtx *w) = {
	[TD_WIRE_NVTX_PUSH] = push_row,
	[TD_WIRE_NVTX_START] = start_row,
	[TD_WIRE_NVTX_MARK] = mark_row,
	[TD_WIRE_NVTX_THREAD] = thread_row,
};

int td_record_nvtx_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_wire_nvtx w = TD_REC(rec, td_wire_nvtx);
	unsigned kind = w.head.flags;

	if (kind >= TD_ARRAY_SIZE(kinds) || !kinds[kind])
		return TD_LINE_SKIPPED; /* of a newer recorder */
	if (!w.time_ns || w.time_ns > TD_RECORD_TIME_MAX)
		return td_rec_spoilt(imp);
	return kinds[kind](imp, &w);
}
