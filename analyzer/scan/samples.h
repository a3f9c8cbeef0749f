/* SPDX-License-Identifier: MIT */
/* Samples one after the other, and means of them in which each counts for as long as it is. */
#pragma once

#include <math.h>

#include "analyzer/scan/dims.h"

struct td_sample_row {
	uint32_t track; /* what the map of tracks has for it */
	int64_t ts_ns, dur_ns; /* TD_NULL: unknown */
	double value; /* NaN: unknown */
};

/* Calls fn with the samples of the tracks that the map has, in the order of their times. req says
 * only from when to when, and in which phase. 0, what fn returned if that is negative, or -errno
 * with a message. */
int td_samples_each(sqlite3 *db, const struct td_stat_request *req, const struct td_key_map *tracks,
		    int (*fn)(void *arg, const struct td_sample_row *s), void *arg,
		    struct td_err *err);

/* Samples whose length is not known count as much as the mean of the others: they are added up apart. */
struct td_weighted {
	double sum, weight;
	double rest, nrest;
};

static inline void td_weighted_add(struct td_weighted *w, int64_t dur_ns, double value)
{
	if (isnan(value))
		return;
	if (dur_ns == TD_NULL) {
		w->rest += value;
		w->nrest += 1;
	} else {
		w->sum += (double)dur_ns * value;
		w->weight += (double)dur_ns;
	}
}

/* length: that of a sample where it is not known. NaN: there are none, or they have no length. */
static inline double td_weighted_mean(const struct td_weighted *w, double length)
{
	double weight = w->weight + length * w->nrest;

	return weight > 0 ? (w->sum + length * w->rest) / weight : NAN;
}

/* The larger one; NaN is none. */
static inline double td_larger(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}
