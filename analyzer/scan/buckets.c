/* SPDX-License-Identifier: MIT */
#include "analyzer/scan/buckets.h"
#include "common/array.h"
#include "common/big.h"
#include "common/cleanup.h"

int td_buckets_resize(struct td_buckets *b, size_t ngroups)
{
	if (ngroups > b->cap) {
		size_t cap = TD_MAX(ngroups, b->cap * 2);
		struct td_bucket_counts *groups =
			td_big_realloc(b->groups, b->n * sizeof(*groups), cap * sizeof(*groups));

		if (!groups)
			return -ENOMEM;
		b->groups = groups;
		b->cap = cap;
	}
	if (ngroups > b->n)
		memset(b->groups + b->n, 0, (ngroups - b->n) * sizeof(*b->groups));
	b->n = ngroups;
	return 0;
}

int td_buckets_add_rarely(struct td_buckets *b, uint32_t group, unsigned bucket, uint64_t n)
{
	struct td_bucket_counts *c = &b->groups[group];

	for (size_t i = 0; i < TD_BUCKETS_FEW; i++)
		if (!c->n[i] && n <= UINT32_MAX) {
			c->n[i] = (uint32_t)n;
			c->bucket[i] = (uint8_t)bucket;
			return 0;
		}
	if (!c->others) {
		if (td_grow(&b->all, &b->all_cap, b->nall) < 0)
			return -ENOMEM;
		memset(b->all[b->nall], 0, sizeof(b->all[b->nall]));
		c->others = (uint32_t)++b->nall;
	}
	b->all[c->others - 1][bucket] += n;
	return 0;
}

void td_buckets_get(const struct td_buckets *b, size_t group, uint64_t ret[TD_BUCKETS])
{
	const struct td_bucket_counts *c = &b->groups[group];

	if (c->others)
		memcpy(ret, b->all[c->others - 1], TD_BUCKETS * sizeof(*ret));
	else
		memset(ret, 0, TD_BUCKETS * sizeof(*ret));
	for (size_t i = 0; i < TD_BUCKETS_FEW; i++)
		ret[c->bucket[i]] += c->n[i];
}

int td_buckets_merge(struct td_buckets *b, const struct td_buckets *from, const uint32_t *groups)
{
	int r = 0;

	for (size_t g = 0; g < from->n && r == 0; g++) {
		const struct td_bucket_counts *c = &from->groups[g];

		for (size_t i = 0; i < TD_BUCKETS_FEW && r == 0; i++)
			if (c->n[i])
				r = td_buckets_add(b, groups[g], c->bucket[i], c->n[i]);
		for (unsigned i = 0; c->others && i < TD_BUCKETS && r == 0; i++)
			if (from->all[c->others - 1][i])
				r = td_buckets_add(b, groups[g], i, from->all[c->others - 1][i]);
	}
	return r;
}

unsigned td_buckets_median(const struct td_buckets *b, size_t group)
{
	uint64_t counts[TD_BUCKETS], n = 0, before = 0;
	unsigned bucket = 0;

	td_buckets_get(b, group, counts);
	for (unsigned i = 0; i < TD_BUCKETS; i++)
		n += counts[i];
	if (n == 0)
		return TD_BUCKETS;
	while (before + counts[bucket] < (n + 1) / 2)
		before += counts[bucket++];
	return bucket;
}

void td_buckets_done(struct td_buckets *b)
{
	free(b->groups);
	free(b->all);
	*b = (struct td_buckets){ 0 };
}
