/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "analyzer/scan/stat_held.h"
#include "analyzer/scan/stat_view.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "schema/db.h"
#include "schema/stat_math.h"

#define D(x) (1u << TD_DIM_##x)

/* Those that are asked for: pid ?1, name or role ?2. */
#define PROCESSES                                                                                  \
	"main.process WHERE (?1 IS NULL OR pid = ?1) AND (?2 IS NULL OR name = ?2 OR role = ?2)"

static int bind_processes(const struct td_stat_view *v, sqlite3_stmt *stmt)
{
	int rc = SQLITE_OK;

	if (v->args[TD_PARAM_PID])
		rc = sqlite3_bind_value(stmt, 1, v->args[TD_PARAM_PID]);
	if (v->args[TD_PARAM_PROCESS] && rc == SQLITE_OK)
		rc = sqlite3_bind_value(stmt, 2, v->args[TD_PARAM_PROCESS]);
	return rc;
}

/* How many processes count; two are as many as more. -errno. */
static int count_processes(const struct td_stat_view *v)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(v->db,
				    "SELECT count(*) FROM (SELECT 1 FROM " PROCESSES " LIMIT 2)",
				    -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = bind_processes(v, stmt);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	return rc == SQLITE_ROW ? sqlite3_column_int(stmt, 0) : -EIO;
}

/* Those of others, or of nobody known, would not count. ?3: of more percentiles are not exact. */
#define IS_OF_ALL                                                                                  \
	"SELECT ifnull(sum(calls) BETWEEN 1 AND ?3, 0) AND NOT EXISTS (SELECT 1 FROM calls"        \
	" WHERE process_id IS NULL OR process_id NOT IN (SELECT id FROM " PROCESSES "))"           \
	" FROM calls"
#define CALLS_OF                                                                                   \
	"WITH calls AS (SELECT process_id, calls FROM main.op_stat WHERE by = 'process,op'"        \
	" UNION ALL SELECT process_id, calls FROM main.nested_stat WHERE by = 'process,op') "

bool td_stat_view_is_of_all(const struct td_stat_view *v)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	const struct td_relation *calls = td_relation_find("call_stat");

	if (!v->args[TD_PARAM_PROCESS] || v->args[TD_PARAM_PID] ||
	    strcmp(v->relation->table, calls->table) != 0 ||
	    !td_stat_is_held(v->db, calls, D(PROCESS) | D(OP), 0) ||
	    !td_stat_is_held(v->db, calls, D(PROCESS) | D(OP) | D(NESTED), 0))
		return false;
	return sqlite3_prepare_v2(v->db, CALLS_OF IS_OF_ALL, -1, &stmt, NULL) == SQLITE_OK &&
	       bind_processes(v, stmt) == SQLITE_OK &&
	       sqlite3_bind_int64(stmt, 3, TD_DURATIONS_EXACT) == SQLITE_OK &&
	       sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_int(stmt, 0);
}

/* Rows that are told by process are put together, whichever of them count. */
static bool is_put_together(const struct td_stat_view *v)
{
	return !v->args[TD_PARAM_TOP] &&
	       td_stat_common_of(v->relation, v->dims) & D(PROCESS) & ~v->dims;
}

unsigned td_stat_view_dims(const struct td_stat_view *v, unsigned wanted)
{
	bool of_process = v->args[TD_PARAM_PID] || v->args[TD_PARAM_PROCESS];
	unsigned by = v->dims;

	for (size_t i = 0; i < TD_NPARAMS; i++)
		if (v->args[i] && i != TD_PARAM_PID && i != TD_PARAM_PROCESS && i != TD_PARAM_TOP)
			return 0;
	if (of_process && v->relation->who == TD_ROW_THREAD && !(by & D(THREAD)))
		return 0;
	if (of_process && v->relation->who == TD_ROW_PROCESS && !(by & D(PROCESS))) {
		if (is_put_together(v))
			return td_stat_has_groups(v->db, v->relation, by, wanted) ? by : 0;
		by |= D(PROCESS);
		if (count_processes(v) != 1)
			return 0;
	}
	return td_stat_is_held(v->db, v->relation, by, wanted) ? by : 0;
}

/* FROM and WHERE. Those of a grouping that is held are not looked for among the calls. */
static void add_rows(const struct td_stat_view *v, unsigned by, struct td_strbuf *sql)
{
	td_strbuf_addf(sql, " FROM main.%s",
		       by && v->relation->held ? v->relation->held : v->relation->name);
	if (by) {
		td_strbuf_adds(sql, " WHERE by = '");
		td_stat_add_by(sql, v->relation, by);
		td_strbuf_adds(sql, "'");
	}
	if (v->args[TD_PARAM_PID] || v->args[TD_PARAM_PROCESS])
		td_strbuf_addf(sql, " AND (%s, 1) IN (%s)",
			       v->relation->columns[v->relation->who].name, v->relation->whose);
}

/* As td_stat_scan_top(). */
static void add_top(const struct td_stat_view *v, unsigned by, struct td_strbuf *sql)
{
	const char *waits = v->dims & D(WAITS) ? "waits" : "''", *first = NULL;
	int64_t top = v->args[TD_PARAM_TOP] ? sqlite3_value_int64(v->args[TD_PARAM_TOP]) : -1;

	for (size_t i = 0; i < v->relation->ndims && !first; i++)
		if (v->dims & 1u << v->relation->dims[i].dim)
			first = v->relation->dims[i].column;
	if (top < 0 || !first)
		return;
	td_strbuf_addf(sql,
		       " AND (coalesce(%s, -1), %s) IN (SELECT key, waits FROM"
		       " (SELECT coalesce(%s, -1) AS key, %s AS waits, rank() OVER"
		       " (PARTITION BY %s ORDER BY sum(total_ns) DESC) AS place",
		       first, waits, first, waits, waits);
	add_rows(v, by, sql);
	td_strbuf_addf(sql, " GROUP BY 1, 2) WHERE place <= %" PRId64 ")", top);
}

int td_stat_view_open(const struct td_stat_view *v, unsigned by, uint64_t used, sqlite3_stmt **ret)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	int rc;

	td_strbuf_adds(&sql, "SELECT ");
	for (int i = 0; i < v->columns->nbefore_params; i++)
		td_strbuf_addf(&sql, used & UINT64_C(1) << i ? "%s\"%s\"" : "%sNULL", i ? ", " : "",
			       v->columns->items[i].name);
	add_rows(v, by, &sql);
	add_top(v, by, &sql);
	if (td_strbuf_error(&sql) < 0)
		return SQLITE_NOMEM;
	rc = sqlite3_prepare_v2(v->db, td_strbuf_str(&sql), -1, ret, NULL);
	if (rc == SQLITE_OK)
		rc = bind_processes(v, *ret);
	return rc;
}
