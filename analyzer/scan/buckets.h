/* SPDX-License-Identifier: MIT */
/* How many calls of a group had which size: exact medians of sizes, which are told by bucket only, need no more. */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/stat_math.h"

#define TD_BUCKETS_FEW 5 /* need no memory of their own: most groups have few sizes */
#define TD_BUCKETS TD_SIZE_BUCKETS

struct td_bucket_counts {
	uint32_t n[TD_BUCKETS_FEW]; /* of these; 0: it is of none yet */
	uint32_t others; /* from 1: in all; 0: there are none */
	uint8_t bucket[TD_BUCKETS_FEW];
};

/* What one thread found, in the numbers of its groups. */
struct td_buckets {
	struct td_bucket_counts *groups; /* owned */
	size_t n, cap;
	uint64_t (*all)[TD_BUCKETS]; /* owned; of a group that has others, those only */
	size_t nall, all_cap;
};

/* From now on there are so many groups, not fewer than before. 0 or -ENOMEM. */
int td_buckets_resize(struct td_buckets *b, size_t ngroups);

/* n more, where the bucket is not one of the group's few, or they are too many for these. 0 or -ENOMEM. */
int td_buckets_add_rarely(struct td_buckets *b, uint32_t group, unsigned bucket, uint64_t n);

/* 0 or -ENOMEM. */
static inline int td_buckets_add(struct td_buckets *b, uint32_t group, unsigned bucket, uint64_t n)
{
	struct td_bucket_counts *c = &b->groups[group];

	for (size_t i = 0; i < TD_BUCKETS_FEW; i++)
		if (c->bucket[i] == bucket && c->n[i] && n <= UINT32_MAX - c->n[i]) {
			c->n[i] += (uint32_t)n;
			return 0;
		}
	return td_buckets_add_rarely(b, group, bucket, n);
}

/* Adds all counts of from; groups[g] is the group that its g is here. 0 or -ENOMEM. */
int td_buckets_merge(struct td_buckets *b, const struct td_buckets *from, const uint32_t *groups);

/* How many calls of the group had which size. */
void td_buckets_get(const struct td_buckets *b, size_t group, uint64_t ret[TD_BUCKETS]);

/* The lower of the middle two of an even number; TD_BUCKETS: the group has none. */
unsigned td_buckets_median(const struct td_buckets *b, size_t group);

void td_buckets_done(struct td_buckets *b);
