/* SPDX-License-Identifier: MIT */
/*
 * Work on the GPUs:
 *     CUPTI_ACTIVITY_KIND_KERNEL            gpu_op 'kernel', demangled name
 *     CUPTI_ACTIVITY_KIND_MEMCPY, _MEMSET   gpu_op 'copy' and 'set', named as nsys stats does
 *     CUPTI_ACTIVITY_KIND_GRAPH_TRACE       gpu_op 'graph': a whole CUDA graph, its kernels have no rows
 *     CUPTI_ACTIVITY_KIND_SYNCHRONIZATION   gpu_op 'sync': the host waits, which is no work
 */
#include "common/cleanup.h"
#include "importers/nsys/nsys.h"

/* The first columns of all these tables. */
enum { GPU_START = 1, GPU_END, GPU_DEVICE, GPU_STREAM, GPU_CORRELATION, GPU_PID, GPU_OWN };
#define GPU_COLUMNS "start", "end", "deviceId", "?streamId", "?correlationId", "?globalPid"

/* Puts a row whose name is known. */
static int put_op(struct td_nsys *n, sqlite3_stmt *s, const char *kind, uint32_t name_id,
		  int64_t bytes)
{
	int64_t stream = td_nsys_i64(s, GPU_STREAM), global_pid = td_nsys_i64(s, GPU_PID);
	int64_t pid = global_pid == TD_NULL ? TD_NULL : td_nsys_pid(global_pid);
	struct td_gpu_op op = TD_GPU_OP_INIT;
	struct td_store *st = n->imp->store;
	const char *issue = td_nsys_times(n, s, GPU_START, GPU_END, &op.start_ns, &op.dur_ns);
	int r;

	if (issue)
		return td_nsys_reject(n, s, issue);
	op.device_id = td_nsys_device(n, pid, td_nsys_i64(s, GPU_DEVICE));
	if (!op.device_id)
		return td_nsys_reject(n, s, "unknown-device");
	op.kind_id = td_store_cstr(st, kind);
	op.name_id = name_id;
	op.bytes = bytes >= 0 ? bytes : TD_NULL;
	op.correlation = td_nsys_i64(s, GPU_CORRELATION);
	/* 0xffffffff: all streams, or none */
	if (stream >= 0 && stream <= INT32_MAX)
		op.stream = (int32_t)stream;
	if (pid != TD_NULL)
		op.process_id = td_store_process(st, pid, NULL, 0);
	r = td_put_gpu_op(n->imp, &op);
	return r < 0 ? r : TD_LINE_ROW;
}

/* --- kernels --- */

static int kernel_row(struct td_nsys *n, sqlite3_stmt *s)
{
	uint32_t name = td_nsys_string(n, td_nsys_i64(s, GPU_OWN));

	if (!name)
		name = td_nsys_string(n, td_nsys_i64(s, GPU_OWN + 1));
	if (!name)
		return td_nsys_reject(n, s, "unknown-name");
	return put_op(n, s, "kernel", name, TD_NULL);
}

static const char *const kernel_columns[] = { GPU_COLUMNS, "?demangledName", "?shortName", NULL };

static const struct td_nsys_table kernels = {
	.name = "CUPTI_ACTIVITY_KIND_KERNEL",
	.what = "kernels",
	.columns = kernel_columns,
	.row = kernel_row,
};

/* --- copies and sets --- */

/* By copyKind, as nsys stats prints them up to 2023.2 and from 2023.3 on, when the exports got tables with
 * the names of such numbers. */
static const char *const copy_names_old[] = {
	"[CUDA memcpy Unknown]",
	"[CUDA memcpy HtoD]",
	"[CUDA memcpy DtoH]",
	"[CUDA memcpy HtoA]",
	"[CUDA memcpy AtoH]",
	"[CUDA memcpy AtoA]",
	"[CUDA memcpy AtoD]",
	"[CUDA memcpy DtoA]",
	"[CUDA memcpy DtoD]",
	"[CUDA memcpy HtoH]",
	"[CUDA memcpy PtoP]",
	"[CUDA Unified Memory memcpy HtoD]",
	"[CUDA Unified Memory memcpy DtoH]",
	"[CUDA Unified Memory memcpy DtoD]",
};
static const char *const copy_labels[] = {
	"Unknown",
	"Host-to-Device",
	"Device-to-Host",
	"Host-to-Array",
	"Array-to-Host",
	"Array-to-Array",
	"Array-to-Device",
	"Device-to-Array",
	"Device-to-Device",
	"Host-to-Host",
	"Peer-to-Peer",
	"Unified Host-to-Device",
	"Unified Device-to-Host",
	"Unified Device-to-Device",
};
#define VERSION_WITH_LABELS 3004000 /* 3.4.0, of nsys 2023.3 */

static uint32_t make_copy_name(struct td_nsys *n, int64_t kind)
{
	bool known = kind >= 0 && kind < (int64_t)TD_ARRAY_SIZE(copy_labels);
	struct td_str label;
	char name[96];

	if (known && n->version && n->version < VERSION_WITH_LABELS)
		return td_store_cstr(n->imp->store, copy_names_old[kind]);
	label = td_nsys_label(n, "ENUM_CUDA_MEMCPY_OPER", kind);
	if (label.p)
		(void)snprintf(name, sizeof(name), "[CUDA memcpy %.*s]",
			       (int)TD_MIN(label.len, sizeof(name)), label.p);
	else if (known)
		(void)snprintf(name, sizeof(name), "[CUDA memcpy %s]", copy_labels[kind]);
	else
		(void)snprintf(name, sizeof(name), "[CUDA memcpy kind %lld]", (long long)kind);
	return td_store_cstr(n->imp->store, name);
}

static int copy_row(struct td_nsys *n, sqlite3_stmt *s)
{
	int64_t bytes = td_nsys_i64(s, GPU_OWN), kind = td_nsys_i64(s, GPU_OWN + 1);
	uint32_t name = td_nsys_map_get(&n->copy_names, &kind, sizeof(kind));

	if (kind == TD_NULL)
		return td_nsys_reject(n, s, "no-copy-kind");
	if (!name) {
		name = make_copy_name(n, kind);
		if (td_nsys_map_put(&n->copy_names, &kind, sizeof(kind), name) < 0)
			return -ENOMEM;
	}
	return put_op(n, s, "copy", name, bytes);
}

static const char *const copy_columns[] = { GPU_COLUMNS, "bytes", "copyKind", NULL };

static const struct td_nsys_table copies = {
	.name = "CUPTI_ACTIVITY_KIND_MEMCPY",
	.what = "copies of memory",
	.columns = copy_columns,
	.row = copy_row,
};

static int set_row(struct td_nsys *n, sqlite3_stmt *s)
{
	return put_op(n, s, "set", td_store_cstr(n->imp->store, "[CUDA memset]"),
		      td_nsys_i64(s, GPU_OWN));
}

static const char *const set_columns[] = { GPU_COLUMNS, "bytes", NULL };

static const struct td_nsys_table sets = {
	.name = "CUPTI_ACTIVITY_KIND_MEMSET",
	.what = "sets of memory",
	.columns = set_columns,
	.row = set_row,
};

/* --- graphs and waiting --- */

static int graph_row(struct td_nsys *n, sqlite3_stmt *s)
{
	int64_t id = td_nsys_i64(s, GPU_OWN);
	char name[48] = "CUDA graph";

	if (id != TD_NULL)
		(void)snprintf(name, sizeof(name), "CUDA graph %lld", (long long)id);
	return put_op(n, s, "graph", td_store_cstr(n->imp->store, name), TD_NULL);
}

static const char *const graph_columns[] = { GPU_COLUMNS, "graphId", NULL };

static const struct td_nsys_table graphs = {
	.name = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
	.columns = graph_columns,
	.row = graph_row,
};

/* CUPTI_SYNC_TYPE */
static const char *const sync_names[] = {
	"Unknown", "Event sync", "Stream wait sync", "Stream sync", "Context sync",
};

static int sync_row(struct td_nsys *n, sqlite3_stmt *s)
{
	int64_t type = td_nsys_i64(s, GPU_OWN);
	const char *name = sync_names[0];

	if (type > 0 && type < (int64_t)TD_ARRAY_SIZE(sync_names))
		name = sync_names[type];
	return put_op(n, s, "sync", td_store_cstr(n->imp->store, name), TD_NULL);
}

static const char *const sync_columns[] = { GPU_COLUMNS, "syncType", NULL };

static const struct td_nsys_table syncs = {
	.name = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
	.columns = sync_columns,
	.row = sync_row,
};

int td_nsys_read_gpu(struct td_nsys *n)
{
	static const struct td_nsys_table *const all[] = { &kernels, &copies, &sets, &graphs,
							   &syncs };

	for (size_t i = 0; i < TD_ARRAY_SIZE(all); i++) {
		int r = td_nsys_read(n, all[i], NULL);

		if (r < 0)
			return r;
	}
	return 0;
}
