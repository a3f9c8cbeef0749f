/* SPDX-License-Identifier: MIT */
#include "analyzer/partial/answer.h"
#include "analyzer/partial/fold.h"
#include "analyzer/partial/plan.h"
#include "analyzer/scan/stat_result.h"
#include "analyzer/scan/stat_table.h"
#include "schema/db.h"
#include "schema/stat_math.h"

#define PARAM_MANY 100 /* of struct td_partial_table_info.insert */

struct td_partial_answer {
	sqlite3 *db; /* borrowed */
	const struct td_partial *p;
	const struct td_arg *args;
	size_t nargs;
};

/* --- rows of call_stat and io_stat --- */

struct rows {
	const struct td_partial *p;
	const struct td_partial_groups *groups; /* of the partial, or: */
	struct td_partial_folded folded;
	unsigned dims;
	size_t at;
};

static void rows_free(void *arg)
{
	struct rows *r = arg;

	td_partial_folded_done(&r->folded);
	free(r);
}

static void skip_empty(struct rows *r)
{
	while (r->at < r->groups->keys.n &&
	       td_group_sums_get(&r->groups->sums, r->at, TD_SUM_CALLS) <= 0)
		r->at++;
}

static int ask(void *ctx, const struct td_stat_asked *asked, void **ret_rows, struct td_err *err)
{
	const struct td_partial_answer *a = ctx;
	const struct td_partial_head *h = &a->p->head;
	struct td_partial_question q = { 0 };
	struct rows *rows;
	size_t i = 0;
	int r = td_partial_asked(asked, a->args, a->nargs, &q, err);

	if (r < 0)
		return r;
	while (i < h->nquestions && !td_partial_same_question(&h->questions[i], &q))
		i++;
	free(q.file);
	free(q.during);
	if (i == h->nquestions || q.measures & ~h->questions[i].measures)
		return td_err_set(err, -EOPNOTSUPP,
				  "the partial does not hold what the report asks for");
	rows = calloc(1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	*rows = (struct rows){ .p = a->p, .groups = &a->p->groups[i], .dims = asked->dims };
	if (asked->measures & TD_MEASURES_FILES) {
		r = td_partial_fold(a->p, i, asked->dims, &rows->folded);
		rows->groups = &rows->folded.groups;
	}
	if (r < 0) {
		rows_free(rows);
		return r;
	}
	skip_empty(rows);
	*ret_rows = rows;
	return 0;
}

static bool at_end(void *arg)
{
	const struct rows *r = arg;

	return r->at >= r->groups->keys.n;
}

static void next(void *arg)
{
	struct rows *r = arg;

	r->at++;
	skip_empty(r);
}

static int64_t cell_of(const struct rows *r, enum td_dim dim)
{
	struct td_str key = td_intern_get(&r->groups->keys, (uint32_t)r->at + 1);
	unsigned before = (unsigned)__builtin_popcount(r->dims & ((1u << dim) - 1));
	int64_t cell;

	memcpy(&cell, key.p + before * sizeof(cell), sizeof(cell));
	return cell;
}

static void dim_value(void *arg, enum td_dim dim, sqlite3_context *ctx)
{
	const struct rows *r = arg;
	int64_t cell = r->dims & 1u << dim ? cell_of(r, dim) : TD_NULL;
	struct td_str text;

	if (cell == TD_NULL)
		return;
	switch (dim) {
	case TD_DIM_LATENCY:
		if (cell >= 0 && cell < TD_LATENCY_BUCKETS)
			sqlite3_result_int64(ctx, td_latency_low((unsigned)cell));
		break;
	case TD_DIM_SIZE:
		if (cell >= 0 && cell < TD_SIZE_BUCKETS)
			sqlite3_result_int64(ctx, td_size_low((unsigned)cell));
		break;
	case TD_DIM_CLASS:
	case TD_DIM_STORAGE:
	case TD_DIM_ROLE:
	case TD_DIM_VERB:
	case TD_DIM_PHASE:
		text = td_intern_get(&r->p->texts, (uint32_t)cell);
		sqlite3_result_text64(ctx, text.p, text.len, SQLITE_STATIC, SQLITE_UTF8);
		break;
	default:
		sqlite3_result_int64(ctx, cell);
	}
}

/* The middle of the bucket that the rank-th value is in, but not beyond what was seen. */
static int64_t quantile(const struct rows *r, uint64_t rank)
{
	const struct td_group_sums *sums = &r->groups->sums;
	int64_t middle = td_histogram_middle(td_histogram_rank(&r->groups->durations[r->at], rank));
	int64_t low = td_group_sums_get(sums, r->at, TD_SUM_MIN),
		high = td_group_sums_get(sums, r->at, TD_SUM_MAX);

	return middle < low ? low : middle > high ? high : middle;
}

static void percentile_value(const struct rows *r, enum td_measure m, sqlite3_context *ctx)
{
	uint64_t n = td_histogram_total(&r->groups->durations[r->at]);

	if (n == 0)
		return;
	if (m == TD_MEASURE_P50_NS)
		sqlite3_result_double(
			ctx,
			((double)quantile(r, (n + 1) / 2) + (double)quantile(r, n / 2 + 1)) / 2);
	else
		sqlite3_result_int64(
			ctx, quantile(r, td_nearest_rank(n, m == TD_MEASURE_P95_NS ? 95 : 99)));
}

/* Exact: there is a bucket for each power of two, as in the derived tables. */
static void size_value(const struct rows *r, sqlite3_context *ctx)
{
	const struct td_histogram *h = &r->groups->sizes[r->at];
	uint64_t n = td_histogram_total(h);

	if (n)
		sqlite3_result_int64(ctx, td_size_low(td_histogram_rank(h, (n + 1) / 2)));
}

static void measure_value(void *arg, enum td_measure m, sqlite3_context *ctx)
{
	const struct rows *r = arg;

	if (1u << m & TD_MEASURES_PERCENTILES) {
		if (r->groups->durations)
			percentile_value(r, m, ctx);
	} else if (1u << m & TD_MEASURES_FILES) {
		td_stat_file_result(&r->folded.files[r->at], m, ctx);
	} else if (m == TD_MEASURE_P50_BYTES_LOW) {
		if (r->groups->sizes)
			size_value(r, ctx);
	} else {
		td_stat_sum_result(&r->groups->sums, r->at, m, ctx);
	}
}

/* --- the small tables --- */

static int fail(const struct td_partial_answer *a, const char *table, struct td_err *err)
{
	return td_err_set(err, -EBADMSG, "the partial is damaged: its table '%s': %s", table,
			  sqlite3_errmsg(a->db));
}

static int bind_cell(const struct td_partial_answer *a, sqlite3_stmt *stmt, int i,
		     enum td_partial_cell cell, int64_t v)
{
	struct td_str text;

	if (v == TD_NULL)
		return sqlite3_bind_null(stmt, i);
	if (cell != TD_CELL_KEY_TEXT && cell != TD_CELL_TEXT)
		return sqlite3_bind_int64(stmt, i, v);
	text = td_intern_get(&a->p->texts, (uint32_t)v);
	return sqlite3_bind_text64(stmt, i, text.p, text.len, SQLITE_STATIC, SQLITE_UTF8);
}

static int insert_row(const struct td_partial_answer *a, enum td_partial_table table, size_t i,
		      sqlite3_stmt *stmt)
{
	const struct td_partial_table_info *info = &td_partial_tables[table];
	int64_t cells[TD_PARTIAL_COLUMNS_MAX];
	int rc = SQLITE_OK;

	td_partial_row(a->p, table, i, cells);
	for (size_t c = 0; c < info->ncolumns && rc == SQLITE_OK; c++)
		if ((int)c < sqlite3_bind_parameter_count(stmt))
			rc = bind_cell(a, stmt, (int)c + 1, info->columns[c].cell, cells[c]);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	(void)sqlite3_reset(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Are processes of several machines, so that it matters which one each was on? */
static bool is_of_many(const struct td_partial *p)
{
	enum { MACHINE = 14 };
	int64_t cells[TD_PARTIAL_COLUMNS_MAX], first = TD_NULL;

	for (size_t i = 0; i < td_partial_nrows(p, TD_PARTIAL_PROCESS); i++) {
		td_partial_row(p, TD_PARTIAL_PROCESS, i, cells);
		first = first == TD_NULL ? cells[MACHINE] : first;
		if (cells[MACHINE] != TD_NULL && cells[MACHINE] != first)
			return true;
	}
	return false;
}

static int insert_table(const struct td_partial_answer *a, enum td_partial_table table,
			struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(a->db, td_partial_tables[table].insert, -1, &stmt, NULL);

	if (rc == SQLITE_OK && sqlite3_bind_parameter_count(stmt) == PARAM_MANY)
		rc = sqlite3_bind_int(stmt, PARAM_MANY, is_of_many(a->p));
	for (size_t i = 0; i < td_partial_nrows(a->p, table) && rc == SQLITE_OK; i++)
		rc = insert_row(a, table, i, stmt);
	return rc == SQLITE_OK ? 0 : fail(a, td_partial_tables[table].name, err);
}

static int insert_text(const struct td_partial_answer *a, sqlite3_stmt *stmt, int64_t id)
{
	struct td_str text = td_intern_get(&a->p->texts, (uint32_t)id);
	int rc = sqlite3_bind_int64(stmt, 1, id);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text64(stmt, 2, text.p, text.len, SQLITE_STATIC, SQLITE_UTF8);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	(void)sqlite3_reset(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* All of them: directories and templates are among them. */
static int insert_strings(const struct td_partial_answer *a, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(a->db, "INSERT INTO string (id, text) VALUES (?1, ?2)", -1,
				    &stmt, NULL);

	for (uint32_t id = 1; id <= a->p->texts.n && rc == SQLITE_OK; id++)
		rc = insert_text(a, stmt, id);
	return rc == SQLITE_OK ? 0 : fail(a, "string", err);
}

/* Going through the runs, which lie end to end. */
struct axis {
	const struct td_partial *p;
	size_t i; /* of the run that begins at at_ns */
	int64_t at_ns;
};

/* A run, and how long it was. */
static int64_t run_at(const struct axis *x, int64_t *ret_start, int64_t *ret_length)
{
	int64_t cells[TD_PARTIAL_COLUMNS_MAX];

	td_partial_row(x->p, TD_PARTIAL_RUN, x->i, cells);
	*ret_start = cells[1];
	if (cells[1] == TD_NULL || cells[2] == TD_NULL ||
	    __builtin_sub_overflow(cells[2], cells[1], ret_length) || *ret_length < 0)
		*ret_length = 0;
	return cells[0];
}

/* Moves on to the run, or behind the last one; runs are asked for in order. *ret_shift: what to add
 * to times of it; 0: there is no such run. */
static void find_run(struct axis *x, int64_t run, int64_t *ret_shift)
{
	int64_t start, length;

	*ret_shift = 0;
	for (; x->i < td_partial_nrows(x->p, TD_PARTIAL_RUN); x->i++) {
		int64_t id = run_at(x, &start, &length);

		if (id == run &&
		    (start == TD_NULL || __builtin_sub_overflow(x->at_ns, start, ret_shift)))
			*ret_shift = 0;
		if (id >= run)
			return;
		if (__builtin_add_overflow(x->at_ns, length, &x->at_ns))
			x->at_ns = INT64_MAX;
	}
}

static int insert_run(const struct td_partial_answer *a, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(a->db,
				    "INSERT INTO run (id, name, tracedb_version, start_ns, end_ns)"
				    " VALUES (1, 'partial', '" TRACEDB_VERSION "', ?1, ?2)",
				    -1, &stmt, NULL);
	struct axis axis = { a->p, 0, TD_PARTIAL_AXIS_NS };
	int64_t shift;

	find_run(&axis, INT64_MAX, &shift);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(stmt, 1, TD_PARTIAL_AXIS_NS);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(stmt, 2, axis.at_ns);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	return rc == SQLITE_DONE ? 0 : fail(a, "run", err);
}

static int insert_interval(const struct td_partial_answer *a, sqlite3_stmt *stmt,
			   const int64_t *cells, int64_t shift)
{
	int64_t start, end;
	int rc;

	if (cells[2] == TD_NULL || cells[3] == TD_NULL ||
	    __builtin_add_overflow(cells[2], shift, &start) ||
	    __builtin_add_overflow(cells[3], shift, &end))
		return SQLITE_OK;
	rc = bind_cell(a, stmt, 1, TD_CELL_KEY_TEXT, cells[1]);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(stmt, 2, start);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(stmt, 3, end);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	(void)sqlite3_reset(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Rows are in the order of runs. */
static int insert_phases(const struct td_partial_answer *a, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(
		a->db, "INSERT INTO phase_interval (label, start_ns, end_ns) VALUES (?1, ?2, ?3)",
		-1, &stmt, NULL);
	struct axis axis = { a->p, 0, TD_PARTIAL_AXIS_NS };
	int64_t shift;

	for (size_t i = 0; i < td_partial_nrows(a->p, TD_PARTIAL_PHASE_INTERVAL) && rc == SQLITE_OK;
	     i++) {
		int64_t cells[TD_PARTIAL_COLUMNS_MAX];

		td_partial_row(a->p, TD_PARTIAL_PHASE_INTERVAL, i, cells);
		find_run(&axis, cells[0], &shift);
		rc = insert_interval(a, stmt, cells, shift);
	}
	return rc == SQLITE_OK ? 0 : fail(a, "phase_interval", err);
}

/* Whether calls on files were recorded is looked for in file_stat. */
static int insert_signs(const struct td_partial_answer *a, struct td_err *err)
{
	enum { HAS_DATA = 2 };
	int64_t cells[TD_PARTIAL_COLUMNS_MAX];
	bool has = false;

	for (size_t i = 0; i < td_partial_nrows(a->p, TD_PARTIAL_DATABASE); i++) {
		td_partial_row(a->p, TD_PARTIAL_DATABASE, i, cells);
		has |= cells[HAS_DATA] > 0;
	}
	if (has &&
	    sqlite3_exec(a->db,
			 "INSERT INTO file_stat (by, verb, calls, errors, timed, first_ns, last_ns)"
			 " VALUES ('file,verb', 'other', 0, 0, 0, 0, 0)",
			 NULL, NULL, NULL) != SQLITE_OK)
		return fail(a, "file_stat", err);
	return 0;
}

static int fill(const struct td_partial_answer *a, struct td_err *err)
{
	int r = sqlite3_exec(a->db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK ? 0 : -ENOMEM;

	for (size_t t = 0; t < TD_PARTIAL_NTABLES && r == 0; t++)
		if (td_partial_tables[t].insert)
			r = insert_table(a, (enum td_partial_table)t, err);
	if (r == 0)
		r = insert_strings(a, err);
	if (r == 0)
		r = insert_run(a, err);
	if (r == 0)
		r = insert_phases(a, err);
	if (r == 0)
		r = insert_signs(a, err);
	if (r == 0 && sqlite3_exec(a->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		r = -ENOMEM;
	return r;
}

int td_partial_answer_new(const struct td_partial *p, const struct td_arg *args, size_t nargs,
			  struct td_partial_blank *blank, struct td_partial_answer **ret,
			  struct td_err *err)
{
	_cleanup_(td_partial_answer_freep) struct td_partial_answer *a = calloc(1, sizeof(*a));
	int r;

	if (!a)
		return -ENOMEM;
	*a = (struct td_partial_answer){ .db = blank->db, .p = p, .args = args, .nargs = nargs };
	blank->provider = (struct td_stat_provider){ .ask = ask,
						     .at_end = at_end,
						     .next = next,
						     .dim = dim_value,
						     .measure = measure_value,
						     .close = rows_free,
						     .ctx = a };
	r = fill(a, err);
	if (r == 0)
		*ret = TAKE_PTR(a);
	return r;
}

void td_partial_answer_free(struct td_partial_answer *a)
{
	free(a);
}

sqlite3 *td_partial_answer_db(struct td_partial_answer *a)
{
	return a->db;
}
