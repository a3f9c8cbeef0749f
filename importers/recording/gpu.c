/* SPDX-License-Identifier: MIT */
/* What the library in a CUDA program tells (record --cuda): the rows of a trace of the same program by nsys. */
#include "common/array.h"
#include "importers/recording/recording.h"

#define GPUS_MAX 4096 /* more is damage */

static uint64_t name_key(uint32_t pid, uint32_t name)
{
	return (uint64_t)pid << 32 | name;
}

int td_record_gpu_name_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record *rd = imp->state;
	struct td_wire_gpu_name w = TD_REC(rec, td_wire_gpu_name);
	struct td_scan s = TD_REC_TEXT(rec, td_wire_gpu_name, text);
	struct td_str name;
	uint32_t *id;

	if (!td_rec_text(&s, w.name_len, &name) || !name.len || !w.name)
		return td_rec_spoilt(imp);
	id = td_record_map_at(&rd->gpu_names, name_key(w.head.tid, w.name));
	if (!id)
		return -ENOMEM;
	*id = td_rec_string(imp, name);
	return TD_LINE_ROW;
}

uint32_t td_record_gpu_name(const struct td_record *rd, uint32_t pid, uint32_t name)
{
	return td_record_map_get(&rd->gpu_names, name_key(pid, name));
}

static bool is_possible(uint64_t start_ns, uint64_t end_ns)
{
	return start_ns && start_ns <= end_ns && end_ns <= TD_RECORD_TIME_MAX;
}

/* --- work on the GPU --- */

/* As nsys stats prints them. By CUpti_ActivityMemcpyKind. */
static const char *const copy_names[] = {
	"[CUDA memcpy Unknown]",          "[CUDA memcpy Host-to-Device]",
	"[CUDA memcpy Device-to-Host]",   "[CUDA memcpy Host-to-Array]",
	"[CUDA memcpy Array-to-Host]",    "[CUDA memcpy Array-to-Array]",
	"[CUDA memcpy Array-to-Device]",  "[CUDA memcpy Device-to-Array]",
	"[CUDA memcpy Device-to-Device]", "[CUDA memcpy Host-to-Host]",
	"[CUDA memcpy Peer-to-Peer]",
};
static const char *const set_names[] = { "[CUDA memset]" };

/* By enum td_wire_gpu_kind. */
static const struct {
	const char *name;
	const char *const *names; /* of what it can be; NULL: it has a name of its own */
	size_t nnames;
	bool has_bytes;
} kinds[] = {
	[TD_WIRE_GPU_KERNEL] = { .name = "kernel" },
	[TD_WIRE_GPU_COPY] = { "copy", copy_names, TD_ARRAY_SIZE(copy_names), true },
	[TD_WIRE_GPU_SET] = { "set", set_names, TD_ARRAY_SIZE(set_names), true },
	[TD_WIRE_GPU_GRAPH] = { .name = "graph" },
};

/* As importers/nsys/gpu.c has it. */
static uint32_t graph_name(struct td_import *imp, uint32_t number)
{
	char name[48];

	(void)snprintf(name, sizeof(name), "CUDA graph %u", number);
	return td_store_cstr(imp->store, name);
}

/* String id; 0: a kernel whose name did not come. */
static uint32_t name_of(struct td_import *imp, const struct td_wire_gpu_op *w)
{
	const struct td_record *rd = imp->state;
	unsigned kind = w->head.flags;

	if (kind == TD_WIRE_GPU_GRAPH)
		return graph_name(imp, w->what);
	if (!kinds[kind].names)
		return td_record_gpu_name(rd, w->head.tid, w->what);
	return td_store_cstr(imp->store,
			     kinds[kind].names[w->what < kinds[kind].nnames ? w->what : 0]);
}

static uint32_t gpu_of(struct td_import *imp, uint32_t number)
{
	char name[32];
	int n = snprintf(name, sizeof(name), "GPU %u", number);

	return td_store_device(imp->store, TD_DEVICE_GPU, name, (size_t)n, number);
}

int td_record_gpu_op_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_wire_gpu_op w = TD_REC(rec, td_wire_gpu_op);
	struct td_gpu_op row = TD_GPU_OP_INIT;
	unsigned kind = w.head.flags;
	int r;

	if (kind >= TD_ARRAY_SIZE(kinds) || !kinds[kind].name)
		return TD_LINE_SKIPPED; /* of a newer recorder */
	if (!is_possible(w.start_ns, w.end_ns) || w.device >= GPUS_MAX)
		return td_rec_spoilt(imp);
	row.name_id = name_of(imp, &w);
	if (!row.name_id)
		return td_reject(imp, "unknown-name");
	row.start_ns = (int64_t)w.start_ns;
	row.dur_ns = (int64_t)(w.end_ns - w.start_ns);
	row.device_id = gpu_of(imp, w.device);
	row.kind_id = td_store_cstr(imp->store, kinds[kind].name);
	row.process_id = td_record_process(imp, w.head.tid);
	row.correlation = w.correlation;
	if (w.stream <= INT32_MAX)
		row.stream = (int32_t)w.stream;
	if (kinds[kind].has_bytes)
		row.bytes = td_rec_i64(w.bytes);
	r = row.process_id ? td_put_gpu_op(imp, &row) : -ENOMEM;
	return r < 0 ? r : TD_LINE_ROW;
}

/* --- calls --- */

int td_record_gpu_call_row(struct td_import *imp, const struct td_rec *rec)
{
	const struct td_record *rd = imp->state;
	struct td_wire_gpu_call w = TD_REC(rec, td_wire_gpu_call);
	struct td_call row = TD_CALL_INIT;
	uint32_t name_id = td_record_gpu_name(rd, w.pid, w.name);
	struct td_str name;
	int r;

	if (!is_possible(w.start_ns, w.end_ns))
		return td_rec_spoilt(imp);
	if (!name_id)
		return td_reject(imp, "unknown-name");
	name = td_store_text(imp->store, name_id);
	row.start_ns = (int64_t)w.start_ns;
	row.dur_ns = (int64_t)(w.end_ns - w.start_ns);
	row.op_id = td_store_op(imp->store, name.p, name.len, TD_LAYER_CUDA);
	row.ret = -(int64_t)w.result;
	if (w.correlation <= INT32_MAX)
		row.correlation = (int32_t)w.correlation;
	r = td_record_who(imp, w.pid, w.head.tid, &row.process_id, &row.thread_id);
	if (r == 0)
		r = td_put_call(imp, &row);
	return r < 0 ? r : TD_LINE_ROW;
}
