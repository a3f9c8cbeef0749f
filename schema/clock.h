/* SPDX-License-Identifier: MIT */
/*
 * The clock fit: from many statements "the offset lies between low and high" to one offset, its error
 * bar and, where the clocks run at different rates, the drift. And what is made of it: the conversion of
 * times.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From a native clock to UTC. */
struct td_shift {
	int64_t offset_ns; /* native + offset is UTC */
	double drift; /* UTC gains so much per native time; 0: none */
	int64_t drift_from_ns; /* native time at which the drift is 0 */
};

static inline int64_t td_shift_to_utc(const struct td_shift *s, int64_t native_ns)
{
	int64_t utc_ns = native_ns + s->offset_ns;

	return s->drift == 0 ? utc_ns
			     : utc_ns + llround(s->drift * (double)(native_ns - s->drift_from_ns));
}

/* The inverse, to within 1 ns. */
static inline int64_t td_shift_to_native(const struct td_shift *s, int64_t utc_ns)
{
	int64_t native_ns = utc_ns - s->offset_ns;
	double since_ns = (double)(native_ns - s->drift_from_ns);

	return s->drift == 0 ? native_ns : s->drift_from_ns + llround(since_ns / (1 + s->drift));
}

/* At native time at_ns, wall clock minus native clock was in [low_ns, high_ns]; low_ns > high_ns where
 * the reading of the wall clock came late. */
struct td_clock_bound {
	int64_t at_ns;
	int64_t low_ns, high_ns;
	bool exact; /* read with clock_gettime() between two readings of the native clock: no tick, no lateness */
};

struct td_clock_fit {
	int64_t offset_ns; /* at native time from_ns */
	int64_t error_ns; /* half width of the interval in which the offset lies */
	int64_t from_ns, until_ns; /* native times of the first and of the last bound */
	double drift; /* wall gains so much per native time; 0: none shows */
	double drift_error; /* half width of the interval in which the rate lies */
	size_t used; /* bounds that agree with the result within its error */
	size_t total;
};

/* time() reads a clock that the kernel advances once per tick: 1 to 4 ms on most machines, 10 ms at
 * CONFIG_HZ=100. So the upper end of a bound, the last event before a second, can be too low by
 * that much; it is never too low for another reason. */
#define TD_CLOCK_TICK_NS 10000000
/* Tracers read the clock when they print the event, up to some 25 ms after it; so much the lower
 * end of a bound, the first event of a second, can be too high. What is later than that was held
 * up, and says nothing. */
#define TD_CLOCK_LATE_NS 30000000

/* Fits bounds (which are reordered). Exact ones show no drift: the kernel steers all its clocks alike, and what
 * they differ by changes only when the wall clock is set. 0, -ENODATA if n is 0, -ENOMEM. */
int td_clock_fit(struct td_clock_bound *bounds, size_t n, struct td_clock_fit *ret);

/* The error from first_ns to last_ns, native times: before the first bound and behind the last one
 * a rate that the bounds leave open adds to that of the fit. */
int64_t td_clock_error(const struct td_clock_fit *fit, int64_t first_ns, int64_t last_ns);
