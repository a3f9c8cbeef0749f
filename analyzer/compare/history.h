/* SPDX-License-Identifier: MIT */
/*
 * Is a run unlike those before it? Many values are looked at of each run, and of 100 runs that are
 * like the others 5 may be told unlike, whatever the number of values, how they are distributed and
 * how they depend on each other.
 *
 * Each value gets a score: how far it is from where the runs have it, in units of how far they
 * usually are. The score of a run is its largest one. If the run in question is like the others,
 * each of the n + 1 runs is as likely as any other to have the k-th largest score, as all are
 * scored in the same way, the one in question among them; so its score is among the largest k with
 * probability k / (n + 1): full conformal prediction (V. Vovk, A. Gammerman, G. Shafer,
 * "Algorithmic Learning in a Random World", 2005, 2.2), with the largest score over values as in
 * the single-step method of P. H. Westfall and S. S. Young ("Resampling-Based Multiple Testing",
 * 1993, 2.3).
 *
 * Runs drift: data grow, disks fill. What the values have of a straight line over the runs (H.
 * Theil, 1950, and P. K. Sen, 1968: the median of all slopes) is taken out first. That is not the
 * same for all runs (the last one bends the line more than one in the middle), so with it the rate
 * is measured, not proved: tests/unit/test-history.c generates histories with and without a trend,
 * and heavy tails.
 */
#pragma once

#include <stddef.h>

#define TD_HISTORY_LEAST 19 /* runs before; of fewer, one of 20 cannot be told */

/* What is said of one value of the last run. */
struct td_outlier {
	double expected; /* by the other runs, where this one is among them */
	double reach; /* beyond expected -+ reach p is at most alpha */
	double p; /* for all values together; NaN: the run, or too many of the others, do not have it */
	double p_alone; /* as if no other value were looked at */
};

/* values: nvalues rows, each with the value of nruns runs in the order of time, of which the last
 * one is in question; NaN: the run has none.
 * ret: nvalues of them. 0 or -ENOMEM. */
int td_history_judge(const double *values, size_t nvalues, size_t nruns, double alpha,
		     struct td_outlier *ret);
