/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "analyzer/scan/relation.h"
#include "common/cleanup.h"

#define PROCESSES                                                                                  \
	"SELECT id, 1 FROM main.process WHERE (?1 IS NULL OR pid = ?1)"                            \
	" AND (?2 IS NULL OR name = ?2 OR role = ?2)"
#define THREADS                                                                                    \
	"SELECT t.id, 1 FROM main.thread AS t JOIN main.process AS p ON p.id = t.process_id"       \
	" WHERE (?1 IS NULL OR p.pid = ?1) AND (?2 IS NULL OR p.name = ?2 OR p.role = ?2)"

#define PARAMS (((1u << TD_NPARAMS) - 1) & ~(1u << TD_PARAM_FILE | 1u << TD_PARAM_TOP))

/* --- calls --- */

#define CALL_COLUMNS                                                                               \
	{                                                                                          \
		[TD_ROW_START] = { 1, "start_ns" }, [TD_ROW_DUR] = { 2, "dur_ns" },                \
		[TD_ROW_KIND] = { 3, "op_id" }, [TD_ROW_PROCESS] = { 4, "process_id" },            \
		[TD_ROW_THREAD] = { 5, "thread_id" }, [TD_ROW_OBJECT] = { 6, "file_id" },          \
		[TD_ROW_RET] = { 7, "ret" }, [TD_ROW_BYTES] = { 9, "done_bytes" },                 \
		[TD_ROW_OFFSET] = { 10, "offset_bytes" }, [TD_ROW_NESTED] = { 12, "nested" },      \
		[TD_ROW_UNFINISHED] = { 13, "unfinished" }, [TD_ROW_COLD] = { 16, "cold_bytes" },  \
		[TD_ROW_ARGS] = { 15, "args_id" }, [TD_ROW_ASKED] = { 8, "asked_bytes" },          \
		[TD_ROW_CORRELATION] = { 17, "correlation" }, [TD_ROW_ID] = { 0, "id" },           \
	}

static const struct td_shown_dim call_dims[] = {
	{ TD_DIM_FILE, "file", "file_id" },
	{ TD_DIM_TEMPLATE, "template", "template_id" },
	{ TD_DIM_DIRECTORY, "directory", "directory_id" },
	{ TD_DIM_CLASS, "class", "class" },
	{ TD_DIM_STORAGE, "storage", "storage" },
	{ TD_DIM_PROCESS, "process", "process_id" },
	{ TD_DIM_ROLE, "role", "role" },
	{ TD_DIM_THREAD, "thread", "thread_id" },
	{ TD_DIM_OP, "op", "op_id" },
	{ TD_DIM_VERB, "verb", "verb" },
	{ TD_DIM_WAITS, "waits", "waits" },
	{ TD_DIM_PHASE, "phase", "phase" },
	{ TD_DIM_BIN, "bin", "bin_ns" },
	{ TD_DIM_NESTED, "nested", "nested" },
	{ TD_DIM_LATENCY, "latency", "low_ns" },
	{ TD_DIM_SIZE, "size", "low_bytes" },
};

static const struct td_shown_measure call_measures[] = {
	{ TD_MEASURE_COUNT, "calls" },
	{ TD_MEASURE_ERRORS, "errors" },
	{ TD_MEASURE_TIMED, "timed" },
	{ TD_MEASURE_BYTES, "done_bytes" },
	{ TD_MEASURE_TOTAL_NS, "total_ns" },
	{ TD_MEASURE_MIN_NS, "min_ns" },
	{ TD_MEASURE_MAX_NS, "max_ns" },
	{ TD_MEASURE_P50_NS, "p50_ns" },
	{ TD_MEASURE_P95_NS, "p95_ns" },
	{ TD_MEASURE_P99_NS, "p99_ns" },
	{ TD_MEASURE_STDDEV_NS, "stddev_ns" },
	{ TD_MEASURE_MIN_BYTES, "min_bytes" },
	{ TD_MEASURE_P50_BYTES_LOW, "p50_bytes_low" },
	{ TD_MEASURE_MAX_BYTES, "max_bytes" },
	{ TD_MEASURE_SEQUENTIAL, "sequential" },
	{ TD_MEASURE_RANDOM, "random" },
	{ TD_MEASURE_FIRST_NS, "first_ns" },
	{ TD_MEASURE_LAST_NS, "last_ns" },
	{ TD_MEASURE_NESTED_CALLS, "nested_calls" },
	{ TD_MEASURE_UNFINISHED, "unfinished" },
	{ TD_MEASURE_DURING_COUNT, "during_calls" },
	{ TD_MEASURE_DURING_NS, "during_ns" },
	{ TD_MEASURE_FILES, "files" },
	{ TD_MEASURE_BUSIEST_FILE, "busiest_file_id" },
	{ TD_MEASURE_BUSIEST_NS, "busiest_ns" },
};

#define CALL_STAT                                                                                  \
	.table = "call", .rows = "calls", .columns = CALL_COLUMNS, .who = TD_ROW_PROCESS,          \
	.whose = PROCESSES, .dims = call_dims, .ndims = TD_ARRAY_SIZE(call_dims),                  \
	.measures = call_measures, .nmeasures = TD_ARRAY_SIZE(call_measures),                      \
	.params = (1u << TD_NPARAMS) - 1

/* --- requests of disks --- */

static const struct td_shown_dim block_dims[] = {
	{ TD_DIM_DEVICE, "device", "device_id" },    { TD_DIM_DIRECTION, "direction", "direction" },
	{ TD_DIM_PROCESS, "process", "process_id" }, { TD_DIM_ROLE, "role", "role" },
	{ TD_DIM_PHASE, "phase", "phase" },          { TD_DIM_BIN, "bin", "bin_ns" },
	{ TD_DIM_LATENCY, "latency", "low_ns" },     { TD_DIM_SIZE, "size", "low_bytes" },
	{ TD_DIM_SEEK, "seek", "seek_bytes" },
};

static const struct td_shown_measure block_measures[] = {
	{ TD_MEASURE_COUNT, "requests" },
	{ TD_MEASURE_TIMED, "timed" },
	{ TD_MEASURE_BYTES, "bytes" },
	{ TD_MEASURE_TOTAL_NS, "total_ns" },
	{ TD_MEASURE_MIN_NS, "min_ns" },
	{ TD_MEASURE_MAX_NS, "max_ns" },
	{ TD_MEASURE_P50_NS, "p50_ns" },
	{ TD_MEASURE_P95_NS, "p95_ns" },
	{ TD_MEASURE_P99_NS, "p99_ns" },
	{ TD_MEASURE_QUEUED, "queued" },
	{ TD_MEASURE_QUEUE_NS, "queue_ns" },
	{ TD_MEASURE_FOLLOWING, "sequential" },
	{ TD_MEASURE_FORWARD, "forward" },
	{ TD_MEASURE_BACKWARD, "backward" },
	{ TD_MEASURE_FIRST_NS, "first_ns" },
	{ TD_MEASURE_LAST_NS, "last_ns" },
	{ TD_MEASURE_DURING_COUNT, "during_requests" },
	{ TD_MEASURE_DURING_NS, "during_ns" },
};

/* --- slices of threads --- */

static const struct td_shown_dim sched_dims[] = {
	{ TD_DIM_OWNER, "process", "process_id" }, { TD_DIM_OWNER_ROLE, "role", "role" },
	{ TD_DIM_THREAD, "thread", "thread_id" },  { TD_DIM_KIND, "state", "state_id" },
	{ TD_DIM_NAME, "reason", "reason_id" },    { TD_DIM_PHASE, "phase", "phase" },
	{ TD_DIM_BIN, "bin", "bin_ns" },           { TD_DIM_LATENCY, "latency", "low_ns" },
	{ TD_DIM_OCTAVE, "octave", "octave_ns" },
};

static const struct td_shown_measure sched_measures[] = {
	{ TD_MEASURE_COUNT, "slices" },
	{ TD_MEASURE_TIMED, "timed" },
	{ TD_MEASURE_TOTAL_NS, "total_ns" },
	{ TD_MEASURE_MIN_NS, "min_ns" },
	{ TD_MEASURE_MAX_NS, "max_ns" },
	{ TD_MEASURE_P50_NS, "p50_ns" },
	{ TD_MEASURE_P95_NS, "p95_ns" },
	{ TD_MEASURE_P99_NS, "p99_ns" },
	{ TD_MEASURE_FIRST_NS, "first_ns" },
	{ TD_MEASURE_LAST_NS, "last_ns" },
	{ TD_MEASURE_DURING_COUNT, "during_slices" },
	{ TD_MEASURE_DURING_NS, "during_ns" },
};

/* --- work on GPUs --- */

static const struct td_shown_dim gpu_dims[] = {
	{ TD_DIM_DEVICE, "device", "device_id" }, { TD_DIM_PROCESS, "process", "process_id" },
	{ TD_DIM_ROLE, "role", "role" },          { TD_DIM_KIND, "kind", "kind_id" },
	{ TD_DIM_NAME, "name", "name_id" },       { TD_DIM_PHASE, "phase", "phase" },
	{ TD_DIM_BIN, "bin", "bin_ns" },          { TD_DIM_LATENCY, "latency", "low_ns" },
	{ TD_DIM_SIZE, "size", "low_bytes" },     { TD_DIM_BYTES, "bytes", "each_bytes" },
};

static const struct td_shown_measure gpu_measures[] = {
	{ TD_MEASURE_COUNT, "ops" },
	{ TD_MEASURE_TIMED, "timed" },
	{ TD_MEASURE_BYTES, "bytes" },
	{ TD_MEASURE_TOTAL_NS, "total_ns" },
	{ TD_MEASURE_MIN_NS, "min_ns" },
	{ TD_MEASURE_MAX_NS, "max_ns" },
	{ TD_MEASURE_P50_NS, "p50_ns" },
	{ TD_MEASURE_P95_NS, "p95_ns" },
	{ TD_MEASURE_P99_NS, "p99_ns" },
	{ TD_MEASURE_STDDEV_NS, "stddev_ns" },
	{ TD_MEASURE_FIRST_NS, "first_ns" },
	{ TD_MEASURE_LAST_NS, "last_ns" },
	{ TD_MEASURE_DURING_COUNT, "during_ops" },
	{ TD_MEASURE_DURING_NS, "during_ns" },
};

/* --- all --- */

/* Places are those of schema/tables.sql, which td_db_check_schema() holds a database to. */
const struct td_relation td_relations[] = {
	{ .name = "call_stat", CALL_STAT },
	{ .name = "io_stat", .held = "io_stat_held", .io_only = true, CALL_STAT },
	{
		.name = "block_stat",
		.held = "block_stat_held",
		.table = "block_request",
		.rows = "requests",
		.columns = { [TD_ROW_START] = { 1, "start_ns" },
			     [TD_ROW_DUR] = { 2, "dur_ns" },
			     [TD_ROW_QUEUE] = { 3, "queue_ns" },
			     [TD_ROW_DEVICE] = { 4, "device_id" },
			     [TD_ROW_KIND] = { 5, "op" },
			     [TD_ROW_OFFSET] = { 6, "sector" },
			     [TD_ROW_BYTES] = { 7, "bytes" },
			     [TD_ROW_PROCESS] = { 8, "process_id" },
			     [TD_ROW_ID] = { 0, "id" } },
		.who = TD_ROW_PROCESS,
		.whose = PROCESSES,
		.dims = block_dims,
		.ndims = TD_ARRAY_SIZE(block_dims),
		.measures = block_measures,
		.nmeasures = TD_ARRAY_SIZE(block_measures),
		.params = PARAMS,
	},
	{
		.name = "sched_stat",
		.held = "sched_stat_held",
		.table = "sched_slice",
		.rows = "slices",
		.columns = { [TD_ROW_START] = { 1, "start_ns" },
			     [TD_ROW_DUR] = { 2, "dur_ns" },
			     [TD_ROW_THREAD] = { 3, "thread_id" },
			     [TD_ROW_KIND] = { 5, "state_id" },
			     [TD_ROW_OBJECT] = { 6, "reason_id" } },
		.who = TD_ROW_THREAD,
		.whose = THREADS,
		.dims = sched_dims,
		.ndims = TD_ARRAY_SIZE(sched_dims),
		.measures = sched_measures,
		.nmeasures = TD_ARRAY_SIZE(sched_measures),
		.params = PARAMS,
	},
	{
		.name = "gpu_stat",
		.held = "gpu_stat_held",
		.table = "gpu_op",
		.rows = "work on GPUs",
		.columns = { [TD_ROW_START] = { 1, "start_ns" },
			     [TD_ROW_DUR] = { 2, "dur_ns" },
			     [TD_ROW_DEVICE] = { 3, "device_id" },
			     [TD_ROW_KIND] = { 5, "kind_id" },
			     [TD_ROW_OBJECT] = { 6, "name_id" },
			     [TD_ROW_BYTES] = { 7, "bytes" },
			     [TD_ROW_PROCESS] = { 8, "process_id" },
			     [TD_ROW_CORRELATION] = { 9, "correlation" },
			     [TD_ROW_SOURCE] = { 10, "source_id" },
			     [TD_ROW_ID] = { 0, "id" } },
		.who = TD_ROW_PROCESS,
		.whose = PROCESSES,
		.dims = gpu_dims,
		.ndims = TD_ARRAY_SIZE(gpu_dims),
		.measures = gpu_measures,
		.nmeasures = TD_ARRAY_SIZE(gpu_measures),
		.params = PARAMS,
	},
};
const size_t td_nrelations = TD_ARRAY_SIZE(td_relations);

const struct td_relation td_sample_relation = {
	.name = "sample",
	.table = "sample",
	.rows = "samples",
	.columns = { [TD_ROW_START] = { 1, "ts_ns" },
		     [TD_ROW_DUR] = { 2, "dur_ns" },
		     [TD_ROW_OBJECT] = { 3, "track_id" },
		     [TD_ROW_VALUE] = { 4, "value" },
		     [TD_ROW_ID] = { 0, "id" } },
};

const struct td_relation *td_relation_find(const char *name)
{
	for (size_t i = 0; i < td_nrelations; i++)
		if (strcmp(td_relations[i].name, name) == 0)
			return &td_relations[i];
	return NULL;
}

const char *td_dim_name(const struct td_relation *of, enum td_dim dim)
{
	for (size_t i = 0; i < of->ndims; i++)
		if (of->dims[i].dim == dim)
			return of->dims[i].name;
	return NULL;
}
