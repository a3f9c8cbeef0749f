/* SPDX-License-Identifier: MIT */
/* What is asked of the calls: by what they are grouped, which of them count, and what of each group is wanted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/scan/during.h"
#include "schema/table.h"

/* What calls can be grouped by, in the order in which call_stat.by names them. */
enum td_dim {
	TD_DIM_FILE,
	TD_DIM_TEMPLATE,
	TD_DIM_DIRECTORY,
	TD_DIM_CLASS,
	TD_DIM_PROCESS,
	TD_DIM_ROLE,
	TD_DIM_THREAD,
	TD_DIM_OP,
	TD_DIM_VERB,
	TD_DIM_PHASE,
	TD_DIM_BIN,
	TD_DIM_NESTED,
	TD_DIM_LATENCY,
	TD_DIM_SIZE,
	TD_NDIMS,
};

/* What can be said of a group, as docs/SCHEMA.md has it for call_stat. */
enum td_measure {
	TD_MEASURE_CALLS,
	TD_MEASURE_ERRORS,
	TD_MEASURE_TIMED,
	TD_MEASURE_DONE_BYTES,
	TD_MEASURE_TOTAL_NS,
	TD_MEASURE_MIN_NS,
	TD_MEASURE_MAX_NS,
	TD_MEASURE_P50_NS,
	TD_MEASURE_P95_NS,
	TD_MEASURE_P99_NS,
	TD_MEASURE_STDDEV_NS,
	TD_MEASURE_MIN_BYTES,
	TD_MEASURE_P50_BYTES_LOW,
	TD_MEASURE_MAX_BYTES,
	TD_MEASURE_SEQUENTIAL,
	TD_MEASURE_RANDOM,
	TD_MEASURE_FIRST_NS,
	TD_MEASURE_LAST_NS,
	TD_MEASURE_NESTED_CALLS,
	TD_MEASURE_UNFINISHED,
	TD_MEASURE_DURING_CALLS,
	TD_MEASURE_DURING_NS,
	TD_NMEASURES,
};

#define TD_MEASURES_PERCENTILES                                                                    \
	(1u << TD_MEASURE_P50_NS | 1u << TD_MEASURE_P95_NS | 1u << TD_MEASURE_P99_NS)
#define TD_MEASURES_DURING (1u << TD_MEASURE_DURING_CALLS | 1u << TD_MEASURE_DURING_NS)
#define TD_MEASURES_PATTERN (1u << TD_MEASURE_SEQUENTIAL | 1u << TD_MEASURE_RANDOM)

struct td_stat_request {
	unsigned
		dims; /* 1 << enum td_dim; without TD_DIM_NESTED calls that an outer layer counts are left out */
	unsigned measures; /* 1 << enum td_measure */
	bool io_only; /* only calls of op.kind 'io' */
	bool histograms; /* of durations and sizes, in place of the percentiles of them that measures has */
	int64_t since_ns, until_ns; /* only calls that start from, before then; TD_NULL: any */
	const char *
		phase; /* only calls that start in it; NULL: any. Likewise the others, which are borrowed */
	int64_t pid; /* process.pid; TD_NULL: any */
	const char *process; /* process.name or role */
	const char *file; /* GLOB of the path, or the name where no path is known */
	int64_t bin_width_ns; /* of TD_DIM_BIN; TD_NULL: run.bin_ns */
	const struct td_during
		*during; /* of TD_MEASURES_DURING, without which there are none; borrowed */
};

#define TD_STAT_REQUEST_INIT                                                                       \
	{                                                                                          \
		.since_ns = TD_NULL, .until_ns = TD_NULL, .pid = TD_NULL, .bin_width_ns = TD_NULL  \
	}
