/* SPDX-License-Identifier: MIT */
/* The longest of things that come one by one, in a heap of so many (J.W.J. Williams, "Heapsort", 1964). */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct td_long {
	int64_t id, dur_ns;
	int64_t of; /* what it is of, up to the caller */
};

/* The longest ones that were seen; once these are so many as are wanted, a heap whose first one is
 * the last in their order. */
struct td_longest {
	struct td_long *items; /* owned: free() */
	size_t n, cap;
};

/* For qsort(): the longest first, of as long ones the smallest id. */
int td_longest_order(const void *a, const void *b);

/* One that is before the last of top, or that has a place: td_longest_least(). 0 or -ENOMEM. */
int td_longest_add(struct td_longest *l, size_t top, struct td_long item);

/* What takes no longer need not be added, if ids ascend. */
static inline int64_t td_longest_least(const struct td_longest *l, size_t top)
{
	return l->n == top ? l->items[0].dur_ns : 0;
}
