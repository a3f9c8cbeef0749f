/* SPDX-License-Identifier: MIT */
/* Values of groups, all of them: exact percentiles need no less. */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "common/pool.h"

#define TD_VALUES_FEW 2 /* need no memory of their own: most groups of a million have no more */
#define TD_VALUES_CHUNK 1024 /* at most together: so many are not needed yet */

/* UINT32_MAX: it is among the large ones. */
struct td_value_list {
	union {
		uint32_t few[TD_VALUES_FEW];
		uint32_t *next; /* if there are more: where the next one goes, in the last chunk */
	};
	size_t n;
};

struct td_large_of {
	uint32_t group;
	int64_t value;
};

/* What one thread found, in the numbers of its groups. */
struct td_values {
	struct td_value_list *lists; /* owned; of each group */
	size_t n, cap;
	struct td_pool chunks; /* of lists */
	struct td_large_of *large; /* owned; from UINT32_MAX on */
	size_t nlarge, large_cap;
};

/* From now on there are so many groups, not fewer than before. 0 or -ENOMEM. */
int td_values_resize(struct td_values *v, size_t ngroups);

/* What td_values_add() does where the value is large, or there may be no room for it. 0 or -ENOMEM. */
int td_values_add_rarely(struct td_values *v, uint32_t group, int64_t value);

/* The value is not negative. 0 or -ENOMEM. Chunks are full at powers of two, and at each TD_VALUES_CHUNK. */
static inline int td_values_add(struct td_values *v, uint32_t group, int64_t value)
{
	struct td_value_list *l = &v->lists[group];

	if (!(l->n & (l->n - 1) & (TD_VALUES_CHUNK - 1)) || value >= UINT32_MAX)
		return td_values_add_rarely(v, group, value);
	*l->next++ = (uint32_t)value;
	l->n++;
	return 0;
}

void td_values_done(struct td_values *v);

/* What a thread found, and how its groups are numbered among those of all. */
struct td_values_part {
	struct td_values *values; /* borrowed */
	const uint32_t *groups; /* borrowed: groups[g] is the group that its g is */
};

/* The values of all threads. */
struct td_all_values {
	const struct td_values_part *parts; /* borrowed */
	size_t nparts;
	struct td_value_list *
		*lists; /* owned; nparts of them for each group, NULL where the part has none */
	struct td_large_of *large; /* owned; in order of group and value */
	size_t nlarge;
	size_t n; /* of all groups together */
};

/* parts and what they have must stay. 0 or -ENOMEM. */
int td_all_values_open(const struct td_values_part *parts, size_t nparts, size_t ngroups,
		       struct td_all_values *ret);
void td_all_values_done(struct td_all_values *a);

/* How many values the group has. */
size_t td_all_values_count(const struct td_all_values *a, size_t group);

/* Calls fn with each value of a group, in any order. */
void td_all_values_each(const struct td_all_values *a, size_t group,
			void (*fn)(void *arg, int64_t value), void *arg);

/* The smallest, second smallest, ... of a group for each rank; ranks count from 1, ascend, and are
 * not above the number of values; n is TD_RANKS_MAX or less. 0 or -ENOMEM. */
#define TD_RANKS_MAX 4
int td_all_values_ranks(const struct td_all_values *a, size_t group, const uint64_t *ranks,
			size_t n, int64_t *ret);
