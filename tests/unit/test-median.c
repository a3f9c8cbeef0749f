/* SPDX-License-Identifier: MIT */
/* td_twice_median() against qsort(). */
#include <stdlib.h>

#include "common/median.h"
#include "common/cleanup.h"
#include "tests/unit/check.h"

#define MOST 3000

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t expected(const int64_t *v, size_t n)
{
	int64_t sorted[MOST];

	memcpy(sorted, v, n * sizeof(*v));
	qsort(sorted, n, sizeof(*sorted), by_value);
	return sorted[(n - 1) / 2] + sorted[n / 2];
}

/* Values below 2^bits, some of them negative; once in a while one that is far from all others. */
static void test_random(size_t n, unsigned bits, unsigned far_each)
{
	static uint32_t x = 7;
	int64_t v[MOST], want;

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		v[i] = (int64_t)((uint64_t)x << 20 >> (52 - bits)) - (INT64_C(1) << bits) / 4;
		if (i % far_each == 0)
			v[i] = INT64_C(1) << 50;
	}
	want = expected(v, n);
	TD_CHECK_INT(td_twice_median(v, n), want);
}

int main(void)
{
	static const unsigned bits[] = { 1, 4, 12, 31, 48 };
	int64_t apart[MOST];

	TD_CASE("random");
	for (size_t n = 1; n <= MOST; n = n * 5 / 4 + 1)
		for (size_t b = 0; b < TD_ARRAY_SIZE(bits); b++) {
			test_random(n, bits[b], MOST);
			test_random(n, bits[b], 3);
		}
	TD_CASE("the middle two are far apart");
	for (int i = 0; i < 1000; i++)
		apart[i] = i < 500 ? -i : (INT64_C(1) << 48) + i;
	TD_CHECK_INT(td_twice_median(apart, 1000), (INT64_C(1) << 48) + 500);
	return td_check_result();
}
