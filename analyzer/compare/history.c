/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/compare/history.h"
#include "analyzer/compare/shift.h"
#include "common/array.h"
#include "common/cleanup.h"

/* The median of the slopes between all pairs of runs. spare: room for them. */
static double slope_of(const double *v, size_t n, double *spare)
{
	size_t slopes = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (!isnan(v[i]) && !isnan(v[k]))
				spare[slopes++] = (v[k] - v[i]) / (double)(k - i);
	return slopes ? td_shift_median(spare, slopes) : 0;
}

static size_t known(const double *v, size_t n, double *ret)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(v[i]))
			ret[count++] = v[i];
	return count;
}

/* How far values usually are from their middle: the median distance; the mean one where most are the same. */
static double scale_of(const double *distances, size_t n, double *spare)
{
	size_t count = known(distances, n, spare);
	double sum = 0, median;

	for (size_t i = 0; i < count; i++)
		sum += spare[i];
	median = td_shift_median(spare, count);
	return median > 0 ? median : sum / (double)count;
}

/* Puts the scores of a value to scores, NaN where the run does not have it; where the last run is
 * expected, and the unit of scores. */
static void score(const double *v, size_t n, double *spare, double *scores, double *expected,
		  double *unit)
{
	double slope = slope_of(v, n, spare), middle;

	for (size_t i = 0; i < n; i++)
		scores[i] = v[i] - slope * (double)i;
	middle = td_shift_median(spare, known(scores, n, spare));
	*expected = middle + slope * (double)(n - 1);
	for (size_t i = 0; i < n; i++)
		scores[i] = fabs(scores[i] - middle);
	*unit = scale_of(scores, n, spare);
	if (*unit <= 0)
		return;
	for (size_t i = 0; i < n; i++)
		scores[i] /= *unit;
}

/* The share of the runs whose score is that of the last one or more, itself among them. */
static double share_above(const double *scores, size_t n, double least)
{
	size_t above = 1;

	for (size_t i = 0; i + 1 < n; i++)
		above += scores[i] >= least;
	return (double)above / (double)n;
}

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* What the score of the last run has to exceed to be among the largest alpha of all. */
static double limit_of(double *largest, size_t n, double alpha)
{
	size_t allowed = (size_t)(alpha * (double)n + 1e-9);

	if (allowed < 1)
		return INFINITY;
	qsort(largest, n - 1, sizeof(*largest), descending);
	return largest[allowed - 1];
}

static bool is_known(const double *v, size_t n, double *spare)
{
	return !isnan(v[n - 1]) && known(v, n - 1, spare) >= TD_HISTORY_LEAST;
}

int td_history_judge(const double *values, size_t nvalues, size_t nruns, double alpha,
		     struct td_outlier *ret)
{
	size_t n = nruns;
	_cleanup_free_ double *scores = calloc(nvalues * n + 1, sizeof(*scores)),
			      *spare = calloc(n * n + 1, sizeof(*spare)),
			      *largest = calloc(n + 1, sizeof(*largest));
	double limit;

	if (!scores || !spare || !largest)
		return -ENOMEM;
	for (size_t i = 0; i < nvalues; i++) {
		double *of = scores + i * n;

		ret[i] = (struct td_outlier){ .p = NAN, .p_alone = NAN };
		if (!is_known(values + i * n, n, spare))
			continue;
		score(values + i * n, n, spare, of, &ret[i].expected, &ret[i].reach);
		for (size_t k = 0; k < n; k++)
			if (of[k] > largest[k])
				largest[k] = of[k];
		ret[i].p = 0; /* to be found below */
	}
	for (size_t i = 0; i < nvalues; i++) {
		const double *of = scores + i * n;

		if (isnan(ret[i].p))
			continue;
		ret[i].p = share_above(largest, n, of[n - 1]);
		ret[i].p_alone = share_above(of, n, of[n - 1]);
	}
	limit = limit_of(largest, n, alpha);
	for (size_t i = 0; i < nvalues; i++)
		ret[i].reach *= limit;
	return 0;
}
