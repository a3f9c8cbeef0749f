/* SPDX-License-Identifier: MIT */
/* Rows of a table of numbers: from its pages, and from where those cannot be read on by SQLite. */
#include "analyzer/export/events/events_private.h"
#include "common/strbuf.h"
#include "schema/db.h"

struct scan {
	const struct td_export_table *t;
	size_t from[TD_SCAN_COLUMNS_MAX]; /* where the table has the columns */
	size_t n;
	int (*fn)(void *arg, const struct td_scan_rows *rows);
	void *arg;
	int64_t last; /* rowid */
	bool begun;
};

static int show(void *arg, const struct td_table_rows *rows)
{
	struct scan *s = arg;
	struct td_scan_rows seen = { .n = rows->n };

	if (!rows->n)
		return 0;
	for (size_t i = 0; i < s->n; i++) {
		seen.values[i] = rows->values[s->from[i]];
		seen.is_null[i] = rows->is_null[s->from[i]];
	}
	s->last = rows->values[s->t->layout.rowid][rows->n - 1];
	s->begun = true;
	return s->fn(s->arg, &seen);
}

static void take_row(const struct scan *s, sqlite3_stmt *stmt, struct td_table_rows *rows)
{
	for (size_t i = 0; i < s->t->layout.ncolumns; i++) {
		double d = sqlite3_column_double(stmt, (int)i);

		rows->is_null[i][rows->n] = sqlite3_column_type(stmt, (int)i) == SQLITE_NULL;
		if (s->t->layout.is_real[i])
			memcpy(&rows->values[i][rows->n], &d, sizeof(d));
		else
			rows->values[i][rows->n] = sqlite3_column_int64(stmt, (int)i);
	}
	rows->n++;
}

static int by_sql(struct td_walk *w, struct scan *s)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	_cleanup_free_ struct td_table_rows *rows = calloc(1, sizeof(*rows));
	const char *id = s->t->columns[s->t->layout.rowid].name;
	int rc, r = 0;

	td_strbuf_addf(&sql, "SELECT * FROM main.%s NOT INDEXED", s->t->name);
	if (s->begun)
		td_strbuf_addf(&sql, " WHERE %s > %lld", id, (long long)s->last);
	td_strbuf_addf(&sql, " ORDER BY %s", id);
	if (!rows || td_strbuf_error(&sql) < 0)
		return -ENOMEM;
	rc = sqlite3_prepare_v2(w->db, td_strbuf_str(&sql), -1, &stmt, NULL);
	while (rc == SQLITE_OK && r == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		rc = SQLITE_OK;
		take_row(s, stmt, rows);
		if (rows->n < TD_TABLE_ROWS_AT_ONCE)
			continue;
		r = show(s, rows);
		rows->n = 0;
	}
	if (r == 0 && rc != SQLITE_DONE)
		return td_db_error(w->db, rc, w->err, "cannot read table '%s'", s->t->name);
	return r == 0 ? show(s, rows) : r;
}

static int find_columns(struct scan *s, const char *const *columns)
{
	for (; columns[s->n]; s->n++) {
		size_t i = 0;

		while (i < s->t->layout.ncolumns &&
		       strcmp(s->t->columns[i].name, columns[s->n]) != 0)
			i++;
		if (i == s->t->layout.ncolumns || s->n == TD_SCAN_COLUMNS_MAX)
			return -EINVAL;
		s->from[s->n] = i;
	}
	return s->t->layout.rowid < 0 || s->t->has_text ? -EINVAL : 0;
}

int td_walk_scan(struct td_walk *w, const char *table, const char *const *columns,
		 int (*fn)(void *arg, const struct td_scan_rows *rows), void *arg)
{
	_cleanup_(td_export_table_done) struct td_export_table t = { 0 };
	_cleanup_(td_leaves_done) struct td_leaves leaves = { .fd = -1 };
	struct scan s = { .t = &t, .fn = fn, .arg = arg };
	int r = td_export_table_load(w->db, table, NULL, &t, w->err);

	if (r == 0)
		r = find_columns(&s, columns);
	if (r < 0)
		return r;
	r = td_table_leaves(w->db, table, &leaves);
	if (r == 0)
		r = td_table_rows_read(&leaves, &t.layout, 0, leaves.n, show, &s);
	return r == -EOPNOTSUPP ? by_sql(w, &s) : r;
}
