/* SPDX-License-Identifier: MIT */
/* Rows of `file` from pages, and by SQL where these cannot be read, against what SQLite and the
 * view waited_file say of them. */
#include <stdlib.h>
#include <unistd.h>

#include "analyzer/scan/file_rows.h"
#include "schema/db.h"
#include "tests/unit/sql.h"

#define NROWS 5000 /* so many that they are not read by SQL alone */

/* Texts of 0 to 299 bytes, numbers of every length; what is waited on and what looks like it. */
#define NUMBER "CASE random() %% 3 WHEN 0 THEN NULL ELSE random() >> 1 + abs(random()) %% 62 END"
#define ROWS                                                                                       \
	"WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %d),"         \
	" what (at, class) AS (VALUES (0, 'regular'), (1, 'pipe'), (2, 'socket'), (3, 'eventfd')," \
	" (4, 'anon-inode'), (5, 'unnamed'), (6, 'device'), (7, 'terminal'), (8, 'terminals'),"    \
	" (9, 'devices')),"                                                                        \
	" called (at, text) AS (VALUES (0, NULL), (1, ''), (2, '/dev/pts/1'), (3, '/dev/tty'),"    \
	" (4, '/dev/pts'), (5, '17'), (6, '1.7'), (7, '/dev/ttyUSB0'), (8, 'x/dev/tty'),"          \
	" (9, printf('%%.*c', 299, 'x')), (10, printf('%%.*c', 57, '1')), (11, '/dev/null'))"      \
	"INSERT INTO file (id, path, name, class, class_known, directory_id, template_id,"         \
	" truncated, device, path_basis, root) SELECT i * 3, c.text, coalesce(d.text, ''),"        \
	" w.class, i / 7 %% 2, " NUMBER ", abs(coalesce(" NUMBER ", 0)), i / 5 %% 2, " NUMBER      \
	", CASE i / 11 %% 3 WHEN 0 THEN 'printed' WHEN 1 THEN 'matched' END, d.text FROM n"        \
	" JOIN what AS w ON w.at = i %% 10 JOIN called AS c ON c.at = i / 10 %% 12"                \
	" JOIN called AS d ON d.at = i / 120 %% 12"

/* As an import tells it. */
#define CLASSED                                                                                    \
	"DELETE FROM classed_file; INSERT INTO classed_file SELECT id, class FROM file"            \
	" WHERE class NOT IN ('regular', 'directory', 'unknown')"

struct comparison {
	sqlite3_stmt *expected;
	size_t nrows;
	bool again; /* by SQL, when the pages could not be read to their end */
};

static int64_t number(sqlite3_stmt *s, int column)
{
	return sqlite3_column_type(s, column) == SQLITE_NULL ? TD_NULL
							     : sqlite3_column_int64(s, column);
}

static bool is_text(struct td_file_text a, sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);

	return text ? td_file_text_is(a, text) : !a.text;
}

static int compare(void *arg, const struct td_file_row *row)
{
	struct comparison *c = arg;

	if (c->again && c->nrows && row->id == 3) {
		(void)sqlite3_reset(c->expected);
		c->nrows = 0;
	}
	c->nrows++;
	TD_CHECK_INT(sqlite3_step(c->expected), SQLITE_ROW);
	TD_CHECK_INT(row->id, number(c->expected, 0));
	TD_CHECK_INT(row->directory_id, number(c->expected, 1));
	TD_CHECK_INT(row->template_id, number(c->expected, 2));
	TD_CHECK_INT(row->device, number(c->expected, 3));
	TD_CHECK(is_text(row->path, c->expected, 4));
	TD_CHECK(is_text(row->name, c->expected, 5));
	TD_CHECK(is_text(row->class, c->expected, 6));
	TD_CHECK_INT(td_file_class_waits(row->class), number(c->expected, 7));
	TD_CHECK_INT(row->class_known, number(c->expected, 8));
	TD_CHECK_INT(row->truncated, number(c->expected, 9));
	TD_CHECK(is_text(row->path_basis, c->expected, 10));
	TD_CHECK(is_text(row->root, c->expected, 11));
	return 0;
}

/* Only SQL asks for paths. */
static int see_path(void *arg, int action, const char *table, const char *column, const char *db,
		    const char *inside)
{
	(void)db;
	(void)inside;
	if (action == SQLITE_READ && strcmp(table, "file") == 0 && strcmp(column, "path") == 0)
		*(bool *)arg = true;
	return SQLITE_OK;
}

static void test_rows(const char *path, bool by_sql, size_t nrows)
{
	struct comparison c = { .again = by_sql };
	sqlite3 *db = db_open(path), *other = db_open(path);
	bool by_sql_now = false;

	TD_CHECK_INT(
		sqlite3_prepare_v2(
			other,
			"SELECT id, directory_id, template_id, device, path, name, class,"
			" id IN (SELECT id FROM waited_file), class_known, truncated, path_basis,"
			" root FROM file ORDER BY id",
			-1, &c.expected, NULL),
		SQLITE_OK);
	(void)sqlite3_set_authorizer(db, see_path, &by_sql_now);
	TD_CHECK_INT(td_file_rows_read(db, compare, &c, NULL), 0);
	TD_CHECK_INT(by_sql_now, by_sql);
	TD_CHECK_INT(c.nrows, nrows);
	TD_CHECK_INT(sqlite3_step(c.expected), SQLITE_DONE);
	(void)sqlite3_finalize(c.expected);
	td_db_close(db);
	td_db_close(other);
}

int main(void)
{
	char dir[] = "/tmp/test-file-pages-XXXXXX", path[64];
	sqlite3 *db = NULL;

	TD_CHECK_INT(sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 1, NULL), SQLITE_OK);
	TD_CHECK(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/x.db", dir);
	TD_CHECK_INT(td_db_create(path, 4096, &db, NULL), 0);
	sql(db, "PRAGMA foreign_keys = OFF");
	TD_CASE("few");
	sql(db, ROWS, 100);
	sql(db, CLASSED);
	test_rows(path, true, 100);
	sql(db, "DELETE FROM file");
	TD_CASE("pages");
	sql(db, ROWS, NROWS);
	sql(db, CLASSED);
	test_rows(path, false, NROWS);
	TD_CASE("one that does not fit a page");
	sql(db, "UPDATE file SET path = printf('/%%.*c', 5000, 'y') WHERE id = 9000");
	test_rows(path, true, NROWS);
	td_db_close(db);
	(void)unlink(path);
	(void)rmdir(dir);
	return td_check_result();
}
