/* SPDX-License-Identifier: MIT */
#include "store/derive/durations.h"
#include "common/array.h"
#include "tests/unit/check.h"

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

struct sets {
	struct td_durations *d;
	struct td_duration_list *lists;
	uint64_t *counts;
	size_t n;
	unsigned spills;
};

static void begin(struct sets *s, size_t n)
{
	*s = (struct sets){ .n = n };
	s->lists = calloc(n, sizeof(*s->lists));
	s->counts = calloc(n, sizeof(*s->counts));
	TD_CHECK_INT(td_durations_new("/tmp/tracedb-test-durations", &s->d), 0);
}

static void close_all(struct sets *s)
{
	for (size_t i = 0; i < s->n; i++)
		td_durations_close(s->d, &s->lists[i]);
}

static void add(struct sets *s, uint32_t set, int64_t dur_ns)
{
	int r = td_durations_add(s->d, set, &s->lists[set], s->counts[set], dur_ns);

	if (r == 1) {
		close_all(s);
		TD_CHECK_INT(td_durations_spill(s->d), 0);
		s->spills++;
		r = td_durations_add(s->d, set, &s->lists[set], s->counts[set], dur_ns);
	}
	if (r != 0)
		TD_CHECK_INT(r, 0);
	s->counts[set]++;
}

static void sort(struct sets *s)
{
	close_all(s);
	TD_CHECK_INT(td_durations_sort(s->d, s->counts, s->n), 0);
}

static void end(struct sets *s)
{
	td_durations_free(s->d);
	free(s->lists);
	free(s->counts);
}

/* Random durations in random sets, some over 2^32 ns: every rank asked for must be what qsort() finds
 * at that place. */
static void test_random(size_t n, size_t nsets, uint64_t spread, bool spills)
{
	struct sets all_sets;
	_cleanup_free_ int64_t *all = calloc(n, sizeof(*all));
	_cleanup_free_ uint32_t *set_of = calloc(n, sizeof(*set_of));
	_cleanup_free_ uint32_t *sets = calloc(nsets, sizeof(*sets));
	uint64_t x = 88172645463325252u + n;
	uint64_t ranks[4];
	int64_t got[4];
	size_t m = 0, k = 0;

	begin(&all_sets, nsets);
	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		set_of[i] = (uint32_t)(x % nsets);
		all[i] = (int64_t)((x >> 8) % spread);
		if (x % 97 == 0)
			all[i] += INT64_C(5000000000);
		add(&all_sets, set_of[i], all[i]);
	}
	TD_CHECK_INT(all_sets.spills > 0, spills);
	sort(&all_sets);
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
	TD_CHECK_INT(td_durations_ranks(all_sets.d, sets, m, ranks, got, 4), 0);
	for (int i = 0; i < 4; i++)
		TD_CHECK_INT(got[i], all[ranks[i] - 1]);
	end(&all_sets);
}

/* Sets of all sizes about those at which what is done with them changes: each set by itself, and the union of it
 * and those before it. Values are far apart, near each other or all the same. */
static void test_sizes(uint32_t spread)
{
	static const uint32_t sizes[] = { 1,  2,  11,  12,  13,  23,    24,    25,    63,   64,
					  65, 66, 511, 512, 513, 16383, 16384, 16385, 40000 };
	_cleanup_free_ int64_t *all = calloc(200000, sizeof(*all));
	_cleanup_free_ int64_t *each = calloc(40000, sizeof(*each));
	uint32_t sets[TD_ARRAY_SIZE(sizes)], x = 2463534242u;
	struct sets s;
	size_t total = 0;

	begin(&s, TD_ARRAY_SIZE(sizes));
	for (uint32_t set = 0; set < TD_ARRAY_SIZE(sizes); set++) {
		sets[set] = set;
		for (uint32_t i = 0; i < sizes[set]; i++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
			add(&s, set, x % spread);
		}
	}
	sort(&s);
	x = 2463534242u;
	for (uint32_t set = 0; set < TD_ARRAY_SIZE(sizes); set++) {
		uint32_t n = sizes[set];
		int64_t got[5];

		for (uint32_t i = 0; i < n; i++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
			each[i] = all[total++] = x % spread;
		}
		qsort(each, n, sizeof(*each), by_value);
		TD_CHECK_INT(td_durations_ranks(s.d, &set, 1,
						(const uint64_t[]){ 1, (n + 1) / 2, n / 2 + 1,
								    (n * 9 + 9) / 10, n },
						got, 5),
			     0);
		TD_CHECK_INT(got[0], each[0]);
		TD_CHECK_INT(got[1], each[(n + 1) / 2 - 1]);
		TD_CHECK_INT(got[2], each[n / 2]);
		TD_CHECK_INT(got[3], each[(n * 9 + 9) / 10 - 1]);
		TD_CHECK_INT(got[4], each[n - 1]);
		qsort(all, total, sizeof(*all), by_value);
		TD_CHECK_INT(td_durations_ranks(s.d, sets, set + 1,
						(const uint64_t[]){ total, total / 2 + 1 }, got, 2),
			     0);
		TD_CHECK_INT(got[0], all[total - 1]);
		TD_CHECK_INT(got[1], all[total / 2]);
	}
	end(&s);
}

/* More than are kept: each value that is answered is one of the two nearest to what was asked for. */
static void test_stride(void)
{
	const int64_t n = TD_DURATIONS_EXACT + 1000000;
	const uint32_t both[] = { 0, 1 };
	const uint64_t median = (uint64_t)n / 2;
	struct sets s;
	int64_t got;

	begin(&s, 2);
	for (int64_t i = 1; i <= n; i++) /* one of the sets is small, and all of it comes first */
		add(&s, i > 1000, i);
	sort(&s);
	TD_CHECK_INT(td_durations_ranks(s.d, both, 2, &median, &got, 1), 0);
	TD_CHECK(got >= (int64_t)median - 1 && got <= (int64_t)median + 1);
	TD_CHECK_INT(td_durations_ranks(s.d, both, 1, (const uint64_t[]){ 1000 }, &got, 1), 0);
	TD_CHECK(got == 999 || got == 1000);
	end(&s);
}

int main(void)
{
	TD_CASE("few");
	test_random(10, 1, 1000, false);
	TD_CASE("sorted together");
	test_random(1000, 7, 1000000, false);
	TD_CASE("counted");
	test_random(20000, 7, 1000000, false);
	TD_CASE("many small sets");
	test_random(20000, 15000, 1000000, false);
	TD_CASE("by histogram");
	test_random(400000, 50, 3000000000u, false);
	TD_CASE("more than stay in memory");
	test_random(8500000, 50, 3000000000u, true); /* of 4 bytes: 32.4 MiB */
	test_random(1000000, 900000, 3000000000u, true); /* each a line of 64 bytes */
	TD_CASE("equal values");
	test_random(200000, 3, 2, false);
	TD_CASE("sets of all sizes");
	test_sizes(UINT32_MAX);
	test_sizes(3000);
	test_sizes(1);
	TD_CASE("every second one");
	test_stride();
	return td_check_result();
}
