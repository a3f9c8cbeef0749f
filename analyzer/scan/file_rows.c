/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "analyzer/scan/file_rows.h"
#include "analyzer/scan/pages.h"
#include "analyzer/scan/table_rows.h"
#include "schema/db.h"
#include "schema/kinds.h"
#include "schema/table.h"

/* Fewer are read sooner by SQL than their pages are found. */
#define PAGES_FROM 2048

/* Columns of a record of `file`, in the order of schema/tables.sql, which td_db_check_schema() holds a database to. */
enum column {
	ID,
	PATH,
	NAME,
	PATH_BASIS,
	CLASS,
	CLASS_KNOWN,
	DIRECTORY,
	TEMPLATE,
	TRUNCATED,
	DEVICE,
	INODE,
	ROOT,
	NCOLUMNS
};

/* Serial types: https://www.sqlite.org/fileformat2.html, section 2.1. Texts of n bytes have 13 + 2 * n. */
enum { TYPE_NULL = 0, TYPE_REAL = 7, TYPE_0 = 8, TYPE_1 = 9, TYPE_BLOB = 12, TYPE_TEXT = 13 };

struct reading {
	int (*fn)(void *arg, const struct td_file_row *row);
	void *arg;
};

bool td_file_text_is(struct td_file_text a, const char *b)
{
	size_t len;

	/* most differ in the first byte, and there are many: each file is asked for each class that waits */
	if (!a.text || (a.len && a.text[0] != b[0]))
		return false;
	len = strlen(b);
	return a.len == len && memcmp(a.text, b, len) == 0;
}

/* --- whether it waits --- */

bool td_file_class_waits(struct td_file_text class)
{
	for (enum td_class c = 0; c < TD_NCLASSES; c++)
		if (td_file_text_is(class, td_class_names[c]))
			return td_class_waits(c);
	return false;
}

/* --- from pages --- */

/* Where the value of a column is; type 0: it has none. */
struct value {
	uint64_t type;
	const uint8_t *at;
};

static uint64_t length_of(uint64_t type)
{
	static const uint8_t lengths[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };

	return type < sizeof(lengths) ? lengths[type]
	       : type >= TYPE_BLOB    ? (type - TYPE_BLOB) / 2
				      : 0;
}

static int64_t number_of(const struct value *v)
{
	if (v->type == TYPE_0 || v->type == TYPE_1)
		return (int64_t)v->type - TYPE_0;
	return v->type == TYPE_NULL ? TD_NULL : td_be_signed(v->at, (unsigned)length_of(v->type));
}

static struct td_file_text text_of(const struct value *v)
{
	if (v->type == TYPE_NULL)
		return (struct td_file_text){ 0 };
	return (struct td_file_text){ (const char *)v->at, length_of(v->type) };
}

/* A column of the table can hold what its type says, or NULL. */
static bool is_of_type(unsigned column, uint64_t type)
{
	bool is_text = (column >= PATH && column <= CLASS) || column == ROOT;

	return type == TYPE_NULL ||
	       (is_text ? type >= TYPE_TEXT && type % 2 : type <= TYPE_1 && type != TYPE_REAL);
}

/* The record begins at p and ends before end, both on the page. */
static int find_values(const uint8_t *p, const uint8_t *end, struct value *values)
{
	const uint8_t *body = p + p[0], *types = p + 1;

	if (p[0] < 1 || p[0] & 0x80 || body > end)
		return -EOPNOTSUPP;
	for (unsigned c = 0; c < NCOLUMNS; c++) {
		values[c] = (struct value){ TYPE_NULL, body };
		if (types < p + p[0]) /* a record can lack its last columns: those are NULL */
			types += td_varint(types, &values[c].type);
		if (!is_of_type(c, values[c].type) ||
		    length_of(values[c].type) > (uint64_t)(end - body))
			return -EOPNOTSUPP;
		body += length_of(values[c].type);
	}
	return 0;
}

/* Of td_page_records(). */
static int read_record(void *arg, const uint8_t *p, const uint8_t *end, int64_t id)
{
	const struct reading *r = arg;
	struct value v[NCOLUMNS];
	int rc = find_values(p, end, v);

	if (rc < 0)
		return rc;
	return r->fn(r->arg, &(const struct td_file_row){ .id = id,
							  .directory_id = number_of(&v[DIRECTORY]),
							  .template_id = number_of(&v[TEMPLATE]),
							  .device = number_of(&v[DEVICE]),
							  .class_known = number_of(&v[CLASS_KNOWN]),
							  .truncated = number_of(&v[TRUNCATED]),
							  .path = text_of(&v[PATH]),
							  .name = text_of(&v[NAME]),
							  .path_basis = text_of(&v[PATH_BASIS]),
							  .class = text_of(&v[CLASS]),
							  .root = text_of(&v[ROOT]) });
}

int td_file_rows_of_leaves(const struct td_leaves *l,
			   int (*fn)(void *arg, const struct td_file_row *row), void *arg)
{
	_cleanup_(td_leaf_run_done) struct td_leaf_run run = { 0 };
	struct reading r = { fn, arg };
	const uint8_t *page;
	int rc = 0;

	for (size_t i = 0; i < l->n && rc == 0; i++) {
		rc = td_leaf_run_page(l, &run, i, &page);
		if (rc == 0)
			rc = td_page_records(page, l->usable, read_record, &r);
	}
	return rc;
}

static int read_pages(sqlite3 *db, const struct reading *r)
{
	_cleanup_(td_leaves_done) struct td_leaves l = { .fd = -1 };
	int rc = td_table_leaves(db, "file", &l);

	return rc < 0 ? rc : td_file_rows_of_leaves(&l, r->fn, r->arg);
}

/* --- by SQL --- */

static struct td_file_text text_at(sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);

	return (struct td_file_text){ text, (size_t)sqlite3_column_bytes(s, column) };
}

struct td_file_row td_file_row_of(sqlite3_stmt *s)
{
	return (struct td_file_row){ .id = sqlite3_column_int64(s, 0),
				     .directory_id = td_db_known(s, 1),
				     .template_id = td_db_known(s, 2),
				     .device = td_db_known(s, 3),
				     .path = text_at(s, 4),
				     .name = text_at(s, 5),
				     .class = text_at(s, 6),
				     .class_known = td_db_known(s, 7),
				     .truncated = td_db_known(s, 8),
				     .path_basis = text_at(s, 9),
				     .root = text_at(s, 10) };
}

static int hand_over(void *arg, sqlite3_stmt *s)
{
	const struct reading *r = arg;
	const struct td_file_row row = td_file_row_of(s);

	return r->fn(r->arg, &row);
}

static int read_sql(sqlite3 *db, struct reading *r, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, "SELECT " TD_FILE_ROW_COLUMNS " FROM main.file", -1, &s,
				    NULL);

	return td_db_rows(db, rc, s, hand_over, r, "cannot read the files", err);
}

/* --- both --- */

static bool are_many(sqlite3 *db)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;

	return sqlite3_prepare_v2(db, "SELECT max(id) FROM main.file", -1, &s, NULL) == SQLITE_OK &&
	       sqlite3_step(s) == SQLITE_ROW && sqlite3_column_int64(s, 0) >= PAGES_FROM;
}

int td_file_rows_read(sqlite3 *db, int (*fn)(void *arg, const struct td_file_row *row), void *arg,
		      struct td_err *err)
{
	struct reading r = { fn, arg };
	int rc = are_many(db) ? read_pages(db, &r) : -EOPNOTSUPP;

	return rc == -EOPNOTSUPP ? read_sql(db, &r, err) : rc;
}
