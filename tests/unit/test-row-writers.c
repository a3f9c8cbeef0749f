/* SPDX-License-Identifier: MIT */
/* Known values, refusals and failures of both row writers; test-btree.c compares the two. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#include "common/cleanup.h"
#include "store/pages/btree.h"
#include "store/write/insert.h"
#include "tests/unit/sql.h"
#include "tests/unit/btree-rows.h"

static char dir[] = "/tmp/tracedb-test-row-writers-XXXXXX";
static char btree_path[64];

static void remove_files(void)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };
	char path[80];

	for (size_t i = 0; i < TD_ARRAY_SIZE(suffixes); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", btree_path, suffixes[i]);
		(void)unlink(path);
	}
}

/* A number in the header of the database. */
static uint32_t header_field(off_t offset)
{
	_cleanup_close_ int fd = open(btree_path, O_RDONLY | O_CLOEXEC);
	uint8_t h[4] = { 0 };

	TD_CHECK_INT(pread(fd, h, sizeof(h), offset), sizeof(h));
	return (uint32_t)h[0] << 24 | (uint32_t)h[1] << 16 | (uint32_t)h[2] << 8 | h[3];
}

/* -- values written out by hand */

struct literal {
	int64_t i64;
	double f64;
	uint32_t key32;
	int32_t i32;
	uint16_t key16;
	uint8_t u8;
};

#define COLUMN(name, type)                                                                         \
	{                                                                                          \
#name, type, offsetof(struct literal, name)                                        \
	}

static const struct td_column literal_columns[] = {
	COLUMN(i64, TD_I64),     COLUMN(i32, TD_I32), COLUMN(key32, TD_KEY32),
	COLUMN(key16, TD_KEY16), COLUMN(u8, TD_U8),   COLUMN(f64, TD_F64),
};

static const struct td_table literal_table = {
	.name = "literal",
	.record_size = sizeof(struct literal),
	.columns = literal_columns,
	.ncolumns = TD_ARRAY_SIZE(literal_columns),
};

static const struct {
	struct literal record;
	const char *text;
} literals[] = {
	{ { TD_NULL, NAN, 0, INT32_MIN, 0, 0 }, "NULL NULL NULL NULL 0 NULL" },
	{ { 0, 0.0, 1, 0, 1, 1 }, "0 0 1 1 1 0.0" },
	{ { 1, -0.0, 2, 1, 2, 255 }, "1 1 2 2 255 0.0" },
	{ { -1, 1.5, UINT32_MAX, -1, UINT16_MAX, 128 }, "-1 -1 4294967295 65535 128 1.5" },
	{ { INT64_MAX, 1e300, 128, INT32_MAX, 32768, 127 },
	  "9223372036854775807 2147483647 128 32768 127 1.0e+300" },
	{ { INT64_MIN + 1, -3.0, 32768, INT32_MIN + 1, 255, 2 },
	  "-9223372036854775807 -2147483647 32768 255 2 -3.0" },
};

static void check_literals(sqlite3 *db)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(literals); i++)
		TD_CHECK_STR(
			sql_text(db,
				 "SELECT concat FROM (SELECT quote(i64)||' '||quote(i32)||' '||"
				 "quote(key32)||' '||quote(key16)||' '||quote(u8)||' '||"
				 "quote(f64) AS concat, id FROM literal) WHERE id=%zu",
				 i + 1),
			literals[i].text);
	check_count(db, "literal", TD_ARRAY_SIZE(literals));
	check_integrity(db);
}

static void test_literals(void)
{
	struct td_btree *b = NULL;
	struct td_btree_table *t = NULL;
	struct td_insert *ins = NULL;
	struct td_err err = { 0 };
	sqlite3 *db = db_open(btree_path);
	uint32_t root, changes;

	TD_CASE("literals through the b-tree writer");
	create_table(db, &literal_table);
	root = rootpage(db, "literal");
	db_close(db);
	changes = header_field(24);
	TD_CHECK_INT(td_btree_open(btree_path, &b, &err), 0);
	TD_CHECK_INT(td_btree_table(b, &literal_table, root, &t), 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(literals); i++)
		TD_CHECK_INT(add_rows(t, &literal_table, (int64_t)i + 1, &literals[i].record, 1),
			     0);
	TD_CHECK_INT(add_rows(t, &literal_table, (int64_t)TD_ARRAY_SIZE(literals),
			      &literals[0].record, 1),
		     -EINVAL);
	TD_CHECK_INT(add_rows(t, &literal_table, 0, &literals[0].record, 1), -EINVAL);
	TD_CHECK_INT(add_rows(t, &literal_table, 0, &literals[0].record, 0), 0);
	TD_CHECK_INT(add_rows(t, &literal_table, INT64_MAX, &literals[0].record, 2), -EINVAL);
	TD_CHECK_INT(td_btree_table_finish(t), 0);
	TD_CHECK_INT(td_btree_close(b), 0);
	TD_CHECK_INT(header_field(24), changes + 1);
	TD_CHECK_INT(header_field(28), 2); /* the schema and the table's root */
	TD_CHECK_INT(header_field(92), changes + 1);
	TD_CHECK_INT(header_field(96), sqlite3_libversion_number());
	db = db_open(btree_path);
	check_literals(db);

	TD_CASE("literals through SQLite");
	sql(db, "DELETE FROM literal");
	TD_CHECK_INT(td_insert_open(db, &literal_table, &ins, &err), 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(literals); i++)
		TD_CHECK_INT(td_insert_add(ins, (int64_t)i + 1, &literals[i].record), 0);
	TD_CHECK_INT(td_insert_add(ins, 2, &literals[0].record), -EEXIST);
	td_insert_close(ins);
	check_literals(db);
	sql(db, "DROP TABLE literal");
	TD_CHECK_INT(td_insert_open(db, &literal_table, &ins, &err), -EINVAL);
	TD_CHECK(strstr(err.msg, "no such table: literal"));
	db_close(db);
	remove_files();
}

/* -- foreign keys: a child with key 0 has no parent */

static void test_foreign_keys(void)
{
	static const struct td_column child_column = { "parent_id", TD_KEY16, 0 };
	static const struct td_table parent = { .name = "parent" };
	static const struct td_table child = {
		.name = "child", .record_size = 2, .columns = &child_column, .ncolumns = 1
	};
	struct td_btree *b = NULL;
	struct td_btree_table *parents = NULL, *children = NULL;
	struct td_err err = { 0 };
	sqlite3 *db = db_open(btree_path);
	uint32_t roots[2];

	TD_CASE("foreign keys");
	sql(db,
	    "CREATE TABLE parent(id INTEGER PRIMARY KEY); CREATE TABLE child(id INTEGER PRIMARY "
	    "KEY, parent_id INTEGER REFERENCES parent(id))");
	roots[0] = rootpage(db, "parent");
	roots[1] = rootpage(db, "child");
	db_close(db);
	TD_CHECK_INT(td_btree_open(btree_path, &b, &err), 0);
	TD_CHECK_INT(td_btree_table(b, &parent, roots[0], &parents), 0);
	TD_CHECK_INT(td_btree_table(b, &child, roots[1], &children), 0);
	for (uint16_t i = 0; i <= 1000; i++) {
		TD_CHECK_INT(add_rows(children, &child, i, &i, 1), 0);
		if (i > 0)
			TD_CHECK_INT(add_rows(parents, &parent, i, "", 1), 0);
	}
	TD_CHECK_INT(td_btree_table_finish(parents), 0);
	TD_CHECK_INT(td_btree_table_finish(children), 0);
	TD_CHECK_INT(td_btree_close(b), 0);
	db = db_open(btree_path);
	check_integrity(db);
	check_count(db, "child WHERE parent_id IS NULL", 1);
	check_count(db, "child JOIN parent ON parent.id = parent_id AND child.id = parent_id",
		    1000);
	db_close(db);
	remove_files();
}

/* -- what is refused */

static int try_open(struct td_err *err)
{
	struct td_btree *b = NULL;
	int r = td_btree_open(btree_path, &b, err);

	TD_CHECK(r == 0 || !b);
	td_btree_abort(b);
	return r;
}

static void check_refused(const char *pragma, const char *msg)
{
	struct td_err err = { 0 };
	sqlite3 *db;

	remove_files();
	db = db_open(btree_path);
	sql(db, "%s; CREATE TABLE t(id INTEGER PRIMARY KEY)", pragma);
	db_close(db);
	TD_CHECK_INT(try_open(&err), msg ? -EINVAL : 0);
	TD_CHECK(!msg || strstr(err.msg, msg));
}

static void test_open_refuses(void)
{
	struct td_err err = { 0 };
	_cleanup_fclose_ FILE *f = NULL;

	TD_CASE("open");
	check_refused("SELECT 1", NULL);
	TD_CHECK_INT(truncate(btree_path, 4096), 0);
	TD_CHECK_INT(try_open(&err), -EINVAL);
	TD_CHECK(strstr(err.msg, "4096 bytes"));
	check_refused("PRAGMA journal_mode=wal", "WAL");
	check_refused("PRAGMA auto_vacuum=full", "auto_vacuum");
	check_refused("PRAGMA encoding='UTF-16le'", "UTF-8");
	remove_files();
	TD_CHECK_INT(try_open(&err), -ENOENT);
	f = fopen(btree_path, "we");
	TD_CHECK_INT(try_open(&err), -EINVAL);
	for (int i = 0; i < 100; i++)
		(void)fputc(0, f);
	(void)fflush(f);
	TD_CHECK_INT(try_open(&err), -EINVAL);
	TD_CHECK(strstr(err.msg, "not a SQLite database"));
	remove_files();
}

static void test_table_refuses(void)
{
	struct td_column columns[126];
	struct td_table wide = { .name = "wide", .columns = columns };
	struct td_btree *b = NULL;
	struct td_btree_table *t = NULL;
	struct td_err err = { 0 };
	sqlite3 *db = db_open(btree_path);
	uint32_t empty, index, full;

	TD_CASE("table");
	for (size_t i = 0; i < TD_ARRAY_SIZE(columns); i++)
		columns[i] = (struct td_column){ "c", TD_I64, 0 };
	sql(db, "PRAGMA page_size=512; CREATE TABLE full(id INTEGER PRIMARY KEY, c INTEGER);"
		"CREATE INDEX i ON full(c); INSERT INTO full VALUES(1, 2);"
		"CREATE TABLE empty(id INTEGER PRIMARY KEY)");
	empty = rootpage(db, "empty");
	index = rootpage(db, "i");
	full = rootpage(db, "full");
	db_close(db);
	TD_CHECK_INT(td_btree_open(btree_path, &b, &err), 0);
	TD_CHECK_INT(td_btree_table(b, &literal_table, 0, &t), -EINVAL);
	TD_CHECK_INT(td_btree_table(b, &literal_table, 1, &t), -EINVAL);
	TD_CHECK_INT(td_btree_table(b, &literal_table, index, &t), -EINVAL);
	TD_CHECK_INT(td_btree_table(b, &literal_table, full, &t), -EINVAL);
	TD_CHECK_INT(td_btree_table(b, &literal_table, 1000, &t), -EINVAL);
	/* a record takes 2 bytes, and 9 a column: 2 + 53 * 9 = 479, more than the 512 - 35 = 477
	 * above which SQLite uses overflow pages */
	wide.ncolumns = 53;
	TD_CHECK_INT(td_btree_table(b, &wide, empty, &t), -E2BIG);
	wide.ncolumns = 126;
	TD_CHECK_INT(td_btree_table(b, &wide, empty, &t), -E2BIG);
	wide.ncolumns = 52;
	TD_CHECK_INT(td_btree_table(b, &wide, empty, &t), 0);
	td_btree_table_abort(t);
	TD_CHECK_INT(td_btree_close(b), -ECANCELED);
	remove_files();
}

/* One row into a database after the pragma; then the close must work. */
static void check_insert(const char *pragma, int64_t rowid, int want)
{
	struct td_insert *ins = NULL;
	struct td_err err = { 0 };
	sqlite3 *db = db_open(btree_path);

	create_table(db, &literal_table);
	sql(db, "INSERT INTO literal(id) VALUES(1); CREATE UNIQUE INDEX u8 ON literal(u8);"
		"INSERT INTO literal(id, u8) VALUES(2, 255)");
	sql(db, "%s", pragma);
	TD_CHECK_INT(td_insert_open(db, &literal_table, &ins, &err), 0);
	TD_CHECK_INT(td_insert_add(ins, rowid, &literals[2].record), want);
	td_insert_close(ins);
	db_close(db);
	remove_files();
}

static void test_insert_refuses(void)
{
	TD_CASE("insert");
	check_insert("SELECT 1", 1, -EEXIST);
	check_insert("SELECT 1", 3, -EINVAL); /* the 255 of row 2 */
	check_insert("DROP INDEX u8", 3, 0);
	check_insert("PRAGMA query_only=1", 3, -EROFS);
}

/* -- a full disk, as a limit on the file's size */

/* Half of the rows have a column more than the table knows, which goes to overflow pages. */
static int add_literal(struct td_btree_table *t, int64_t rowid, bool large)
{
	static const char text[40000];
	struct td_value values[8] = { [7] = { .type = TD_VALUE_BLOB,
					      .s = { text, sizeof(text) } } };

	return large && rowid % 2 ? td_btree_add_values(t, rowid, values, 8)
				  : add_rows(t, &literal_table, rowid, &literals[4].record, 1);
}

static void check_full(size_t limit, bool large)
{
	struct rlimit old, small;
	struct td_btree *b = NULL;
	struct td_btree_table *t = NULL;
	struct td_err err = { 0 };
	sqlite3 *db = db_open(btree_path);
	uint32_t root, npages;
	int r = 0;

	create_table(db, &literal_table);
	root = rootpage(db, literal_table.name);
	db_close(db);
	npages = header_field(28);
	TD_CHECK_INT(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){ limit, old.rlim_max };
	TD_CHECK_INT(td_btree_open(btree_path, &b, &err), 0);
	TD_CHECK_INT(td_btree_table(b, &literal_table, root, &t), 0);
	TD_CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (int64_t i = 0; i < 150000 && r == 0; i++)
		r = add_literal(t, i, large);
	TD_CHECK_INT(r, limit < 4000000 ? -EFBIG : 0);
	r = td_btree_table_finish(t);
	TD_CHECK_INT(r, limit < 4000000 ? -EFBIG : 0);
	TD_CHECK_INT(td_btree_close(b), -EFBIG);
	TD_CHECK_INT(setrlimit(RLIMIT_FSIZE, &old), 0);
	TD_CHECK_INT(header_field(28), npages);
	remove_files();
}

/* A row of literals[4] takes 36 bytes: sizes of record and rowid 1 + 3, header 8, values
 * 8 + 4 + 2 + 3 + 1 + 8, pointer 2 - less a byte or two for small rowids. 150000 of them are 5.4 MB
 * and more, written in pieces of 1 MiB, so that at least 4 MB are written before the table is finished. */
static void test_full_disk(void)
{
	static const size_t limits[] = { 4096, 8192, 10000, 1048576, 1052672, 3000000, 5400000 };

	TD_CASE("full disk");
	(void)signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < TD_ARRAY_SIZE(limits); i++)
		check_full(limits[i], false);
	for (size_t i = 0; i < TD_ARRAY_SIZE(limits) - 1; i++)
		check_full(limits[i], true);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	(void)snprintf(btree_path, sizeof(btree_path), "%s/btree.db", dir);
	test_literals();
	test_open_refuses();
	test_table_refuses();
	test_insert_refuses();
	test_foreign_keys();
	test_full_disk();
	(void)rmdir(dir);
	return td_check_result();
}
