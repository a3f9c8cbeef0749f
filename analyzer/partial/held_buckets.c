/* SPDX-License-Identifier: MIT */
/* Sums by how long calls took, or how much they transferred: bucket_stat, which has few groupings. */
#include "analyzer/partial/held.h"
#include "analyzer/partial/held_private.h"
#include "common/cleanup.h"
#include "schema/series.h"

#define M(x) (1u << TD_MEASURE_##x)
#define D(x) (1u << TD_DIM_##x)

#define HELD (M(COUNT) | M(BYTES) | M(TOTAL_NS))

/* Keys: the id; above 64 bits the number of the verb, and of the bucket. */
#define ID_BITS 32
#define BUCKET_SHIFT (3 * ID_BITS)
#define BUCKET_BITS 16

static const struct grouping {
	const char *by;
	bool io;
	unsigned dims;
	enum td_dim key, bucket;
} groupings[] = {
	{ "op,latency", false, D(OP) | D(LATENCY), TD_DIM_OP, TD_DIM_LATENCY },
	{ "op,size", false, D(OP) | D(SIZE), TD_DIM_OP, TD_DIM_SIZE },
	{ "template,verb,size", true, D(TEMPLATE) | D(VERB) | D(SIZE), TD_DIM_TEMPLATE,
	  TD_DIM_SIZE },
	{ "process,verb,size", true, D(PROCESS) | D(VERB) | D(SIZE), TD_DIM_PROCESS, TD_DIM_SIZE },
};

enum { COLUMN_KEY, COLUMN_VERB, COLUMN_LOW, COLUMN_SUMS };
static const enum td_sum sums[] = { TD_SUM_CALLS, TD_SUM_BYTES, TD_SUM_TOTAL };

/* Of the whole run, and one that there is; NULL: it is not. */
static const struct grouping *find_grouping(const struct td_stat_request *req)
{
	if (strcmp(req->relation->table, "call") != 0 || req->measures & ~HELD ||
	    req->since_ns != TD_NULL || req->until_ns != TD_NULL || req->pid != TD_NULL ||
	    req->phase || req->process || req->file || req->nalso)
		return NULL;
	for (size_t i = 0; i < TD_ARRAY_SIZE(groupings); i++)
		if (groupings[i].dims == req->dims && groupings[i].io == req->relation->io_only)
			return &groupings[i];
	return NULL;
}

static void begin_dims(struct td_dims *d, const struct grouping *g)
{
	d->which = g->dims;
	d->width[g->key] = ID_BITS;
	d->shift[TD_DIM_VERB] = 2 * ID_BITS;
	d->width[TD_DIM_VERB] = g->dims & D(VERB) ? ID_BITS : 0;
	d->shift[g->bucket] = BUCKET_SHIFT;
	d->width[g->bucket] = BUCKET_BITS;
}

/* From 1; 0: the value is not known; -1: there is no such bucket. */
static int64_t bucket_of(const struct grouping *g, int64_t low)
{
	bool of_size = g->bucket == TD_DIM_SIZE;
	unsigned bucket;

	if (low == TD_NULL || low < 0)
		return low == TD_NULL ? 0 : -1;
	bucket = of_size ? td_size_bucket(low) : td_latency_bucket(low);
	return (of_size ? td_size_low(bucket) : td_latency_low(bucket)) == low ? 1 + (int64_t)bucket
									       : -1;
}

struct reading {
	const struct grouping *g;
	struct td_stat *stat;
	int64_t calls; /* that have been met */
};

/* Of td_held_each(). */
static int add_row(void *arg, const struct td_cell *cells)
{
	struct reading *r = arg;
	struct td_stat *stat = r->stat;
	int64_t id = cells[COLUMN_KEY].number == TD_NULL ? 0 : cells[COLUMN_KEY].number;
	int64_t bucket = bucket_of(r->g, cells[COLUMN_LOW].number);
	int64_t verb = r->g->dims & D(VERB)
			       ? td_held_label(&stat->dims.labels[TD_DIM_VERB],
					       cells[COLUMN_VERB].text, cells[COLUMN_VERB].len)
			       : 0;
	size_t before = stat->keys.n, group;

	if (verb < 0 || td_keys_reserve(&stat->keys, 1) < 0)
		return -ENOMEM;
	if (id < 0 || id > UINT32_MAX || bucket < 0)
		return 0;
	group = td_keys_add(
		&stat->keys,
		(struct td_key){ .lo = (uint64_t)id,
				 .hi = (uint64_t)verb | (uint64_t)bucket << (BUCKET_SHIFT - 64) });
	if (group < before)
		return 0;
	if (td_group_sums_resize(&stat->sums, stat->keys.n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < TD_ARRAY_SIZE(sums); i++)
		if (stat->sums.place[sums[i]] >= 0)
			stat->sums.rows[group * stat->sums.nplaces +
					(size_t)stat->sums.place[sums[i]]] =
				cells[COLUMN_SUMS + i].number;
	r->calls = td_plus(r->calls, cells[COLUMN_SUMS].number);
	return 1;
}

/* 1: all of it is held; 0, or -errno with a message; -EOPNOTSUPP: only SQLite can read it. */
static int try(sqlite3 *db, const struct td_stat_request *req, const struct grouping *g, bool pages,
	       struct td_stat *ret, struct td_err *err)
{
	_cleanup_(td_stat_done) struct td_stat stat = { 0 };
	const struct td_records records = {
		.table = "bucket_stat", .columns = { 1, 2, 3, 4, 5, 6 }, .n = 6, .first = g->by
	};
	const struct td_held_from from = { pages ? &records : NULL,
					   "SELECT key_id, verb, low, calls, done_bytes, total_ns"
					   " FROM bucket_stat WHERE by = ?1",
					   g->by };
	struct reading reading = { g, &stat, 0 };
	int64_t all = 0;
	int r = td_held_calls(db, g->io, &all, err);

	if (r < 0)
		return r;
	begin_dims(&stat.dims, g);
	td_group_sums_init(&stat.sums, req->measures);
	r = td_held_each(db, &from, add_row, &reading, err);
	if (r < 1 || reading.calls != all)
		return TD_MIN(r, 0);
	*ret = stat;
	stat = (struct td_stat){ 0 };
	return 1;
}

int td_held_buckets(sqlite3 *db, const struct td_stat_request *req, struct td_stat *ret,
		    struct td_err *err)
{
	const struct grouping *g = find_grouping(req);
	int r = g ? try(db, req, g, true, ret, err) : 0;

	return r == -EOPNOTSUPP ? try(db, req, g, false, ret, err) : r;
}
