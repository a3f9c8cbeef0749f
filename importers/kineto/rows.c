/* SPDX-License-Identifier: MIT */
/* Rows of Kineto's events; the mapping is at the top of kineto.c. */
#include "common/array.h"
#include "common/cleanup.h"
#include "common/json/text.h"
#include "importers/kineto/kineto.h"

#define GPUS_MAX 4096 /* pids below this can be devices */

/* Also the index of td_kineto.kind_ids. */
enum kind {
	OTHER,
	CPU_OP,
	ANNOTATION,
	GPU_ANNOTATION,
	PYTHON,
	OVERHEAD,
	PROFILER,
	KERNEL,
	COPY,
	SET,
	SYNC
};
static const char *const kind_names[] = {
	[CPU_OP] = "cpu-op",
	[ANNOTATION] = "annotation",
	[GPU_ANNOTATION] = "gpu-annotation",
	[PYTHON] = "python",
	[OVERHEAD] = "overhead",
	[PROFILER] = "profiler",
	[KERNEL] = "kernel",
	[COPY] = "copy",
	[SET] = "set",
	[SYNC] = "sync",
};
_Static_assert(TD_ARRAY_SIZE(kind_names) <= TD_KINETO_KINDS, "room for all kinds");

static int put_span(struct td_import *imp, const struct td_kineto_event *ev, enum kind kind);
static int put_call(struct td_import *imp, const struct td_kineto_event *ev, enum kind kind);
static int put_gpu_op(struct td_import *imp, const struct td_kineto_event *ev, enum kind kind);

/* Common ones first. */
static const struct category {
	const char *name;
	int (*put)(struct td_import *imp, const struct td_kineto_event *ev, enum kind kind);
	enum kind kind;
	bool telling; /* other programs' traces do not have it */
} categories[] = {
	{ "cpu_op", put_span, CPU_OP, true },
	{ "python_function", put_span, PYTHON, true },
	{ "cuda_runtime", put_call, OTHER, true },
	{ "kernel", put_gpu_op, KERNEL, false },
	{ "user_annotation", put_span, ANNOTATION, true },
	{ "gpu_user_annotation", put_span, GPU_ANNOTATION, true },
	{ "gpu_memcpy", put_gpu_op, COPY, true },
	{ "gpu_memset", put_gpu_op, SET, true },
	{ "cuda_driver", put_call, OTHER, true },
	{ "cuda_sync", put_gpu_op, SYNC, true },
	{ "overhead", put_span, OVERHEAD, false },
	{ "Trace", put_span, PROFILER, false },
	/* 2021 */
	{ "Operator", put_span, CPU_OP, false },
	{ "Runtime", put_call, OTHER, false },
	{ "Kernel", put_gpu_op, KERNEL, false },
	{ "Memcpy", put_gpu_op, COPY, false },
	{ "Memset", put_gpu_op, SET, false },
	/* other accelerators */
	{ "concurrent_kernel", put_gpu_op, KERNEL, true },
	{ "mtia_ccp_events", put_gpu_op, KERNEL, true },
	{ "mtia_runtime", put_call, OTHER, true },
	{ "xpu_runtime", put_call, OTHER, true },
	{ "xpu_driver", put_call, OTHER, true },
	{ "privateuse1_runtime", put_call, OTHER, true },
	{ "privateuse1_driver", put_call, OTHER, true },
	{ "glow_runtime", put_call, OTHER, true },
};

static const struct category *category_named(struct td_str cat)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(categories); i++)
		if (td_str_eq(cat, categories[i].name))
			return &categories[i];
	return NULL;
}

bool td_kineto_is_category(struct td_str cat)
{
	const struct category *c = category_named(cat);

	return c && c->telling;
}

/* --- who --- */

struct td_kineto_process *td_kineto_process(struct td_kineto *k, int64_t pid)
{
	uint32_t id = td_intern_add(&k->pids, (const char *)&pid, sizeof(pid));

	if (!id)
		return NULL;
	if (id > k->nprocesses) {
		if (td_grow(&k->processes, &k->processes_cap, k->nprocesses) < 0)
			return NULL;
		k->processes[k->nprocesses++] = (struct td_kineto_process){ .pid = pid };
	}
	return &k->processes[id - 1];
}

/* The one that the events before are of; 0: none. */
static uint32_t current_process(struct td_import *imp)
{
	struct td_kineto *k = imp->state;

	if (!k->process_id && k->pid != TD_NULL)
		k->process_id = td_store_process(imp->store, k->pid, NULL, 0);
	return k->process_id;
}

static bool scan_int(struct td_str text, int64_t *ret)
{
	struct td_scan s = td_scan_of(text.p, text.len);

	return td_scan_i64(&s, ret) && td_scan_done(&s);
}

/* The process and thread of an event of the CPU's side, by numbers or strings of digits. Python functions
 * can have 0 for both, overheads -1: then it is the process that the file is of. */
static int who(struct td_import *imp, const struct td_kineto_event *ev, uint32_t *ret_process_id,
	       uint32_t *ret_thread_id)
{
	struct td_kineto *k = imp->state;
	int64_t pid, tid;

	*ret_thread_id = 0;
	if (!scan_int(ev->member[TD_KINETO_PID], &pid) || pid <= 0) {
		*ret_process_id = current_process(imp);
		return 0;
	}
	*ret_process_id = td_store_process(imp->store, pid, NULL, 0);
	if (*ret_process_id != current_process(imp)) {
		struct td_kineto_process *p = td_kineto_process(k, pid);

		if (!p || !*ret_process_id)
			return -ENOMEM;
		p->has_events = true;
		k->pid = td_store_process_at(imp->store, *ret_process_id)->pid;
		k->process_id = *ret_process_id;
	}
	if (scan_int(ev->member[TD_KINETO_TID], &tid) && tid != 0)
		*ret_thread_id = td_store_thread(imp->store, tid, *ret_process_id);
	return 0;
}

/* "stream 7" or 7; INT32_MIN if it is neither. */
static int32_t stream_of(struct td_str text)
{
	struct td_scan s = td_scan_of(text.p, text.len);
	int64_t v;

	(void)td_scan_literal(&s, "stream ");
	if (!td_scan_i64(&s, &v) || !td_scan_done(&s) || v < 0 || v > INT32_MAX)
		return INT32_MIN;
	return (int32_t)v;
}

/* The GPU by number, 0 if that makes no sense. */
static uint32_t gpu_of(struct td_import *imp, struct td_str number)
{
	struct td_kineto *k = imp->state;
	char name[32];
	int64_t v;
	int n;

	if (!scan_int(number, &v) || v < 0 || v >= GPUS_MAX)
		return 0;
	if (k->gpu_id && k->gpu == v)
		return k->gpu_id;
	n = snprintf(name, sizeof(name), "GPU %lld", (long long)v);
	k->gpu = v;
	return k->gpu_id = td_store_device(imp->store, TD_DEVICE_GPU, name, (size_t)n, v);
}

/* --- what --- */

static uint32_t text_id(struct td_import *imp, struct td_str bare)
{
	struct td_kineto *k = imp->state;
	struct td_str text = td_json_decode(bare, &k->text);

	return td_store_string(imp->store, text.p ? text.p : "", text.len);
}

static uint32_t once(struct td_import *imp, uint32_t *id, const char *text)
{
	if (!*id)
		*id = td_store_cstr(imp->store, text);
	return *id;
}

static uint32_t kind_id(struct td_import *imp, enum kind kind, struct td_str category)
{
	struct td_kineto *k = imp->state;

	if (kind == OTHER)
		return category.len ? text_id(imp, category)
				    : once(imp, &k->kind_ids[OTHER], "other");
	return once(imp, &k->kind_ids[kind], kind_names[kind]);
}

/* "ProfilerStep#552" is number 552 of its name. */
static struct td_str split_step(struct td_str name, int64_t *ret_number)
{
	static const char step[] = "ProfilerStep#";
	size_t n = sizeof(step) - 1;

	if (td_str_starts(name, step) &&
	    scan_int((struct td_str){ name.p + n, name.len - n }, ret_number))
		name.len = n - 1;
	return name;
}

/* {"device":0,"stream":7} of a span on a GPU. */
static uint32_t place_id(struct td_import *imp, const struct td_kineto_event *ev)
{
	int32_t stream = stream_of(ev->member[TD_KINETO_TID]);
	char text[64];
	int64_t device;
	int n;

	if (!scan_int(ev->member[TD_KINETO_PID], &device))
		return 0;
	n = snprintf(text, sizeof(text), "{\"device\":%lld", (long long)device);
	if (stream != INT32_MIN)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ",\"stream\":%d", stream);
	text[n++] = '}';
	return td_store_string(imp->store, text, (size_t)n);
}

/* Ranges of PyTorch's own that are no operators; no operator's name begins so. */
static bool is_annotation(struct td_str name)
{
	static const char *const begins[] = { "ProfilerStep#", "enumerate(DataLoader)#",
					      "Optimizer." };

	for (size_t i = 0; i < TD_ARRAY_SIZE(begins); i++)
		if (td_str_starts(name, begins[i]))
			return true;
	return false;
}

static int put_span(struct td_import *imp, const struct td_kineto_event *ev, enum kind kind)
{
	struct td_kineto *k = imp->state;
	struct td_str name = ev->member[TD_KINETO_NAME];
	struct td_span row = TD_SPAN_INIT;
	int r = 0;

	/* in 2021 the category was that of operators */
	if (kind == CPU_OP && is_annotation(name))
		kind = ANNOTATION;

	row.start_ns = ev->start_ns;
	row.dur_ns = ev->dur_ns;
	row.rank = k->rank;
	row.kind_id = kind_id(imp, kind, ev->member[TD_KINETO_CAT]);
	row.state_id = row.dur_ns == TD_NULL ? once(imp, &k->unfinished_id, "unfinished")
					     : once(imp, &k->complete_id, "complete");
	if (kind == ANNOTATION || kind == GPU_ANNOTATION)
		name = split_step(name, &row.number);
	row.name_id = text_id(imp, name);
	row.process_id = current_process(imp);
	if (kind == GPU_ANNOTATION)
		row.args_id = place_id(imp, ev);
	else if (kind != PROFILER)
		r = who(imp, ev, &row.process_id, &row.thread_id);
	if (r >= 0)
		r = td_put_span(imp, &row);
	return r < 0 ? r : TD_LINE_ROW;
}

static int put_call(struct td_import *imp, const struct td_kineto_event *ev, enum kind kind)
{
	struct td_kineto *k = imp->state;
	struct td_str name = td_json_decode(ev->member[TD_KINETO_NAME], &k->text);
	struct td_call row = TD_CALL_INIT;
	int64_t id;
	int r;

	(void)kind;
	row.start_ns = ev->start_ns;
	row.dur_ns = ev->dur_ns;
	row.op_id = td_store_op(imp->store, name.p ? name.p : "", name.len, TD_LAYER_CUDA);
	if (scan_int(td_json_get(ev->member[TD_KINETO_ARGS], "correlation"), &id) && id >= 0 &&
	    id <= INT32_MAX)
		row.correlation = (int32_t)id;
	r = who(imp, ev, &row.process_id, &row.thread_id);
	if (r >= 0)
		r = td_put_call(imp, &row);
	return r < 0 ? r : TD_LINE_ROW;
}

struct gpu_args {
	struct td_str device, stream, correlation, bytes;
};

static void scan_gpu_args(struct td_str args, struct gpu_args *ret)
{
	const struct {
		const char *key;
		struct td_str *to;
	} wanted[] = {
		{ "device", &ret->device },
		{ "stream", &ret->stream },
		{ "correlation", &ret->correlation },
		{ "bytes", &ret->bytes },
	};
	struct td_scan s = td_scan_of(args.p, args.len);
	struct td_str key, value;

	while (td_json_member(&s, &key, &value) > 0)
		for (size_t i = 0; i < TD_ARRAY_SIZE(wanted); i++)
			if (td_str_eq(key, wanted[i].key))
				*wanted[i].to = td_json_bare(value);
}

static int put_gpu_op(struct td_import *imp, const struct td_kineto_event *ev, enum kind kind)
{
	struct td_gpu_op row = TD_GPU_OP_INIT;
	struct gpu_args args = { 0 };
	int r;

	scan_gpu_args(ev->member[TD_KINETO_ARGS], &args);
	row.start_ns = ev->start_ns;
	row.dur_ns = ev->dur_ns;
	row.device_id = gpu_of(imp, args.device.len ? args.device : ev->member[TD_KINETO_PID]);
	if (!row.device_id)
		return td_reject(imp, "no-device");
	row.stream = stream_of(args.stream.len ? args.stream : ev->member[TD_KINETO_TID]);
	row.process_id = current_process(imp);
	row.kind_id = kind_id(imp, kind, ev->member[TD_KINETO_CAT]);
	row.name_id = text_id(imp, ev->member[TD_KINETO_NAME]);
	if (!scan_int(args.correlation, &row.correlation))
		row.correlation = TD_NULL;
	if (!scan_int(args.bytes, &row.bytes) || row.bytes < 0)
		row.bytes = TD_NULL;
	r = td_put_gpu_op(imp, &row);
	return r < 0 ? r : TD_LINE_ROW;
}

int td_kineto_put_complete(struct td_import *imp, const struct td_kineto_event *ev)
{
	const struct category *c = category_named(ev->member[TD_KINETO_CAT]);

	return c ? c->put(imp, ev, c->kind) : put_span(imp, ev, OTHER);
}

/* --- instants and counters --- */

static int put_sample(struct td_import *imp, const struct td_kineto_event *ev, uint32_t track_id,
		      double value)
{
	struct td_sample row = TD_SAMPLE_INIT;

	row.ts_ns = ev->start_ns;
	row.track_id = track_id;
	row.value = value;
	return td_put_sample(imp, &row);
}

/* The allocator's totals after an allocation: samples of the device's (or the CPU's) memory. */
static int put_totals(struct td_import *imp, const struct td_kineto_event *ev, uint32_t process_id)
{
	static const struct {
		const char *key, *track;
	} totals[] = {
		{ "Total Allocated", "torch.allocated" },
		{ "Total Reserved", "torch.reserved" },
	};
	struct td_str args = ev->member[TD_KINETO_ARGS];
	uint32_t gpu_id = gpu_of(imp, td_json_get(args, "Device Id"));
	int r = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(totals) && r >= 0; i++) {
		int64_t bytes;

		if (scan_int(td_json_get(args, totals[i].key), &bytes) && bytes >= 0)
			r = put_sample(imp, ev,
				       td_store_track(imp->store, imp->source_id, totals[i].track,
						      "bytes", gpu_id, process_id),
				       (double)bytes);
	}
	return r;
}

int td_kineto_put_instant(struct td_import *imp, const struct td_kineto_event *ev)
{
	struct td_kineto *k = imp->state;
	struct td_mark row = TD_MARK_INIT;
	int64_t bytes;
	int r;

	row.ts_ns = ev->start_ns;
	row.rank = k->rank;
	row.name_id = text_id(imp, ev->member[TD_KINETO_NAME]);
	r = who(imp, ev, &row.process_id, &row.thread_id);
	if (r >= 0 && td_str_eq(ev->member[TD_KINETO_NAME], "[memory]")) {
		if (scan_int(td_json_get(ev->member[TD_KINETO_ARGS], "Bytes"), &bytes))
			row.value = (double)bytes;
		r = put_totals(imp, ev, row.process_id);
	}
	if (r >= 0)
		r = td_put_mark(imp, &row);
	return r < 0 ? r : TD_LINE_ROW;
}

/* {"name": "GPU 0", "args": {"busy": 0.5}} is a sample of track "GPU 0.busy". */
static int put_counted(struct td_import *imp, const struct td_kineto_event *ev, struct td_str key,
		       double value)
{
	struct td_kineto *k = imp->state;
	struct td_str name = ev->member[TD_KINETO_NAME];

	td_strbuf_reset(&k->text);
	td_strbuf_add(&k->text, name.p, name.len);
	td_strbuf_addc(&k->text, '.');
	td_strbuf_add(&k->text, key.p, key.len);
	return put_sample(
		imp, ev,
		td_store_track(imp->store, imp->source_id, td_strbuf_str(&k->text), "", 0, 0),
		value);
}

int td_kineto_put_counter(struct td_import *imp, const struct td_kineto_event *ev)
{
	struct td_str args = ev->member[TD_KINETO_ARGS], key, value;
	struct td_scan s = td_scan_of(args.p, args.len);
	bool some = false;
	double number;
	int r = 0;

	while (r >= 0 && td_json_member(&s, &key, &value) > 0) {
		if (!td_json_number(value, &number))
			continue;
		r = put_counted(imp, ev, key, number);
		some = true;
	}
	if (r < 0)
		return r;
	return some ? TD_LINE_ROW : td_reject(imp, "no-value");
}
