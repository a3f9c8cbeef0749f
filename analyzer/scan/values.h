/* SPDX-License-Identifier: MIT */
/* Values of groups, kept until all of them are there: exact percentiles need no less. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct td_value_of {
	uint32_t group;
	uint32_t value; /* UINT32_MAX: it is among the large ones */
};

struct td_large_of {
	uint32_t group;
	int64_t value;
};

/* What one thread found, in the numbers of its groups. */
struct td_values {
	struct td_value_of *items; /* owned */
	size_t n, cap;
	struct td_large_of *large; /* owned; from UINT32_MAX on */
	size_t nlarge, large_cap;
};

/* Room for so many more: then td_values_add() does not fail unless the value is large. 0 or -ENOMEM. */
int td_values_reserve(struct td_values *v, size_t more);

/* The value is not negative. 0 or -ENOMEM. */
int td_values_add_large(struct td_values *v, uint32_t group, int64_t value);

static inline int td_values_add(struct td_values *v, uint32_t group, int64_t value)
{
	if (value >= UINT32_MAX)
		return td_values_add_large(v, group, value);
	v->items[v->n++] = (struct td_value_of){ group, (uint32_t)value };
	return 0;
}

void td_values_done(struct td_values *v);

/* Values of all threads, together for each group. */
struct td_sorted_values {
	size_t *first; /* owned; of each group, and one more */
	uint32_t *items; /* owned */
	struct td_large_of *large; /* owned; in order of group and value */
	size_t nlarge;
};

/* What a thread found, and how its groups are numbered among those of all. */
struct td_values_part {
	struct td_values *values; /* borrowed; emptied */
	const uint32_t *groups; /* borrowed: groups[g] is the group that its g is */
	size_t ngroups;
};

/* Puts together what several threads found, on as many threads. 0 or -ENOMEM. */
int td_values_sort(const struct td_values_part *parts, size_t nparts, size_t ngroups,
		   struct td_sorted_values *ret);
void td_sorted_values_done(struct td_sorted_values *s);

/* How many values the group has. */
size_t td_sorted_count(const struct td_sorted_values *s, size_t group);

/* The smallest, second smallest, ... of a group for each rank; ranks count from 1, ascend, and are not above the number of
 * values. Puts the values of the group into another order, so no other thread may ask for the same group. */
void td_sorted_ranks(const struct td_sorted_values *s, size_t group, const uint64_t *ranks,
		     size_t n, int64_t *ret);
