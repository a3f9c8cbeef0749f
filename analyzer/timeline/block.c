/* SPDX-License-Identifier: MIT */
/* Requests to the disks: bytes per second, how long they took, and when a disk reads. */
#include <math.h>

#include "analyzer/timeline/timeline_private.h"

#define REQUESTS                                                                                   \
	"SELECT start_ns, dur_ns, op, bytes, process_id FROM block_request WHERE start_ns IS NOT " \
	"NULL "                                                                                    \
	"ORDER BY id"

/* The bins of the two lanes. */
struct lanes {
	struct td_lane *rate, *latency;
	double *read, *write, *mean, *most, *count; /* count is owned, the others are the lanes' */
};

static int add_lanes(struct td_filling *f, struct lanes *l)
{
	l->rate = td_filling_lane(f, "block", "block", "Disks", TD_LANE_AREAS, TD_LANE_BYTES_PER_S);
	l->latency =
		td_filling_lane(f, "latency", "latency", "Disk latency", TD_LANE_LINES, TD_LANE_NS);
	if (!l->rate || !l->latency)
		return -ENOMEM;
	l->read = td_filling_series(f, l->rate, TD_HUE_READ, "read");
	l->write = td_filling_series(f, l->rate, TD_HUE_WRITE, "written");
	l->most = td_filling_series(f, l->latency, TD_HUE_MOST, "longest");
	l->mean = td_filling_series(f, l->latency, TD_HUE_MEAN, "mean");
	l->count = calloc(f->t->grids.total + 1, sizeof(*l->count));
	if (!l->read || !l->write || !l->most || !l->mean || !l->count)
		return -ENOMEM;
	for (size_t i = 0; i < f->t->grids.total; i++)
		l->most[i] = NAN;
	return 0;
}

static int add_request(struct td_filling *f, sqlite3_stmt *stmt, const struct lanes *l)
{
	const struct td_grids *g = &f->t->grids;
	int64_t start_ns = sqlite3_column_int64(stmt, 0), dur_ns = sqlite3_column_int64(stmt, 1);
	int64_t end_ns = td_plus(start_ns, TD_MAX(dur_ns, 0));
	int op = sqlite3_column_int(stmt, 2);

	if (op < 2)
		td_grids_spread(g, start_ns, end_ns, sqlite3_column_double(stmt, 3),
				op == 0 ? l->read : l->write);
	if (sqlite3_column_type(stmt, 1) == SQLITE_NULL)
		return 0;
	td_grids_spread(g, start_ns, start_ns, (double)dur_ns, l->mean);
	td_grids_spread(g, start_ns, start_ns, 1, l->count);
	td_grids_most(g, start_ns, (double)dur_ns, l->most);
	return op == 0 ? td_filling_causes_add(f, TD_IDLE_DISK_READ, sqlite3_column_int64(stmt, 4),
					       start_ns, end_ns)
		       : 0;
}

/* They were looked at from the first to the last. */
static int finish(struct td_filling *f, struct lanes *l, int64_t first_ns, int64_t last_ns)
{
	_cleanup_(td_during_done) struct td_during looked = { 0 };
	int r = td_cover_add(&looked, first_ns, last_ns);

	td_grids_per_width(&f->t->grids, TD_SEC_NS, l->read);
	td_grids_per_width(&f->t->grids, TD_SEC_NS, l->write);
	for (size_t i = 0; i < f->t->grids.total; i++)
		l->mean[i] /= l->count[i]; /* none: NaN */
	if (r == 0)
		r = td_filling_gaps(f, l->rate, &looked);
	return r < 0 ? r : td_filling_gaps(f, l->latency, &looked);
}

int td_fill_block(struct td_filling *f, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	struct lanes l = { 0 };
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
	int r = td_filling_prepare(f, REQUESTS, &stmt, err);

	while (r == 0 && (r = td_filling_step(f, stmt, err)) == 1) {
		int64_t start_ns = sqlite3_column_int64(stmt, 0);

		r = l.rate ? 0 : add_lanes(f, &l);
		if (r == 0)
			r = add_request(f, stmt, &l);
		first_ns = TD_MIN(first_ns, start_ns);
		last_ns = TD_MAX(last_ns, td_plus(start_ns, sqlite3_column_int64(stmt, 1)));
	}
	if (r == 0 && l.rate)
		r = finish(f, &l, first_ns, last_ns);
	free(l.count);
	return r;
}
