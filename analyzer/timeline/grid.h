/* SPDX-License-Identifier: MIT */
/*
 * Time in bins, at several levels of detail: a grid covers a stretch of time with bins of one
 * width. The values of a series are those of all grids one after the other, so that one pass over
 * what happened fills them all.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/scan/during.h"

#define TD_GRIDS_MAX 32

struct td_grid {
	int64_t start_ns;
	int64_t width_ns; /* of a bin, at least 1 */
	size_t n; /* bins */
	size_t first; /* where they begin among the values of a series */
};

struct td_grids {
	struct td_grid items[TD_GRIDS_MAX];
	size_t n;
	size_t total; /* bins of all of them */
};

/* Adds a grid of nbins bins at most over [start_ns, end_ns). -E2BIG: there are TD_GRIDS_MAX;
 * -EINVAL: it is no stretch of time, or a longer one than 2^62 ns. */
int td_grids_add(struct td_grids *g, int64_t start_ns, int64_t end_ns, size_t nbins);

/* The end of a grid, which is that of its last bin. */
int64_t td_grid_end(const struct td_grid *g);

/* Adds amount to the bins that [start_ns, end_ns) touches, in proportion to how much of it lies in
 * each; all of it to one bin if it lasts no time. What lies outside of a grid is left out. */
void td_grids_spread(const struct td_grids *g, int64_t start_ns, int64_t end_ns, double amount,
		     double *values);

/* The bin of a time becomes value if that is more, or if the bin is unknown (NaN). */
void td_grids_most(const struct td_grids *g, int64_t ts_ns, double value, double *values);

/* Adds the length of the intervals that lies in each bin, in ns. */
void td_grids_cover(const struct td_grids *g, const struct td_during *intervals, double *values);

/* Multiplies the values of each bin by factor over its width in ns. */
void td_grids_per_width(const struct td_grids *g, double factor, double *values);

/* Adds an interval that begins no earlier than those before it. 0 or -ENOMEM. */
int td_cover_add(struct td_during *d, int64_t start_ns, int64_t end_ns);

/* What is in a or in b; ret is empty before. 0 or -ENOMEM. */
int td_cover_unite(const struct td_during *a, const struct td_during *b, struct td_during *ret);

/* What is between start_ns and end_ns and not in d; ret is empty before. 0 or -ENOMEM. */
int td_cover_others(const struct td_during *d, int64_t start_ns, int64_t end_ns,
		    struct td_during *ret);
