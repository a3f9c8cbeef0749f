/* SPDX-License-Identifier: MIT */
/*
 * PyTorch's profiler (Kineto), Chrome's JSON of all generations since 2021:
 *
 *     {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100", "totalGlobalMem": 85018279936}],
 *      "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2},
 *      "traceEvents": [
 *       {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 77, "tid": 78, "ts": 4203669604595.407, "dur": 5.1},
 *       {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 4203669604600.001, "dur": 12.5,
 *        "args": {"device": 0, "stream": 7, "correlation": 119}},
 *       {"ph": "i", "name": "[memory]", "pid": 77, "tid": 78, "ts": 4203669604601.1, "args": {"Bytes": 512}},
 *       {"ph": "s", "cat": "ac2g", "id": 119, "pid": 77, "tid": 78, "ts": 4203669604596},
 *       {"ph": "M", "name": "process_name", "pid": 77, "tid": 0, "args": {"name": "python3"}}],
 *      "baseTimeNanoseconds": 1751410836000000000}
 *
 *     lines     are the events, the elements of traceEvents
 *     ts, dur   microseconds, read as decimal text to the nanosecond; ts counts from baseTimeNanoseconds, which may
 *               stand anywhere, or is UTC if it is from after 1973
 *     pid, tid  numbers, or strings of digits in 2021
 *     X         kernel, gpu_memcpy, gpu_memset, cuda_sync: GPU work (kind 'kernel', 'copy', 'set', 'sync') of args.device
 *               (else pid) and args.stream (else tid, "stream 7" in 2021), launched by the process whose events came
 *               before it; cuda_runtime, cuda_driver: calls of layer 'cuda'; everything else: spans, of kind 'cpu-op',
 *               'annotation', 'gpu-annotation', 'python', 'overhead', 'profiler', else as the category is called
 *     i         marks; "[memory]" with totals also samples 'torch.allocated' and 'torch.reserved'
 *     C         samples
 *     M         names of processes and threads, "thread 78 (pt_autograd_0)", and which pids are GPUs; skipped
 *     s, t, f   flows: skipped, as args.correlation says the same
 *     rank      distributedInfo.rank, if it stands before the events
 *     summary   'gpu.memory' of every device listed, used or not
 *
 * Everything else in args (shapes, stacks, occupancy) is left out: it is most of the file and no
 * report asks for it. Category names are those of kineto/rows.c. Text that is no JSON is stepped
 * over up to the next event.
 */
#include <cjson/cJSON.h>

#include "common/cleanup.h"
#include "common/json/stream.h"
#include "common/json/text.h"
#include "importers/core/importers.h"
#include "importers/kineto/kineto.h"

#include <math.h>

#define ABSOLUTE_NS INT64_C(100000000000000000) /* 1973: times below it are not since 1970 */
#define TIME_MAX_NS                                                                                \
	INT64_C(4000000000000000000) /* 2096; base + start + duration then fit 64 bits */
#define DUR_MAX_NS INT64_C(1000000000000000000)

TD_DEFINE_CLEANUP(cJSON *, cJSON_Delete)
#define SNIFF_EVENTS 1000

static const char *const member_names[TD_KINETO_NMEMBERS] = {
	[TD_KINETO_PH] = "ph",   [TD_KINETO_CAT] = "cat",   [TD_KINETO_NAME] = "name",
	[TD_KINETO_PID] = "pid", [TD_KINETO_TID] = "tid",   [TD_KINETO_TS] = "ts",
	[TD_KINETO_DUR] = "dur", [TD_KINETO_ARGS] = "args",
};

/* --- events --- */

static void set_member(struct td_kineto_event *ev, struct td_str key, struct td_str value)
{
	for (size_t i = 0; i < TD_KINETO_NMEMBERS; i++) {
		if (td_str_eq(key, member_names[i])) {
			ev->member[i] = td_json_bare(value);
			break;
		}
	}
}

/* 1, or -EBADMSG: not an object, or one that makes no sense. object: its members; NULL: not known. */
static int scan_event(struct td_str text, const struct td_json_object *object,
		      struct td_kineto_event *ret)
{
	struct td_scan s = td_scan_of(text.p, text.len);
	struct td_str key, value;
	int r;

	*ret = (struct td_kineto_event){ .dur_ns = TD_NULL };
	if (text.p[0] != '{')
		return -EBADMSG;
	if (object && object->n) {
		for (size_t i = 0; i < object->n; i++)
			set_member(ret, object->members[i].key, object->members[i].value);
		return ret->member[TD_KINETO_PH].len != 1 ? -EBADMSG : 1;
	}
	while ((r = td_json_member(&s, &key, &value)) > 0)
		set_member(ret, key, value);
	return r < 0 || ret->member[TD_KINETO_PH].len != 1 ? -EBADMSG : 1;
}

static bool is_absolute(int64_t native_ns)
{
	return native_ns >= ABSOLUTE_NS;
}

/* Start and duration. 0, or TD_LINE_ISSUE. */
static int scan_times(struct td_import *imp, struct td_kineto_event *ev)
{
	struct td_kineto *k = imp->state;
	struct td_str dur = ev->member[TD_KINETO_DUR];

	if (!td_json_fixed(ev->member[TD_KINETO_TS], 3, &ev->start_ns) || ev->start_ns < 0 ||
	    ev->start_ns > TIME_MAX_NS)
		return td_reject(imp, "no-time");
	if (k->first_ns != TD_NULL && is_absolute(k->first_ns) != is_absolute(ev->start_ns))
		return td_reject(imp, "no-time");
	if (k->first_ns == TD_NULL)
		k->first_ns = ev->start_ns;
	if (!dur.len)
		return 0;
	if (!td_json_fixed(dur, 3, &ev->dur_ns) || ev->dur_ns < 0 || ev->dur_ns > DUR_MAX_NS) {
		ev->dur_ns = TD_NULL;
		td_repair(imp, "bad-duration");
	}
	return 0;
}

/* "thread 78 (pt_autograd_0)", as pthread_getname_np() has it. */
static int name_thread(struct td_import *imp, const struct td_kineto_event *ev, struct td_str name)
{
	struct td_scan s = td_scan_of(name.p, name.len);
	struct td_scan pid = td_scan_of(ev->member[TD_KINETO_PID].p, ev->member[TD_KINETO_PID].len);
	int64_t tid, p;
	uint32_t id;

	if (!td_scan_literal(&s, "thread ") || !td_scan_i64(&s, &tid) ||
	    !td_scan_literal(&s, " (") || s.end - s.p < 2 || s.end[-1] != ')' || !tid ||
	    !td_scan_i64(&pid, &p) || p <= 0)
		return 0;
	id = td_store_thread(imp->store, tid, td_store_process(imp->store, p, NULL, 0));
	if (!id)
		return td_store_error(imp->store);
	td_store_thread_at(imp->store, id)->name_id =
		td_store_string(imp->store, s.p, (size_t)(s.end - 1 - s.p));
	return 0;
}

/* Names; GPUs are processes too in a Kineto file, so those of processes wait for the end. */
static int metadata(struct td_import *imp, const struct td_kineto_event *ev)
{
	struct td_kineto *k = imp->state;
	struct td_str what = ev->member[TD_KINETO_NAME], args = ev->member[TD_KINETO_ARGS];
	struct td_str name = td_json_bare(td_json_get(args, "name"));
	struct td_str labels = td_json_bare(td_json_get(args, "labels"));
	struct td_scan s = td_scan_of(ev->member[TD_KINETO_PID].p, ev->member[TD_KINETO_PID].len);
	struct td_kineto_process *p;
	int64_t pid;

	if (td_import_is_part(imp))
		return -EAGAIN;
	name = td_json_decode(name, &k->text);
	if (td_str_eq(what, "thread_name"))
		return name_thread(imp, ev, name);
	if (!td_scan_i64(&s, &pid) || !td_scan_done(&s))
		return 0;
	p = td_kineto_process(k, pid);
	if (!p)
		return -ENOMEM;
	if (td_str_eq(what, "process_name") && name.len)
		p->name_id = td_store_string(imp->store, name.p, name.len);
	else if (td_str_eq(what, "process_labels"))
		p->is_gpu = !td_str_eq(labels, "CPU");
	return 0;
}

static int kineto_element(struct td_import *imp, struct td_str text,
			  const struct td_json_object *object)
{
	struct td_kineto_event event, *ev = &event;
	int r = scan_event(text, object, ev);

	if (r < 0)
		return r;
	switch (ev->member[TD_KINETO_PH].p[0]) {
	case 'M':
		r = metadata(imp, ev);
		return r < 0 ? r : TD_LINE_SKIPPED;
	case 's':
	case 't':
	case 'f':
		return TD_LINE_SKIPPED;
	case 'X':
	case 'i':
	case 'I':
	case 'C':
		break;
	default:
		return td_reject(imp, "unknown-phase");
	}
	r = scan_times(imp, ev);
	if (r)
		return r;
	switch (ev->member[TD_KINETO_PH].p[0]) {
	case 'X':
		return td_kineto_put_complete(imp, ev);
	case 'C':
		return td_kineto_put_counter(imp, ev);
	default:
		return td_kineto_put_instant(imp, ev);
	}
}

/* --- what stands beside the events --- */

/* "GPU 0: NVIDIA H100" has so much memory. */
static void put_device(struct td_import *imp, const cJSON *device)
{
	struct td_kineto *k = imp->state;
	struct td_summary row = TD_SUMMARY_INIT(imp->source_id);
	const cJSON *id = cJSON_GetObjectItemCaseSensitive(device, "id");
	const cJSON *name = cJSON_GetObjectItemCaseSensitive(device, "name");
	const cJSON *bytes = cJSON_GetObjectItemCaseSensitive(device, "totalGlobalMem");

	if (!cJSON_IsNumber(id) || !cJSON_IsString(name) || !cJSON_IsNumber(bytes))
		return;
	td_strbuf_reset(&k->text);
	td_strbuf_addf(&k->text, "GPU %d: %s", id->valueint, name->valuestring);
	row.name = "gpu.memory";
	row.key = td_import_keep_cstr(imp, td_strbuf_str(&k->text));
	row.unit = "bytes";
	row.value = bytes->valuedouble;
	td_store_summary(imp->store, &row);
}

/* A few objects of a few dozen members, in no event's way. */
static void set_devices(struct td_import *imp, struct td_str value)
{
	_cleanup_(cJSON_Deletep) cJSON *devices = cJSON_ParseWithLength(value.p, value.len);
	const cJSON *device;

	cJSON_ArrayForEach(device, devices) put_device(imp, device);
}

static void set_distributed(struct td_import *imp, struct td_str value)
{
	struct td_kineto *k = imp->state;
	int64_t rank;

	if (td_json_fixed(td_json_get(value, "rank"), 0, &rank) && rank >= 0 && rank <= INT32_MAX)
		k->rank = (int32_t)rank;
	if (k->rank != INT32_MIN)
		td_import_set_rank(imp, k->rank, "printed");
}

static void set_base(struct td_import *imp, struct td_str value)
{
	struct td_kineto *k = imp->state;
	int64_t base_ns;

	if (td_json_fixed(td_json_bare(value), 0, &base_ns) && base_ns >= 0 &&
	    base_ns <= TIME_MAX_NS)
		k->base_ns = base_ns;
}

/* Top-level keys. */
static const struct {
	const char *name;
	void (*set)(struct td_import *imp, struct td_str value); /* NULL: not used */
	bool telling; /* other programs' traces do not have it */
} keys[] = {
	{ "baseTimeNanoseconds", set_base, true },
	{ "computeProperties", set_devices, true },
	{ "deviceProperties", set_devices, true },
	{ "distributedInfo", set_distributed, true },
	{ "record_shapes", NULL, true },
	{ "schemaVersion", NULL, false },
	{ "with_stack", NULL, true },
};

/* The value of a top-level key. An enum td_json_step or -errno. */
static int one_key(struct td_import *imp, struct td_json_stream *js, struct td_str key)
{
	struct td_str value;
	int r;

	if (td_str_eq(key, "traceEvents")) {
		r = td_json_stream_enter(js, '[');
		if (r > 0)
			r = td_import_elements(imp, js);
		else if (r == 0)
			r = td_json_stream_skip(js);
		return r == TD_JSON_CLOSED ? TD_JSON_GOT : r;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(keys); i++) {
		if (!keys[i].set || !td_str_eq(key, keys[i].name))
			continue;
		r = td_json_stream_value(js, &value);
		if (r == TD_JSON_GOT)
			keys[i].set(imp, value);
		return r == TD_JSON_SPOILT ? TD_JSON_GOT : r;
	}
	return td_json_stream_skip(js);
}

/* --- the whole --- */

/* The process names, now that it is known which pids are processes. */
static int name_processes(struct td_import *imp)
{
	struct td_kineto *k = imp->state;

	for (size_t i = 0; i < k->nprocesses; i++) {
		const struct td_kineto_process *p = &k->processes[i];
		uint32_t id;

		if (!p->name_id || p->is_gpu || !p->has_events)
			continue;
		id = td_store_process(imp->store, p->pid, NULL, 0);
		if (!id)
			return td_store_error(imp->store);
		td_store_process_at(imp->store, id)->name_id = p->name_id;
	}
	return 0;
}

static void set_clock(struct td_import *imp)
{
	const struct td_kineto *k = imp->state;

	if (k->first_ns == TD_NULL)
		return;
	td_import_set_layout(imp, is_absolute(k->first_ns) ? "absolute" : "relative");
	if (is_absolute(k->first_ns))
		return;
	if (k->base_ns != TD_NULL) {
		td_import_set_base(imp, k->base_ns);
		return;
	}
	td_import_set_clock(imp, TD_CLOCK_RELATIVE);
	td_note(imp, "no-time-base",
		"baseTimeNanoseconds is missing: only times within the file can be compared");
}

/* It is the user's word that this is Kineto. */
static int not_an_object(struct td_import *imp)
{
	td_import_row(imp);
	return td_import_row_done(imp, td_reject(imp, "not-an-object"));
}

/* A second trace, or what another program printed. */
static int text_behind(struct td_import *imp)
{
	td_import_set_cut(imp, "what follows the end of the trace is not read");
	td_import_row(imp);
	return td_import_row_done(imp, td_reject(imp, "text-behind"));
}

static int kineto_data(struct td_import *imp, struct td_stream *in, struct td_err *err)
{
	struct td_kineto *k = imp->state;
	struct td_json_stream js;
	struct td_str key;
	int r;

	k->rank = INT32_MIN;
	k->base_ns = k->first_ns = k->pid = TD_NULL;
	td_import_set_tool(imp, "PyTorch Kineto", NULL, NULL);
	td_json_stream_init(&js, in, err);
	r = td_json_stream_enter(&js, '{');
	if (r == 0)
		return td_json_stream_peek(&js) ? not_an_object(imp) : 0;
	while (r == TD_JSON_GOT) {
		r = td_json_stream_key(&js, &key);
		if (r == TD_JSON_GOT)
			r = one_key(imp, &js, key);
	}
	if (r == TD_JSON_CUT) {
		td_import_set_cut(imp, "the JSON text is cut");
	} else if (r == TD_JSON_SPOILT) {
		td_import_set_cut(imp, "what follows the last event is no JSON");
	} else if (r == 0) {
		r = td_json_stream_peek(&js);
		if (r > 0)
			r = text_behind(imp);
	}
	return r < 0 ? r : 0;
}

static void state_done(void *state)
{
	struct td_kineto *k = state;

	td_strbuf_done(&k->text);
	td_intern_done(&k->pids);
	free(k->processes);
}

static int kineto_end(struct td_import *imp)
{
	struct td_kineto *k = imp->state;
	int r = name_processes(imp), text_error = td_strbuf_error(&k->text);

	set_clock(imp);
	state_done(k);
	return r < 0 ? r : text_error;
}

/* --- out of turn --- */

static int copy_state(void *to, const void *from)
{
	struct td_kineto *t = to;
	const struct td_kineto *f = from;

	td_intern_clear(&t->pids);
	*t = (struct td_kineto){
		.text = t->text,
		.rank = f->rank,
		.base_ns = f->base_ns,
		.first_ns = f->first_ns,
		.pid = f->pid,
		.pids = t->pids,
		.processes = t->processes,
		.processes_cap = t->processes_cap,
	};
	return 0;
}

static bool same_state(const void *a, const void *b)
{
	const struct td_kineto *x = a, *y = b;

	return x->rank == y->rank && x->first_ns == y->first_ns && x->pid == y->pid;
}

/* The processes that a part has met have no names yet: those are told in turn. */
static int take_state(void *to, const void *part)
{
	struct td_kineto *t = to;
	const struct td_kineto *p = part;

	t->first_ns = p->first_ns;
	t->pid = p->pid;
	t->process_id = 0;
	for (size_t i = 0; i < p->nprocesses; i++) {
		struct td_kineto_process *met = td_kineto_process(t, p->processes[i].pid);

		if (!met)
			return -ENOMEM;
		met->has_events = true;
	}
	return td_strbuf_error(&p->text);
}

static const struct td_importer_speculation speculation = {
	.copy = copy_state,
	.same = same_state,
	.take = take_state,
	.done = state_done,
};

/* --- sniffing --- */

/* Is there an event of a category that only Kineto has? The array may end within the head. */
static bool has_category(struct td_scan s)
{
	struct td_kineto_event ev;
	const char *e;

	for (int i = 0; i < SNIFF_EVENTS; i++) {
		while (s.p < s.end && ((unsigned char)*s.p <= ' ' || *s.p == ',' || *s.p == '['))
			s.p++;
		if (s.p == s.end || *s.p != '{' || !(e = td_json_end(s.p, s.end)))
			return false;
		if (scan_event((struct td_str){ s.p, (size_t)(e - s.p) }, NULL, &ev) > 0 &&
		    td_kineto_is_category(ev.member[TD_KINETO_CAT]))
			return true;
		s.p = e;
	}
	return false;
}

static bool is_telling(struct td_str key)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(keys); i++)
		if (keys[i].telling && td_str_eq(key, keys[i].name))
			return true;
	return false;
}

static void skip(struct td_scan *s, const char *blanks)
{
	while (s->p < s->end && ((unsigned char)*s->p <= ' ' || strchr(blanks, *s->p)))
		s->p++;
}

/* "key": of an object; false behind the last one, or where the head ends. */
static bool scan_key(struct td_scan *s, struct td_str *ret)
{
	const char *e;

	skip(s, ",");
	if (s->p == s->end || *s->p != '"' || !(e = td_json_end(s->p, s->end)))
		return false;
	*ret = td_json_bare((struct td_str){ s->p, (size_t)(e - s->p) });
	s->p = e;
	skip(s, ":");
	return s->p < s->end;
}

static int kineto_sniff(const char *head, size_t len)
{
	struct td_scan s = td_scan_of(head, len);
	bool telling = false, events = false;
	struct td_str key;

	skip(&s, "");
	if (!td_scan_char(&s, '{'))
		return 0;
	while (scan_key(&s, &key)) {
		const char *e;

		telling = telling || is_telling(key);
		if (td_str_eq(key, "traceEvents")) {
			events = *s.p == '[';
			telling = telling || (events && has_category(s));
		}
		if (telling && events)
			return 95;
		e = td_json_end(s.p, s.end); /* a look at all of it */
		s.p = e ? e : s.end;
	}
	return telling && td_scan_done(&s) ? 50 : 0; /* they may come later */
}

const struct td_importer td_importer_kineto = {
	.name = "kineto",
	.desc = "PyTorch profiler traces (Kineto's Chrome JSON): kernels, copies, CUDA calls, "
		"operators",
	.clock = TD_CLOCK_UTC,
	.state_size = sizeof(struct td_kineto),
	.sniff = kineto_sniff,
	.surest = 95,
	.data = kineto_data,
	.element = kineto_element,
	.speculation = &speculation,
	.end = kineto_end,
};
