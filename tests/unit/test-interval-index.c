/* SPDX-License-Identifier: MIT */
/* Against looking at every interval, and how many are looked at. */
#include "common/cleanup.h"
#include "store/derive/interval_index.h"
#include "tests/unit/check.h"

#define N 300

static int64_t random_below(uint64_t *seed, int64_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407; /* Knuth */
	return (int64_t)((*seed >> 33) % (uint64_t)n);
}

/* The numbers ascend, and are of those intervals that are asked for and no others. */
static void check_found(const struct td_interval *of, unsigned n,
			const struct td_interval_numbers *found, int64_t start_max, int64_t end_min)
{
	size_t at = 0;

	for (unsigned i = 0; i < n; i++) {
		if (of[i].start_ns > start_max || of[i].end_ns < end_min)
			continue;
		TD_CHECK(at < found->n && found->items[at] == i);
		at++;
	}
	TD_CHECK_INT(found->n, at);
}

static void test_random(int64_t longest)
{
	_cleanup_(td_interval_numbers_done) struct td_interval_numbers found = { 0 };
	_cleanup_(td_interval_index_done) struct td_interval_index x = { 0 };
	struct td_interval of[N];
	uint64_t seed = (uint64_t)longest;

	for (unsigned i = 0; i < N; i++) {
		of[i].start_ns = random_below(&seed, 1000) - 500;
		of[i].end_ns = of[i].start_ns + random_below(&seed, longest);
		TD_CHECK_INT(td_interval_index_add(&x, of[i], i), 0);
	}
	td_interval_index_sort(&x);
	for (int64_t start = -502; start < 1500; start += 7) {
		for (int64_t length = -3; length < 100; length += 31) {
			found.n = 0;
			TD_CHECK_INT(td_interval_index_find(&x, start, start + length, &found), 0);
			check_found(of, N, &found, start, start + length);
		}
	}
}

static void test_empty(void)
{
	_cleanup_(td_interval_numbers_done) struct td_interval_numbers found = { 0 };
	_cleanup_(td_interval_index_done) struct td_interval_index x = { 0 };

	TD_CASE("none");
	td_interval_index_sort(&x);
	TD_CHECK_INT(td_interval_index_find(&x, INT64_MAX, INT64_MIN, &found), 0);
	TD_CHECK_INT(found.n, 0);
}

/* 2^15 logs one after the other, and one beside all of them: each question is answered by two, on the way to either are
 * at most 16, and at each of these one beside it is looked at and left. */
static void test_many(void)
{
	_cleanup_(td_interval_numbers_done) struct td_interval_numbers found = { 0 };
	_cleanup_(td_interval_index_done) struct td_interval_index x = { 0 };
	const unsigned n = 1u << 15;

	TD_CASE("many short ones and a long one");
	for (unsigned i = 0; i < n; i++)
		TD_CHECK_INT(td_interval_index_add(&x, (struct td_interval){ i, i }, i), 0);
	TD_CHECK_INT(td_interval_index_add(&x, (struct td_interval){ 0, n }, n), 0);
	td_interval_index_sort(&x);
	for (unsigned i = 0; i < n; i++) {
		found.n = 0;
		TD_CHECK_INT(td_interval_index_find(&x, i, i, &found), 0);
		TD_CHECK_INT(found.n, 2);
		TD_CHECK(found.n == 2 && found.items[0] == i && found.items[1] == n);
	}
	TD_CHECK(found.looked <= (size_t)n * 2 * 16 * 2);
}

int main(void)
{
	TD_CASE("points");
	test_random(1);
	TD_CASE("short");
	test_random(20);
	TD_CASE("long");
	test_random(900);
	test_empty();
	test_many();
	return td_check_result();
}
