/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/scan/values.h"
#include "common/cleanup.h"
#include "tests/unit/check.h"

#define NPARTS 3
#define NGROUPS 19

/* What groups are made of: as many values, of so many bits, the lowest ones 0. */
static const struct group {
	size_t n;
	unsigned bits, zeros;
	bool in_one_part;
} groups[NGROUPS] = {
	{ 0, 0, 0, false },       { 1, 20, 0, false },       { 2, 36, 0, false },
	{ 23, 1, 0, true },       { 5000, 32, 0, false },    { 5000, 40, 30, true },
	{ 65535, 12, 0, false },  { 65536, 12, 0, false },   { 65536, 33, 0, true },
	{ 200000, 31, 0, false }, { 200000, 62, 58, false }, { 200000, 0, 0, false },
	{ 3, 33, 0, true },       { 5, 33, 0, true },        { 1023, 33, 0, true },
	{ 1025, 20, 0, true },    { 2047, 33, 0, true },     { 2048, 33, 0, true },
	{ 3073, 8, 0, true },
};

static uint64_t seed = 1;

static uint64_t random_u64(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 32 ^ seed << 20;
}

/* Small values are as frequent as large ones: of any number of bits below the group's. */
static int64_t random_value(const struct group *g)
{
	uint64_t bits = g->bits ? random_u64() % (g->bits + 1) : 0;

	return (int64_t)(random_u64() & ((UINT64_C(1) << bits) - 1)) >> g->zeros << g->zeros;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

struct made {
	struct td_values values[NPARTS];
	uint32_t numbers[NPARTS][NGROUPS]; /* in each part they have other numbers */
	struct td_values_part parts[NPARTS];
	int64_t *sorted[NGROUPS];
};

static void make(struct made *m)
{
	for (size_t p = 0; p < NPARTS; p++) {
		TD_CHECK(td_values_resize(&m->values[p], 1) == 0);
		TD_CHECK(td_values_resize(&m->values[p], NGROUPS) == 0);
		for (uint32_t g = 0; g < NGROUPS; g++)
			m->numbers[p][g] = (g + (uint32_t)p * 5) % NGROUPS;
		m->parts[p] = (struct td_values_part){ &m->values[p], m->numbers[p] };
	}
	for (uint32_t g = 0; g < NGROUPS; g++) {
		m->sorted[g] = malloc((groups[g].n + 1) * sizeof(*m->sorted[g]));
		for (size_t i = 0; i < groups[g].n; i++) {
			size_t p = groups[g].in_one_part ? 1 : random_u64() % NPARTS;
			uint32_t number = (g + NGROUPS * 2 - (uint32_t)p * 5) % NGROUPS;

			m->sorted[g][i] = random_value(&groups[g]);
			TD_CHECK(td_values_add(&m->values[p], number, m->sorted[g][i]) == 0);
		}
		qsort(m->sorted[g], groups[g].n, sizeof(*m->sorted[g]), compare);
	}
}

static void check_ranks(const struct td_all_values *all, uint32_t g, const uint64_t *ranks,
			size_t n, const int64_t *sorted)
{
	int64_t found[TD_RANKS_MAX];

	TD_CHECK(td_all_values_ranks(all, g, ranks, n, found) == 0);
	for (size_t i = 0; i < n; i++)
		TD_CHECK_INT(found[i], sorted[ranks[i] - 1]);
}

/* Against qsort(3) of the same values. */
static void test_ranks(void)
{
	static struct made m;
	struct td_all_values all = { 0 };

	TD_CASE("ranks");
	make(&m);
	TD_CHECK(td_all_values_open(m.parts, NPARTS, NGROUPS, &all) == 0);
	for (uint32_t g = 0; g < NGROUPS; g++) {
		uint64_t n = groups[g].n, middle[] = { (n + 1) / 2, n / 2 + 1, n - n / 20, n };

		TD_CHECK_INT(td_all_values_count(&all, g), n);
		if (!n)
			continue;
		check_ranks(&all, g, middle, TD_ARRAY_SIZE(middle), m.sorted[g]);
		/* again, and each for itself */
		for (int i = 0; i < 20; i++)
			check_ranks(&all, g, &(uint64_t){ random_u64() % n + 1 }, 1, m.sorted[g]);
		check_ranks(&all, g, &(uint64_t){ 1 }, 1, m.sorted[g]);
	}
	td_all_values_done(&all);
	for (size_t p = 0; p < NPARTS; p++)
		td_values_done(&m.values[p]);
	for (uint32_t g = 0; g < NGROUPS; g++)
		free(m.sorted[g]);
}

int main(void)
{
	test_ranks();
	return td_check_result();
}
