/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "common/cleanup.h"
#include "schema/clock.h"

/* Ten minutes: less shows no rate through 4 ms of noise. */
#define DRIFT_MIN_SPAN_NS INT64_C(600000000000)
#define DRIFT_MIN_BOUNDS 16
#define NARROW_NS 20000000 /* bounds of up to 20 ms locate a tick well enough to see a trend */

/* Where an interval begins or ends, for the sweep. */
struct edge {
	int64_t at;
	int step; /* +1 begin, -1 end */
};

static int64_t slack(const struct td_clock_bound *b)
{
	return b->exact ? 0 : TD_CLOCK_TICK_NS;
}

/* The offset is certainly not outside of these two, unless the bound is spoilt: a late reading makes the
 * lower end of a bound too high, a coarse clock both too low. */
static int64_t lowest(const struct td_clock_bound *b)
{
	return TD_MIN(b->low_ns, b->high_ns) - slack(b);
}

static int64_t highest(const struct td_clock_bound *b)
{
	return TD_MAX(b->low_ns, b->high_ns) + slack(b);
}

static int by_place(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return y->step - x->step; /* begins first: intervals that touch overlap */
}

/* The stretch that most intervals contain, [*ret_low, *ret_high], after taking the drift out. Single
 * bounds are spoilt, so the largest agreement counts, not the intersection; where several stretches
 * agree equally well, nothing tells which is right, and the result spans them all. */
static int most_overlap(const struct td_clock_bound *b, size_t n, double drift, int64_t from_ns,
			int64_t *ret_low, int64_t *ret_high)
{
	_cleanup_free_ struct edge *edges = calloc(n * 2, sizeof(*edges));
	int depth = 0, best = 0;

	if (!edges)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		int64_t gain = (int64_t)(drift * (double)(b[i].at_ns - from_ns));

		edges[2 * i] = (struct edge){ lowest(&b[i]) - gain, 1 };
		edges[2 * i + 1] = (struct edge){ highest(&b[i]) - gain, -1 };
	}
	qsort(edges, n * 2, sizeof(*edges), by_place);
	for (size_t i = 0; i + 1 < n * 2; i++) {
		depth += edges[i].step;
		if (depth > best)
			*ret_low = edges[i].at;
		if (depth >= best) {
			best = depth;
			*ret_high = edges[i + 1].at;
		}
	}
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct td_clock_bound *x = a, *y = b;

	return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool is_narrow(const struct td_clock_bound *b)
{
	return highest(b) - lowest(b) <= NARROW_NS + 2 * TD_CLOCK_TICK_NS;
}

/* Rate from a to b, between the middles. */
static double rate(const struct td_clock_bound *a, const struct td_clock_bound *b)
{
	double low = (double)b->low_ns - (double)a->low_ns;
	double high = (double)b->high_ns - (double)a->high_ns;

	return (low + high) / 2 / ((double)b->at_ns - (double)a->at_ns);
}

/* Rate at which the narrow bounds move, 0 if they are too few or too close: the median of the rates from
 * each to the one half of them later, which up to a quarter of spoilt bounds does not move far. Bounds
 * are in order of time. */
static int find_rate(const struct td_clock_bound *b, size_t n, double *ret)
{
	_cleanup_free_ size_t *narrow = calloc(n, sizeof(*narrow));
	_cleanup_free_ double *rates = calloc(n, sizeof(*rates));
	size_t k = 0, nrates = 0;

	*ret = 0;
	if (!narrow || !rates)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (!b[i].exact && is_narrow(&b[i]))
			narrow[k++] = i;
	if (k < DRIFT_MIN_BOUNDS || b[narrow[k - 1]].at_ns - b[narrow[0]].at_ns < DRIFT_MIN_SPAN_NS)
		return 0;
	for (size_t i = 0; i + k / 2 < k; i++) {
		const struct td_clock_bound *from = &b[narrow[i]], *to = &b[narrow[i + k / 2]];

		if (to->at_ns > from->at_ns)
			rates[nrates++] = rate(from, to);
	}
	if (nrates) {
		qsort(rates, nrates, sizeof(*rates), by_size);
		*ret = rates[nrates / 2];
	}
	return 0;
}

int td_clock_fit(struct td_clock_bound *b, size_t n, struct td_clock_fit *ret)
{
	struct td_clock_fit fit = { .total = n };
	int64_t low = 0, high = 0;
	int r;

	if (n == 0)
		return -ENODATA;
	qsort(b, n, sizeof(*b), by_time);
	fit.from_ns = b[0].at_ns;
	r = find_rate(b, n, &fit.drift);
	if (r < 0)
		return r;
	/* a rate that moves the offset by no more than the noise over the whole run does not show */
	if (fabs(fit.drift) * (double)(b[n - 1].at_ns - fit.from_ns) < 2.0 * TD_CLOCK_TICK_NS)
		fit.drift = 0;
	r = most_overlap(b, n, fit.drift, fit.from_ns, &low, &high);
	if (r < 0)
		return r;
	fit.offset_ns = low + (high - low) / 2;
	fit.error_ns = (high - low) / 2;
	for (size_t i = 0; i < n; i++) {
		int64_t o =
			fit.offset_ns + (int64_t)(fit.drift * (double)(b[i].at_ns - fit.from_ns));

		fit.used += o + fit.error_ns >= lowest(&b[i]) && o - fit.error_ns <= highest(&b[i]);
	}
	*ret = fit;
	return 0;
}
