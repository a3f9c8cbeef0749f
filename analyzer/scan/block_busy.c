/* SPDX-License-Identifier: MIT */
/*
 * block_busy: for how long each disk had requests in progress, and how many at a time. Requests
 * come in the order of their issue; those in progress are kept as a heap of when they end (J.W.J.
 * Williams, "Heapsort", 1964), so that each moment at which their number changes is visited once,
 * in order.
 */
#include <errno.h>

#include "analyzer/scan/filter.h"
#include "analyzer/scan/in_order.h"
#include "analyzer/scan/loaded_table.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/keys.h"
#include "schema/db.h"
#include "schema/stat_math.h"

#define COLUMNS (1u << TD_ROW_START | 1u << TD_ROW_DUR | 1u << TD_ROW_DEVICE)

/* The last request of all, whenever what is asked for ends. */
#define LAST "SELECT start_ns FROM main.block_request ORDER BY id DESC LIMIT 1"

enum column { DEVICE, WALL, BUSY, IN_PROGRESS, QUEUE_MAX, SINCE, UNTIL, PHASE };
enum arg { ARG_SINCE, ARG_UNTIL, ARG_PHASE };

struct disk {
	int64_t *ends; /* owned; a heap, the first one ends next */
	size_t n, cap;
	int64_t at_ns; /* up to here it was looked at */
	size_t range; /* first of the filter that may end behind at_ns */
	int64_t busy_ns, in_progress_ns;
	int64_t queue_max;
};

struct disks {
	struct td_filter
		filter; /* its ranges are the time that is looked at; requests from before last into it */
	struct td_keys keys; /* device_id */
	struct disk *items; /* owned; as many as keys */
	size_t cap;
	int64_t first_ns, last_ns; /* of all disks: TD_NULL without requests */
	int64_t wall_ns;
};

/* --- requests in progress --- */

static void sift_up(int64_t *heap, size_t i)
{
	int64_t v = heap[i];

	for (size_t above; i > 0 && heap[above = (i - 1) / 2] > v; i = above)
		heap[i] = heap[above], heap[above] = v;
}

static void drop_first(int64_t *heap, size_t n)
{
	int64_t v = heap[n - 1];
	size_t i = 0, below;

	while ((below = 2 * i + 1) < n - 1) {
		if (below + 1 < n - 1 && heap[below + 1] < heap[below])
			below++;
		if (heap[below] >= v)
			break;
		heap[i] = heap[below];
		i = below;
	}
	heap[i] = v;
}

/* How much of the time from the disk's last change to ns is looked at. */
static int64_t looked_at(const struct td_filter *f, struct disk *d, int64_t ns)
{
	int64_t sum = 0;

	while (d->range < f->nranges && f->ranges[d->range].end_ns <= d->at_ns)
		d->range++;
	for (size_t i = d->range; i < f->nranges && f->ranges[i].start_ns < ns; i++)
		sum += TD_MIN(f->ranges[i].end_ns, ns) - TD_MAX(f->ranges[i].start_ns, d->at_ns);
	return sum;
}

/* The number of requests in progress stays as it is until ns. */
static void go_on(const struct td_filter *f, struct disk *d, int64_t ns)
{
	int64_t len_ns, sum_ns;

	if (d->n && ns > d->at_ns) {
		len_ns = looked_at(f, d, ns);
		if (len_ns > 0)
			d->queue_max = TD_MAX(d->queue_max, (int64_t)d->n);
		if (__builtin_mul_overflow(len_ns, (int64_t)d->n, &sum_ns))
			sum_ns = INT64_MAX;
		d->busy_ns = td_plus(d->busy_ns, len_ns);
		d->in_progress_ns = td_plus(d->in_progress_ns, sum_ns);
	}
	d->at_ns = TD_MAX(d->at_ns, ns);
}

/* Those that end by then end; one that ends when another begins is not in progress with it. */
static void end_until(const struct td_filter *f, struct disk *d, int64_t ns)
{
	while (d->n && d->ends[0] <= ns) {
		go_on(f, d, d->ends[0]);
		drop_first(d->ends, d->n--);
	}
}

static int begin(const struct td_filter *f, struct disk *d, int64_t start_ns, int64_t end_ns)
{
	end_until(f, d, start_ns);
	go_on(f, d, start_ns);
	if (td_grow(&d->ends, &d->cap, d->n) < 0)
		return -ENOMEM;
	d->ends[d->n++] = end_ns;
	sift_up(d->ends, d->n - 1);
	return 0;
}

/* --- all requests --- */

static int find_disk(struct disks *all, int64_t device_id, struct disk **ret)
{
	size_t before = all->keys.n, i;

	if (td_keys_reserve(&all->keys, 1) < 0 || td_grow(&all->items, &all->cap, before) < 0)
		return -ENOMEM;
	i = td_keys_add(&all->keys, (struct td_key){ (uint64_t)device_id, 0 });
	if (i == before)
		all->items[i] = (struct disk){ .at_ns = INT64_MIN };
	*ret = &all->items[i];
	return 0;
}

static int add_request(void *arg, const struct td_row_batch *b, size_t row)
{
	struct disks *all = arg;
	int64_t start_ns = b->columns[TD_ROW_START][row], dur_ns = b->columns[TD_ROW_DUR][row];
	int64_t end_ns = td_plus(start_ns, TD_MAX(dur_ns, 0)); /* TD_NULL is the smallest number */
	struct disk *d;
	int r = find_disk(all, b->columns[TD_ROW_DEVICE][row], &d);

	if (r < 0)
		return r;
	if (all->first_ns == TD_NULL)
		all->first_ns = start_ns;
	all->last_ns = TD_MAX(all->last_ns, end_ns);
	return dur_ns > 0 ? begin(&all->filter, d, start_ns, end_ns) : 0;
}

static int find_last(sqlite3 *db, struct disks *all, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, LAST, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		all->last_ns = TD_MAX(all->last_ns, sqlite3_column_int64(stmt, 0));
	return rc == SQLITE_ROW || rc == SQLITE_DONE
		       ? 0
		       : td_db_error(db, rc, err, "cannot find the last request");
}

static void finish(struct disks *all)
{
	for (size_t i = 0; i < all->keys.n; i++)
		end_until(&all->filter, &all->items[i], INT64_MAX);
	for (size_t i = 0; i < all->filter.nranges && all->first_ns != TD_NULL; i++) {
		int64_t from = TD_MAX(all->filter.ranges[i].start_ns, all->first_ns),
			to = TD_MIN(all->filter.ranges[i].end_ns, all->last_ns);

		all->wall_ns += TD_MAX(to - from, INT64_C(0));
	}
}

static void free_disks(void *rows)
{
	struct disks *all = rows;

	for (size_t i = 0; i < all->keys.n; i++)
		free(all->items[i].ends);
	free(all->items);
	td_keys_done(&all->keys);
	td_filter_done(&all->filter);
	free(all);
}

static int load_disks(sqlite3 *db, sqlite3_value *const *args, size_t by, void **ret, size_t *nrows,
		      struct td_err *err)
{
	struct td_stat_request asked = { .relation = td_relation_find("block_stat"),
					 .since_ns = td_loaded_int(args[ARG_SINCE]),
					 .until_ns = td_loaded_int(args[ARG_UNTIL]),
					 .phase = td_loaded_text(args[ARG_PHASE]),
					 .pid = TD_NULL };
	struct disks *all = calloc(1, sizeof(*all));
	int r;

	(void)by;
	*ret = all;
	if (!all)
		return -ENOMEM;
	all->first_ns = all->last_ns = TD_NULL;
	r = td_filter_load(db, &asked, &all->filter, err);
	asked.since_ns = TD_NULL;
	asked.phase = NULL;
	if (r == 0 && all->filter.nranges)
		asked.until_ns = all->filter.ranges[all->filter.nranges - 1].end_ns;
	if (r == 0 && all->filter.nranges)
		r = td_rows_in_order(db, &asked, COLUMNS, add_request, all, err);
	if (r == 0)
		r = find_last(db, all, err);
	if (r == 0)
		finish(all);
	*nrows = r == 0 ? all->keys.n : 0;
	return r;
}

static void disk_value(void *rows, size_t row, int column, sqlite3_context *ctx)
{
	const struct disks *all = rows;
	const struct disk *d = &all->items[row];
	bool any = d->queue_max > 0;
	const int64_t values[] = {
		[DEVICE] = (int64_t)all->keys.items[row].lo,
		[WALL] = all->wall_ns,
		[BUSY] = any ? d->busy_ns : TD_NULL,
		[IN_PROGRESS] = any ? d->in_progress_ns : TD_NULL,
		[QUEUE_MAX] = any ? d->queue_max : TD_NULL,
	};

	td_loaded_known(ctx, values[column]);
}

const struct td_loaded_kind td_block_busy_kind = {
	.name = "block_busy",
	.columns = "device_id INTEGER, wall_ns INTEGER, busy_ns INTEGER, in_progress_ns INTEGER, "
		   "queue_max INTEGER, since_ns INTEGER, until_ns INTEGER, in_phase TEXT",
	.args = { TD_LOADED_WHEN(SINCE, UNTIL, PHASE) },
	.load = load_disks,
	.value = disk_value,
	.free = free_disks,
};
