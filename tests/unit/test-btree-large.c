/* SPDX-License-Identifier: MIT */
/* Rows of known sizes through td_btree_add_values(): too large for a leaf, for SQLite, or incomplete. */
#include "common/cleanup.h"
#include "store/pages/btree.h"
#include "tests/unit/btree.h"

static char dir[] = "/tmp/tracedb-test-btree-large-XXXXXX";
static char path[64];
static char bytes[1 << 20]; /* random */

/* A database with that schema, and the tables that the rows go to. */
struct file {
	struct td_btree *btree;
	struct td_btree_table *table; /* t */
};

static void create(const char *schema, uint32_t page_size, int reserved)
{
	sqlite3 *db;

	(void)unlink(path);
	db = db_open(path);
	sql(db, "PRAGMA page_size=%u", page_size);
	TD_CHECK_INT(sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved),
		     SQLITE_OK);
	sql(db, "%s", schema);
	db_close(db);
}

static struct file open_file(void)
{
	struct file f = { 0 };
	struct td_err err = { 0 };
	sqlite3 *db = db_open(path);
	uint32_t root = rootpage(db, "t");

	db_close(db);
	TD_CHECK_INT(td_btree_open(path, &f.btree, &err), 0);
	TD_CHECK_INT(td_btree_table(f.btree, NULL, root, &f.table), 0);
	return f;
}

static sqlite3 *close_file(struct file *f)
{
	sqlite3 *db;

	TD_CHECK_INT(td_btree_table_finish(f->table), 0);
	TD_CHECK_INT(td_btree_close(f->btree), 0);
	db = db_open(path);
	check_integrity(db);
	return db;
}

static struct td_value blob(const char *p, size_t len)
{
	return (struct td_value){ .type = TD_VALUE_BLOB, .s = { p, len } };
}

static void check_blob(sqlite3 *db, size_t n)
{
	sqlite3_stmt *stmt = NULL;
	const void *p;

	TD_CHECK_INT(sqlite3_prepare_v2(db, "SELECT c FROM t WHERE _rowid_ = ?", -1, &stmt, NULL),
		     SQLITE_OK);
	(void)sqlite3_bind_int64(stmt, 1, (int64_t)n);
	TD_CHECK_INT(sqlite3_step(stmt), SQLITE_ROW);
	p = sqlite3_column_blob(stmt, 0);
	TD_CHECK_INT(sqlite3_column_bytes(stmt, 0), n);
	TD_CHECK(n == 0 || (p && memcmp(p, bytes + n, n) == 0));
	TD_CHECK_INT(sqlite3_finalize(stmt), SQLITE_OK);
}

/* One row of one blob of each size. */
static void check_sizes(uint32_t page_size, int reserved, size_t from, size_t to)
{
	struct file f;
	sqlite3 *db;

	create("CREATE TABLE t(c BLOB)", page_size, reserved);
	f = open_file();
	for (size_t n = from; n <= to; n++) {
		struct td_value v = blob(bytes + n, n);

		TD_CHECK_INT(td_btree_add_values(f.table, (int64_t)n, &v, 1), 0);
	}
	db = close_file(&f);
	check_count(db, "t", to - from + 1);
	for (size_t n = from; n <= to; n++)
		check_blob(db, n);
	db_close(db);
}

/* Around every size at which a record needs one more page, for the first few of them. */
static void test_sizes(void)
{
	TD_CASE("sizes, pages of 512 bytes");
	check_sizes(512, 0, 0, 2200);
	check_sizes(512, 32, 0, 2200);
	TD_CASE("sizes, pages of 4096 bytes");
	check_sizes(4096, 0, 3950, 4150);
	check_sizes(4096, 0, 8000, 8300);
	TD_CASE("sizes, pages of 65536 bytes");
	check_sizes(65536, 0, 65450, 65600);
	check_sizes(65536, 8, 131000, 131200);
}

/* SQLite's limit for a row is 10^9 bytes; the header takes some of them. */
static void test_huge(void)
{
	static char huge[64 << 20];
	struct td_value v = blob(huge, sizeof(huge));
	struct file f;
	sqlite3 *db;

	TD_CASE("64 MiB");
	memset(huge, 'x', sizeof(huge));
	create("CREATE TABLE t(c BLOB)", 32768, 0);
	f = open_file();
	TD_CHECK_INT(td_btree_add_values(f.table, 1, &v, 1), 0);
	v.s.len = 1000000000;
	TD_CHECK_INT(td_btree_add_values(f.table, 2, &v, 1), -E2BIG);
	v.s.len = SIZE_MAX;
	TD_CHECK_INT(td_btree_add_values(f.table, 2, &v, 1), -E2BIG);
	v.s.len = 1;
	TD_CHECK_INT(td_btree_add_values(f.table, 1, &v, 1), -EINVAL);
	TD_CHECK_INT(td_btree_add_values(f.table, 2, &v, 0), -EINVAL);
	TD_CHECK_INT(td_btree_add_values(f.table, 2, &v, 1), 0);
	db = close_file(&f);
	TD_CHECK_STR(sql_text(db, "SELECT group_concat(length(c)) FROM t"), "67108864,1");
	check_count(db, "t WHERE c = CAST(printf('%.67108864c', 'x') AS BLOB)", 1);
	db_close(db);
}

/* A row with fewer values than columns is as one written before ALTER TABLE added the others. */
static void test_defaults(void)
{
	struct td_value values[2] = { { 0 }, { .type = TD_VALUE_TEXT, .s = { "\xc3\xa4", 2 } } };
	struct file f;
	sqlite3 *db;

	TD_CASE("fewer values than columns");
	create("CREATE TABLE t(id INTEGER PRIMARY KEY, c TEXT, d TEXT DEFAULT 'd', e INT)", 4096,
	       0);
	f = open_file();
	TD_CHECK_INT(td_btree_add_values(f.table, -5, values, 2), 0);
	TD_CHECK_INT(td_btree_add_values(f.table, 5, values, 1), 0);
	db = close_file(&f);
	TD_CHECK_STR(sql_text(db, "SELECT group_concat(id || quote(c) || quote(d) || quote(e), ' ')"
				  " FROM t"),
		     "-5'\xc3\xa4''d'NULL 5NULL'd'NULL");
	db_close(db);
}

/* Overflow pages on both sides of the page that is never used. */
static void test_lock_byte(void)
{
	struct td_value v = blob(bytes, 1000000);
	struct file f;
	sqlite3 *db;

	TD_CASE("lock byte");
	create("CREATE TABLE t(c BLOB); CREATE TABLE u(c BLOB)", 65536, 0);
	add_free_pages(path, LOCK_PAGE - 5);
	f = open_file();
	for (int64_t i = 0; i < 5; i++)
		TD_CHECK_INT(td_btree_add_values(f.table, i, &v, 1), 0);
	db = close_file(&f);
	TD_CHECK(strtoul(sql_text(db, "PRAGMA page_count"), NULL, 10) > LOCK_PAGE);
	check_count(db, "(SELECT DISTINCT c FROM t WHERE length(c) = 1000000)", 1);
	db_close(db);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	(void)snprintf(path, sizeof(path), "%s/large.db", dir);
	rnd_state = 1;
	for (size_t i = 0; i < sizeof(bytes); i += 8)
		memcpy(bytes + i, &(uint64_t){ rnd() }, 8);
	test_sizes();
	test_huge();
	test_defaults();
	test_lock_byte();
	(void)unlink(path);
	(void)rmdir(dir);
	return td_check_result();
}
