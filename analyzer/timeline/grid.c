/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <math.h>

#include "analyzer/timeline/grid.h"
#include "common/array.h"
#include "common/cleanup.h"

#define LONGEST_NS (INT64_C(1) << 62)

int td_grids_add(struct td_grids *g, int64_t start_ns, int64_t end_ns, size_t nbins)
{
	struct td_grid *grid = &g->items[g->n];
	int64_t len;

	if (g->n == TD_GRIDS_MAX)
		return -E2BIG;
	if (nbins == 0 || __builtin_sub_overflow(end_ns, start_ns, &len) || len <= 0 ||
	    len > LONGEST_NS)
		return -EINVAL;
	grid->start_ns = start_ns;
	grid->width_ns = (len - 1) / (int64_t)nbins + 1;
	grid->n = (size_t)((len - 1) / grid->width_ns + 1);
	grid->first = g->total;
	g->total += grid->n;
	g->n++;
	return 0;
}

int64_t td_grid_end(const struct td_grid *g)
{
	int64_t end_ns;

	if (__builtin_add_overflow(g->start_ns, g->width_ns * (int64_t)g->n, &end_ns))
		return INT64_MAX;
	return end_ns;
}

/* from_ns and to_ns lie in the grid, to_ns behind from_ns. */
static void spread(const struct td_grid *g, int64_t from_ns, int64_t to_ns, double per_ns,
		   double *values)
{
	int64_t at = from_ns - g->start_ns, end = to_ns - g->start_ns;

	while (at < end) {
		int64_t bin = at / g->width_ns, next = TD_MIN((bin + 1) * g->width_ns, end);

		values[g->first + (size_t)bin] += per_ns * (double)(next - at);
		at = next;
	}
}

static bool is_in(const struct td_grid *g, int64_t ts_ns)
{
	return ts_ns >= g->start_ns && ts_ns < td_grid_end(g);
}

static double *bin_of(const struct td_grid *g, int64_t ts_ns, double *values)
{
	return &values[g->first + (size_t)((ts_ns - g->start_ns) / g->width_ns)];
}

void td_grids_spread(const struct td_grids *g, int64_t start_ns, int64_t end_ns, double amount,
		     double *values)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct td_grid *grid = &g->items[i];
		int64_t from_ns = TD_MAX(start_ns, grid->start_ns);
		int64_t to_ns = TD_MIN(end_ns, td_grid_end(grid));

		if (start_ns == end_ns && is_in(grid, start_ns))
			*bin_of(grid, start_ns, values) += amount;
		else if (from_ns < to_ns)
			spread(grid, from_ns, to_ns, amount / ((double)end_ns - (double)start_ns),
			       values);
	}
}

void td_grids_most(const struct td_grids *g, int64_t ts_ns, double value, double *values)
{
	for (size_t i = 0; i < g->n; i++)
		if (is_in(&g->items[i], ts_ns)) {
			double *bin = bin_of(&g->items[i], ts_ns, values);

			if (isnan(*bin) || *bin < value)
				*bin = value;
		}
}

void td_grids_cover(const struct td_grids *g, const struct td_during *intervals, double *values)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct td_grid *grid = &g->items[i];
		int64_t end_ns = td_grid_end(grid);

		for (size_t k = 0; k < intervals->n && intervals->items[k].start_ns < end_ns; k++) {
			int64_t from_ns = TD_MAX(intervals->items[k].start_ns, grid->start_ns);
			int64_t to_ns = TD_MIN(intervals->items[k].end_ns, end_ns);

			if (from_ns < to_ns)
				spread(grid, from_ns, to_ns, 1, values);
		}
	}
}

void td_grids_per_width(const struct td_grids *g, double factor, double *values)
{
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->items[i].n; k++)
			values[g->items[i].first + k] *= factor / (double)g->items[i].width_ns;
}

/* --- intervals --- */

int td_cover_add(struct td_during *d, int64_t start_ns, int64_t end_ns)
{
	struct td_during_interval *last = d->n ? &d->items[d->n - 1] : NULL;

	if (end_ns <= start_ns)
		return 0;
	if (last && start_ns <= last->end_ns) {
		last->end_ns = TD_MAX(last->end_ns, end_ns);
		return 0;
	}
	if (td_grow(&d->items, &d->cap, d->n) < 0)
		return -ENOMEM;
	assert(d->items);
	d->items[d->n] = (struct td_during_interval){ .start_ns = start_ns, .end_ns = end_ns };
	if (d->n)
		d->items[d->n].before_ns = d->items[d->n - 1].before_ns +
					   (uint64_t)d->items[d->n - 1].end_ns -
					   (uint64_t)d->items[d->n - 1].start_ns;
	d->n++;
	return 0;
}

int td_cover_unite(const struct td_during *a, const struct td_during *b, struct td_during *ret)
{
	size_t i = 0, k = 0;
	int r = 0;

	while (r == 0 && (i < a->n || k < b->n)) {
		bool first =
			k == b->n || (i < a->n && a->items[i].start_ns <= b->items[k].start_ns);
		const struct td_during_interval *next = first ? &a->items[i++] : &b->items[k++];

		r = td_cover_add(ret, next->start_ns, next->end_ns);
	}
	return r;
}

int td_cover_others(const struct td_during *d, int64_t start_ns, int64_t end_ns,
		    struct td_during *ret)
{
	int r = 0;

	for (size_t i = 0; i < d->n && r == 0; i++) {
		r = td_cover_add(ret, start_ns, TD_MIN(d->items[i].start_ns, end_ns));
		start_ns = TD_MAX(start_ns, d->items[i].end_ns);
	}
	return r < 0 ? r : td_cover_add(ret, start_ns, end_ns);
}
