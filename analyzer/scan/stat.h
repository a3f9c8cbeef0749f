/* SPDX-License-Identifier: MIT */
/* Statistics of the rows of a table in any grouping, by looking at all that count: on all CPUs,
 * with exact percentiles. */
#pragma once

#include "analyzer/scan/busiest.h"
#include "analyzer/scan/dims.h"
#include "analyzer/scan/sums.h"
#include "common/arena.h"
#include "common/histogram.h"

/* Distributions of groups as bytes of td_histogram_pack(); a group may have several. */
struct td_packed_histograms {
	struct td_packed_histogram {
		uint32_t group, durations_len, sizes_len;
		const char *bytes; /* of the durations, then of the sizes */
	} * items; /* owned */
	size_t n, cap;
	struct td_arena bytes;
};

/* What was found: groups are numbered in the order of their first calls. */
struct td_stat {
	struct td_dims dims;
	struct td_keys keys; /* of the groups */
	struct td_group_sums sums;
	double *p50_ns; /* owned, by group, as are the others; NaN: no call had a duration; NULL: not wanted */
	int64_t *p95_ns, *p99_ns; /* TD_NULL: no call had one */
	int64_t *p50_bytes_low; /* TD_NULL: no call had a byte count */
	struct td_histogram *
		durations; /* owned, of each group; in place of the percentiles, where those are asked for */
	struct td_busiest_file *files; /* owned, by number of file_keys; NULL: not wanted */
	struct td_keys file_keys; /* those of the groups, without the verb if files are of any */
	struct td_histogram *sizes; /* likewise; of the number of the bucket, td_size_bucket() */
	struct td_packed_histograms packed; /* in place of durations and sizes */
};

/* Looks at the rows of the database 'main'. req->dims must not have TD_DIM_PHASE: that is one
 * request for each phase. A group without calls is there if it has calls that were left out as
 * nested: TD_SUM_CALLS is 0 then. A phase, process or file that is not there is no error. 0, or
 * -errno with a message. */
int td_stat_scan(sqlite3 *db, const struct td_stat_request *req, struct td_stat *ret,
		 struct td_err *err);
void td_stat_done(struct td_stat *s);

/* The names of all phases, in order of time. 0 or -errno. */
int td_stat_phases(sqlite3 *db, struct td_labels *ret, struct td_err *err);
