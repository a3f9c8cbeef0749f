/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "common/cleanup.h"
#include "common/strbuf.h"
#include "common/utf8.h"
#include "schema/db.h"
#include "schema/stmt.h"
#include "schema/table.h"

/* Number of columns of the table, or -errno. */
static int count_columns(sqlite3 *db, const char *table, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc;

	td_strbuf_addf(&sql, "SELECT * FROM %s", table);
	rc = sqlite3_prepare_v2(db, td_strbuf_str(&sql), -1, &stmt, NULL);
	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot write table '%s'", table);
	return sqlite3_column_count(stmt);
}

int td_stmt_insert(struct td_stmt *s, sqlite3 *db, const char *table, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	int n = count_columns(db, table, err), rc;

	if (n < 0)
		return n;
	td_strbuf_addf(&sql, "INSERT INTO %s VALUES (", table);
	for (int i = 0; i < n; i++)
		td_strbuf_adds(&sql, i ? ", ?" : "?");
	td_strbuf_addc(&sql, ')');
	*s = (struct td_stmt){ .db = db, .err = err, .next = 1 };
	rc = sqlite3_prepare_v2(db, td_strbuf_str(&sql), -1, &s->stmt, NULL);
	return rc == SQLITE_OK ? 0 : td_db_error(db, rc, err, "cannot write table '%s'", table);
}

static void keep(struct td_stmt *s, int rc)
{
	if (rc != SQLITE_OK && s->rc == SQLITE_OK)
		s->rc = rc;
}

void td_stmt_i64(struct td_stmt *s, int64_t v)
{
	int at = s->next++;

	keep(s, v == TD_NULL ? sqlite3_bind_null(s->stmt, at) : sqlite3_bind_int64(s->stmt, at, v));
}

void td_stmt_key(struct td_stmt *s, uint32_t id)
{
	td_stmt_i64(s, id ? (int64_t)id : TD_NULL);
}

void td_stmt_f64(struct td_stmt *s, double v)
{
	int at = s->next++;

	keep(s, isnan(v) ? sqlite3_bind_null(s->stmt, at) : sqlite3_bind_double(s->stmt, at, v));
}

void td_stmt_str(struct td_stmt *s, struct td_str text)
{
	int at = s->next++;
	char *copy;

	if (!text.p) {
		keep(s, sqlite3_bind_null(s->stmt, at));
	} else if (td_utf8_valid(text.p, text.len)) {
		keep(s, sqlite3_bind_text64(s->stmt, at, text.p, text.len, SQLITE_TRANSIENT,
					    SQLITE_UTF8));
	} else {
		copy = td_utf8_dup(text.p, text.len);
		keep(s, copy ? sqlite3_bind_text(s->stmt, at, copy, -1, free) : SQLITE_NOMEM);
	}
}

void td_stmt_text(struct td_stmt *s, const char *text)
{
	td_stmt_str(s, (struct td_str){ text, text ? strlen(text) : 0 });
}

int td_stmt_step(struct td_stmt *s)
{
	int rc = s->rc;

	if (rc == SQLITE_OK)
		rc = sqlite3_step(s->stmt);
	(void)sqlite3_reset(s->stmt);
	s->next = 1;
	return rc == SQLITE_DONE ? 0 : td_db_error(s->db, rc, s->err, "cannot write the database");
}

void td_stmt_done(struct td_stmt *s)
{
	sqlite3_finalize(s->stmt);
	s->stmt = NULL;
}
