/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <xxhash.h>

#include "common/sketch.h"
#include "tests/unit/check.h"

static void add(struct td_sketch *s, uint64_t from, uint64_t until)
{
	for (uint64_t i = from; i < until; i++)
		td_sketch_add(s, XXH3_64bits(&i, sizeof(i)));
}

/* Within 8 %, five times the standard error. */
static void check(const struct td_sketch *s, uint64_t want)
{
	uint64_t got = td_sketch_count(s);

	TD_CHECK(got >= want - want * 8 / 100 && got <= want + want * 8 / 100);
}

static void test_counts(void)
{
	static const uint64_t counts[] = { 0, 1, 10, 1000, 8000, 12000, 20000, 200000, 3000000 };

	TD_CASE("counts");
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		struct td_sketch s = { 0 };

		add(&s, 0, counts[i]);
		check(&s, counts[i]);
		add(&s, 0, counts[i]); /* nothing new */
		check(&s, counts[i]);
	}
}

/* 0 .. 60,000 and 40,000 .. 100,000 are 100,000 numbers, wherever they were added. */
static void test_merge(void)
{
	struct td_sketch all = { 0 }, a = { 0 }, b = { 0 };

	TD_CASE("merge");
	add(&all, 0, 100000);
	add(&a, 0, 60000);
	add(&b, 40000, 100000);
	td_sketch_merge(&a, &b);
	TD_CHECK_INT(td_sketch_count(&a), td_sketch_count(&all));
	check(&a, 100000);
}

int main(void)
{
	test_counts();
	test_merge();
	return td_check_result();
}
