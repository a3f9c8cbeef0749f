/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/filter.h"
#include "common/array.h"
#include "schema/db.h"

/* Periods in which calls count: ?1 and ?2 limit the time, ?3 is a phase. */
#define PERIODS                                                                                    \
	"SELECT max(start_ns, coalesce(?1, start_ns)), min(end_ns, coalesce(?2, end_ns)) FROM ("   \
	"SELECT start_ns, end_ns FROM main.phase_interval WHERE label = ?3 COLLATE NOCASE "        \
	"UNION ALL SELECT -9223372036854775807, 9223372036854775807 WHERE ?3 IS NULL) ORDER BY 1"

/* The calls of a period are among those with these ids: those of a block begin after those of the blocks before. */
#define IDS                                                                                        \
	"SELECT"                                                                                   \
	" (SELECT first_id FROM main.call_block WHERE start_ns < ?1 ORDER BY start_ns DESC LIMIT " \
	"1),"                                                                                      \
	" (SELECT last_id FROM main.call_block WHERE start_ns < ?2 ORDER BY start_ns DESC LIMIT "  \
	"1)"

#define OPS "SELECT id, 1 FROM main.op WHERE kind = 'io'"

#define PROCESSES                                                                                  \
	"SELECT id, 1 FROM main.process WHERE (?1 IS NULL OR pid = ?1)"                            \
	" AND (?2 IS NULL OR name = ?2 OR role = ?2)"

#define FILES "SELECT id, 1 FROM main.file WHERE coalesce(path, name) GLOB ?2"

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

/* Without call_block the calls are looked for by their time. */
static int find_ids(sqlite3 *db, struct td_filter *f, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, IDS, -1, &stmt, NULL);

	for (size_t i = 0; i < f->nranges && rc == SQLITE_OK; i++) {
		struct td_filter_range *range = &f->ranges[i];

		(void)sqlite3_bind_int64(stmt, 1, range->start_ns);
		(void)sqlite3_bind_int64(stmt, 2, range->end_ns);
		rc = sqlite3_step(stmt);
		if (rc != SQLITE_ROW)
			break;
		range->first_id = sqlite3_column_type(stmt, 0) == SQLITE_NULL
					  ? INT64_MIN
					  : sqlite3_column_int64(stmt, 0);
		range->last_id = sqlite3_column_type(stmt, 1) == SQLITE_NULL
					 ? INT64_MIN
					 : sqlite3_column_int64(stmt, 1);
		rc = sqlite3_reset(stmt);
	}
	return rc == SQLITE_OK ? 0 : td_db_error(db, rc, err, "cannot find the calls");
}

/* Whole runs need no block. */
static bool is_everything(const struct td_stat_request *req)
{
	return req->since_ns == TD_NULL && req->until_ns == TD_NULL && !req->phase;
}

static int add_condition(sqlite3 *db, enum td_call_column column, const char *sql, int64_t pid,
			 const char *text, struct td_filter *f, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	struct td_filter_condition *c = &f->conditions[f->nconditions];
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot see which calls count");
	bind_known(stmt, 1, pid);
	(void)sqlite3_bind_text(stmt, 2, text, -1, SQLITE_STATIC);
	c->column = column;
	f->nconditions++;
	return td_key_map_fill(stmt, &c->ids, NULL, err);
}

static int load_conditions(sqlite3 *db, const struct td_stat_request *req, struct td_filter *f,
			   struct td_err *err)
{
	int r = 0;

	if (req->io_only)
		r = add_condition(db, TD_CALL_OP, OPS, TD_NULL, NULL, f, err);
	if (r == 0 && (req->pid != TD_NULL || req->process))
		r = add_condition(db, TD_CALL_PROCESS, PROCESSES, req->pid, req->process, f, err);
	if (r == 0 && req->file)
		r = add_condition(db, TD_CALL_FILE, FILES, TD_NULL, req->file, f, err);
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
		r = find_ids(db, &f, err);
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
	for (size_t i = 0; i < f->nconditions; i++)
		td_key_map_done(&f->conditions[i].ids);
	*f = (struct td_filter){ 0 };
}

unsigned td_filter_columns(const struct td_filter *f)
{
	unsigned columns = 1u << TD_CALL_START;

	for (size_t i = 0; i < f->nconditions; i++)
		columns |= 1u << f->conditions[i].column;
	return columns;
}
