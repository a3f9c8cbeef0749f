/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "schema/stat_math.h"

int64_t td_size_low(unsigned bucket)
{
	return bucket == 0 ? 0 : INT64_C(1) << (bucket - 1);
}

int64_t td_latency_low(unsigned bucket)
{
	return bucket < 8 ? (int64_t)bucket : (INT64_C(8) + (bucket & 7)) << (bucket / 8 - 1);
}

/* (n * sum of squares - square of the sum) / (n * (n - 1)). The difference is exact in 128 bits for up to 2^24 calls
 * of 17 minutes; beyond that rounding begins. */
double td_deviation(uint64_t n, int64_t total, unsigned __int128 squares)
{
	unsigned __int128 square = (unsigned __int128)total * (uint64_t)total, n_squares;

	if (n == 0)
		return NAN;
	if (n == 1)
		return 0;
	if (!__builtin_mul_overflow(squares, (unsigned __int128)n, &n_squares))
		return (double)sqrtl((long double)(n_squares - square) / (long double)n /
				     (long double)(n - 1));
	return (double)sqrtl(((long double)squares - (long double)square / (long double)n) /
			     (long double)(n - 1));
}
