/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/filter.h"
#include "analyzer/scan/select.h"
#include "analyzer/scan/stat_top.h"
#include "common/cleanup.h"
#include "schema/stat_math.h"

#define D(x) (1u << TD_DIM_##x)

/* What is ranked: a value of the first dimension, and of TD_DIM_WAITS where it is told apart. */
struct ranked {
	struct td_keys keys; /* lo: the first, hi: the other */
	int64_t *totals; /* owned; TD_NULL: no call had a duration */
	bool *chosen; /* owned */
};

static void ranked_done(struct ranked *r)
{
	td_keys_done(&r->keys);
	free(r->totals);
	free(r->chosen);
}

static unsigned first_dim(const struct td_stat_request *req)
{
	const struct td_relation *of = req->relation;

	for (size_t i = 0; i < of->ndims; i++)
		if (req->dims & 1u << of->dims[i].dim)
			return of->dims[i].dim;
	return TD_NDIMS;
}

static struct td_key key_of(const struct td_stat *s, unsigned first, size_t group)
{
	struct td_key key = s->keys.items[group];

	return (struct td_key){
		.lo = td_dims_part(&s->dims, first, key),
		.hi = s->dims.which & D(WAITS) ? td_dims_part(&s->dims, TD_DIM_WAITS, key) : 0,
	};
}

/* Nested calls have groups of their own where they count. */
static int add_up(const struct td_stat *s, unsigned first, struct ranked *ret)
{
	size_t n = s->keys.n;

	ret->totals = malloc((n + 1) * sizeof(*ret->totals));
	ret->chosen = calloc(n + 1, sizeof(*ret->chosen));
	if (!ret->totals || !ret->chosen || td_keys_reserve(&ret->keys, n) < 0)
		return -ENOMEM;
	for (size_t g = 0; g < n; g++) {
		int64_t total_ns = td_group_sums_get(&s->sums, g, TD_SUM_TOTAL);
		size_t before = ret->keys.n, at;

		if (td_group_sums_get(&s->sums, g, TD_SUM_CALLS) == 0)
			continue;
		at = td_keys_add(&ret->keys, key_of(s, first, g));
		ret->totals[at] =
			at == before ? total_ns : td_plus_known(ret->totals[at], total_ns);
	}
	return 0;
}

/* TD_NULL is less than any time. */
static int choose(struct ranked *r, uint64_t waits, size_t top)
{
	_cleanup_free_ int64_t *totals = malloc((r->keys.n + 1) * sizeof(*totals));
	int64_t least = TD_NULL;
	size_t n = 0;

	if (!totals)
		return -ENOMEM;
	for (size_t i = 0; i < r->keys.n; i++)
		if (r->keys.items[i].hi == waits)
			totals[n++] = r->totals[i];
	if (top > 0 && top < n)
		least = td_select(totals, n, n - top);
	for (size_t i = 0; i < r->keys.n && top > 0; i++)
		if (r->keys.items[i].hi == waits)
			r->chosen[i] = r->totals[i] >= least;
	return 0;
}

static int rank(sqlite3 *db, const struct td_stat_request *req, unsigned first, size_t top,
		struct ranked *ret, struct td_err *err)
{
	_cleanup_(td_stat_done) struct td_stat stat = { 0 };
	struct td_stat_request all = *req;
	int r;

	all.dims &= 1u << first | D(WAITS) | D(NESTED);
	all.measures = 1u << TD_MEASURE_TOTAL_NS;
	all.histograms = false;
	all.nalso = 0;
	r = td_stat_scan(db, &all, &stat, err);
	if (r == 0)
		r = add_up(&stat, first, ret);
	for (uint64_t waits = 0; waits <= 1 && r == 0; waits++)
		r = choose(ret, waits, top);
	return r;
}

/* Rows of the chosen alone, where the first dimension is an id. */
static int ask_for_chosen(const struct ranked *ranked, int column, struct td_filter_condition *ret)
{
	int r = 0;

	ret->column = (enum td_row_column)column;
	for (size_t i = 0; i < ranked->keys.n && r == 0; i++) {
		uint64_t id = ranked->keys.items[i].lo;

		if (!ranked->chosen[i])
			continue;
		ret->none |= id == 0;
		r = td_key_map_add(&ret->ids, (int64_t)id, 1);
	}
	return r;
}

static void drop_others(struct ranked *ranked, unsigned first, struct td_stat *s)
{
	size_t known = ranked->keys.n;

	for (size_t g = 0; g < s->keys.n; g++) {
		size_t at = td_keys_add(&ranked->keys, key_of(s, first, g));

		if (at >= known || !ranked->chosen[at])
			td_group_sums_drop(&s->sums, g);
	}
}

static int scan_chosen(sqlite3 *db, const struct td_stat_request *req, unsigned first,
		       struct ranked *ranked, struct td_stat *ret, struct td_err *err)
{
	struct td_filter_condition also[TD_FILTER_ALSO_MAX] = { 0 };
	struct td_stat_request some = *req;
	int column = td_dim_id_column(first), r = 0;

	if (column >= 0 && req->nalso < TD_FILTER_ALSO_MAX &&
	    td_filter_keeps_pattern((enum td_row_column)column, req->measures)) {
		for (size_t i = 0; i < req->nalso; i++)
			also[i] = req->also[i];
		some.also = also;
		some.nalso = req->nalso + 1;
		r = ask_for_chosen(ranked, column, &also[req->nalso]);
	}
	if (r == 0)
		r = td_stat_scan(db, &some, ret, err);
	if (r == 0 && td_keys_reserve(&ranked->keys, ret->keys.n) < 0)
		r = -ENOMEM;
	if (r == 0)
		drop_others(ranked, first, ret);
	if (some.nalso > req->nalso)
		td_key_map_done(&also[req->nalso].ids);
	return r;
}

int td_stat_scan_top(sqlite3 *db, const struct td_stat_request *req, size_t top,
		     struct td_stat *ret, struct td_err *err)
{
	_cleanup_(ranked_done) struct ranked ranked = { 0 };
	unsigned first = first_dim(req);
	int r;

	if (first == TD_NDIMS)
		return td_stat_scan(db, req, ret, err);
	r = rank(db, req, first, top, &ranked, err);
	return r < 0 ? r : scan_chosen(db, req, first, &ranked, ret, err);
}
