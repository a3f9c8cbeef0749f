/* SPDX-License-Identifier: MIT */
/*
 * How many values there are of which size, so finely that every quantile is known to 0.8 %, and so
 * that histograms of parts add up to that of the whole, exactly: log-linear buckets, 64 for each
 * power of two, as those of HdrHistogram (G. Tene) with two digits. Values below 128 have buckets
 * of their own.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/strbuf.h"

#define TD_HISTOGRAM_BITS 6 /* buckets for each power of two: 2^6 */
#define TD_HISTOGRAM_BUCKETS ((64 - TD_HISTOGRAM_BITS) << TD_HISTOGRAM_BITS)
#define TD_HISTOGRAM_ERROR_PCT 0.8 /* the middle of a bucket is off by less: 1/128 */

struct td_bucket {
	uint32_t number;
	uint64_t count;
};

/* Numbers ascend. The first and the last bucket have values, others may have none. */
struct td_histogram {
	struct td_bucket *items; /* owned */
	size_t n;
};

/* The bucket of a value that is not negative, its lower bound, and its middle. */
static inline uint32_t td_histogram_bucket(int64_t value)
{
	uint64_t v = (uint64_t)value;
	unsigned shift =
		64 - TD_HISTOGRAM_BITS - 1 - (unsigned)__builtin_clzll(v | 1 << TD_HISTOGRAM_BITS);

	return (shift << TD_HISTOGRAM_BITS) + (uint32_t)(v >> shift);
}

int64_t td_histogram_low(uint32_t bucket);
int64_t td_histogram_middle(uint32_t bucket);

/* Counts many values, to make a histogram of them; zeroed at first. */
struct td_histogram_count {
	uint32_t counts[TD_HISTOGRAM_BUCKETS];
	uint64_t used[TD_HISTOGRAM_BUCKETS /
		      64]; /* a bit for each bucket that has any: few values are in few of them */
	size_t nused;
};

/* n of the bucket. */
static inline void td_histogram_count_more(struct td_histogram_count *c, uint32_t bucket,
					   uint64_t n)
{
	if (n && c->counts[bucket] == 0) {
		c->used[bucket / 64] |= UINT64_C(1) << bucket % 64;
		c->nused++;
	}
	c->counts[bucket] += (uint32_t)n;
}

static inline void td_histogram_count_bucket(struct td_histogram_count *c, uint32_t bucket)
{
	if (c->counts[bucket]++ == 0) {
		c->used[bucket / 64] |= UINT64_C(1) << bucket % 64;
		c->nused++;
	}
}

/* Takes what was counted, which is nothing afterwards. The caller frees *ret. 0 or -ENOMEM. */
int td_histogram_take(struct td_histogram_count *c, struct td_histogram *ret);

/* to: of the values of both. 0 or -ENOMEM, after which it may be of some of them. */
int td_histogram_merge(struct td_histogram *to, const struct td_histogram *from);

/* How many values there are. */
uint64_t td_histogram_total(const struct td_histogram *h);

/* The bucket that the rank-th smallest is in, from 1; rank is not above the total. */
uint32_t td_histogram_rank(const struct td_histogram *h, uint64_t rank);

void td_histogram_done(struct td_histogram *h);

/* As bytes, added to what there is: for each bucket its distance from the one before, less one (the
 * first from -1), times two, and one more if it has several values; then their number, less two.
 * Numbers are in groups of seven bits, the lowest first, the highest bit set in all but the last.
 * Few values take little more than a byte each. to says when memory is short. */
void td_histogram_pack(const struct td_histogram *h, struct td_strbuf *to);

/* How many values such bytes are of. 0; -EBADMSG: they are no such bytes. */
int td_histogram_packed_total(const void *bytes, size_t len, uint64_t *ret);

/* to: of the values of both. 0; -EBADMSG or -ENOMEM, after which it may be of some of them. */
int td_histogram_merge_packed(struct td_histogram *to, const void *bytes, size_t len);
