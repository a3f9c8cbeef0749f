/* SPDX-License-Identifier: MIT */
/* What is asked of the rows: by what they are grouped, which of them count, and what of each group is wanted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/scan/during.h"
#include "analyzer/scan/relation.h"
#include "schema/table.h"

#define TD_MEASURES_PERCENTILES                                                                    \
	(1u << TD_MEASURE_P50_NS | 1u << TD_MEASURE_P95_NS | 1u << TD_MEASURE_P99_NS)
#define TD_MEASURES_DURING (1u << TD_MEASURE_DURING_COUNT | 1u << TD_MEASURE_DURING_NS)
#define TD_MEASURES_FILES                                                                          \
	(1u << TD_MEASURE_FILES | 1u << TD_MEASURE_BUSIEST_FILE | 1u << TD_MEASURE_BUSIEST_NS)
#define TD_MEASURES_PATTERN (1u << TD_MEASURE_SEQUENTIAL | 1u << TD_MEASURE_RANDOM)
#define TD_MEASURES_SEEKS                                                                          \
	(1u << TD_MEASURE_FOLLOWING | 1u << TD_MEASURE_FORWARD | 1u << TD_MEASURE_BACKWARD)

struct td_filter_condition;
struct td_key_map;

struct td_stat_request {
	const struct td_relation *relation;
	unsigned
		dims; /* 1 << enum td_dim; without TD_DIM_NESTED calls that an outer layer counts are left out */
	unsigned measures; /* 1 << enum td_measure */
	/* Operations of which percentiles and median sizes are wanted; NULL: of all. Borrowed. */
	const struct td_key_map *percentiles_of;
	bool files_of_any_verb; /* TD_MEASURES_FILES are those of a group whatever its verb: see td_stat.file_keys */
	bool busiest; /* of the files that groups differ in, only those that took longest are wanted: others may be as calls on none */
	bool histograms; /* of durations and sizes, in place of the percentiles of them that measures has */
	int64_t since_ns, until_ns; /* only rows that start from, before then; TD_NULL: any */
	const char *
		phase; /* only rows that start in it; NULL: any. Likewise the others, which are borrowed */
	int64_t pid; /* process.pid; TD_NULL: any */
	const char *process; /* process.name or role */
	const char *file; /* GLOB of the path, or the name where no path is known */
	const struct td_filter_condition
		*also; /* only rows that meet them, too; TD_FILTER_ALSO_MAX at most */
	size_t nalso;
	int64_t bin_width_ns; /* of TD_DIM_BIN; TD_NULL: run.bin_ns */
	const struct td_during
		*during; /* of TD_MEASURES_DURING, without which there are none; borrowed */
};
