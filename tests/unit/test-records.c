/* SPDX-License-Identifier: MIT */
/* Rows of a table from pages against what SQLite says of them: which columns, which rows, and what
 * only SQLite can read. */
#include <stdlib.h>
#include <unistd.h>

#include "analyzer/scan/records.h"
#include "analyzer/scan/table_rows.h"
#include "schema/db.h"
#include "tests/unit/sql.h"

#define NROWS 4000

/* Numbers of every length, texts and bytes of 0 to 149, and NULL. */
#define NUMBER "CASE random() %% 3 WHEN 0 THEN NULL ELSE random() >> 1 + abs(random()) %% 62 END"
#define ROWS                                                                                       \
	"WITH RECURSIVE n (i) AS (VALUES (%d) UNION ALL SELECT i + 1 FROM n WHERE i < %d)"         \
	" INSERT INTO file_hist (by, key_id, verb, min_ns, durations, sizes)"                      \
	" SELECT CASE i %% 3 WHEN 0 THEN 'file,verb' ELSE 'class,verb' END, " NUMBER               \
	", printf('%%.*c', i %% 150, 'v'), " NUMBER ", randomblob(i %% 40), zeroblob(i %% 7)"      \
	" FROM n"

static const struct td_records wanted = {
	.table = "file_hist",
	.columns = { 4, 1, TD_RECORD_NONE, 2, 3, TD_RECORD_ROWID },
	.n = 6,
	.first = "file,verb",
};
#define EXPECTED                                                                                   \
	"SELECT durations, key_id, NULL, verb, min_ns, rowid FROM file_hist"                       \
	" WHERE by = 'file,verb' ORDER BY rowid"

struct comparison {
	sqlite3_stmt *expected;
	size_t nrows, most;
};

static void compare_cell(const struct td_cell *cell, sqlite3_stmt *s, int column)
{
	int type = sqlite3_column_type(s, column);
	bool is_number = type == SQLITE_INTEGER,
	     is_bytes = type == SQLITE_TEXT || type == SQLITE_BLOB;

	TD_CHECK_INT(cell->number, is_number ? sqlite3_column_int64(s, column) : TD_NULL);
	TD_CHECK_INT(cell->text != NULL, is_bytes);
	TD_CHECK_INT(cell->len, is_bytes ? sqlite3_column_bytes(s, column) : 0);
	TD_CHECK(!cell->len || memcmp(cell->text, sqlite3_column_blob(s, column), cell->len) == 0);
}

static int compare(void *arg, const struct td_cell *cells)
{
	struct comparison *c = arg;

	TD_CHECK_INT(sqlite3_step(c->expected), SQLITE_ROW);
	for (int i = 0; i < (int)wanted.n; i++)
		compare_cell(&cells[i], c->expected, i);
	return ++c->nrows == c->most ? 7 : 0;
}

static void test_rows(const char *path, size_t most, int want, size_t nrows)
{
	struct comparison c = { .most = most };
	sqlite3 *db = db_open(path), *other = db_open(path);

	TD_CHECK_INT(sqlite3_prepare_v2(other, EXPECTED, -1, &c.expected, NULL), SQLITE_OK);
	TD_CHECK_INT(td_records_read(db, &wanted, compare, &c), want);
	TD_CHECK_INT(c.nrows, nrows);
	if (want == 0)
		TD_CHECK_INT(sqlite3_step(c.expected), SQLITE_DONE);
	(void)sqlite3_finalize(c.expected);
	td_db_close(db);
	td_db_close(other);
}

/* What rows have in common with the same rows in another order. */
struct mixture {
	uint64_t bits;
	size_t nrows;
	int64_t first_key; /* of the row that came first */
};

static void mix(struct mixture *m, int64_t key, int64_t min_ns)
{
	if (m->nrows++ == 0)
		m->first_key = key;
	m->bits += (uint64_t)key * 31 ^ (uint64_t)min_ns;
}

static int mix_cells(void *arg, const struct td_cell *cells)
{
	mix(arg, cells[1].number, cells[4].number);
	return 0;
}

/* The leaves from the last one on: the same rows, those of the end of the table first. */
static void test_last_first(const char *path)
{
	struct td_records backwards = wanted;
	struct mixture got = { 0 }, want = { 0 };
	sqlite3 *db = db_open(path);
	sqlite3_stmt *s = NULL;

	TD_CASE("last leaf first");
	backwards.last_first = true;
	TD_CHECK_INT(td_records_read(db, &backwards, mix_cells, &got), 0);
	TD_CHECK_INT(sqlite3_prepare_v2(db, EXPECTED, -1, &s, NULL), SQLITE_OK);
	while (sqlite3_step(s) == SQLITE_ROW)
		mix(&want, td_db_known(s, 1), td_db_known(s, 4));
	TD_CHECK_INT(got.nrows, want.nrows);
	TD_CHECK_INT(got.bits, want.bits);
	TD_CHECK(got.first_key != want.first_key);
	(void)sqlite3_finalize(s);
	td_db_close(db);
}

/* Between pages of the rows lie some of another table: one or two, and seldom ten. */
static void insert_rows(sqlite3 *db)
{
	sql(db, "CREATE TABLE between_rows (bytes)");
	for (int i = 0; i < NROWS; i += 40) {
		sql(db, ROWS, i + 1, i + 40);
		sql(db, "INSERT INTO between_rows VALUES (zeroblob(%d))",
		    i % 800 ? i * 7 % 6000 : 40000);
	}
}

int main(void)
{
	char dir[] = "/tmp/test-records-XXXXXX", path[64];
	sqlite3 *db = NULL;

	TD_CHECK_INT(sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 1, NULL), SQLITE_OK);
	TD_CHECK(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/x.db", dir);
	TD_CHECK_INT(td_db_create(path, 4096, &db, NULL), 0);
	TD_CASE("empty: there is nothing to lock");
	test_rows(path, 0, -EOPNOTSUPP, 0);
	TD_CASE("all");
	insert_rows(db);
	test_rows(path, 0, 0, NROWS / 3);
	TD_CASE("as far as wanted");
	test_rows(path, 100, 7, 100);
	TD_CASE("one that does not fit a page");
	sql(db, "UPDATE file_hist SET durations = zeroblob(5000) WHERE rowid = %d", NROWS / 2);
	test_rows(path, 0, -EOPNOTSUPP, (size_t)NROWS / 2 / 3);
	TD_CASE("a write-ahead log");
	sql(db, "DELETE FROM file_hist WHERE rowid = %d", NROWS / 2);
	sql(db, "PRAGMA journal_mode = WAL");
	test_rows(path, 0, -EOPNOTSUPP, 0);
	sql(db, "PRAGMA journal_mode = DELETE");
	test_rows(path, 0, 0, NROWS / 3);
	test_last_first(path);
	td_db_close(db);
	(void)unlink(path);
	(void)rmdir(dir);
	return td_check_result();
}
