/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "common/histogram.h"
#include "tests/unit/check.h"

/* By hand: 64 buckets for each power of two from 128 on, which are 2 wide there, 4 from 256 on, ... */
static void test_buckets(void)
{
	static const struct {
		int64_t value, low, middle;
	} cases[] = {
		{ 0, 0, 0 },
		{ 1, 1, 1 },
		{ 127, 127, 127 },
		{ 128, 128, 129 },
		{ 129, 128, 129 },
		{ 130, 130, 131 },
		{ 255, 254, 255 },
		{ 256, 256, 258 },
		{ 259, 256, 258 },
		{ 1000, 1000, 1004 },
		{ 1000000, 999424, 1003520 },
	};

	TD_CASE("buckets");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t b = td_histogram_bucket(cases[i].value);

		TD_CHECK_INT(td_histogram_low(b), cases[i].low);
		TD_CHECK_INT(td_histogram_middle(b), cases[i].middle);
	}
	TD_CHECK(td_histogram_bucket(INT64_MAX) < TD_HISTOGRAM_BUCKETS);
	TD_CHECK_INT(td_histogram_bucket(INT64_MAX) + 1, TD_HISTOGRAM_BUCKETS);
}

/* The middle is off by 0.8 % at most, whatever the value. */
static void test_error(void)
{
	uint64_t seed = 1;

	TD_CASE("error");
	for (size_t i = 0; i < 100000; i++) {
		int64_t value, off;

		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		value = (int64_t)(seed >> (1 + seed % 62));
		off = llabs(td_histogram_middle(td_histogram_bucket(value)) - value);
		if ((double)off > 0.008 * (double)value)
			TD_CHECK_INT(td_histogram_middle(td_histogram_bucket(value)), value);
	}
}

static void count(struct td_histogram_count *c, int64_t from, int64_t until)
{
	for (int64_t v = from; v < until; v++)
		td_histogram_count_bucket(c, td_histogram_bucket(v));
}

/* 0 .. 1,000 and 500 .. 2,000 are 2,500 values; the 1,250th smallest is 875: 500 below 500, then two of each. 875 is in 872 .. 879. */
static void test_merge(void)
{
	struct td_histogram_count *c = malloc(sizeof(*c));
	struct td_histogram a = { 0 }, b = { 0 };

	TD_CASE("merge");
	if (!c)
		return;
	memset(c, 0, sizeof(*c));
	count(c, 0, 1000);
	TD_CHECK_INT(td_histogram_take(c, &a), 0);
	count(c, 500, 2000);
	TD_CHECK_INT(td_histogram_take(c, &b), 0);
	TD_CHECK_INT(td_histogram_total(&a), 1000);
	TD_CHECK_INT(td_histogram_total(&b), 1500);
	TD_CHECK_INT(td_histogram_merge(&a, &b), 0);
	TD_CHECK_INT(td_histogram_total(&a), 2500);
	TD_CHECK_INT(td_histogram_low(td_histogram_rank(&a, 1)), 0);
	TD_CHECK_INT(td_histogram_low(td_histogram_rank(&a, 1250)), 872);
	TD_CHECK_INT(td_histogram_low(td_histogram_rank(&a, 2500)), 1984);
	td_histogram_done(&a);
	td_histogram_done(&b);
	free(c);
}

/* Buckets of one that are all, some or none of those of the other, by hand. */
static void test_merge_buckets(void)
{
	static const struct {
		struct td_bucket a[3], b[3], want[6];
		size_t na, nb, nwant;
	} cases[] = {
		{ { { 1, 5 }, { 4, 6 }, { 9, 7 } },
		  { { 4, 1 } },
		  { { 1, 5 }, { 4, 7 }, { 9, 7 } },
		  3,
		  1,
		  3 },
		{ { { 1, 5 }, { 4, 6 }, { 9, 7 } },
		  { { 1, 1 }, { 4, 2 }, { 9, 3 } },
		  { { 1, 6 }, { 4, 8 }, { 9, 10 } },
		  3,
		  3,
		  3 },
		{ { { 1, 5 }, { 4, 6 } },
		  { { 4, 1 }, { 5, 2 } },
		  { { 1, 5 }, { 4, 7 }, { 5, 2 } },
		  2,
		  2,
		  3 },
		{ { { 4, 6 } }, { { 1, 1 }, { 9, 2 } }, { { 1, 1 }, { 4, 6 }, { 9, 2 } }, 1, 2, 3 },
		{ { { 7, 1 } }, { { 3712, 0 } }, { { 7, 1 } }, 1, 0, 1 },
		{ { { 7, 1 } }, { { 8, 2 }, { 9, 3 } }, { { 8, 2 }, { 9, 3 } }, 0, 2, 2 },
		{ { { 7, UINT64_MAX - 1 } }, { { 7, 2 } }, { { 7, UINT64_MAX } }, 1, 1, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct td_histogram to = { malloc(sizeof(cases[i].a)), cases[i].na };
		const struct td_histogram from = { (struct td_bucket *)cases[i].b, cases[i].nb };

		TD_CASE("merge buckets");
		if (!to.items)
			return;
		memcpy(to.items, cases[i].a, sizeof(cases[i].a));
		TD_CHECK_INT(td_histogram_merge(&to, &from), 0);
		TD_CHECK_INT(to.n, cases[i].nwant);
		for (size_t k = 0; k < to.n && k < cases[i].nwant; k++) {
			TD_CHECK_INT(to.items[k].number, cases[i].want[k].number);
			TD_CHECK(to.items[k].count == cases[i].want[k].count);
		}
		td_histogram_done(&to);
	}
}

int main(void)
{
	test_buckets();
	test_error();
	test_merge();
	test_merge_buckets();
	return td_check_result();
}
