/* SPDX-License-Identifier: MIT */
/*
 * Processes, threads and what they did on the CPUs:
 *     PROCESSES, ThreadNames    process, thread
 *     SCHED_EVENTS              sched_slice: a row begins a slice, which ends where the thread's next row
 *                               begins; the last one of a thread has no known end
 *     COMPOSITE_EVENTS          sched_slice without length: a sample saw the thread running there; only
 *                               where there are no SCHED_EVENTS, which say the same and more
 */
#include "common/array.h"
#include "common/cleanup.h"
#include "importers/nsys/nsys.h"

enum { PROCESS_GLOBAL = 1, PROCESS_PID, PROCESS_NAME };

static int process_row(struct td_nsys *n, sqlite3_stmt *s)
{
	int64_t pid = td_nsys_i64(s, PROCESS_PID), global = td_nsys_i64(s, PROCESS_GLOBAL);
	struct td_str name = td_nsys_str(s, PROCESS_NAME);

	if (pid == TD_NULL && global != TD_NULL)
		pid = td_nsys_pid(global);
	if (pid == TD_NULL)
		return td_nsys_reject(n, s, "no-pid");
	(void)td_store_process(n->imp->store, pid, name.p, name.len);
	return TD_LINE_ROW;
}

static const char *const process_columns[] = { "globalPid", "?pid", "name", NULL };

static const struct td_nsys_table processes = {
	.name = "PROCESSES",
	.what = "names of processes",
	.columns = process_columns,
	.row = process_row,
};

enum { THREAD_GLOBAL = 1, THREAD_NAME };

static int thread_row(struct td_nsys *n, sqlite3_stmt *s)
{
	uint32_t process, thread, name = td_nsys_string(n, td_nsys_i64(s, THREAD_NAME));

	td_nsys_who(n, td_nsys_i64(s, THREAD_GLOBAL), &process, &thread);
	if (!thread)
		return td_nsys_reject(n, s, "no-tid");
	if (!name)
		return td_nsys_reject(n, s, "unknown-name");
	td_store_thread_at(n->imp->store, thread)->name_id = name;
	return TD_LINE_ROW;
}

static const char *const thread_columns[] = { "globalTid", "nameId", NULL };

static const struct td_nsys_table thread_names = {
	.name = "ThreadNames",
	.what = "names of threads",
	.columns = thread_columns,
	.row = thread_row,
};

int td_nsys_read_tasks(struct td_nsys *n)
{
	int r = td_nsys_read(n, &processes, NULL);

	return r < 0 ? r : td_nsys_read(n, &thread_names, NULL);
}

/* --- scheduling --- */

enum { SCHED_START = 1, SCHED_CPU, SCHED_IN, SCHED_TID, SCHED_STATE, SCHED_BLOCK };

/* SAMPLING_THREAD_STATE of a thread that leaves its CPU: one that is still running was preempted. */
static const char *const off_cpu_states[] = {
	[1] = "runnable", [2] = "sleeping", [3] = "blocked",
	[4] = "stopped",  [5] = "exited",   [7] = "sleeping",
};

static const char *off_cpu_state(int64_t state)
{
	const char *name = NULL;

	if (state >= 0 && state < (int64_t)TD_ARRAY_SIZE(off_cpu_states))
		name = off_cpu_states[state];
	return name ? name : "off-cpu";
}

/* Why it left the CPU, 0 if that is not known. */
static int reason(struct td_nsys *n, int64_t block, uint32_t *ret)
{
	char name[48];
	struct td_str label;

	*ret = 0;
	if (block == TD_NULL)
		return 0;
	*ret = td_nsys_map_get(&n->reasons, &block, sizeof(block));
	if (*ret)
		return 0;
	label = td_nsys_label(n, "ENUM_SCHEDULING_THREAD_BLOCK", block);
	if (label.p)
		(void)snprintf(name, sizeof(name), "%.*s", (int)TD_MIN(label.len, sizeof(name)),
			       label.p);
	else
		(void)snprintf(name, sizeof(name), "threadBlock %lld", (long long)block);
	*ret = td_store_cstr(n->imp->store, name);
	return td_nsys_map_put(&n->reasons, &block, sizeof(block), *ret);
}

/* The slice of the thread that has not ended yet, with thread_id 0 if there is none. NULL: no memory. */
static struct td_sched *open_slice(struct td_nsys *n, int64_t global_tid)
{
	size_t known = n->sched_tids.n;
	uint32_t id;

	if (td_grow(&n->slices, &n->slices_cap, known) < 0)
		return NULL;
	id = td_intern_add(&n->sched_tids, (const char *)&global_tid, sizeof(global_tid));
	if (!id)
		return NULL;
	if (id > known)
		n->slices[id - 1] = (struct td_sched)TD_SCHED_INIT;
	return &n->slices[id - 1];
}

static int sched_row(struct td_nsys *n, sqlite3_stmt *s)
{
	int64_t tid = td_nsys_i64(s, SCHED_TID), cpu = td_nsys_i64(s, SCHED_CPU);
	bool in = td_nsys_i64(s, SCHED_IN) > 0;
	struct td_sched next = TD_SCHED_INIT, *slice;
	uint32_t process;
	const char *issue = td_nsys_time(n, s, SCHED_START, &next.start_ns);
	int r;

	if (issue)
		return td_nsys_reject(n, s, issue);
	if (tid == TD_NULL)
		return td_nsys_reject(n, s, "no-tid");
	td_nsys_who(n, tid, &process, &next.thread_id);
	next.state_id = td_store_cstr(n->imp->store,
				      in ? "running" : off_cpu_state(td_nsys_i64(s, SCHED_STATE)));
	next.cpu = cpu >= 0 && cpu <= INT32_MAX ? (int32_t)cpu : INT32_MIN;
	r = reason(n, in ? TD_NULL : td_nsys_i64(s, SCHED_BLOCK), &next.reason_id);
	if (r < 0)
		return r;
	slice = open_slice(n, tid);
	if (!slice)
		return -ENOMEM;
	if (slice->thread_id) {
		slice->dur_ns = next.start_ns - slice->start_ns;
		r = td_put_sched(n->imp, slice);
	}
	*slice = next;
	return r < 0 ? r : TD_LINE_ROW;
}

static const char *const sched_columns[] = { "start",     "?cpu",         "isSchedIn",
					     "globalTid", "?threadState", "?threadBlock",
					     NULL };

static const struct td_nsys_table sched = {
	.name = "SCHED_EVENTS",
	.what = "scheduling of threads",
	.columns = sched_columns,
	.order = "start",
	.row = sched_row,
};

/* What the trace ends in the middle of. */
static int put_open_slices(struct td_nsys *n)
{
	for (size_t i = 0; i < n->sched_tids.n; i++) {
		int r = n->slices[i].thread_id ? td_put_sched(n->imp, &n->slices[i]) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

enum { SAMPLE_START = 1, SAMPLE_CPU, SAMPLE_TID, SAMPLE_CYCLES, SAMPLE_ID };

/* What it was executing: 1 if its stack is known, else 0, or -errno. */
static int put_sampled(struct td_nsys *n, const struct td_sched *at, uint32_t process_id,
		       int64_t chain)
{
	struct td_stack_sample row = TD_STACK_SAMPLE_INIT;
	int r;

	row.stack_id = td_nsys_stack(n, chain);
	if (!row.stack_id)
		return 0;
	row.start_ns = at->start_ns;
	row.kind_id = td_store_cstr(n->imp->store, TD_STACK_CPU);
	row.process_id = process_id;
	row.thread_id = at->thread_id;
	row.cpu = at->cpu;
	r = td_put_stack(n->imp, &row);
	return r < 0 ? r : 1;
}

static int sample_row(struct td_nsys *n, sqlite3_stmt *s)
{
	int64_t cpu = td_nsys_i64(s, SAMPLE_CPU), cycles = td_nsys_i64(s, SAMPLE_CYCLES);
	struct td_sched row = TD_SCHED_INIT;
	uint32_t process;
	const char *issue = td_nsys_time(n, s, SAMPLE_START, &row.start_ns);
	int r;

	if (issue)
		return td_nsys_reject(n, s, issue);
	/* 0: where a thread left its CPU, which SCHED_EVENTS say; the others are samples of what runs */
	if (cycles <= 0)
		return TD_LINE_SKIPPED;
	td_nsys_who(n, td_nsys_i64(s, SAMPLE_TID), &process, &row.thread_id);
	row.state_id = td_store_cstr(n->imp->store, "running");
	row.cpu = cpu >= 0 && cpu <= INT32_MAX ? (int32_t)cpu : INT32_MIN;
	r = put_sampled(n, &row, process, td_nsys_i64(s, SAMPLE_ID));
	if (r < 0)
		return r;
	if (n->sched_tids.n)
		return r ? TD_LINE_ROW : TD_LINE_SKIPPED;
	r = td_put_sched(n->imp, &row);
	return r < 0 ? r : TD_LINE_ROW;
}

static const char *const sample_columns[] = {
	"start", "?cpu", "globalTid", "cpuCycles", "?id", NULL
};

static const struct td_nsys_table samples = {
	.name = "COMPOSITE_EVENTS",
	.columns = sample_columns,
	.row = sample_row,
};

int td_nsys_read_sched(struct td_nsys *n)
{
	int r = td_nsys_read(n, &sched, NULL);

	if (r >= 0)
		r = put_open_slices(n);
	if (r >= 0)
		r = td_nsys_read_chains(n, "SAMPLING_CALLCHAINS");
	return r < 0 ? r : td_nsys_read(n, &samples, NULL);
}
