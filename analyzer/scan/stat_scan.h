/* SPDX-License-Identifier: MIT */
/* A scan while it is made: what its threads have found so far, for stat.c, which puts it together,
 * and stat_values.c. */
#pragma once

#include "analyzer/scan/buckets.h"
#include "analyzer/scan/filter.h"
#include "analyzer/scan/pattern.h"
#include "analyzer/scan/seeks.h"
#include "analyzer/scan/stat.h"
#include "analyzer/scan/values.h"

/* What one thread finds in its part of the calls. */
struct td_stat_part {
	struct td_keys keys;
	struct td_group_sums sums;
	struct td_pattern pattern;
	struct td_seeks seeks;
	struct td_values durations;
	struct td_buckets sizes;
	struct td_busiest busiest; /* by number of file_keys */
	struct td_keys file_keys; /* as td_stat's, of the groups of this part */
	uint32_t *of_files; /* owned; by group: number of its file key */
	size_t nof_files, of_files_cap;
	size_t during; /* where the last call was among the intervals */
	uint32_t *groups; /* owned; what each of its groups is among all */
};

struct td_stat_scan {
	const struct td_stat_request *req;
	struct td_filter filter;
	struct td_dims dims;
	struct td_key_map verbs; /* of operations, where transfers are followed */
	struct td_labels verb_labels;
	struct td_row_source source;
	struct td_stat_part *parts; /* owned */
	size_t nparts; /* those of the source, and one of what has waited for the end of another */
	bool durations, sizes, pattern, seeks, files; /* wanted */
	uint64_t last_file;
	struct td_values_part *values; /* owned; durations of each part, once they are together */
	struct td_all_values all;
	struct td_stat *stat; /* being filled */
};

/* Once the parts are together: the percentiles of durations, the median of sizes, and histograms of
 * both, as far as they are wanted, into what the scan fills. 0 or -errno. */
int td_stat_all_percentiles(struct td_stat_scan *s);
int td_stat_all_sizes(struct td_stat_scan *s);
int td_stat_all_histograms(struct td_stat_scan *s);
