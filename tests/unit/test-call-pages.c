/* SPDX-License-Identifier: MIT */
/*
 * Rows of `call` from the pages of the file against what SQLite says of the same rows. The pages have to be read: where
 * something in them is not understood the reader gives up, SQL is asked instead, and no answer would be wrong.
 */
#include <stdlib.h>
#include <unistd.h>

#include "analyzer/scan/filter.h"
#include "common/cleanup.h"
#include "schema/db.h"
#include "tests/unit/sql.h"

#define NROWS 20000
#define NPROCESSES 5

static const char *const names[TD_ROW_NCOLUMNS] = {
	[TD_ROW_START] = "start_ns",
	[TD_ROW_DUR] = "dur_ns",
	[TD_ROW_KIND] = "op_id",
	[TD_ROW_PROCESS] = "process_id",
	[TD_ROW_THREAD] = "thread_id",
	[TD_ROW_OBJECT] = "file_id",
	[TD_ROW_RET] = "ret",
	[TD_ROW_BYTES] = "done_bytes",
	[TD_ROW_OFFSET] = "offset_bytes",
	[TD_ROW_NESTED] = "nested",
	[TD_ROW_UNFINISHED] = "unfinished",
	[TD_ROW_COLD] = "cold_bytes",
	[TD_ROW_CORRELATION] = "correlation",
	[TD_ROW_ARGS] = "args_id",
	[TD_ROW_ASKED] = "asked_bytes",
	[TD_ROW_ID] = "id",
};

/* Numbers of every length that a record knows, their negatives and NULL: some thousand headers. */
#define ANY                                                                                        \
	"CASE abs(random()) % 5 WHEN 0 THEN NULL WHEN 1 THEN abs(random()) % 3 WHEN 2 THEN "       \
	"-(random() >> 1 + abs(random()) % 60) ELSE random() >> 1 + abs(random()) % 60 END"
#define ROWS                                                                                       \
	"WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?1) "         \
	"INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, thread_id, file_id, ret, "     \
	"asked_bytes, done_bytes, offset_bytes, fd, nested, unfinished, source_id, args_id, "      \
	"cold_bytes, correlation) "                                                                \
	"SELECT i * 3, i * 1000000, " ANY ", abs(random()) % 300, abs(random()) % ?2, " ANY        \
	", " ANY ", " ANY ", " ANY ", " ANY ", " ANY ", " ANY ", i % 2, i % 3 % 2, 1, i, " ANY     \
	", " ANY " FROM n"

/* Of the ranges in main(): the first ends before a row, the second by its ids. */
#define TIMES                                                                                      \
	"(start_ns < 5000000000 OR (start_ns >= 7000000000 AND start_ns < 9000000000 AND id >= "   \
	"21003 AND id <= 26994)) "

static void make_db(const char *path)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;

	TD_CHECK_INT(sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 1, NULL), SQLITE_OK);
	TD_CHECK_INT(td_db_create(path, 4096, &db, NULL), 0);
	TD_CHECK_INT(sqlite3_exec(db, "PRAGMA foreign_keys = OFF", NULL, NULL, NULL), SQLITE_OK);
	TD_CHECK_INT(sqlite3_prepare_v2(db, ROWS, -1, &stmt, NULL), SQLITE_OK);
	TD_CHECK_INT(sqlite3_bind_int(stmt, 1, NROWS), SQLITE_OK);
	TD_CHECK_INT(sqlite3_bind_int(stmt, 2, NPROCESSES), SQLITE_OK);
	TD_CHECK_INT(sqlite3_step(stmt), SQLITE_DONE);
}

/* Records without their last columns, as calls are written that have no number and no bytes from
 * disk: here rows that were there before the columns. */
#define COLUMNS                                                                                    \
	"start_ns, dur_ns, op_id, process_id, thread_id, file_id, ret, asked_bytes, "              \
	"done_bytes, offset_bytes, fd, nested, unfinished, source_id, args_id"
#define SHORTER                                                                                    \
	"CREATE TEMP TABLE old AS SELECT * FROM call; DROP TABLE call;"                            \
	"CREATE TABLE call (id INTEGER PRIMARY KEY, " COLUMNS ");"                                 \
	"INSERT INTO call SELECT id, " COLUMNS " FROM old;"                                        \
	"ALTER TABLE call ADD COLUMN cold_bytes; ALTER TABLE call ADD COLUMN correlation;"         \
	"UPDATE call SET cold_bytes = 7, correlation = id WHERE id % 8 = 0"

static void make_shorter(const char *path)
{
	_cleanup_(td_db_closep) sqlite3 *db = db_open(path);

	TD_CHECK_INT(sqlite3_exec(db, SHORTER, NULL, NULL, NULL), SQLITE_OK);
}

/* What is compared with what. */
struct comparison {
	sqlite3_stmt *expected;
	unsigned wanted;
	size_t nrows;
};

static int compare(void *arg, struct td_row_batch *b)
{
	struct comparison *c = arg;

	for (size_t i = 0; i < b->n; i++, c->nrows++) {
		TD_CHECK_INT(sqlite3_step(c->expected), SQLITE_ROW);
		for (int column = 0; column < TD_ROW_NCOLUMNS; column++) {
			int64_t v = sqlite3_column_type(c->expected, column) == SQLITE_NULL
					    ? TD_NULL
					    : sqlite3_column_int64(c->expected, column);

			if (c->wanted & 1u << column)
				TD_CHECK_INT(b->columns[column][i], v);
		}
	}
	return 0;
}

static sqlite3_stmt *expect(sqlite3 *db, const char *condition)
{
	char sql[512] = "SELECT";
	sqlite3_stmt *stmt = NULL;

	for (int c = 0; c < TD_ROW_NCOLUMNS; c++)
		snprintf(sql + strlen(sql), sizeof(sql) - strlen(sql), "%s %s", c ? "," : "",
			 names[c]);
	snprintf(sql + strlen(sql), sizeof(sql) - strlen(sql), " FROM call WHERE %s ORDER BY id",
		 condition);
	TD_CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	return stmt;
}

static void test_rows(sqlite3 *db, const struct td_filter *filter, unsigned wanted,
		      const char *condition)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = expect(db, condition);
	_cleanup_(td_row_source_done) struct td_row_source source = { 0 };
	struct comparison c = { stmt, wanted, 0 };

	TD_CASE(condition);
	TD_CHECK_INT(td_row_source_open(db, td_relations, filter, wanted, &source, NULL), 0);
	TD_CHECK(source.leaves.n > 1);
	for (size_t part = 0; part < source.nparts; part++)
		TD_CHECK_INT(td_row_source_read(&source, part, compare, &c), 0);
	TD_CHECK_INT(sqlite3_step(stmt), SQLITE_DONE);
	TD_CHECK(c.nrows > 0);
}

int main(void)
{
	static const unsigned all = (1u << TD_ROW_NCOLUMNS) - 1;
	char dir[] = "/tmp/test-call-pages-XXXXXX", path[64];
	uint32_t processes[NPROCESSES] = { 0, 1, 0, 1, 0 }, ops[300];
	struct td_filter_range ranges[] = { { INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX },
					    { 0, 5000000000, 3, 15000 },
					    { 7000000000, 9000000000, 21003, 26994 } };
	struct td_filter everything = { .ranges = ranges, .nranges = 1 };
	struct td_filter times = { .ranges = ranges + 1, .nranges = 2 };
	struct td_filter some = {
		.ranges = ranges + 1,
		.nranges = 2,
		.conditions = { { .column = TD_ROW_PROCESS, .ids = { processes, NPROCESSES } },
				{ .column = TD_ROW_KIND, .ids = { ops, 300 } } },
		.nconditions = 2,
	};
	sqlite3 *db;

	for (unsigned i = 0; i < 300; i++)
		ops[i] = i % 7 == 0;
	TD_CHECK(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/x.db", dir);
	make_db(path);
	db = db_open(path);
	test_rows(db, &everything, all, "true");
	for (unsigned column = 0; column < TD_ROW_NCOLUMNS; column++)
		test_rows(db, &everything, 1u << column, "true");
	test_rows(db, &times, all, TIMES);
	test_rows(db, &some, all, TIMES "AND process_id IN (1, 3) AND op_id % 7 = 0 AND op_id > 0");
	td_db_close(db);
	make_shorter(path);
	db = db_open(path);
	test_rows(db, &everything, all, "true");
	for (unsigned column = 0; column < TD_ROW_NCOLUMNS; column++)
		test_rows(db, &everything, 1u << column, "true");
	test_rows(db, &times, all, TIMES);
	td_db_close(db);
	(void)unlink(path);
	(void)rmdir(dir);
	return td_check_result();
}
