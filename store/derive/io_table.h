/* SPDX-License-Identifier: MIT */
/*
 * How long I/O of each layer was in progress before each of many points of time: rows of numbers,
 * one after the other, so that what is asked of two points is in two places of the memory. A layer
 * of which nothing ever was in progress takes no room.
 */
#pragma once

#include "common/cleanup.h"
#include "store/derive/meter.h"
#include "store/derive/overlap.h"

struct td_io_table {
	const int64_t *points; /* ascending; borrowed */
	size_t npoints;
	unsigned nused; /* layers of which something was in progress */
	uint8_t at[TD_IO_LAYERS]; /* where each is in a row; nused: nothing was */
	int64_t *ns; /* by point, then by used layer; owned */
};

/* From meters of the same points, which were finished; their memory is freed. 0 or -ENOMEM. */
int td_io_table_init(struct td_io_table *t, struct td_meter meters[TD_IO_LAYERS]);
void td_io_table_done(struct td_io_table *t);

/* The last point at or before the time; the first one if there is none. The search begins at
 * 'near', and takes the logarithm of how far it is from there, if it is not before it. */
size_t td_io_table_find(const struct td_io_table *t, size_t near, int64_t ns);

/* The used layers, and one more for all others, if there are any. */
static inline unsigned td_io_table_layers(const struct td_io_table *t)
{
	return TD_MIN(t->nused + 1, (unsigned)TD_IO_LAYERS);
}

/* What was in progress between two points, by their positions: of the used layers, and 0 behind them. */
void td_io_table_used(const struct td_io_table *t, size_t from, size_t to,
		      int64_t ret[TD_IO_LAYERS + 1]);

/* The same of all layers, between two times; what is no point counts as the next one before it. */
void td_io_table_between(const struct td_io_table *t, int64_t from_ns, int64_t to_ns,
			 int64_t ret[TD_IO_LAYERS]);
