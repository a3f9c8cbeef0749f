/* SPDX-License-Identifier: MIT */
#include <stdbool.h>

#include "analyzer/scan/buckets.h"
#include "common/cleanup.h"
#include "tests/unit/check.h"

static void check_counts(const struct td_buckets *b, size_t group, const uint64_t *wanted)
{
	uint64_t found[TD_BUCKETS];

	td_buckets_get(b, group, found);
	for (unsigned i = 0; i < TD_BUCKETS; i++)
		TD_CHECK_INT(found[i], wanted[i]);
}

/* Sizes of more kinds than have room in a group: bucket i is there i times, and 63 more often than
 * 32 bits count. */
static void test_many_kinds(void)
{
	_cleanup_(td_buckets_done) struct td_buckets b = { 0 };
	uint64_t wanted[TD_BUCKETS];

	TD_CASE("many kinds of sizes");
	TD_CHECK(td_buckets_resize(&b, 2) == 0);
	for (unsigned i = 0; i < TD_BUCKETS; i++) {
		wanted[i] = i;
		for (unsigned n = 0; n < i; n++)
			TD_CHECK(td_buckets_add(&b, 1, i, 1) == 0);
	}
	check_counts(&b, 1, wanted);
	/* 1 + ... + 44 = 990, 1 + ... + 45 = 1035; the lower middle of 63 * 64 / 2 = 2016 is the 1008th */
	TD_CHECK_INT(td_buckets_median(&b, 1), 45);
	TD_CHECK_INT(td_buckets_median(&b, 0), TD_BUCKETS);
	for (int i = 0; i < 3; i++)
		TD_CHECK(td_buckets_add(&b, 1, 63, UINT32_MAX) == 0);
	wanted[63] += 3 * (uint64_t)UINT32_MAX;
	check_counts(&b, 1, wanted);
	TD_CHECK_INT(td_buckets_median(&b, 1), 63);
}

/* What fits in 32 bits in each part does not in all. */
static void test_merge(void)
{
	_cleanup_(td_buckets_done) struct td_buckets b = { 0 };
	_cleanup_(td_buckets_done) struct td_buckets more = { 0 };
	uint64_t wanted[TD_BUCKETS] = { [0] = 3, [9] = 2 * (uint64_t)UINT32_MAX };
	bool made;

	TD_CASE("parts");
	made = td_buckets_resize(&b, 3) == 0 && td_buckets_resize(&more, 2) == 0;
	TD_CHECK(made);
	if (!made)
		return;
	TD_CHECK(td_buckets_add(&b, 2, 9, UINT32_MAX) == 0);
	TD_CHECK(td_buckets_add(&more, 1, 9, UINT32_MAX) == 0);
	TD_CHECK(td_buckets_add(&more, 1, 0, 3) == 0);
	TD_CHECK(td_buckets_add(&more, 0, 12, 1) == 0);
	TD_CHECK(td_buckets_merge(&b, &more, (const uint32_t[]){ 0, 2 }) == 0);
	check_counts(&b, 2, wanted);
	TD_CHECK_INT(td_buckets_median(&b, 0), 12);
	TD_CHECK_INT(td_buckets_median(&b, 1), TD_BUCKETS);
}

/* The lower one of the middle two, not what lies between. */
static void test_median(void)
{
	_cleanup_(td_buckets_done) struct td_buckets b = { 0 };

	TD_CASE("median");
	TD_CHECK(td_buckets_resize(&b, 1) == 0);
	TD_CHECK(td_buckets_add(&b, 0, 20, 2) == 0);
	TD_CHECK(td_buckets_add(&b, 0, 3, 2) == 0);
	TD_CHECK_INT(td_buckets_median(&b, 0), 3);
	TD_CHECK(td_buckets_add(&b, 0, 20, 1) == 0);
	TD_CHECK_INT(td_buckets_median(&b, 0), 20);
}

int main(void)
{
	test_many_kinds();
	test_merge();
	test_median();
	return td_check_result();
}
