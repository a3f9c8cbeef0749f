/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "analyzer/compare/shift.h"
#include "common/cleanup.h"

#define CONFIDENCE 0.95
#define NORMAL_975 1.959963984540054 /* 97.5 % of a normal distribution are below */
#define ROUNDING 1e-9 /* sums of probabilities, as a share of them */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sort(double *v, size_t n)
{
	if (n)
		qsort(v, n, sizeof(*v), by_value);
}

double td_shift_median(double *v, size_t n)
{
	sort(v, n);
	return n % 2 ? v[n / 2] : v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2;
}

/* --- the distribution of a sum of ranks --- */

/* Twice the ranks of n sorted values, so that those of equal ones, which share the mean of their
 * ranks, are whole numbers.
 * *ret_ties: sum of t^3 - t over every t equal ones. */
static void rank_twice(const double *sorted, size_t n, size_t *ret, double *ret_ties)
{
	*ret_ties = 0;
	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i; end < n && sorted[end] <= sorted[i]; end++)
			;
		for (size_t k = i; k < end; k++)
			ret[k] = i + 1 + end;
		t = (double)(end - i);
		*ret_ties += t * t * t - t;
	}
}

/* In how many ways a sum comes about. */
struct sums {
	double *ways; /* by sum; owned */
	size_t max; /* the largest sum */
	double all;
};

static void sums_done(struct sums *s)
{
	free(s->ways);
}

static size_t add_up(const size_t *ranks, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += ranks[i];
	return sum;
}

/* Of all ways to choose k of the ranks. */
static int sums_of_chosen(const size_t *ranks, size_t n, size_t k, struct sums *ret)
{
	size_t max = add_up(ranks, n), width = max + 1, reached = 0;
	_cleanup_free_ double *ways = calloc((k + 1) * width, sizeof(*ways)); /* [chosen][sum] */

	if (!ways)
		return -ENOMEM;
	ways[0] = 1;
	for (size_t i = 0; i < n; i++) {
		reached += ranks[i];
		for (size_t c = TD_MIN(i + 1, k); c > 0; c--)
			for (size_t s = reached + 1; s-- > ranks[i];)
				ways[c * width + s] += ways[(c - 1) * width + s - ranks[i]];
	}
	ret->ways = calloc(width, sizeof(*ret->ways));
	if (!ret->ways)
		return -ENOMEM;
	ret->max = max;
	for (size_t s = 0; s <= max; s++) {
		ret->ways[s] = ways[k * width + s];
		ret->all += ret->ways[s];
	}
	return 0;
}

/* Of all ways to choose any of them. */
static int sums_of_any(const size_t *ranks, size_t n, struct sums *ret)
{
	size_t reached = 0;

	ret->max = add_up(ranks, n);
	ret->ways = calloc(ret->max + 1, sizeof(*ret->ways));
	if (!ret->ways)
		return -ENOMEM;
	ret->ways[0] = 1;
	for (size_t i = 0; i < n; i++) {
		reached += ranks[i];
		for (size_t s = reached + 1; s-- > ranks[i];)
			ret->ways[s] += ret->ways[s - ranks[i]];
	}
	ret->all = ldexp(1, (int)n);
	return 0;
}

/* How often a sum is as far from what is expected, or further. */
static double two_sided(const struct sums *sums, double expected, size_t observed)
{
	double far = fabs((double)observed - expected) - ROUNDING, ways = 0;

	for (size_t s = 0; s <= sums->max; s++)
		if (fabs((double)s - expected) >= far)
			ways += sums->ways[s];
	return TD_MIN(1, ways / sums->all);
}

/* --- all differences, of which the middle one is the shift --- */

/* They are not laid out: there are as many as pairs of samples. */
struct differences {
	const double *a, *b; /* sorted; of pairs: b alone, the differences of the pairs, sorted */
	size_t na, nb, n; /* n differences */
};

/* How many are at most x. Of a pair of differences their mean counts, each with itself, too. */
static size_t count_upto(const struct differences *d, double x)
{
	size_t count = 0, k = 0;

	if (d->a) {
		for (size_t j = 0; j < d->nb; j++) {
			while (k < d->na && d->b[j] - d->a[k] > x)
				k++; /* those that are subtracted from b[j] from here on are large enough */
			count += d->na - k;
		}
		return count;
	}
	k = d->nb;
	for (size_t i = 0; i < d->nb; i++) {
		while (k > 0 && (d->b[i] + d->b[k - 1]) / 2 > x)
			k--;
		count += k > i ? k - i : 0;
	}
	return count;
}

/* The k-th least of them, k from 1: halves the range that it is in until no number is left between. */
static double nth(const struct differences *d, size_t k)
{
	double low, high;

	if (d->a) {
		low = d->b[0] - d->a[d->na - 1];
		high = d->b[d->nb - 1] - d->a[0];
	} else {
		low = d->b[0];
		high = d->b[d->nb - 1];
	}
	if (count_upto(d, low) >= k)
		return low;
	for (;;) {
		double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			return high;
		if (count_upto(d, middle) >= k)
			high = middle;
		else
			low = middle;
	}
}

/* The middle one, and those between which all but 5 % of chance would put nothing. below: as many
 * differences, from either end, that chance alone puts there with at most half of 5 %; 0: not even
 * one. */
static void estimate(const struct differences *d, size_t below, struct td_shift *ret)
{
	double middle = nth(d, (d->n + 1) / 2);

	ret->shift = d->n % 2 ? middle : middle + (nth(d, d->n / 2 + 1) - middle) / 2;
	ret->low = below ? nth(d, below) : -INFINITY;
	ret->high = below ? nth(d, d->n + 1 - below) : INFINITY;
}

/* The largest count of differences that fits into half of what the interval leaves out. base: the
 * least sum of ranks, of step each. */
static size_t tail(const struct sums *sums, size_t base, size_t step)
{
	double ways = 0;
	size_t count = 0;

	for (size_t s = base; s <= sums->max; s += step, count++) {
		ways += sums->ways[s];
		if (ways > (1 - CONFIDENCE) / 2 * sums->all * (1 + ROUNDING))
			break;
	}
	return count;
}

static size_t normal_tail(double expected, double variance)
{
	double below = floor(expected - NORMAL_975 * sqrt(variance));

	return below > 0 ? (size_t)below : 0;
}

/* How far off chance puts it, with the correction for whole numbers. */
static double normal_p(double off, double variance)
{
	return variance > 0 ? erfc(TD_MAX(0, fabs(off) - 0.5) / sqrt(2 * variance)) : 1;
}

/* --- two sets --- */

/* Of a: twice the sum of its ranks among all of them. */
static int rank_sum(const struct differences *d, size_t *ranks, double *ties, size_t *ret)
{
	size_t n = d->na + d->nb, i = 0, k = 0;
	_cleanup_free_ double *all = calloc(n, sizeof(*all));

	if (!all)
		return -ENOMEM;
	memcpy(all, d->a, d->na * sizeof(*all));
	memcpy(all + d->na, d->b, d->nb * sizeof(*all));
	sort(all, n);
	rank_twice(all, n, ranks, ties);
	*ret = 0;
	for (; i < d->na; i++) {
		while (all[k] < d->a[i])
			k++;
		*ret += ranks[k];
	}
	return 0;
}

static int exact_unpaired(const struct differences *d, size_t *ranks, size_t observed,
			  struct td_shift *ret)
{
	_cleanup_(sums_done) struct sums tied = { 0 }, plain = { 0 };
	size_t n = d->na + d->nb;
	int r = sums_of_chosen(ranks, n, d->na, &tied);

	if (r < 0)
		return r;
	ret->p = two_sided(&tied, (double)d->na * (double)(n + 1), observed);
	for (size_t i = 0; i < n; i++)
		ranks[i] = i + 1;
	r = sums_of_chosen(ranks, n, d->na, &plain);
	if (r < 0)
		return r;
	ret->least_p = TD_MIN(
		1, two_sided(&plain, (double)d->na * (double)(n + 1) / 2, d->na * (d->na + 1) / 2));
	estimate(d, tail(&plain, d->na * (d->na + 1) / 2, 1), ret);
	return 0;
}

int td_shift_unpaired(double *a, size_t na, double *b, size_t nb, struct td_shift *ret)
{
	struct differences d = { .a = a, .b = b, .na = na, .nb = nb, .n = na * nb };
	_cleanup_free_ size_t *ranks = calloc(na + nb, sizeof(*ranks));
	double m = (double)na * (double)nb, n = (double)(na + nb), ties, variance;
	size_t observed;
	int r;

	if (!ranks)
		return -ENOMEM;
	sort(a, na);
	sort(b, nb);
	r = rank_sum(&d, ranks, &ties, &observed);
	if (r < 0)
		return r;
	/* the rank sum of a is least where all of b is above */
	ret->effect = ((double)na * (n + 1) - (double)observed) / m;
	if (na + nb <= TD_SHIFT_EXACT)
		return exact_unpaired(&d, ranks, observed, ret);
	variance = m / 12 * (n + 1 - ties / (n * (n - 1)));
	ret->p = normal_p(((double)observed - (double)na * (n + 1)) / 2, variance);
	ret->least_p = normal_p(m / 2, m / 12 * (n + 1));
	estimate(&d, normal_tail(m / 2, m / 12 * (n + 1)), ret);
	return 0;
}

/* --- pairs --- */

/* Twice the ranks of the sizes of the differences that are not 0, and the sum of those of the
 * positive ones. *n: how many there are. */
static int signed_ranks(const double *sorted, size_t *n, size_t *ranks, double *ties, size_t *ret)
{
	_cleanup_free_ double *sizes = calloc(*n, sizeof(*sizes));
	size_t all = *n, used = 0;

	if (!sizes)
		return -ENOMEM;
	for (size_t i = 0; i < all; i++)
		if (fabs(sorted[i]) > 0)
			sizes[used++] = fabs(sorted[i]);
	sort(sizes, used);
	rank_twice(sizes, used, ranks, ties);
	*ret = 0;
	for (size_t i = all, k = used; i-- > 0 && sorted[i] > 0;) {
		while (k > 0 && sizes[k - 1] >= sorted[i])
			k--;
		*ret += ranks[k];
	}
	*n = used;
	return 0;
}

static int exact_paired(const struct differences *d, size_t *ranks, size_t used, size_t observed,
			struct td_shift *ret)
{
	_cleanup_(sums_done) struct sums tied = { 0 }, plain = { 0 };
	int r = sums_of_any(ranks, used, &tied);

	if (r < 0)
		return r;
	ret->p = two_sided(&tied, (double)tied.max / 2, observed);
	for (size_t i = 0; i < d->nb; i++)
		ranks[i] = i + 1;
	r = sums_of_any(ranks, d->nb, &plain);
	if (r < 0)
		return r;
	ret->least_p = TD_MIN(1, 2 / plain.all);
	estimate(d, tail(&plain, 0, 1), ret);
	return 0;
}

int td_shift_paired(const double *a, const double *b, size_t n, struct td_shift *ret)
{
	_cleanup_free_ double *by_round = calloc(n, sizeof(*by_round));
	_cleanup_free_ size_t *ranks = calloc(n, sizeof(*ranks));
	struct differences d = { .b = by_round, .nb = n, .n = n * (n + 1) / 2 };
	double m = (double)n, all, ties;
	size_t observed, used = n;
	int r;

	if (!by_round || !ranks)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		by_round[i] = b[i] - a[i];
	sort(by_round, n);
	r = signed_ranks(by_round, &used, ranks, &ties, &observed);
	if (r < 0)
		return r;
	all = (double)used * (double)(used + 1); /* twice the sum of all ranks */
	ret->effect = used ? 2 * (double)observed / all - 1 : 0;
	if (n <= TD_SHIFT_EXACT)
		return exact_paired(&d, ranks, used, observed, ret);
	ret->p = normal_p((double)observed / 2 - all / 4,
			  (all * (2 * (double)used + 1) - ties / 2) / 24);
	ret->least_p = normal_p(m * (m + 1) / 4, m * (m + 1) * (2 * m + 1) / 24);
	estimate(&d, normal_tail(m * (m + 1) / 4, m * (m + 1) * (2 * m + 1) / 24), ret);
	return 0;
}

/* --- many tests --- */

struct ranked {
	double p;
	size_t at;
};

static int by_p(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

int td_shift_holm(double *p, size_t n)
{
	_cleanup_free_ struct ranked *ranked = calloc(n + 1, sizeof(*ranked));
	double least = 0;

	if (!ranked)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		ranked[i] = (struct ranked){ p[i], i };
	qsort(ranked, n, sizeof(*ranked), by_p);
	for (size_t i = 0; i < n; i++) {
		least = TD_MAX(least, TD_MIN(1, ranked[i].p * (double)(n - i)));
		p[ranked[i].at] = least;
	}
	return 0;
}
