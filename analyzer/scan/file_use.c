/* SPDX-License-Identifier: MIT */
/* file_use: one row for each file, which SQLite would make of three or more groups each, look up
 * the name of, and sort. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyzer/scan/file_use.h"
#include "analyzer/scan/loaded_table.h"
#include "common/cleanup.h"

enum column {
	BY,
	KEY_ID,
	NAME,
	CLASS,
	PATH_BASIS,
	CALLS,
	ERRORS,
	TOTAL_NS,
	DONE_BYTES,
	OPENS,
	READS,
	WRITES,
	READ_BYTES,
	WRITE_BYTES,
	READ_P50,
	READ_P99,
	WRITE_P50,
	WRITE_P99,
	READ_P50_BYTES,
	SEQUENTIAL,
	RANDOM,
	ALL_TOTAL_NS,
	ALL_DONE_BYTES,
	SINCE,
	UNTIL,
	PHASE,
	PID,
	PROCESS,
	TOP,
	NCOLUMNS
};
enum arg { ARG_BY, ARG_TOP, ARG_SINCE, ARG_UNTIL, ARG_PHASE, ARG_PID, ARG_PROCESS };

#define IN_ROW(member) 1 + offsetof(struct td_use_row, member)
#define READ(member) IN_ROW(moves[TD_USE_READ].member)
#define WRITE(member) IN_ROW(moves[TD_USE_WRITE].member)

/* Where numbers of a row are; 0: it is none of these. */
static const size_t numbers[NCOLUMNS] = {
	[CALLS] = IN_ROW(calls),           [ERRORS] = IN_ROW(errors),
	[TOTAL_NS] = IN_ROW(total_ns),     [DONE_BYTES] = IN_ROW(done_bytes),
	[OPENS] = IN_ROW(opens),           [READS] = READ(calls),
	[WRITES] = WRITE(calls),           [READ_BYTES] = READ(bytes),
	[WRITE_BYTES] = WRITE(bytes),      [READ_P99] = READ(p99_ns),
	[WRITE_P99] = WRITE(p99_ns),       [READ_P50_BYTES] = READ(p50_bytes_low),
	[SEQUENTIAL] = IN_ROW(sequential), [RANDOM] = IN_ROW(random),
};

struct place {
	int64_t total_ns; /* of the row, so that few others have to be looked at for their order */
	const struct td_use_row *row;
};

struct table {
	bool by_class;
	struct td_use_rows rows;
	struct place *order; /* owned */
};

/* --- in order --- */

static int descending(int64_t a, int64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

/* As SQLite orders them: NULL, which is 0, comes first. */
static int compare_texts(const struct td_intern *texts, uint32_t a, uint32_t b)
{
	struct td_str x, y;
	int c;

	if (a == b || !a || !b)
		return a == b ? 0 : a ? 1 : -1;
	x = td_intern_get(texts, a);
	y = td_intern_get(texts, b);
	c = memcmp(x.p, y.p, TD_MIN(x.len, y.len));
	return c ? c : x.len < y.len ? -1 : x.len > y.len;
}

/* As td_file_use_kind.order says it. */
static int compare_places(const void *a, const void *b, void *arg)
{
	const struct td_intern *texts = arg;
	const struct place *x = a, *y = b;
	int c = descending(x->total_ns, y->total_ns);

	if (!c)
		c = descending(x->row->done_bytes, y->row->done_bytes);
	if (!c)
		c = descending(x->row->calls, y->row->calls);
	if (!c)
		c = compare_texts(texts, x->row->name, y->row->name);
	return c ? c : descending(y->row->key, x->row->key);
}

static int put_in_order(struct table *t)
{
	size_t n = t->rows.n;

	t->order = malloc((n + 1) * sizeof(*t->order));
	if (!t->order)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		t->order[i] = (struct place){ t->rows.items[i].total_ns, &t->rows.items[i] };
	qsort_r(t->order, n, sizeof(*t->order), compare_places, &t->rows.texts);
	return 0;
}

/* --- the table --- */

static void free_rows(void *arg)
{
	struct table *t = arg;

	td_use_rows_done(&t->rows);
	free(t->order);
	free(t);
}

static int load_rows(sqlite3 *db, sqlite3_value *const *args, size_t by, void **ret, size_t *nrows,
		     struct td_err *err)
{
	struct table *t = calloc(1, sizeof(*t));
	struct td_use_asked asked = { .by = (enum td_use_by)(by % TD_USE_NBY),
				      .waited = by >= TD_USE_NBY,
				      .top = td_loaded_int(args[ARG_TOP]),
				      .given = { [TD_PARAM_SINCE] = args[ARG_SINCE],
						 [TD_PARAM_UNTIL] = args[ARG_UNTIL],
						 [TD_PARAM_PHASE] = args[ARG_PHASE],
						 [TD_PARAM_PID] = args[ARG_PID],
						 [TD_PARAM_PROCESS] = args[ARG_PROCESS] } };
	int r;

	*ret = t;
	if (!t)
		return -ENOMEM;
	if (asked.top < 0 || asked.top == INT64_MAX)
		asked.top = TD_NULL;
	t->by_class = asked.by == TD_USE_CLASS;
	r = td_use_rows_find(db, &asked, &t->rows, err);
	if (r == 0)
		r = put_in_order(t);
	*nrows = r == 0 ? t->rows.n : 0;
	return r;
}

static void text_value(const struct td_intern *texts, uint32_t id, sqlite3_context *ctx)
{
	if (id)
		sqlite3_result_text64(ctx, td_intern_get(texts, id).p, td_intern_get(texts, id).len,
				      SQLITE_STATIC, SQLITE_UTF8);
}

static void median_value(double ns, sqlite3_context *ctx)
{
	if (!isnan(ns))
		sqlite3_result_double(ctx, ns);
}

static void row_value(void *arg, size_t at, int column, sqlite3_context *ctx)
{
	const struct table *t = arg;
	const struct td_use_row *row = t->order[at].row;

	switch ((enum column)column) {
	case KEY_ID:
		if (row->key && !t->by_class)
			sqlite3_result_int64(ctx, row->key);
		break;
	case NAME:
		text_value(&t->rows.texts, row->name, ctx);
		break;
	case CLASS:
		text_value(&t->rows.texts, row->is_mixed ? 0 : row->class, ctx);
		break;
	case PATH_BASIS:
		text_value(&t->rows.texts, row->path_basis, ctx);
		break;
	case READ_P50:
		median_value(row->moves[TD_USE_READ].p50_ns, ctx);
		break;
	case WRITE_P50:
		median_value(row->moves[TD_USE_WRITE].p50_ns, ctx);
		break;
	case ALL_TOTAL_NS:
		td_loaded_known(ctx, t->rows.all_total_ns);
		break;
	case ALL_DONE_BYTES:
		td_loaded_known(ctx, t->rows.all_done_bytes);
		break;
	case TOP:
		sqlite3_result_int64(ctx, INT64_MAX);
		break;
	default: /* SQLite has been told the others */
		if (numbers[column])
			td_loaded_known(
				ctx, *(const int64_t *)((const char *)row + numbers[column] - 1));
	}
}

const struct td_loaded_kind td_file_use_kind = {
	.name = "file_use",
	.asks = "io_stat",
	.columns =
		"by TEXT, key_id INTEGER, name TEXT, class TEXT, path_basis TEXT, calls INTEGER, "
		"errors INTEGER, total_ns INTEGER, done_bytes INTEGER, opens INTEGER, reads "
		"INTEGER, writes INTEGER, read_bytes INTEGER, write_bytes INTEGER, read_p50_ns "
		"REAL, read_p99_ns INTEGER, write_p50_ns REAL, write_p99_ns INTEGER, "
		"read_p50_bytes INTEGER, sequential INTEGER, random INTEGER, all_total_ns "
		"INTEGER, all_done_bytes INTEGER, since_ns INTEGER, until_ns INTEGER, in_phase "
		"TEXT, of_pid INTEGER, of_process TEXT, of_top INTEGER",
	.args = { { BY, SQLITE_INDEX_CONSTRAINT_IS, false },
		  { TOP, SQLITE_INDEX_CONSTRAINT_GE, false },
		  TD_LOADED_WHEN(SINCE, UNTIL, PHASE),
		  TD_LOADED_WHOSE(PID, PROCESS) },
	.groupings = { "file", "template", "directory", "process", "class", "file,waited",
		       "template,waited", "directory,waited", "process,waited", "class,waited" },
	.order = { { TOTAL_NS, true },
		   { DONE_BYTES, true },
		   { CALLS, true },
		   { NAME, false },
		   { KEY_ID, false } },
	.load = load_rows,
	.value = row_value,
	.free = free_rows,
};
