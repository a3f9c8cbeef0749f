/* SPDX-License-Identifier: MIT */
#include "analyzer/durations.h"
#include "tests/unit/check.h"

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Random durations in random sets, some over 2^32 ns: every rank asked for must be what qsort() finds
 * at that place. */
static void test_random(size_t n, size_t nsets, uint64_t spread)
{
	_cleanup_free_ int64_t *all = calloc(n, sizeof(*all));
	_cleanup_free_ uint64_t *counts = calloc(nsets, sizeof(*counts));
	_cleanup_free_ uint32_t *set_of = calloc(n, sizeof(*set_of));
	_cleanup_free_ uint32_t *sets = calloc(nsets, sizeof(*sets));
	struct td_durations *d = NULL;
	uint64_t x = 88172645463325252u + n;
	uint64_t ranks[4];
	int64_t got[4];
	size_t m = 0, k = 0;

	TD_CHECK_INT(td_durations_new("/tmp/tracedb-test-durations", &d), 0);
	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		set_of[i] = (uint32_t)(x % nsets);
		all[i] = (int64_t)((x >> 8) % spread);
		if (x % 97 == 0)
			all[i] += INT64_C(5000000000);
		counts[set_of[i]]++;
		TD_CHECK_INT(td_durations_add(d, set_of[i], all[i]), 0);
	}
	TD_CHECK_INT(td_durations_sort(d, counts, nsets), 0);
	for (uint32_t s = 0; s < nsets; s += 2) /* the union of every second set */
		sets[m++] = s;
	for (size_t i = 0; i < n; i++)
		if (set_of[i] % 2 == 0)
			all[k++] = all[i];
	qsort(all, k, sizeof(*all), by_value);
	ranks[0] = 1;
	ranks[1] = (k + 1) / 2;
	ranks[2] = (k * 99 + 99) / 100;
	ranks[3] = k;
	TD_CHECK_INT(td_durations_ranks(d, sets, m, ranks, got, 4), 0);
	for (int i = 0; i < 4; i++)
		TD_CHECK_INT(got[i], all[ranks[i] - 1]);
	td_durations_free(d);
}

int main(void)
{
	TD_CASE("few");
	test_random(10, 1, 1000);
	TD_CASE("sorted together");
	test_random(1000, 7, 1000000);
	TD_CASE("counted");
	test_random(20000, 7, 1000000);
	TD_CASE("many small sets");
	test_random(20000, 15000, 1000000);
	TD_CASE("by histogram");
	test_random(400000, 50, 3000000000u);
	TD_CASE("more than stay in memory");
	test_random(4300000, 50, 3000000000u); /* of 8 bytes: 32.8 MiB */
	TD_CASE("equal values");
	test_random(200000, 3, 2);
	return td_check_result();
}
