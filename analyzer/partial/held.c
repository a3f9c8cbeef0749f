/* SPDX-License-Identifier: MIT */
#include "analyzer/partial/held.h"
#include "analyzer/partial/held_private.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "schema/series.h"

#define M(x) (1u << TD_MEASURE_##x)
#define D(x) (1u << TD_DIM_##x)

const unsigned td_held_of_nested = M(COUNT) | M(ERRORS) | M(TIMED) | M(BYTES) | M(TOTAL_NS) |
				   M(MIN_NS) | M(MAX_NS) | TD_MEASURES_PERCENTILES;

#define OF_OPS                                                                                     \
	(td_held_of_nested | M(STDDEV_NS) | M(FIRST_NS) | M(LAST_NS) | M(NESTED_CALLS) |           \
	 M(UNFINISHED))

/* The key of a group: the operation, and a bit above it for nested calls. */
#define OP_BITS 32
#define OF_NESTED (UINT64_C(1) << OP_BITS)

#define OPS_MAX (1 << 20) /* ids are dense; what a file says may be anything */

/* Rows of both have the columns in this order, those of the sums last. */
#define OPS                                                                                        \
	"SELECT op_id, stddev_ns, calls, errors, timed, done_bytes, total_ns, min_ns, max_ns, "    \
	"first_ns, last_ns, nested_calls, unfinished FROM op_stat WHERE by = 'op'"
#define NESTED                                                                                     \
	"SELECT op_id, NULL, calls, errors, timed, done_bytes, total_ns, min_ns, max_ns, NULL, "   \
	"NULL, 0, 0 FROM nested_stat WHERE by = 'op'"
enum {
	COLUMN_OP,
	COLUMN_STDDEV,
	COLUMN_CALLS,
	COLUMN_TIMED = COLUMN_CALLS + 2,
	COLUMN_TOTAL = COLUMN_CALLS + 4
};
static const enum td_sum sums[] = { TD_SUM_CALLS, TD_SUM_ERRORS, TD_SUM_TIMED,     TD_SUM_BYTES,
				    TD_SUM_TOTAL, TD_SUM_MIN,    TD_SUM_MAX,       TD_SUM_FIRST,
				    TD_SUM_LAST,  TD_SUM_NESTED, TD_SUM_UNFINISHED };

struct op_durations {
	struct td_histogram of; /* owned */
	size_t cap;
};

/* By ids of operations. */
struct durations {
	struct op_durations *items; /* owned */
	size_t n, cap;
};

struct held {
	const struct td_stat_request *req;
	bool pages; /* read what can be read from pages */
	bool of_nested; /* durations of nested calls apart are wanted, too */
	struct td_stat stat;
	struct durations plain, nested;
	uint64_t untold; /* durations in the histograms of which no operation has been met yet */
};

/* --- what is shared --- */

int64_t td_held_label(struct td_labels *l, const char *text, size_t len)
{
	size_t i = 0;

	if (!text)
		return 0;
	while (i < l->n && (strncmp(l->items[i], text, len) != 0 || l->items[i][len]))
		i++;
	if (i < l->n)
		return (int64_t)i + 1;
	if (td_grow(&l->items, &l->cap, l->n) < 0) /* NOLINT(bugprone-sizeof-expression) */
		return -ENOMEM;
	l->items[l->n] = strndup(text, len);
	return l->items[l->n] ? (int64_t)++l->n : -ENOMEM;
}

void td_held_cells(sqlite3_stmt *s, struct td_cell *ret)
{
	for (int i = 0; i < sqlite3_column_count(s); i++) {
		int type = sqlite3_column_type(s, i);

		ret[i] = (struct td_cell){ .number = TD_NULL };
		if (type == SQLITE_INTEGER) {
			ret[i].number = sqlite3_column_int64(s, i);
		} else if (type == SQLITE_TEXT || type == SQLITE_BLOB) {
			ret[i].text = type == SQLITE_TEXT ? (const char *)sqlite3_column_text(s, i)
							  : sqlite3_column_blob(s, i);
			ret[i].len = (size_t)sqlite3_column_bytes(s, i);
		}
	}
}

static int each_row(sqlite3 *db, const struct td_held_from *from,
		    int (*add)(void *arg, const struct td_cell *cells), void *arg,
		    struct td_err *err)
{
	_cleanup_(td_db_put_backp) sqlite3_stmt *s = NULL;
	struct td_cell cells[TD_RECORD_COLUMNS_MAX];
	int rc = td_db_prepare(db, from->sql, &s), ok = 1;

	if (rc == SQLITE_OK && from->by)
		rc = sqlite3_bind_text(s, 1, from->by, -1, SQLITE_STATIC);
	while (rc == SQLITE_OK && ok == 1 && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		td_held_cells(s, cells);
		ok = add(arg, cells);
		rc = SQLITE_OK;
	}
	return ok != 1 || rc == SQLITE_DONE
		       ? ok
		       : td_db_error(db, rc, err, "cannot read derived tables");
}

struct adding {
	int (*add)(void *arg, const struct td_cell *cells);
	void *arg;
	int ok;
};

static int add_record(void *arg, const struct td_cell *cells)
{
	struct adding *a = arg;

	a->ok = a->add(a->arg, cells);
	return a->ok < 0 ? a->ok : a->ok != 1;
}

int td_held_each(sqlite3 *db, const struct td_held_from *from,
		 int (*add)(void *arg, const struct td_cell *cells), void *arg, struct td_err *err)
{
	struct adding a = { add, arg, 1 };
	int r = from->records ? td_records_read(db, from->records, add_record, &a) : 0;

	if (!from->records)
		r = each_row(db, from, add, arg, err);
	else if (r >= 0)
		r = a.ok;
	return TD_MIN(r, 1); /* enough is all */
}

int td_held_calls(sqlite3 *db, bool io_only, int64_t *ret, struct td_err *err)
{
	_cleanup_(td_db_put_backp) sqlite3_stmt *s = NULL;
	int rc = td_db_prepare(
		db,
		io_only ? "SELECT sum(calls) FROM op_stat WHERE by = 'op' AND op_id IN"
			  " (SELECT id FROM op WHERE kind = 'io')"
			: "SELECT sum(calls) FROM op_stat WHERE by = 'op'",
		&s);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc != SQLITE_ROW)
		return td_db_error(db, rc, err, "cannot read op_stat");
	*ret = sqlite3_column_int64(s, 0);
	*ret = *ret > 0 ? *ret : -1;
	return 0;
}

/* --- of operations --- */

static void durations_done(struct durations *d)
{
	for (size_t i = 0; i < d->n; i++)
		td_histogram_done(&d->items[i].of);
	free(d->items);
}

static void held_done(struct held *h)
{
	durations_done(&h->plain);
	durations_done(&h->nested);
	td_stat_done(&h->stat);
}

/* Of the whole run, and by nothing else. */
static bool is_of_ops(const struct td_stat_request *req)
{
	return strcmp(req->relation->table, "call") == 0 && !req->relation->io_only &&
	       (req->dims | D(NESTED)) == (D(OP) | D(NESTED)) && !(req->measures & ~OF_OPS) &&
	       req->since_ns == TD_NULL && req->until_ns == TD_NULL && req->pid == TD_NULL &&
	       !req->phase && !req->process && !req->file && !req->nalso && req->histograms;
}

/* --- histograms --- */

/* Those of an operation; NULL: no memory. */
static struct op_durations *durations_of(struct durations *d, int64_t op)
{
	while (d->n <= (size_t)op) {
		if (td_grow(&d->items, &d->cap, d->n) < 0)
			return NULL;
		d->items[d->n++] = (struct op_durations){ 0 };
	}
	return &d->items[op];
}

static uint64_t how_many(const struct durations *d, int64_t op)
{
	return (size_t)op < d->n ? td_histogram_total(&d->items[op].of) : 0;
}

static int take_bucket(struct held *h, int64_t op, uint32_t number, int64_t calls)
{
	struct op_durations *of = durations_of(&h->plain, op);
	struct td_histogram *to;

	if (!of)
		return -ENOMEM;
	to = &of->of;
	if (to->n && to->items[to->n - 1].number >= number)
		return 0;
	if (td_grow(&to->items, &of->cap, to->n) < 0)
		return -ENOMEM;
	to->items[to->n++] = (struct td_bucket){ number, (uint64_t)calls };
	h->untold += (uint64_t)calls;
	return 1;
}

/* Columns of both, in the order in which SQL has them, too. */
static const struct td_records latencies = { .table = "latency_stat",
					     .columns = { 0, 1, 2, 3 },
					     .n = 4 };
static const struct td_records op_hists = { .table = "op_hist", .columns = { 1, 2, 3 }, .n = 3 };

/* 1, or 0: the row is none of a histogram whose buckets are these, in their order. */
static int add_bucket(void *arg, const struct td_cell *cells)
{
	struct held *h = arg;
	int64_t op = cells[0].number, low_ns = cells[1].number, high_ns = cells[2].number;
	int64_t calls = cells[3].number;
	uint32_t number = low_ns < 0 ? 0 : td_histogram_bucket(low_ns);

	if (op < 1 || op > OPS_MAX || calls < 1 || td_histogram_low(number) != low_ns ||
	    td_histogram_low(number + 1) != high_ns)
		return 0;
	return take_bucket(h, op, number, calls);
}

/* Nested calls of an operation and a process. 1, or 0: it is no histogram. */
static int add_nested_durations(void *arg, const struct td_cell *cells)
{
	struct held *h = arg;
	int64_t op = cells[0].number;
	struct op_durations *to;
	uint64_t n;
	int r;

	if (cells[1].number != 1)
		return 1;
	if (op < 1 || op > OPS_MAX)
		return 0;
	if (td_histogram_packed_total(cells[2].text, cells[2].len, &n) < 0)
		return 0;
	to = durations_of(&h->nested, op);
	r = to ? td_histogram_merge_packed(&to->of, cells[2].text, cells[2].len) : -ENOMEM;
	h->untold += n;
	return r < 0 ? r : 1;
}

/* --- groups --- */

/* The sum of squares that a deviation was found from, to the 15 digits that it has: total^2 / n +
 * deviation^2 * (n - 1). That is a whole number. False: there is none. */
static bool find_squares(int64_t n, int64_t total, double deviation, unsigned __int128 *ret)
{
	unsigned __int128 square = (unsigned __int128)total * (uint64_t)total;
	long double rest;

	if (n < 1 || total < 0)
		return false;
	rest = (long double)deviation * deviation * (long double)(n - 1) +
	       (long double)(square % (uint64_t)n) / (long double)n;
	if (!(rest < 0x1p126L)) /* a NaN, too */
		return false;
	*ret = square / (uint64_t)n + (unsigned __int128)(rest + 0.5L);
	return true;
}

/* False: what the file says cannot be. */
static bool set_sums(struct td_group_sums *to, size_t group, sqlite3_stmt *s)
{
	int64_t *row = &to->rows[group * to->nplaces], timed = td_held_known(s, COLUMN_TIMED);
	unsigned __int128 squares = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(sums); i++)
		if (to->place[sums[i]] >= 0)
			row[to->place[sums[i]]] = td_held_known(s, COLUMN_CALLS + (int)i);
	if (to->place[TD_SUM_SQUARES] < 0)
		return true;
	if (timed && !find_squares(timed, td_held_known(s, COLUMN_TOTAL),
				   sqlite3_column_double(s, COLUMN_STDDEV), &squares))
		return false;
	memcpy(&row[to->place[TD_SUM_SQUARES]], &squares, sizeof(squares));
	return true;
}

static int new_group(struct held *h, uint64_t key, size_t *ret)
{
	struct td_stat *stat = &h->stat;

	if (td_keys_reserve(&stat->keys, 1) < 0)
		return -ENOMEM;
	*ret = td_keys_add(&stat->keys, (struct td_key){ .lo = key });
	return td_group_sums_resize(&stat->sums, stat->keys.n);
}

/* An operation; 1, or 0: its durations are not those of the histogram. */
static int add_op(struct held *h, sqlite3_stmt *s)
{
	int64_t op = sqlite3_column_int64(s, COLUMN_OP);
	struct td_group_sums *to = &h->stat.sums;
	size_t group = 0;
	uint64_t n;
	int r;

	if (op < 1 || op > OPS_MAX)
		return 0;
	r = new_group(h, (uint64_t)op, &group);
	if (r < 0)
		return r;
	n = how_many(&h->plain, op);
	h->untold -= n;
	if (!set_sums(to, group, s) || (h->req->measures & TD_MEASURES_PERCENTILES &&
					td_held_known(s, COLUMN_TIMED) != (int64_t)n))
		return 0;
	if (h->req->dims & D(NESTED) && to->place[TD_SUM_NESTED] >= 0)
		to->rows[group * to->nplaces + (size_t)to->place[TD_SUM_NESTED]] = 0;
	return 1;
}

/* Nested calls of an operation: a group of their own, or a number that the other group has already,
 * unless there is none. */
static int add_nested(struct held *h, sqlite3_stmt *s)
{
	int64_t op = sqlite3_column_int64(s, COLUMN_OP);
	struct td_group_sums *to = &h->stat.sums;
	bool apart = h->req->dims & D(NESTED);
	size_t before = h->stat.keys.n, group = 0;
	int r;

	if (op < 1 || op > OPS_MAX)
		return 0;
	if (!apart && to->place[TD_SUM_NESTED] < 0)
		return 1;
	r = new_group(h, (uint64_t)op + (apart ? OF_NESTED : 0), &group);
	if (r < 0)
		return r;
	h->untold -= how_many(&h->nested, op);
	if (apart)
		return set_sums(to, group, s) &&
		       (!h->of_nested ||
			td_held_known(s, COLUMN_TIMED) == (int64_t)how_many(&h->nested, op));
	if (group == before)
		td_group_sums_count(to, group, TD_SUM_NESTED, td_held_known(s, COLUMN_CALLS));
	return 1;
}

/* --- both --- */

/* Calls add with each row. 1; 0: one of them is not as it should be; or -errno. */
static int each_op(struct held *h, sqlite3 *db, const char *sql,
		   int (*add)(struct held *h, sqlite3_stmt *s), struct td_err *err)
{
	_cleanup_(td_db_put_backp) sqlite3_stmt *s = NULL;
	int rc = td_db_prepare(db, sql, &s), r = 1;

	while (rc == SQLITE_OK && r == 1 && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		r = add(h, s);
		rc = SQLITE_OK;
	}
	return r < 1 || rc == SQLITE_DONE ? r : td_db_error(db, rc, err, "cannot read op_stat");
}

/* As td_held_each(). */
static int read_durations(struct held *h, sqlite3 *db, struct td_err *err)
{
	const struct td_held_from plain = {
		h->pages ? &latencies : NULL,
		"SELECT op_id, low_ns, high_ns, calls FROM latency_stat"
	};
	const struct td_held_from nested = { h->pages ? &op_hists : NULL,
					     "SELECT op_id, nested, durations FROM op_hist" };
	int r = 1;

	if (h->req->measures & TD_MEASURES_PERCENTILES)
		r = td_held_each(db, &plain, add_bucket, h, err);
	return r == 1 && h->of_nested ? td_held_each(db, &nested, add_nested_durations, h, err) : r;
}

/* The durations of the groups, of nested calls where they are wanted. */
static int give_durations(struct held *h)
{
	struct td_stat *stat = &h->stat;

	stat->durations = calloc(stat->keys.n + 1, sizeof(*stat->durations));
	if (!stat->durations)
		return -ENOMEM;
	for (size_t g = 0; g < stat->keys.n; g++) {
		uint64_t key = stat->keys.items[g].lo, op = key & (OF_NESTED - 1);
		struct durations *from = key & OF_NESTED ? &h->nested : &h->plain;

		if (op >= from->n)
			continue;
		stat->durations[g] = from->items[op].of;
		from->items[op].of = (struct td_histogram){ 0 };
	}
	return 1;
}

static int try(sqlite3 *db, const struct td_stat_request *req, unsigned of_nested, bool pages,
	       struct td_stat *ret, struct td_err *err)
{
	bool percentiles = req->measures & TD_MEASURES_PERCENTILES;
	_cleanup_(held_done) struct held h = {
		.req = req,
		.pages = pages,
		.of_nested = of_nested & TD_MEASURES_PERCENTILES,
	};
	int r;

	td_group_sums_init(&h.stat.sums, req->measures);
	h.stat.dims.which = req->dims;
	h.stat.dims.width[TD_DIM_OP] = OP_BITS;
	h.stat.dims.shift[TD_DIM_NESTED] = OP_BITS;
	h.stat.dims.width[TD_DIM_NESTED] = 1;
	r = read_durations(&h, db, err);
	if (r == 1)
		r = each_op(&h, db, OPS, add_op, err);
	if (r == 1)
		r = each_op(&h, db, NESTED, add_nested, err);
	if (r == 1 && h.untold)
		r = 0;
	if (r == 1 && percentiles)
		r = give_durations(&h);
	if (r < 1)
		return r;
	*ret = h.stat;
	h.stat = (struct td_stat){ 0 };
	return 1;
}

int td_held_stat(sqlite3 *db, const struct td_stat_request *req, unsigned of_nested,
		 struct td_stat *ret, struct td_err *err)
{
	int r = is_of_ops(req) ? try(db, req, of_nested, true, ret, err) : 0;

	return r == -EOPNOTSUPP ? try(db, req, of_nested, false, ret, err) : r;
}
