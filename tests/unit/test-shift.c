/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/compare/shift.h"
#include "tests/unit/check.h"

#define MOST 12

#define NEAR(got, want) TD_CHECK(fabs((got) - (want)) < 1e-9)

/* About normal, sigma 1: the sum of 12 even ones. */
static double noise(uint64_t *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++) {
		*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		sum += (double)(*state >> 11) / (double)(UINT64_C(1) << 53);
	}
	return sum;
}

static void check_median(void)
{
	TD_CASE("median");
	NEAR(td_shift_median((double[]){ 3, 1, 2 }, 3), 2);
	NEAR(td_shift_median((double[]){ 4, 1, 3, 2 }, 4), 2.5);
}

/* What R's wilcox.test() prints for the examples of its manual page, from Hollander and Wolfe, with conf.int = TRUE. */
static void check_textbook(void)
{
	double before[] = { 1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30 };
	double after[] = { 0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29 };
	double term[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 };
	double early[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };
	struct td_shift s = { 0 };

	TD_CASE("depression, paired");
	TD_CHECK_INT(td_shift_paired(before, after, 9, &s), 0);
	NEAR(s.shift, -0.46);
	NEAR(s.low, -0.786);
	NEAR(s.high, -0.01);
	NEAR(s.p, 0.0390625);
	NEAR(s.least_p, 2.0 / 512);

	TD_CASE("permeability, two sets");
	TD_CHECK_INT(td_shift_unpaired(term, 10, early, 5, &s), 0);
	NEAR(s.shift, -0.305);
	NEAR(s.low, -0.76);
	NEAR(s.high, 0.15);
	TD_CHECK(fabs(s.p - 0.2544) < 5e-5);
	NEAR(s.least_p, 2.0 / 3003);
}

/* How much more often a value of b is above one of a than below it. */
static double above(const double *a, size_t na, const double *b, size_t nb)
{
	double sum = 0;

	for (size_t i = 0; i < na; i++)
		for (size_t k = 0; k < nb; k++)
			sum += (b[k] > a[i]) - (b[k] < a[i]);
	return sum;
}

/* Deals the n samples out in every way, na to one side: how often the sides are as far apart as they are now. */
static double p_by_dealing(const double *all, size_t na, size_t nb)
{
	double observed = fabs(above(all, na, all + na, nb)), far = 0, ways = 0;
	size_t n = na + nb;

	for (unsigned set = 0; set < 1U << n; set++) {
		double a[MOST], b[MOST];
		size_t i = 0, k = 0;

		if ((size_t)__builtin_popcount(set) != na)
			continue;
		for (size_t at = 0; at < n; at++) {
			if (set >> at & 1)
				a[i++] = all[at];
			else
				b[k++] = all[at];
		}
		ways++;
		far += fabs(above(a, na, b, nb)) >= observed - 1e-9;
	}
	return far / ways;
}

/* The sum of the signed ranks of the sizes, of which equal ones share theirs and 0 has none. */
static double signed_sum(const double *d, size_t n, unsigned flip)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		double rank = 0.5;

		for (size_t k = 0; k < n; k++)
			if (fabs(d[k]) > 0)
				rank += fabs(d[k]) < fabs(d[i])    ? 1
					: fabs(d[k]) <= fabs(d[i]) ? 0.5
								   : 0;
		if (fabs(d[i]) > 0)
			sum += ((d[i] > 0) != (flip >> i & 1)) ? rank : -rank;
	}
	return sum;
}

/* Turns the sign of every pair both ways. */
static double p_by_turning(const double *d, size_t n)
{
	double observed = fabs(signed_sum(d, n, 0)), far = 0;

	for (unsigned flip = 0; flip < 1U << n; flip++)
		far += fabs(signed_sum(d, n, flip)) >= observed - 1e-9;
	return far / (1U << n);
}

/* Small whole numbers, so that many are equal. */
static void check_every_way(void)
{
	uint64_t random = 7;

	TD_CASE("every way");
	for (int round = 0; round < 60; round++) {
		size_t na = 1 + (size_t)round % 5, nb = 1 + (size_t)round % 7;
		double all[MOST] = { 0 }, d[MOST] = { 0 }, want;
		struct td_shift s = { 0 };

		for (size_t i = 0; i < na + nb; i++)
			all[i] = round < 30 ? floor(2 * noise(&random)) : noise(&random);
		for (size_t i = 0; i < nb; i++)
			d[i] = all[i];
		want = p_by_dealing(all, na, nb);
		TD_CHECK_INT(td_shift_unpaired(all, na, all + na, nb, &s), 0);
		NEAR(s.p, want);
		NEAR(s.effect, above(all, na, all + na, nb) / (double)(na * nb));
		TD_CHECK_INT(td_shift_paired((double[MOST]){ 0 }, d, nb, &s), 0);
		NEAR(s.p, p_by_turning(d, nb));
	}
}

/* More than are counted out. The differences 100 + i - k are spread evenly around 100. */
static void check_many(void)
{
	double a[1000], b[1000];
	struct td_shift s = { 0 };

	TD_CASE("many");
	for (int i = 0; i < 1000; i++) {
		a[i] = i;
		b[i] = i + 100;
	}
	TD_CHECK_INT(td_shift_unpaired(a, 1000, b, 1000, &s), 0);
	NEAR(s.shift, 100);
	TD_CHECK(s.low > 70 && s.low < 80 && s.high > 120 && s.high < 130 && s.p < 1e-9);
	TD_CHECK_INT(td_shift_paired(a, b, 1000, &s), 0);
	NEAR(s.shift, 100);
	NEAR(s.low, 100);
	NEAR(s.high, 100);
	NEAR(s.effect, 1);
}

static void check_few(void)
{
	double one = 1, two = 2, three[] = { 1, 2, 3 }, same[] = { 4, 4, 4 };
	struct td_shift s = { 0 };

	TD_CASE("few");
	TD_CHECK_INT(td_shift_unpaired(&one, 1, &two, 1, &s), 0);
	NEAR(s.shift, 1);
	NEAR(s.p, 1);
	NEAR(s.least_p, 1);
	TD_CHECK(isinf(s.low) && isinf(s.high));
	/* 2 of the 20 ways to choose 3 of 6 are as far apart: 0.1, more than 5 % */
	TD_CHECK_INT(td_shift_unpaired(three, 3, (double[]){ 7, 8, 9 }, 3, &s), 0);
	NEAR(s.least_p, 0.1);
	TD_CHECK(isinf(s.low) && isinf(s.high));
	TD_CHECK_INT(td_shift_paired(same, same, 3, &s), 0);
	NEAR(s.shift, 0);
	NEAR(s.p, 1);
	NEAR(s.effect, 0);
}

static void check_holm(void)
{
	/* 4 x 0.005, 3 x 0.01, 2 x 0.03; 1 x 0.04 is less than the one before, and is put up to it */
	double p[] = { 0.01, 0.04, 0.03, 0.005 };

	TD_CASE("Holm");
	TD_CHECK_INT(td_shift_holm(p, 4), 0);
	NEAR(p[0], 0.03);
	NEAR(p[1], 0.06);
	NEAR(p[2], 0.06);
	NEAR(p[3], 0.02);
}

/* Of 1,000 sets that differ by 1, how many have it in their interval: 95 % and no less (more, as
 * few samples do not hit 95 % exactly). With 950 expected, 929 and less have a chance of 0.2 %. */
static void check_interval(void)
{
	uint64_t random = 1;
	int within[2] = { 0 };

	TD_CASE("interval");
	for (int round = 0; round < 1000; round++) {
		double a[15], b[15];
		struct td_shift s = { 0 };

		for (int i = 0; i < 15; i++) {
			a[i] = noise(&random);
			b[i] = 1 + noise(&random);
		}
		td_shift_paired(a, b, 15, &s);
		within[0] += s.low <= 1 && s.high >= 1;
		td_shift_unpaired(a, 15, b, 15, &s);
		within[1] += s.low <= 1 && s.high >= 1;
	}
	TD_CHECK(within[0] >= 930 && within[0] < 985);
	TD_CHECK(within[1] >= 930 && within[1] < 985);
}

int main(void)
{
	check_median();
	check_textbook();
	check_every_way();
	check_many();
	check_few();
	check_holm();
	check_interval();
	return td_check_result();
}
