/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <string.h>

#include "common/median.h"
#include "common/cleanup.h"

#define BUCKET_BITS 11
#define FEW 32

struct range {
	int64_t low, high;
};

static struct range range_of(const int64_t *v, size_t n)
{
	struct range r = { v[0], v[0] };

	for (size_t i = 1; i < n; i++) {
		r.low = TD_MIN(r.low, v[i]);
		r.high = TD_MAX(r.high, v[i]);
	}
	return r;
}

/* So that all of the range are in 1 << BUCKET_BITS buckets. */
static unsigned shift_of(const struct range *r)
{
	uint64_t width = (uint64_t)r->high - (uint64_t)r->low;
	unsigned bits = width ? 64 - (unsigned)__builtin_clzll(width) : 0;

	return bits > BUCKET_BITS ? bits - BUCKET_BITS : 0;
}

static size_t bucket_of(int64_t v, const struct range *r, unsigned shift)
{
	return ((uint64_t)v - (uint64_t)r->low) >> shift;
}

/* The values of one bucket come first; their number. */
static size_t keep_bucket(int64_t *v, size_t n, const struct range *r, unsigned shift,
			  size_t bucket)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t x = v[i];

		v[kept] = x;
		kept += bucket_of(x, r, shift) == bucket;
	}
	return kept;
}

/* The largest value of one bucket, plus the smallest of the next one that has any. */
static int64_t sum_across(const int64_t *v, size_t n, const struct range *r, unsigned shift,
			  size_t bucket)
{
	int64_t below = INT64_MIN, above = INT64_MAX;

	for (size_t i = 0; i < n; i++)
		if (bucket_of(v[i], r, shift) <= bucket)
			below = TD_MAX(below, v[i]);
		else
			above = TD_MIN(above, v[i]);
	return below + above;
}

static void sort_few(int64_t *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		int64_t x = v[i];
		size_t at = i;

		for (; at > 0 && v[at - 1] > x; at--)
			v[at] = v[at - 1];
		v[at] = x;
	}
}

/* Counts in buckets, until few are left in that of the middle. */
int64_t td_twice_median(int64_t *v, size_t n)
{
	size_t low = (n - 1) / 2, high = n / 2; /* places of the middle two */

	while (n > FEW) {
		uint32_t counts[1 << BUCKET_BITS] = { 0 };
		struct range r = range_of(v, n);
		unsigned shift = shift_of(&r);
		size_t bucket = 0;

		if (r.low == r.high)
			return 2 * r.low;
		for (size_t i = 0; i < n; i++)
			counts[bucket_of(v[i], &r, shift)]++;
		for (; low >= counts[bucket]; bucket++) {
			low -= counts[bucket];
			high -= counts[bucket];
		}
		if (high >= counts[bucket])
			return sum_across(v, n, &r, shift, bucket);
		n = keep_bucket(v, n, &r, shift, bucket);
	}
	sort_few(v, n);
	return v[low] + v[high];
}
