/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/file_rows.h"
#include "analyzer/scan/filter.h"
#include "common/array.h"
#include "common/strbuf.h"
#include "schema/db.h"

/* Periods in which rows count: ?1 and ?2 limit the time, ?3 is a phase. */
#define PERIODS                                                                                    \
	"SELECT max(start_ns, coalesce(?1, start_ns)), min(end_ns, coalesce(?2, end_ns)) FROM ("   \
	"SELECT start_ns, end_ns FROM main.phase_interval WHERE label = ?3 COLLATE NOCASE "        \
	"UNION ALL SELECT -9223372036854775807, 9223372036854775807 WHERE ?3 IS NULL) ORDER BY 1"

#define OPS "SELECT id, 1 FROM main.op WHERE kind = 'io'"

static void bind_known(sqlite3_stmt *stmt, int i, int64_t v)
{
	if (v != TD_NULL)
		(void)sqlite3_bind_int64(stmt, i, v);
}

/* Periods come in order of their begin; one that overlaps the last is a part of it. */
static int add_period(struct td_filter *f, int64_t start_ns, int64_t end_ns)
{
	struct td_filter_range *last = f->nranges ? &f->ranges[f->nranges - 1] : NULL;

	if (start_ns >= end_ns)
		return 0;
	if (last && start_ns <= last->end_ns) {
		last->end_ns = TD_MAX(last->end_ns, end_ns);
		return 0;
	}
	if (td_grow(&f->ranges, &f->cap, f->nranges) < 0)
		return -ENOMEM;
	f->ranges[f->nranges++] =
		(struct td_filter_range){ .start_ns = start_ns, .end_ns = end_ns };
	return 0;
}

static int load_periods(sqlite3 *db, const struct td_stat_request *req, struct td_filter *f,
			struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, PERIODS, -1, &stmt, NULL), r = 0;

	bind_known(stmt, 1, req->since_ns);
	bind_known(stmt, 2, req->until_ns);
	(void)sqlite3_bind_text(stmt, 3, req->phase, -1, SQLITE_STATIC);
	while (r == 0 && rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		r = add_period(f, sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1));
		rc = SQLITE_OK;
	}
	return r < 0 || rc == SQLITE_DONE ? r : td_db_error(db, rc, err, "cannot read the phases");
}

/* Smallest and largest id (together they would be looked for in all rows), and the first one from
 * an id on with its time. */
#define SPAN "SELECT (SELECT min(id) FROM main.%s), (SELECT max(id) FROM main.%s)"
#define FROM_ID "SELECT id, %s FROM main.%s WHERE id >= ?1 ORDER BY id LIMIT 1"

/* Below which id all rows begin before ns: they ascend with their ids, which lie from first to
 * before end. An error of SQLite. */
static int find_id(sqlite3_stmt *stmt, int64_t first, int64_t end, int64_t ns, int64_t *ret)
{
	while (first < end) {
		int64_t middle = first + (end - first) / 2;
		int rc;

		(void)sqlite3_bind_int64(stmt, 1, middle);
		rc = sqlite3_step(stmt);
		if (rc == SQLITE_ROW && sqlite3_column_int64(stmt, 1) < ns)
			first = sqlite3_column_int64(stmt, 0) + 1;
		else
			end = middle;
		(void)sqlite3_reset(stmt);
		if (rc != SQLITE_ROW && rc != SQLITE_DONE)
			return rc;
	}
	*ret = first;
	return SQLITE_OK;
}

static int prepare(sqlite3 *db, sqlite3_stmt **ret, const char *sql, const char *a, const char *b)
{
	char *text = sqlite3_mprintf(sql, a, b);
	int rc = text ? sqlite3_prepare_v2(db, text, -1, ret, NULL) : SQLITE_NOMEM;

	sqlite3_free(text);
	return rc;
}

static int find_ids(sqlite3 *db, const struct td_relation *of, struct td_filter *f,
		    struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *span = NULL;
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *from = NULL;
	int rc = prepare(db, &span, SPAN, of->table, of->table);
	int64_t first = 0, end = 0;

	if (rc == SQLITE_OK)
		rc = prepare(db, &from, FROM_ID, of->columns[TD_ROW_START].name, of->table);
	if (rc == SQLITE_OK && sqlite3_step(span) == SQLITE_ROW &&
	    sqlite3_column_type(span, 0) != SQLITE_NULL) {
		/* ids of ours are positive, and none is the largest number */
		first = TD_MAX(sqlite3_column_int64(span, 0), (sqlite3_int64)0);
		end = TD_MIN(sqlite3_column_int64(span, 1), INT64_MAX - 1) + 1;
	}
	for (size_t i = 0; i < f->nranges && rc == SQLITE_OK; i++) {
		struct td_filter_range *range = &f->ranges[i];

		rc = find_id(from, first, end, range->start_ns, &range->first_id);
		if (rc == SQLITE_OK)
			rc = find_id(from, first, end, range->end_ns, &range->last_id);
		range->last_id--;
	}
	return rc == SQLITE_OK ? 0 : td_db_error(db, rc, err, "cannot find the %s", of->rows);
}

/* Whole runs need no search. */
static bool is_everything(const struct td_stat_request *req)
{
	return req->since_ns == TD_NULL && req->until_ns == TD_NULL && !req->phase;
}

static int add_condition(sqlite3 *db, enum td_row_column column, const char *sql, int64_t pid,
			 const char *text, struct td_filter *f, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	struct td_filter_condition *c = &f->conditions[f->nconditions];
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot see what counts");
	bind_known(stmt, 1, pid);
	(void)sqlite3_bind_text(stmt, 2, text, -1, SQLITE_STATIC);
	c->column = column;
	f->nconditions++;
	return td_key_map_fill(stmt, &c->ids, NULL, err);
}

struct globbing {
	const char *glob;
	struct td_key_map *ids;
	struct td_strbuf path; /* with the NUL that sqlite3_strglob() wants */
};

/* A path, or the name where none is known, that the pattern is of. */
static int add_if_like(void *arg, const struct td_file_row *row)
{
	struct globbing *g = arg;
	struct td_file_text path = row->path.text ? row->path : row->name;

	if (!path.text)
		return 0;
	td_strbuf_reset(&g->path);
	td_strbuf_add(&g->path, path.text, path.len);
	if (td_strbuf_error(&g->path) < 0)
		return -ENOMEM;
	return sqlite3_strglob(g->glob, td_strbuf_str(&g->path)) == 0
		       ? td_key_map_add(g->ids, row->id, 1)
		       : 0;
}

static int add_files(sqlite3 *db, const char *glob, struct td_filter *f, struct td_err *err)
{
	struct td_filter_condition *c = &f->conditions[f->nconditions++];
	struct globbing globbing = { glob, &c->ids, TD_STRBUF_INIT };
	int r;

	c->column = TD_ROW_OBJECT;
	r = td_file_rows_read(db, add_if_like, &globbing, err);
	td_strbuf_done(&globbing.path);
	return r;
}

static int load_conditions(sqlite3 *db, const struct td_stat_request *req, struct td_filter *f,
			   struct td_err *err)
{
	int r = 0;

	if (req->relation->io_only)
		r = add_condition(db, TD_ROW_KIND, OPS, TD_NULL, NULL, f, err);
	if (r == 0 && (req->pid != TD_NULL || req->process))
		r = add_condition(db, req->relation->who, req->relation->whose, req->pid,
				  req->process, f, err);
	if (r == 0 && req->file)
		r = add_files(db, req->file, f, err);
	f->nowned = f->nconditions;
	for (size_t i = 0; i < req->nalso && r == 0; i++)
		f->conditions[f->nconditions++] = req->also[i];
	return r;
}

int td_filter_load(sqlite3 *db, const struct td_stat_request *req, struct td_filter *ret,
		   struct td_err *err)
{
	_cleanup_(td_filter_done) struct td_filter f = { 0 };
	int r = load_periods(db, req, &f, err);

	if (r == 0 && is_everything(req) && f.nranges) {
		f.ranges[0].first_id = INT64_MIN;
		f.ranges[0].last_id = INT64_MAX;
	} else if (r == 0) {
		r = find_ids(db, req->relation, &f, err);
	}
	if (r == 0)
		r = load_conditions(db, req, &f, err);
	if (r < 0)
		return r;
	*ret = f;
	f = (struct td_filter){ 0 };
	return 0;
}

void td_filter_done(struct td_filter *f)
{
	free(f->ranges);
	for (size_t i = 0; i < f->nowned; i++)
		td_key_map_done(&f->conditions[i].ids);
	*f = (struct td_filter){ 0 };
}

unsigned td_filter_columns(const struct td_filter *f)
{
	unsigned columns = 1u << TD_ROW_START;

	for (size_t i = 0; i < f->nconditions; i++)
		columns |= 1u << f->conditions[i].column;
	return columns;
}
