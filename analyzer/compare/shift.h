/* SPDX-License-Identifier: MIT */
/*
 * By how much two sets of samples differ, by their ranks: nothing is assumed of how they are
 * distributed, and a sample that is far off counts no more than any other that is on its side. The
 * methods are those of M. Hollander, D. A. Wolfe, E. Chicken, "Nonparametric Statistical Methods",
 * 3rd edition: Wilcoxon's rank sum (4.1) and signed ranks (3.1), the estimates of Hodges and
 * Lehmann (4.2, 3.2) and the intervals that belong to them (4.3, 3.3).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Up to so many samples p is exact; of more it is the normal approximation. */
#define TD_SHIFT_EXACT 50

struct td_shift {
	double shift; /* by so much the second set is larger: the median of all differences */
	double low,
		high; /* where it is with 95 % confidence; infinite where so few samples do not tell */
	double p; /* how often chance alone makes them differ so much or more, if nothing changed */
	double least_p; /* the least that so many samples can give */
	double effect; /* -1: every sample of the second set is below those of the first, 1: above (Cliff's delta) */
};

/* Of samples that have nothing to do with each other. Both arrays are sorted in place. 0 or -ENOMEM; na, nb > 0. */
int td_shift_unpaired(double *a, size_t na, double *b, size_t nb, struct td_shift *ret);

/* Of samples a[i] and b[i] that are of the same round of two runs. effect is the rank-biserial correlation. n > 0. */
int td_shift_paired(const double *a, const double *b, size_t n, struct td_shift *ret);

/* Of n > 0 values, which are sorted in place. */
double td_shift_median(double *v, size_t n);

/* Holm's method (S. Holm, "A simple sequentially rejective multiple test procedure", 1979): from p
 * of n tests to p for all of them together, in place. What is at most alpha then is told wrongly
 * with probability alpha, of all tests together. 0 or -ENOMEM. */
int td_shift_holm(double *p, size_t n);
