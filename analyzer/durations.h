/* SPDX-License-Identifier: MIT */
/*
 * Exact percentiles of many groups at once. Durations come in any order, each with the number of its
 * set; sets are disjoint, and a group is a union of sets (all calls of an operation = those of every
 * process and file). 8 bytes a duration wait for the last one, up to 32 MiB in memory, else in a temporary
 * file; 4 stay in memory.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/cleanup.h"

struct td_durations;

/* Beyond so many durations only every 2nd, 3rd, ... of each set is kept: percentiles then have the
 * error of a sample of that size. */
#define TD_DURATIONS_EXACT INT64_C(40000000)

/* path: temporary file, borrowed. */
int td_durations_new(const char *path, struct td_durations **ret);
void td_durations_free(struct td_durations *d);

/* dur_ns >= 0. 0, -ENOMEM or the -errno of a failed write. */
int td_durations_add(struct td_durations *d, uint32_t set, int64_t dur_ns);

/* After the last one: sorts. counts[set] for set < nsets: how many were added. */
int td_durations_sort(struct td_durations *d, const uint64_t *counts, size_t nsets);

/* The ranks[i]-th smallest duration (from 1) of the union of sets goes to ret[i]; the ranks must not
 * exceed the number of durations. Several threads may ask at a time. 0 or -ENOMEM. */
int td_durations_ranks(const struct td_durations *d, const uint32_t *sets, size_t nsets,
		       const uint64_t *ranks, int64_t *ret, size_t n);
