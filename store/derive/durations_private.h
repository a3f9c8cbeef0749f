/* SPDX-License-Identifier: MIT */
/* Shared by durations.c, which collects, and durations_ranks.c, which answers. */
#pragma once

#include "store/derive/durations.h"

/* Log-linear buckets: 8 per power of two, the values below 8 one each. */
#define TD_DURATION_BUCKETS 240
/* Values that are in order of bucket together. */
#define TD_DURATION_PART ((size_t)16384)

struct td_large_duration {
	uint32_t set;
	int64_t dur_ns;
};

/* Where each bucket of a part ends. */
struct td_duration_ends {
	uint16_t at[TD_DURATION_BUCKETS];
};

struct td_durations {
	const char *path; /* borrowed */
	int fd; /* -1 until memory was full */
	size_t nspilled; /* slabs in the file */
	struct td_duration_line *lines;
	size_t nlines; /* taken of them */
	struct td_large_duration *larges;
	size_t nlarges, larges_cap;

	uint64_t stride; /* every stride-th of a set is kept */
	size_t nsets;
	uint64_t *first; /* of each set in values; nsets + 1 */
	uint32_t *values; /* set by set */
	uint32_t *
		first_part; /* of each set in ends; nsets + 1. Small sets have none and stay as they came */
	struct td_duration_ends *ends; /* of each part */
};

static inline size_t td_durations_kept(const struct td_durations *d, uint32_t set)
{
	return d->first[set + 1] - d->first[set];
}

/* Puts the values of each large set in order of bucket, part by part. 0 or -ENOMEM. */
int td_durations_order(struct td_durations *d);
