/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "analyzer/query.h"
#include "analyzer/report_file.h"
#include "schema/db.h"
#include "schema/sqlite.h"

/* One statement with the names of its columns. */
struct part {
	sqlite3_stmt *stmt;
	struct td_report_column *columns;
	size_t ncolumns;
	struct td_strbuf names; /* what columns[].name point into */
};

struct td_query {
	struct part *parts;
	size_t n, cap;
};

/* Adds the bytes in hexadecimal; ret->i: where they begin, as the buffer moves while it grows. */
static void add_hex(struct td_strbuf *hex, const uint8_t *p, size_t n, struct td_cell *ret)
{
	static const char digits[] = "0123456789abcdef";

	*ret = (struct td_cell){
		.type = TD_VALUE_TEXT, .is_hex = true, .i = (int64_t)hex->len, .text.len = 2 * n
	};
	for (size_t i = 0; i < n; i++) {
		td_strbuf_addc(hex, digits[p[i] >> 4]);
		td_strbuf_addc(hex, digits[p[i] & 15]);
	}
}

static void value_of(sqlite3_stmt *stmt, int column, struct td_strbuf *hex, struct td_cell *ret)
{
	*ret = (struct td_cell){ .type = TD_VALUE_NULL };
	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_NULL:
		return;
	case SQLITE_INTEGER:
		ret->type = TD_VALUE_INT;
		ret->i = sqlite3_column_int64(stmt, column);
		return;
	case SQLITE_FLOAT:
		ret->type = TD_VALUE_REAL;
		ret->d = sqlite3_column_double(stmt, column);
		return;
	case SQLITE_BLOB:
		add_hex(hex, sqlite3_column_blob(stmt, column),
			(size_t)sqlite3_column_bytes(stmt, column), ret);
		return;
	default:
		ret->type = TD_VALUE_TEXT;
		ret->text.p = (const char *)sqlite3_column_text(stmt, column);
		ret->text.len = (size_t)sqlite3_column_bytes(stmt, column);
		if (!ret->text.p)
			ret->text.p = "";
	}
}

/* The row that the statement is at, as long as neither it nor hex changes. 0 or -ENOMEM. */
static int row_of(sqlite3_stmt *stmt, int n, struct td_strbuf *hex, struct td_cell *ret)
{
	td_strbuf_reset(hex);
	for (int i = 0; i < n; i++)
		value_of(stmt, i, hex, &ret[i]);
	for (int i = 0; i < n; i++)
		if (ret[i].is_hex)
			ret[i].text.p = td_strbuf_str(hex) + ret[i].i;
	return td_strbuf_error(hex);
}

static int read_error(sqlite3 *db, int rc, struct td_err *err)
{
	if (rc == SQLITE_NOMEM)
		return td_err_set(err, -ENOMEM,
				  "while reading: this takes more than %d MiB of memory",
				  TD_SQLITE_HEAP_MAX >> 20);
	if (rc == SQLITE_INTERRUPT)
		return td_err_set(err, -ETIME, "while reading: it is not done after --timeout");
	if (rc == SQLITE_TOOBIG)
		return td_err_set(err, -E2BIG, "while reading: a value is longer than %d MiB",
				  TD_SQLITE_VALUE_MAX >> 20);
	return td_db_error(db, rc, err, "while reading");
}

int td_query_rows(sqlite3_stmt *stmt, struct td_writer *w, struct td_err *err)
{
	int n = sqlite3_column_count(stmt), rc, r;
	_cleanup_(td_strbuf_done) struct td_strbuf hex = TD_STRBUF_INIT;
	_cleanup_free_ struct td_cell *values = calloc((size_t)n, sizeof(*values));

	if (!values)
		return -ENOMEM;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		r = row_of(stmt, n, &hex, values);
		if (r == 0)
			r = td_writer_row(w, values);
		if (r < 0)
			return r;
		if (w->out && ferror(w->out)) /* td_writer_end() says why */
			return 0;
	}
	if (rc != SQLITE_DONE)
		return read_error(sqlite3_db_handle(stmt), rc, err);
	return 0;
}

static int prepare_error(sqlite3 *db, int rc, const char *sql, const char *statement,
			 struct td_err *err)
{
	int offset = sqlite3_error_offset(db);
	const char *at = statement + (offset > 0 ? offset : 0), *line = sql;
	unsigned line_no = 1;

	at += offset < 0 ? strspn(at, " \t\r\n") : 0;
	for (const char *p = sql; p < at; p++)
		if (*p == '\n') {
			line_no++;
			line = p + 1;
		}
	if (rc == SQLITE_AUTH)
		return td_err_set(
			err, -EPERM,
			"line %u: %s: only reading is possible here (SELECT, EXPLAIN, PRAGMAs "
			"that ask)",
			line_no, sqlite3_errmsg(db));
	return td_err_set(err, td_sql_errno(rc), "line %u, column %zu: %s", line_no,
			  (size_t)(at - line) + 1, sqlite3_errmsg(db));
}

/* Same names get numbers ("n", "n_2"): an object of JSON has each member once. */
static int name_columns(struct part *p)
{
	p->columns = calloc(p->ncolumns, sizeof(*p->columns));
	if (!p->columns)
		return -ENOMEM;
	for (size_t i = 0; i < p->ncolumns; i++) {
		const char *name = sqlite3_column_name(p->stmt, (int)i);
		unsigned same = 1;

		if (!name)
			return -ENOMEM;
		for (size_t k = 0; k < i; k++)
			same += strcmp(sqlite3_column_name(p->stmt, (int)k), name) == 0;
		if (same > 1)
			td_strbuf_addf(&p->names, "%s_%u", name, same);
		else
			td_strbuf_adds(&p->names, name);
		td_strbuf_addc(&p->names, '\0');
		p->columns[i] =
			(struct td_report_column){ .unit = td_unit_guess(name), .help = "" };
	}
	if (td_strbuf_error(&p->names) < 0)
		return -ENOMEM;
	for (size_t i = 0, at = 0; i < p->ncolumns; i++) { /* they do not move any more */
		p->columns[i].name = p->names.p + at;
		at += strlen(p->columns[i].name) + 1;
	}
	return 0;
}

/* A parameter that nobody gives a value is misspelt, here or in the SQL; but those that the header of
 * a report declares have defaults. */
static int check_default(const struct td_report *rep, const char *name, struct td_err *err)
{
	if (!name)
		return td_err_set(err, -EINVAL,
				  "the SQL has a parameter '?', which has no name "
				  "to give it a value by: write :NAME");
	if (rep && td_report_param(rep, name + 1))
		return 0;
	return td_err_set(err, -EINVAL,
			  "the parameter '%s' of the SQL has no value: give it one "
			  "with --param %s=VALUE",
			  name, name + 1);
}

static int bind_args(sqlite3_stmt *stmt, const struct td_report *rep, const struct td_arg *args,
		     size_t nargs, bool *used, struct td_err *err)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++) {
		const char *name = sqlite3_bind_parameter_name(stmt, i);
		bool bound = false;
		int r = 0;

		for (size_t k = 0; k < nargs && r == 0; k++) {
			if (!name || strcmp(name + 1, args[k].name) != 0)
				continue;
			used[k] = bound = true;
			r = td_arg_bind(stmt, i, TD_UNIT_ANY, &args[k], err);
		}
		if (r == 0 && !bound)
			r = check_default(rep, name, err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Prepares the statement at *sql_at and moves on; a comment or a lone ';' makes none. */
static int add_part(struct td_query *q, sqlite3 *db, const char *sql, const char **sql_at,
		    struct td_err *err)
{
	const char *tail = NULL;
	struct part *p;
	int rc;

	if (td_grow(&q->parts, &q->cap, q->n) < 0)
		return -ENOMEM;
	p = &q->parts[q->n];
	*p = (struct part){ 0 };
	rc = sqlite3_prepare_v2(db, *sql_at, -1, &p->stmt, &tail);
	if (rc != SQLITE_OK)
		return prepare_error(db, rc, sql, *sql_at, err);
	*sql_at = tail;
	if (!p->stmt)
		return 0;
	q->n++;
	if (!sqlite3_stmt_readonly(p->stmt))
		return td_err_set(err, -EPERM, "only reading is possible here: %s",
				  sqlite3_sql(p->stmt));
	p->ncolumns = (size_t)sqlite3_column_count(p->stmt);
	return p->ncolumns ? name_columns(p) : 0;
}

int td_query_prepare(sqlite3 *db, const char *sql, const struct td_arg *args, size_t nargs,
		     struct td_query **ret, struct td_err *err)
{
	_cleanup_(td_query_freep) struct td_query *q = calloc(1, sizeof(*q));
	_cleanup_free_ bool *used = calloc(nargs + 1, sizeof(*used));
	_cleanup_(td_report_freep) struct td_report *rep = NULL; /* NULL: it is plain SQL */
	int r = q && used ? 0 : -ENOMEM;

	for (const char *at = sql; r == 0 && *at;)
		r = add_part(q, db, sql, &at, err);
	if (r == 0 && td_report_parse("", sql, &rep, NULL) == -ENOMEM)
		r = -ENOMEM;
	for (size_t i = 0; r == 0 && i < q->n; i++)
		r = bind_args(q->parts[i].stmt, rep, args, nargs, used, err);
	if (r < 0)
		return r;
	if (q->n == 0)
		return td_err_set(err, -EINVAL, "there is no SQL statement");
	for (size_t i = 0; i < nargs; i++)
		if (!used[i])
			return td_err_set(err, -EINVAL, "the SQL has no parameter ':%s'",
					  args[i].name);
	*ret = TAKE_PTR(q);
	return 0;
}

void td_query_free(struct td_query *q)
{
	if (!q)
		return;
	for (size_t i = 0; i < q->n; i++) {
		sqlite3_finalize(q->parts[i].stmt);
		free(q->parts[i].columns);
		td_strbuf_done(&q->parts[i].names);
	}
	free(q->parts);
	free(q);
}

size_t td_query_ntables(const struct td_query *q)
{
	size_t n = 0;

	for (size_t i = 0; i < q->n; i++)
		n += q->parts[i].ncolumns > 0;
	return n;
}

int td_query_run(struct td_query *q, struct td_writer *w, struct td_err *err)
{
	for (size_t i = 0; i < q->n; i++) {
		const struct part *p = &q->parts[i];
		struct td_table_head head = { .columns = p->columns, .ncolumns = p->ncolumns };
		int r;

		if (!p->ncolumns)
			continue;
		r = td_writer_table(w, &head);
		if (r == 0)
			r = td_query_rows(p->stmt, w, err);
		if (r == 0)
			r = td_writer_table_end(w);
		if (r < 0)
			return r;
	}
	return 0;
}
