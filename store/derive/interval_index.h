/* SPDX-License-Identifier: MIT */
/* Numbered intervals that are found by where they lie: of thousands those that reach over a time,
 * and few others are looked at for it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/derive/meter.h"

struct td_indexed_interval {
	struct td_interval of;
	int64_t latest_ns; /* where the last one ends of those that it stands for in the search */
	unsigned number;
};

struct td_interval_index {
	struct td_indexed_interval *items; /* owned */
	size_t n, cap;
};

/* What was found; to be emptied by the caller (n = 0). */
struct td_interval_numbers {
	unsigned *items; /* owned */
	size_t n, cap;
	size_t looked; /* how many intervals were looked at so far */
};

/* 0 or -ENOMEM. */
int td_interval_index_add(struct td_interval_index *x, struct td_interval of, unsigned number);

/* Once all are there. */
void td_interval_index_sort(struct td_interval_index *x);

/* Adds the numbers of those that begin at start_max_ns or before and end at end_min_ns or behind,
 * in ascending order. Takes the logarithm of how many there are for each of them. 0 or -ENOMEM. */
int td_interval_index_find(const struct td_interval_index *x, int64_t start_max_ns,
			   int64_t end_min_ns, struct td_interval_numbers *ret);

void td_interval_index_done(struct td_interval_index *x);
void td_interval_numbers_done(struct td_interval_numbers *numbers);
