/* SPDX-License-Identifier: MIT */
/*
 * Row by row from one database to another, which td_db_create() made: only tables and columns of
 * the schema are asked for.
 */
#include <stdlib.h>

#include "analyzer/redact/columns.h"
#include "analyzer/redact/redact.h"
#include "analyzer/redact/redact_private.h"
#include "analyzer/redact/texts_private.h"
#include "common/cleanup.h"
#include "schema/db.h"

#define COLUMNS_MAX 64 /* of a table */

struct copy {
	const char *table;
	struct td_redact_column columns[COLUMNS_MAX];
	char *names[COLUMNS_MAX]; /* owned */
	int ncolumns;
	sqlite3_stmt *from, *to; /* owned */
};

static void copy_done(struct copy *c)
{
	for (int i = 0; i < c->ncolumns; i++)
		free(c->names[i]);
	sqlite3_finalize(c->from);
	sqlite3_finalize(c->to);
}

static int column_called(const struct copy *c, const char *name)
{
	for (int i = 0; i < c->ncolumns; i++)
		if (strcmp(c->names[i], name) == 0)
			return i;
	return -1;
}

static struct td_str text_at(const struct copy *c, int i)
{
	const char *text = (const char *)sqlite3_column_text(c->from, i);

	return (struct td_str){ text ? text : "", (size_t)sqlite3_column_bytes(c->from, i) };
}

static int64_t number_at(const struct copy *c, const char *name)
{
	return sqlite3_column_int64(c->from, column_called(c, name));
}

static bool is_socket(const struct copy *c)
{
	return td_str_eq(text_at(c, column_called(c, "class")), "socket");
}

static uint8_t op_flags(const struct td_redaction *x, const struct copy *c)
{
	int64_t op = number_at(c, "op_id");

	return op >= 0 && op <= x->nops ? x->op_of[op] : 0;
}

/* The part of the template that the name has; none where the path was cut and does not end with the name. */
static struct td_str template_of_name(const struct copy *c, struct td_str templ)
{
	struct td_str path = text_at(c, column_called(c, "path"));
	struct td_str name = text_at(c, column_called(c, "name"));
	const char *slash = td_str_rchr(templ, '/');

	if (path.len &&
	    !(path.len >= name.len && memcmp(path.p + path.len - name.len, name.p, name.len) == 0))
		return (struct td_str){ NULL, 0 };
	return slash ? (struct td_str){ slash + 1, (size_t)(templ.p + templ.len - slash - 1) }
		     : templ;
}

static int name_file(struct td_redaction *x, const struct copy *c, int i)
{
	_cleanup_(td_strbuf_done) struct td_strbuf templ = TD_STRBUF_INIT;
	struct td_str text = text_at(c, i), t;
	int r = 0;

	if (is_socket(c)) {
		td_redact_text(x->names, TD_TEXT_PEERS, text, &x->text);
		return 0;
	}
	r = td_redaction_text_of_string(x, number_at(c, "template_id"), &templ);
	t = td_redaction_str(&templ);
	if (c->columns[i].how == TD_HOW_FILE_NAME)
		t = template_of_name(c, t);
	td_name_path(x->names, text, t, &x->text);
	return r;
}

/* 'PID FUNCTION' and 'GPU 0: MODEL' are what reports read. */
static void name_summary(struct td_redaction *x, struct td_str text)
{
	struct td_scan s = td_scan_of(text.p, text.len);
	int64_t pid;

	if (td_str_starts(text, "GPU ") && td_str_find(text, ": NVIDIA ") && text.len < 64 &&
	    td_text_is_made_of(text, " :-./()")) {
		td_strbuf_add(&x->text, text.p, text.len);
		return;
	}
	if (td_scan_i64(&s, &pid) && td_scan_char(&s, ' ')) {
		td_strbuf_addf(&x->text, "%lld ", (long long)td_redaction_pid(x, pid));
		text = td_scan_rest(&s);
	}
	td_redact_text(x->names, TD_TEXT_OP, text, &x->text);
}

/* What key_id of file_stat refers to. */
static int use_key(struct td_redaction *x, const struct copy *c, int i, int64_t *value)
{
	struct td_str by = text_at(c, column_called(c, "by"));

	if (td_str_starts(by, "template,"))
		return td_redaction_use_string(x, *value, USE_TEMPLATE, 0, value);
	if (td_str_starts(by, "directory,"))
		return td_redaction_use_string(x, *value, USE_DIRECTORY, 0, value);
	if (td_str_starts(by, "class,"))
		return td_redaction_use_string(x, *value, TD_TEXT_IDENT, 0, value);
	return 0;
}

/* What is in the place of an integer, or nothing. */
static int redact_number(struct td_redaction *x, const struct copy *c, int i, int64_t *value,
			 bool *is_null)
{
	const struct td_redact_column *column = &c->columns[i];

	switch (column->how) {
	case TD_HOW_PID:
		*value = td_redaction_pid(x, *value);
		return 0;
	case TD_HOW_RET:
		if (*value > 0 && op_flags(x, c) & OP_TELLS_PID) {
			*value = td_redaction_pid(x, *value);
			*is_null = *value == 0;
		}
		return 0;
	case TD_HOW_NUMBER:
		*value = td_name_number(x->names, 'i', *value);
		return 0;
	case TD_HOW_STRING:
		return td_redaction_use_string(x, *value, column->text, 0, value);
	case TD_HOW_ARGS:
		return td_redaction_use_string(x, *value,
					       op_flags(x, c) & OP_OF_PROCESSES ? TD_TEXT_COMMAND
										: TD_TEXT_ARGS,
					       0, value);
	case TD_HOW_TEMPLATE:
		return td_redaction_use_string(
			x, *value, is_socket(c) ? TD_TEXT_PEERS : USE_TEMPLATE, 0, value);
	case TD_HOW_DIRECTORY:
		return td_redaction_use_string(x, *value, USE_DIRECTORY,
					       number_at(c, "template_id"), value);
	case TD_HOW_KEY:
		return use_key(x, c, i, value);
	default:
		return 0;
	}
}

static int bind_text(struct td_redaction *x, const struct copy *c, int i)
{
	const struct td_redact_column *column = &c->columns[i];
	int r = 0, rc;

	td_strbuf_reset(&x->text);
	if (column->how == TD_HOW_FILE_PATH || column->how == TD_HOW_FILE_NAME)
		r = name_file(x, c, i);
	else if (column->how == TD_HOW_SUMMARY)
		name_summary(x, text_at(c, i));
	else
		td_redact_text(x->names, column->text, text_at(c, i), &x->text);
	if (r == 0)
		r = td_strbuf_error(&x->text);
	if (r < 0)
		return r;
	rc = sqlite3_bind_text(c->to, i + 1, td_strbuf_str(&x->text), (int)x->text.len,
			       SQLITE_TRANSIENT);
	return rc == SQLITE_OK ? 0 : td_redaction_failed(x, x->to, rc);
}

static int bind(struct td_redaction *x, const struct copy *c, int i)
{
	int64_t value;
	bool is_null = false;
	int r, rc;

	switch (sqlite3_column_type(c->from, i)) {
	case SQLITE_NULL:
		rc = sqlite3_bind_null(c->to, i + 1);
		break;
	case SQLITE_INTEGER:
		value = sqlite3_column_int64(c->from, i);
		r = redact_number(x, c, i, &value, &is_null);
		if (r < 0)
			return r;
		rc = is_null ? sqlite3_bind_null(c->to, i + 1)
			     : sqlite3_bind_int64(c->to, i + 1, value);
		break;
	case SQLITE_FLOAT:
		rc = sqlite3_bind_double(c->to, i + 1, sqlite3_column_double(c->from, i));
		break;
	case SQLITE_BLOB: /* numbers: add_column() knows of it */
		rc = sqlite3_bind_value(c->to, i + 1, sqlite3_column_value(c->from, i));
		break;
	default:
		return bind_text(x, c, i);
	}
	return rc == SQLITE_OK ? 0 : td_redaction_failed(x, x->to, rc);
}

static int copy_rows(struct td_redaction *x, const struct copy *c)
{
	int r = 0, rc;

	while ((rc = sqlite3_step(c->from)) == SQLITE_ROW) {
		for (int i = 0; i < c->ncolumns && r == 0; i++)
			r = bind(x, c, i);
		if (r < 0)
			return r;
		if (sqlite3_step(c->to) != SQLITE_DONE)
			return td_redaction_failed(x, x->to, sqlite3_errcode(x->to));
		(void)sqlite3_reset(c->to);
	}
	return rc == SQLITE_DONE ? 0 : td_redaction_failed(x, x->from, rc);
}

/* --- tables --- */

/* A text, or bytes, that is not in the table of columns would leak: there is no default for it. */
static int add_column(struct td_redaction *x, struct copy *c, const char *name, const char *type)
{
	const struct td_redact_column *column = td_redact_column_find(c->table, name);

	if (!column && (strcmp(type, "TEXT") == 0 || strcmp(type, "BLOB") == 0))
		return td_err_set(x->err, -ENOTSUP, "it is not known what %s.%s holds", c->table,
				  name);
	if (c->ncolumns == COLUMNS_MAX)
		return -E2BIG;
	if (column)
		c->columns[c->ncolumns] = *column;
	c->names[c->ncolumns] = strdup(name);
	return c->names[c->ncolumns++] ? 0 : -ENOMEM;
}

static int read_columns(struct td_redaction *x, struct copy *c)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc, r = td_redaction_prepare(x, x->to, "SELECT name, type FROM pragma_table_info(?1)",
					 &s);

	if (r < 0)
		return r;
	rc = sqlite3_bind_text(s, 1, c->table, -1, SQLITE_STATIC);
	while (rc == SQLITE_OK && r == 0 && sqlite3_step(s) == SQLITE_ROW)
		r = add_column(x, c, (const char *)sqlite3_column_text(s, 0),
			       (const char *)sqlite3_column_text(s, 1));
	if (r == 0 && rc == SQLITE_OK)
		rc = sqlite3_reset(s);
	return r == 0 && rc != SQLITE_OK ? td_redaction_failed(x, x->to, rc) : r;
}

static int prepare_copy(struct td_redaction *x, struct copy *c)
{
	_cleanup_(td_strbuf_done) struct td_strbuf select = TD_STRBUF_INIT, insert = TD_STRBUF_INIT;
	int r;

	td_strbuf_adds(&select, "SELECT ");
	td_strbuf_addf(&insert, "INSERT INTO main.\"%s\" VALUES (", c->table);
	for (int i = 0; i < c->ncolumns; i++) {
		td_strbuf_addf(&select, "%s\"%s\"", i ? ", " : "", c->names[i]);
		td_strbuf_adds(&insert, i ? ", ?" : "?");
	}
	td_strbuf_addf(&select, " FROM main.\"%s\"", c->table);
	td_strbuf_adds(&insert, ")");
	if (td_strbuf_error(&select) < 0 || td_strbuf_error(&insert) < 0)
		return -ENOMEM;
	r = td_redaction_prepare(x, x->from, td_strbuf_str(&select), &c->from);
	return r == 0 ? td_redaction_prepare(x, x->to, td_strbuf_str(&insert), &c->to) : r;
}

static int copy_table(struct td_redaction *x, const char *table)
{
	_cleanup_(copy_done) struct copy c = { .table = table };
	int r = read_columns(x, &c);

	for (int i = 0; i < c.ncolumns; i++)
		if (c.columns[i].how == TD_HOW_APART || c.columns[i].how == TD_HOW_NO_ROWS)
			return r;
	if (r == 0)
		r = prepare_copy(x, &c);
	return r == 0 ? copy_rows(x, &c) : r;
}

/* Files before the statistics of their directories: these need the templates. */
static int copy_tables(struct td_redaction *x)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc, r = td_redaction_prepare(
			x, x->to,
			"SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE "
			"'sqlite\\_%' ESCAPE '\\' ORDER BY name <> 'file', rowid",
			&s);

	if (r < 0)
		return r;
	while (r == 0 && (rc = sqlite3_step(s)) == SQLITE_ROW)
		r = copy_table(x, (const char *)sqlite3_column_text(s, 0));
	if (r == 0 && rc != SQLITE_DONE)
		r = td_redaction_failed(x, x->to, rc);
	return r;
}

static int begin(struct td_redaction *x, const unsigned char *key)
{
	int64_t count = 0;
	int r = td_redaction_read_number(x, "SELECT coalesce(max(id), 0) FROM string",
					 &x->nstrings);

	if (r == 0)
		r = td_redaction_read_number(x, "SELECT count(*) FROM string WHERE id >= 0",
					     &count);
	if (r == 0 && (x->nstrings > 2 * count + 1000 || x->nstrings > UINT32_MAX / 2))
		r = td_err_set(x->err, -EUCLEAN, "ids of strings are far beyond their number");
	if (r < 0)
		return r;
	x->new_strings = x->nstrings;
	x->is_taken = calloc((size_t)x->nstrings + 1, sizeof(*x->is_taken));
	if (!x->is_taken)
		return -ENOMEM;
	r = td_names_new(key, &x->names);
	if (r < 0)
		return td_err_set(x->err, r, "libgcrypt cannot make names");
	r = td_redaction_prepare(x, x->from, "SELECT text FROM main.string WHERE id = ?1",
				 &x->string);
	if (r == 0)
		r = td_redaction_read_pids(x);
	return r == 0 ? td_redaction_read_ops(x) : r;
}

int td_redact(sqlite3 *db, const unsigned char *key, const char *path, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *to = NULL;
	_cleanup_(td_redaction_done) struct td_redaction x = { .from = db, .err = err };
	int page_size, rc, r = td_db_read_page_size(db, &page_size, err);

	if (r == 0)
		r = td_db_create(path, page_size, &to, err);
	if (r < 0)
		return r;
	x.to = to;
	rc = sqlite3_exec(to, "PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN", NULL,
			  NULL, NULL);
	if (rc != SQLITE_OK)
		return td_redaction_failed(&x, to, rc);
	r = begin(&x, key);
	if (r == 0)
		r = copy_tables(&x);
	if (r == 0)
		r = td_redaction_write_strings(&x);
	if (r < 0)
		return r;
	rc = sqlite3_exec(to, "COMMIT", NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : td_redaction_failed(&x, to, rc);
}
