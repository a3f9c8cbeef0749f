/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "common/cleanup.h"
#include "schema/clock.h"

/* Ten minutes: less shows no rate through 4 ms of noise. */
#define DRIFT_MIN_SPAN_NS INT64_C(600000000000)
#define DRIFT_MIN_BOUNDS 16
#define DRIFT_NOISE_NS 4000000
#define NARROW_NS 20000000 /* bounds of up to 20 ms locate a tick well enough to see a trend */

/* The kernel steers its clocks alike, so that a rate is a sign of another clock. None is beyond
 * what adjtimex() can set, and where nothing is read for long it is not made more of than this. */
#define DRIFT_MAX 500e-6
#define DRIFT_ADDS_NS 40000000

/* So many readings that would show lateness, and do not, tell that there is none. */
#define WITNESSES 12
/* Stretches of time that are looked at by themselves, and bounds in each at least. */
#define STRETCHES_MAX 4
#define STRETCH_MIN 24

struct range {
	int64_t low, high;
	int64_t best; /* in it, not in the middle: most readings are prompt, most ticks are short */
};

static int64_t width_of(const struct range *r)
{
	return r->high - r->low;
}

/* Where an interval begins or ends, for the sweep. */
struct edge {
	int64_t at;
	int step; /* +1 begin, -1 end */
};

/* The offset is not outside of these two, unless the bound is spoilt. */
static int64_t lowest(const struct td_clock_bound *b)
{
	return b->exact ? b->low_ns : TD_MIN(b->low_ns, b->high_ns) - TD_CLOCK_LATE_NS;
}

static int64_t highest(const struct td_clock_bound *b)
{
	return b->exact ? b->high_ns : TD_MAX(b->low_ns, b->high_ns) + TD_CLOCK_TICK_NS;
}

static int by_place(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return y->step - x->step; /* begins first: intervals that touch overlap */
}

/* What a bound says of the offset at from_ns. */
static int64_t gain_of(const struct td_clock_bound *b, const struct td_clock_fit *fit)
{
	return (int64_t)(fit->drift * (double)(b->at_ns - fit->from_ns));
}

/* The stretch that most exact intervals contain, *ret. The wall clock may have been set, so the
 * largest agreement counts, not the intersection; where several stretches agree equally well, nothing tells which is
 * right, and the result spans them all. */
static int most_overlap(const struct td_clock_bound *b, size_t n, const struct td_clock_fit *fit,
			struct range *ret)
{
	_cleanup_free_ struct edge *edges = calloc(n * 2, sizeof(*edges));
	int depth = 0, best = 0;

	if (!edges)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		edges[2 * i] = (struct edge){ lowest(&b[i]) - gain_of(&b[i], fit), 1 };
		edges[2 * i + 1] = (struct edge){ highest(&b[i]) - gain_of(&b[i], fit), -1 };
	}
	qsort(edges, n * 2, sizeof(*edges), by_place);
	for (size_t i = 0; i + 1 < n * 2; i++) {
		depth += edges[i].step;
		if (depth > best)
			ret->low = edges[i].at;
		if (depth >= best) {
			best = depth;
			ret->high = edges[i + 1].at;
		}
	}
	ret->best = ret->low + width_of(ret) / 2;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The lowest upper end that is not spoilt: more than half of the lower ends agree with it, but for their lateness.
 * Both are ascending. */
static int64_t upper_end(const int64_t *lows, const int64_t *highs, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++)
		if (lows[n / 2] <= highs[i] + TD_CLOCK_LATE_NS)
			return highs[i];
	return highs[n - 1];
}

/* How much too high the lower ends may be. A reading that is later than its event is early shows: its lower end
 * crosses the upper end. If that happens to none of many that would show it, readings are prompt. lows: ascending,
 * without those that are late beyond what readers are. */
static int64_t lateness(const int64_t *lows, size_t n, int64_t high)
{
	int64_t crossed = TD_MAX(lows[n - 1] - high, (int64_t)0);
	int64_t shown =
		n < WITNESSES ? TD_CLOCK_LATE_NS : TD_MAX(high - lows[n - WITNESSES], (int64_t)0);

	return TD_MIN(crossed + shown, (int64_t)TD_CLOCK_LATE_NS);
}

/* What the bounds of a stretch of time say together. lows and highs: room for n. */
static void coarse_stretch(const struct td_clock_bound *b, size_t n, const struct td_clock_fit *fit,
			   int64_t *lows, int64_t *highs, struct range *ret)
{
	int64_t high, low, met;
	size_t kept = n;

	for (size_t i = 0; i < n; i++) {
		lows[i] = b[i].low_ns - gain_of(&b[i], fit);
		highs[i] = b[i].high_ns - gain_of(&b[i], fit);
	}
	qsort(lows, n, sizeof(*lows), by_value);
	qsort(highs, n, sizeof(*highs), by_value);
	high = upper_end(lows, highs, n);
	while (kept > 1 && lows[kept - 1] > high + TD_CLOCK_LATE_NS)
		kept--;
	met = TD_MIN(lows[kept - 1], high);
	low = met - lateness(lows, kept, high);
	/* half of them say one thing and half another: both can be right */
	if (highs[(n - 1) / 2] < low)
		low = lows[0] - TD_CLOCK_LATE_NS;
	*ret = (struct range){ low, high + TD_CLOCK_TICK_NS, met + (high - met) / 2 };
}

/* How far a rate that shows from one of the stretches to the next, beyond the noise, moves the
 * offset from the middle of a stretch to its end. */
static int64_t half_a_stretch(const struct range *r, size_t n)
{
	int64_t trend = r[n - 1].best - r[0].best;

	if (n < 2 || llabs(trend) < INT64_C(2) * DRIFT_NOISE_NS)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((r[i].best > r[i - 1].best) != (trend > 0))
			return 0;
	/* the trend itself is known but for the noise at both of its ends */
	return (llabs(trend) + 2 * DRIFT_NOISE_NS) / (int64_t)(2 * (n - 1));
}

/* The range of the offset by readings of a clock that ticks, taken late. A rate too small to be fitted moves it in the
 * course of the run: it spans what the stretches of the run say, but for those that know much less than another. */
static int coarse_range(const struct td_clock_bound *b, size_t n, const struct td_clock_fit *fit,
			struct range *ret)
{
	_cleanup_free_ int64_t *lows = calloc(n, sizeof(*lows)), *highs = calloc(n, sizeof(*highs));
	size_t stretches = TD_MIN(TD_MAX(n / STRETCH_MIN, (size_t)1), (size_t)STRETCHES_MAX),
	       best = 0;
	struct range r[STRETCHES_MAX];

	if (!lows || !highs)
		return -ENOMEM;
	for (size_t s = 0; s < stretches; s++) {
		size_t from = n * s / stretches, to = n * (s + 1) / stretches;

		coarse_stretch(b + from, to - from, fit, lows, highs, &r[s]);
		if (width_of(&r[s]) < width_of(&r[best]))
			best = s;
	}
	*ret = r[best];
	for (size_t s = 0; s < stretches; s++) {
		if (width_of(&r[s]) / 2 > width_of(&r[best]))
			continue;
		ret->low = TD_MIN(ret->low, r[s].low);
		ret->high = TD_MAX(ret->high, r[s].high);
	}
	ret->low -= half_a_stretch(r, stretches);
	ret->high += half_a_stretch(r, stretches);
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
	return llabs(b->high_ns - b->low_ns) <= NARROW_NS;
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

		/* readings of two short times far apart are mostly close to each other */
		if (to->at_ns - from->at_ns >= DRIFT_MIN_SPAN_NS / 2)
			rates[nrates++] = rate(from, to);
	}
	if (nrates >= DRIFT_MIN_BOUNDS / 2) {
		qsort(rates, nrates, sizeof(*rates), by_size);
		*ret = rates[nrates / 2];
	}
	return 0;
}

static bool all_exact(const struct td_clock_bound *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!b[i].exact)
			return false;
	return true;
}

/* The bounds move by no more than their error between the first and the last one. Exact ones do not move at all. */
static double drift_error(const struct td_clock_bound *b, size_t n, int64_t error_ns)
{
	double span_ns = (double)(b[n - 1].at_ns - b[0].at_ns);

	if (all_exact(b, n))
		return 0;
	return fmin(2 * (double)error_ns / fmax(span_ns, 1), DRIFT_MAX);
}

int64_t td_clock_error(const struct td_clock_fit *fit, int64_t first_ns, int64_t last_ns)
{
	double before_ns = (double)fit->from_ns - (double)first_ns;
	double behind_ns = (double)last_ns - (double)fit->until_ns;
	double adds_ns = fit->drift_error * fmax(fmax(before_ns, behind_ns), 0);

	return fit->error_ns + (int64_t)fmin(adds_ns, DRIFT_ADDS_NS);
}

int td_clock_fit(struct td_clock_bound *b, size_t n, struct td_clock_fit *ret)
{
	struct td_clock_fit fit = { .total = n };
	struct range range = { 0 };
	int r;

	if (n == 0)
		return -ENODATA;
	qsort(b, n, sizeof(*b), by_time);
	fit.from_ns = b[0].at_ns;
	fit.until_ns = b[n - 1].at_ns;
	r = find_rate(b, n, &fit.drift);
	if (r < 0)
		return r;
	/* a rate that moves the offset by no more than the noise over the whole run does not show */
	if (fabs(fit.drift) * (double)(b[n - 1].at_ns - fit.from_ns) < 2.0 * DRIFT_NOISE_NS)
		fit.drift = 0;
	r = all_exact(b, n) ? most_overlap(b, n, &fit, &range) : coarse_range(b, n, &fit, &range);
	if (r < 0)
		return r;
	fit.offset_ns = range.best;
	fit.error_ns = TD_MAX(range.high - range.best, range.best - range.low);
	fit.drift_error = drift_error(b, n, fit.error_ns);
	for (size_t i = 0; i < n; i++) {
		int64_t o = fit.offset_ns + gain_of(&b[i], &fit);

		fit.used += o + fit.error_ns >= lowest(&b[i]) && o - fit.error_ns <= highest(&b[i]);
	}
	*ret = fit;
	return 0;
}
