/* SPDX-License-Identifier: MIT */
/* What the samples of one GPU are, for the two files that deal with them: series.c collects,
 * series_bounds.c says what follows. */
#pragma once

#include <stdlib.h>

#include "store/derive/series.h"

/* What was printed about the GPU at one time. */
struct td_point {
	int64_t ts_ns; /* as printed */
	int64_t dur_ns; /* since the one before; TD_NULL: unknown */
	double sum, largest, whole; /* over processes; of the whole GPU, NaN: not told */
	unsigned processes;
	bool unsampled; /* a process was there, for which '-' was printed */
	double low, high; /* share of the period that the GPU was busy, 0 .. 1 */
	int64_t end_min_ns, end_max_ns; /* the period ends between these */
	size_t leaps; /* of this one and those before: how many did not come at the usual distance */
};

struct td_series {
	uint16_t source_id;
	const struct td_sampler *sampler;
	struct td_point *points;
	size_t n, cap;
	unsigned places; /* ways to place them, ... */
	int64_t later_ns[TD_PLACES_MAX]; /* ... each so long after the earliest one */
	bool names_processes;
	bool drifts; /* the tool is slower than its stamps can show, so that it leaves out seconds */
	int64_t cadence_ns; /* the usual distance */
	struct td_interval *stretches; /* surely sampled */
	size_t nstretches, stretches_cap;
};

/* Does its period begin where that of the one before it ends? */
static inline bool td_series_joined(const struct td_series *s, size_t i)
{
	const struct td_point *p = &s->points[i];

	return i && p->dur_ns != TD_NULL && p->ts_ns - p->dur_ns <= p[-1].ts_ns;
}

/* Stamps show a change of pace only where it is larger than what they leave open anyway. */
static inline bool td_series_leap(const struct td_series *s, const struct td_point *p)
{
	int64_t off = p->dur_ns == TD_NULL ? INT64_MAX : llabs(p->dur_ns - s->cadence_ns);

	return off > (s->sampler->after_max_ns - s->sampler->after_min_ns) / 4;
}
