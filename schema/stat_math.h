/* SPDX-License-Identifier: MIT */
/* Arithmetic of statistics of calls, which the derived tables and a scan of the calls must do alike. */
#pragma once

#include <stdint.h>

#include "schema/table.h"

#define TD_SIZE_BUCKETS 64 /* 0, 1, 2-3, 4-7, ...: bucket b begins at 2^(b-1) */
#define TD_LATENCY_BUCKETS 512 /* eight for each power of two; the durations below 8 ns one each */

/* Beyond so many durations derived tables are made of every 2nd, 3rd, ... of each set: percentiles
 * then have the error of a sample of that size. */
#define TD_DURATIONS_EXACT INT64_C(40000000)

/* The sum of two numbers that are not negative; what came from damaged lines may not fit and stays at the
 * largest number. */
static inline int64_t td_plus(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* The same where TD_NULL stands for none. */
static inline int64_t td_plus_known(int64_t a, int64_t b)
{
	return a == TD_NULL ? b : b == TD_NULL ? a : td_plus(a, b);
}

/* Of a size in bytes, which is not negative. */
static inline unsigned td_size_bucket(int64_t bytes)
{
	return bytes == 0 ? 0 : 64 - (unsigned)__builtin_clzll((uint64_t)bytes);
}

/* Of a duration in ns, which is not negative. */
static inline unsigned td_latency_bucket(int64_t ns)
{
	unsigned shift = 60 - (unsigned)__builtin_clzll((uint64_t)ns | 8); /* leaves 4 bits */

	return (shift << 3) + (unsigned)(ns >> shift);
}

/* From the sector at which the request before of a disk ended (TD_NULL: there is none) to that at
 * which this one begins; TD_NULL: it is not known. */
static inline int64_t td_seek_sectors(int64_t end, int64_t sector)
{
	int64_t sectors;

	/* -INT64_MAX at least, so that there is a number without the sign */
	return end == TD_NULL || __builtin_sub_overflow(sector, end, &sectors) ? TD_NULL : sectors;
}

/* The size of such a distance, which is not TD_NULL. */
static inline int64_t td_seek_bytes(int64_t sectors)
{
	int64_t size = sectors < 0 ? -sectors : sectors;

	return size > INT64_MAX / 512 ? INT64_MAX : size * 512;
}

/* Lower bound of a bucket, in bytes and in ns. */
int64_t td_size_low(unsigned bucket);
int64_t td_latency_low(unsigned bucket);

/* Nearest rank: the ceil(percent / 100 * n)-th smallest, from 1. */
static inline uint64_t td_nearest_rank(uint64_t n, unsigned percent)
{
	return (n * percent + 99) / 100;
}

/* Sample standard deviation of n values from their exact sums; 0 of a single one, NaN of none. */
double td_deviation(uint64_t n, int64_t total, unsigned __int128 squares);
