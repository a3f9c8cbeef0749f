/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include "store/derive/io_table.h"
#include "common/cleanup.h"

static void put_column(struct td_io_table *t, const struct td_meter *m, unsigned column)
{
	for (size_t i = 0; i < t->npoints; i++)
		t->ns[i * t->nused + column] = m->ns[i];
}

int td_io_table_init(struct td_io_table *t, struct td_meter meters[TD_IO_LAYERS])
{
	*t = (struct td_io_table){ .points = meters[0].points, .npoints = meters[0].n };
	for (int l = 0; l < TD_IO_LAYERS; l++)
		t->nused += meters[l].any;
	t->ns = calloc(t->npoints * t->nused + 1, sizeof(*t->ns));
	if (!t->ns)
		return -ENOMEM;
	for (unsigned l = 0, used = 0; l < TD_IO_LAYERS; l++) {
		t->at[l] = (uint8_t)(meters[l].any ? used : t->nused);
		if (meters[l].any)
			put_column(t, &meters[l], used++);
		td_meter_done(&meters[l]);
	}
	return 0;
}

void td_io_table_done(struct td_io_table *t)
{
	free(t->ns);
	t->ns = NULL;
}

size_t td_io_table_find(const struct td_io_table *t, size_t near, int64_t ns)
{
	size_t low = 0, high = t->npoints;

	if (near < t->npoints && t->points[near] <= ns) {
		size_t step = 1;

		low = near;
		while (low + step < t->npoints && t->points[low + step] <= ns) {
			low += step;
			step *= 2;
		}
		high = TD_MIN(low + step, t->npoints);
	}
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (t->points[middle] <= ns)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void td_io_table_used(const struct td_io_table *t, size_t from, size_t to,
		      int64_t ret[TD_IO_LAYERS + 1])
{
	ret[t->nused] = 0;
	for (unsigned i = 0; i < t->nused; i++)
		ret[i] = t->ns[to * t->nused + i] - t->ns[from * t->nused + i];
}

void td_io_table_between(const struct td_io_table *t, int64_t from_ns, int64_t to_ns,
			 int64_t ret[TD_IO_LAYERS])
{
	size_t from = td_io_table_find(t, 0, from_ns), to = td_io_table_find(t, from, to_ns);
	int64_t used[TD_IO_LAYERS + 1];

	td_io_table_used(t, from, to, used);
	for (int l = 0; l < TD_IO_LAYERS; l++)
		ret[l] = used[t->at[l]];
}
