/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "common/cleanup.h"
#include "schema/clock.h"

#define DRIFT_MIN_SPAN_NS                                                                          \
	INT64_C(600000000000) /* ten minutes: less shows no rate through 4 ms of noise */
#define DRIFT_MIN_BOUNDS 16
#define NARROW_NS 20000000 /* bounds of up to 20 ms locate a tick well enough to see a trend */

/* Where an interval begins or ends, for the sweep. */
struct edge {
	int64_t at;
	int step; /* +1 begin, -1 end */
};

static int by_place(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return y->step - x->step; /* begins first: intervals that touch overlap */
}

/* The stretch that most intervals contain, [*ret_low, *ret_high], after taking the drift out. Late
 * readings make single bounds wrong, so the largest agreement counts, not the intersection. */
static int most_overlap(const struct td_clock_bound *b, size_t n, double drift, int64_t from_ns,
			int64_t *ret_low, int64_t *ret_high)
{
	_cleanup_free_ struct edge *edges = calloc(n * 2, sizeof(*edges));
	int depth = 0, best = 0;

	if (!edges)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		int64_t gain = (int64_t)(drift * (double)(b[i].at_ns - from_ns));

		edges[2 * i] = (struct edge){ TD_MIN(b[i].low_ns, b[i].high_ns) - gain, 1 };
		edges[2 * i + 1] = (struct edge){ TD_MAX(b[i].low_ns, b[i].high_ns) - gain, -1 };
	}
	qsort(edges, n * 2, sizeof(*edges), by_place);
	for (size_t i = 0; i + 1 < n * 2; i++) {
		depth += edges[i].step;
		if (depth > best) {
			best = depth;
			*ret_low = edges[i].at;
			*ret_high = edges[i + 1].at;
		}
	}
	return 0;
}

/* Rate of the middles of the narrow bounds by least squares, 0 if they are too few or too close. */
static double slope(const struct td_clock_bound *b, size_t n)
{
	double sx = 0, sy = 0, sxx = 0, sxy = 0, k = 0;
	int64_t x0 = 0, y0 = 0, first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		double x, y;

		if (b[i].high_ns - b[i].low_ns > NARROW_NS ||
		    b[i].low_ns - b[i].high_ns > NARROW_NS)
			continue;
		if (k == 0) {
			x0 = b[i].at_ns;
			y0 = b[i].low_ns;
		}
		x = (double)(b[i].at_ns - x0);
		y = (double)(b[i].low_ns / 2 - y0 / 2 + b[i].high_ns / 2 - y0 / 2);
		k++;
		sx += x;
		sy += y;
		sxx += x * x;
		sxy += x * y;
		first = TD_MIN(first, b[i].at_ns);
		last = TD_MAX(last, b[i].at_ns);
	}
	if (k < DRIFT_MIN_BOUNDS || last - first < DRIFT_MIN_SPAN_NS || k * sxx - sx * sx <= 0)
		return 0;
	return (k * sxy - sx * sy) / (k * sxx - sx * sx);
}

int td_clock_fit(struct td_clock_bound *b, size_t n, struct td_clock_fit *ret)
{
	struct td_clock_fit fit = { .total = n, .from_ns = INT64_MAX };
	int64_t low = 0, high = 0, last = INT64_MIN;
	int r;

	if (n == 0)
		return -ENODATA;
	for (size_t i = 0; i < n; i++) {
		fit.from_ns = TD_MIN(fit.from_ns, b[i].at_ns);
		last = TD_MAX(last, b[i].at_ns);
	}
	fit.drift = slope(b, n);
	/* a rate that moves the offset by no more than the noise over the whole run does not show */
	if (fabs(fit.drift) * (double)(last - fit.from_ns) < 2.0 * TD_CLOCK_TICK_NS)
		fit.drift = 0;
	r = most_overlap(b, n, fit.drift, fit.from_ns, &low, &high);
	if (r < 0)
		return r;
	fit.offset_ns = low + (high - low) / 2;
	fit.error_ns = (high - low) / 2 + TD_CLOCK_TICK_NS;
	for (size_t i = 0; i < n; i++) {
		int64_t o =
			fit.offset_ns + (int64_t)(fit.drift * (double)(b[i].at_ns - fit.from_ns));

		fit.used += o >= TD_MIN(b[i].low_ns, b[i].high_ns) - fit.error_ns &&
			    o <= TD_MAX(b[i].low_ns, b[i].high_ns) + fit.error_ns;
	}
	*ret = fit;
	return 0;
}
