/* SPDX-License-Identifier: MIT */
/* The table of what was in progress, against a count of each nanosecond. */
#include <stdlib.h>

#include "store/derive/io_table.h"
#include "tests/unit/check.h"

#define TIME 200
#define USED_LAYERS 3

static const int used_layers[USED_LAYERS] = { TD_IO_CALLS, TD_IO_CAUSE + TD_CAUSE_READ,
					      TD_IO_ANY_CAUSE };

/* Intervals in order, with gaps; busy: each nanosecond in them. */
static void random_intervals(struct td_meter *m, bool busy[TIME])
{
	for (int at = rand() % 9; at < TIME;) {
		int length = 1 + rand() % 9;
		int end = TD_MIN(at + length, TIME);

		td_meter_add(m, at, end);
		for (; at < end; at++)
			busy[at] = true;
		at += rand() % 9;
	}
}

static int64_t counted(const bool busy[TIME], int64_t from, int64_t to)
{
	int64_t n = 0;

	for (int64_t i = from; i < to; i++)
		n += busy[i];
	return n;
}

/* The last one that is not behind the time, found by looking at each. */
static size_t found(const int64_t *points, size_t n, int64_t ns)
{
	size_t ret = 0;

	for (size_t i = 0; i < n && points[i] <= ns; i++)
		ret = i;
	return ret;
}

static void check_table(const struct td_io_table *t, bool busy[TD_IO_LAYERS][TIME])
{
	for (int i = 0; i < 200; i++) {
		size_t from = (size_t)rand() % t->npoints, to = (size_t)rand() % t->npoints;
		int64_t got[TD_IO_LAYERS], ns = rand() % TIME;

		TD_CHECK_INT(td_io_table_find(t, (size_t)rand() % (t->npoints + 1), ns),
			     found(t->points, t->npoints, ns));
		if (from > to)
			continue;
		td_io_table_between(t, t->points[from], t->points[to], got);
		for (int l = 0; l < TD_IO_LAYERS; l++)
			TD_CHECK_INT(got[l], counted(busy[l], t->points[from], t->points[to]));
	}
}

static void check_random(void)
{
	bool busy[TD_IO_LAYERS][TIME] = { 0 };
	struct td_meter meters[TD_IO_LAYERS];
	struct td_io_table t;
	int64_t points[TIME];
	size_t n = 0;

	for (int i = 0; i <= TIME - 1; i++)
		if (i == 0 || rand() % 3 == 0)
			points[n++] = i;
	for (int l = 0; l < TD_IO_LAYERS; l++)
		(void)td_meter_init(&meters[l], points, n);
	for (int l = 0; l < USED_LAYERS; l++)
		random_intervals(&meters[used_layers[l]], busy[used_layers[l]]);
	for (int l = 0; l < TD_IO_LAYERS; l++)
		td_meter_finish(&meters[l]);
	TD_CHECK_INT(td_io_table_init(&t, meters), 0);
	TD_CHECK_INT(td_io_table_layers(&t), USED_LAYERS + 1);
	check_table(&t, busy);
	td_io_table_done(&t);
}

int main(void)
{
	srand(1);
	for (int i = 0; i < 100; i++)
		check_random();
	return td_check_result();
}
