/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <math.h>

#include "common/cleanup.h"
#include "common/strbuf.h"
#include "common/utf8.h"
#include "schema/db.h"
#include "store/write/row_builder.h"
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

static int insert_by_sqlite(struct td_row_builder *s, sqlite3 *db, const char *table,
			    struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	int n = count_columns(db, table, err), rc;

	if (n < 0)
		return n;
	td_strbuf_addf(&sql, "INSERT INTO %s VALUES (", table);
	for (int i = 0; i < n; i++)
		td_strbuf_adds(&sql, i ? ", ?" : "?");
	td_strbuf_addc(&sql, ')');
	s->db = db;
	s->ncolumns = (size_t)n;
	rc = sqlite3_prepare_v2(db, td_strbuf_str(&sql), -1, &s->stmt, NULL);
	return rc == SQLITE_OK ? 0 : td_db_error(db, rc, err, "cannot write table '%s'", table);
}

int td_row_builder_open(struct td_row_builder *s, const struct td_target *target, const char *table,
			struct td_err *err)
{
	const struct td_target_table *t;
	int r;

	*s = (struct td_row_builder){ .err = err };
	if (td_target_db(target)) {
		r = insert_by_sqlite(s, td_target_db(target), table, err);
	} else {
		t = td_target_find(target, table);
		if (!t)
			return td_err_set(err, -EINVAL, "there is no rowid table '%s'", table);
		s->key = t->key;
		s->ncolumns = t->ncolumns;
		r = td_btree_table(td_target_btree(target), NULL, t->rootpage, &s->table);
	}
	assert(r < 0 || s->ncolumns <= TD_ROW_COLUMNS_MAX);
	return r;
}

void td_row_builder_ahead(struct td_row_builder *s, const struct td_row_builder *of,
			  struct td_btree_rows *rows)
{
	assert(of->table && of->key < of->ncolumns);
	*s = (struct td_row_builder){
		.err = of->err,
		.rows = rows,
		.key = of->key,
		.ncolumns = of->ncolumns,
	};
}

int td_row_builder_add(struct td_row_builder *s, const struct td_btree_rows *rows)
{
	return td_btree_add_rows(s->table, rows);
}

static struct td_value *next(struct td_row_builder *s, enum td_value_type type)
{
	struct td_value *v = &s->values[s->n++];

	assert(s->n <= s->ncolumns);
	v->type = type;
	return v;
}

void td_row_i64(struct td_row_builder *s, int64_t v)
{
	next(s, v == TD_NULL ? TD_VALUE_NULL : TD_VALUE_INTEGER)->i = v;
}

void td_row_key(struct td_row_builder *s, uint32_t id)
{
	td_row_i64(s, id ? (int64_t)id : TD_NULL);
}

void td_row_f64(struct td_row_builder *s, double v)
{
	next(s, TD_VALUE_REAL)->d = v;
}

void td_row_str(struct td_row_builder *s, struct td_str text)
{
	struct td_value *v = next(s, text.p ? TD_VALUE_TEXT : TD_VALUE_NULL);

	v->s = text;
	if (!text.p || td_utf8_valid(text.p, text.len))
		return;
	v->s.p = td_utf8_dup(text.p, text.len);
	if (!v->s.p) {
		s->no_memory = true;
		return;
	}
	v->s.len = strlen(v->s.p);
	s->repaired[s->nrepaired++] = (char *)v->s.p;
}

void td_row_text(struct td_row_builder *s, const char *text)
{
	td_row_str(s, (struct td_str){ text, text ? strlen(text) : 0 });
}

void td_row_blob(struct td_row_builder *s, const void *bytes, size_t len)
{
	next(s, TD_VALUE_BLOB)->s = (struct td_str){ bytes, len };
}

static int bind(sqlite3_stmt *stmt, int at, const struct td_value *v)
{
	switch (v->type) {
	case TD_VALUE_NULL:
		return sqlite3_bind_null(stmt, at);
	case TD_VALUE_INTEGER:
		return sqlite3_bind_int64(stmt, at, v->i);
	case TD_VALUE_REAL: /* NaN becomes NULL */
		return sqlite3_bind_double(stmt, at, v->d);
	case TD_VALUE_TEXT:
		return sqlite3_bind_text64(stmt, at, v->s.p, v->s.len, SQLITE_STATIC, SQLITE_UTF8);
	case TD_VALUE_BLOB:
		return sqlite3_bind_blob64(stmt, at, v->s.p, v->s.len, SQLITE_STATIC);
	}
	return SQLITE_MISUSE;
}

static int end_row_by_sqlite(struct td_row_builder *s)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < s->ncolumns && rc == SQLITE_OK; i++)
		rc = bind(s->stmt, (int)i + 1, &s->values[i]);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(s->stmt);
	(void)sqlite3_reset(s->stmt);
	return rc == SQLITE_DONE ? 0 : td_db_error(s->db, rc, s->err, "cannot write the database");
}

/* Without those at the end that are NULL, which takes a byte less of each: no column has another
 * default where NULL is allowed. */
static size_t count_stored(const struct td_row_builder *s)
{
	size_t n = s->ncolumns;

	while (n > 1 && s->values[n - 1].type == TD_VALUE_NULL)
		n--;
	return n;
}

/* The rowid is not stored a second time in its column: NULL stands there. */
static int end_row_by_btree(struct td_row_builder *s)
{
	size_t n;

	s->rowid++;
	if (s->key < s->ncolumns) {
		s->rowid = s->values[s->key].i;
		s->values[s->key].type = TD_VALUE_NULL;
	}
	n = count_stored(s);
	if (s->rows)
		return td_btree_rows_add(s->rows, s->rowid, s->values, n);
	return td_btree_add_values(s->table, s->rowid, s->values, n);
}

static void forget_repaired(struct td_row_builder *s)
{
	while (s->nrepaired > 0)
		free(s->repaired[--s->nrepaired]);
}

int td_row_builder_end_row(struct td_row_builder *s)
{
	int r;

	assert(s->n == s->ncolumns);
	if (s->no_memory)
		r = -ENOMEM;
	else
		r = s->db ? end_row_by_sqlite(s) : end_row_by_btree(s);
	forget_repaired(s);
	s->n = 0;
	return r;
}

void td_row_builder_done(struct td_row_builder *s)
{
	forget_repaired(s);
	if (s->table)
		(void)td_btree_table_finish(TAKE_PTR(s->table));
	sqlite3_finalize(TAKE_PTR(s->stmt));
}
