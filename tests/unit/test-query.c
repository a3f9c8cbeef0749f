/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "analyzer/query.h"
#include "analyzer/sandbox.h"
#include "schema/db.h"
#include "tests/unit/check.h"

/* A writable connection, so that only the sandbox stands between SQL and the data. */
static sqlite3 *make_db(void)
{
	sqlite3 *db = NULL;

	TD_CHECK_INT(td_db_create(":memory:", TD_PAGE_SIZE, &db, NULL), 0);
	TD_CHECK_INT(sqlite3_exec(db,
				  "INSERT INTO string VALUES (1, 'one'), (2, 'two');"
				  "INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io')",
				  NULL, NULL, NULL),
		     SQLITE_OK);
	TD_CHECK_INT(td_query_sandbox(db, NULL), 0);
	return db;
}

/* Prepares and runs; the output as json in *ret_text, to be freed. */
static int run(sqlite3 *db, const char *sql, const struct td_arg *args, size_t nargs,
	       char **ret_text, struct td_err *err)
{
	_cleanup_(td_query_freep) struct td_query *q = NULL;
	_cleanup_(td_writer_freep) struct td_writer *w = NULL;
	_cleanup_fclose_ FILE *f = NULL;
	struct td_writer_options shape = { 0 };
	size_t len = 0;
	int r = td_query_prepare(db, sql, args, nargs, &q, err);

	if (r < 0)
		return r;
	f = open_memstream(ret_text, &len);
	shape.many_tables = td_query_ntables(q) > 1;
	TD_CHECK_INT(td_writer_new(td_format_find("json"), f, &shape, &w), 0);
	r = td_query_run(q, w, err);
	TD_CHECK_INT(td_writer_end(w), 0);
	return r;
}

static void test_refused(void)
{
	static const char *const cases[] = {
		"INSERT INTO string VALUES (3, 'three')",
		"UPDATE string SET text = ''",
		"DELETE FROM string",
		"REPLACE INTO string VALUES (1, '')",
		"CREATE TABLE t (a)",
		"CREATE TEMP TABLE t (a)",
		"CREATE VIEW v AS SELECT 1",
		"CREATE VIRTUAL TABLE t USING fts5(a)",
		"DROP TABLE string",
		"ALTER TABLE string RENAME TO s",
		"UPDATE sqlite_master SET sql = ''",
		"ATTACH '/tmp/x.db' AS x",
		"DETACH main",
		"BEGIN",
		"COMMIT",
		"SAVEPOINT s",
		"VACUUM",
		"VACUUM INTO '/tmp/x.db'",
		"REINDEX",
		"ANALYZE",
		"PRAGMA journal_mode = WAL",
		"PRAGMA query_only = OFF",
		"PRAGMA user_version = 10",
		"PRAGMA application_id = 3",
		"PRAGMA writable_schema = ON",
		"PRAGMA temp_store_directory = '/tmp'",
		"PRAGMA wal_checkpoint",
		"PRAGMA data_store_directory",
		"SELECT load_extension('x.so')",
		"SELECT writefile('/tmp/x', 'y')",
		"SELECT readfile('/etc/passwd')",
		"SELECT fts3_tokenizer('simple')",
		"SELECT fts3_tokenizer('simple', x'4141414141414141')",
		"SELECT sqlite_log(1, 'x')",
		"SELECT * FROM dbstat",
		"SELECT * FROM sqlite_stmt",
		"SELECT 1; DELETE FROM string",
		"WITH x AS (SELECT 1) DELETE FROM string",
	};
	_cleanup_(td_db_closep) sqlite3 *db = make_db();
	_cleanup_free_ char *text = NULL;

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		struct td_err err = { 0 };
		char *none = NULL;

		TD_CASE(cases[i]);
		TD_CHECK(run(db, cases[i], NULL, 0, &none, &err) < 0);
		TD_CHECK(!none && err.msg[0]);
		free(none);
	}
	TD_CASE("nothing was changed");
	TD_CHECK_INT(run(db,
			 "SELECT group_concat(text) AS t, (SELECT user_version FROM "
			 "pragma_user_version) AS v"
			 " FROM string",
			 NULL, 0, &text, NULL),
		     0);
	TD_CHECK_STR(text, "[\n{\"t\":\"one,two\",\"v\":24}\n]\n");
}

static void test_allowed(void)
{
	static const struct {
		const char *sql, *want;
	} cases[] = {
		{ "SELECT id, text FROM string ORDER BY id",
		  "[\n{\"id\":1,\"text\":\"one\"},\n{\"id\":2,\"text\":\"two\"}\n]\n" },
		{ "SELECT 1 AS n, 2 AS n, 3 AS m", "[\n{\"n\":1,\"n_2\":2,\"m\":3}\n]\n" },
		{ "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 4)"
		  " SELECT sum(n) AS s FROM c",
		  "[\n{\"s\":10}\n]\n" },
		{ "SELECT value FROM json_each('[5]')", "[\n{\"value\":5}\n]\n" },
		{ "SELECT count(*) AS n FROM events", "[\n{\"n\":0}\n]\n" },
		{ "PRAGMA user_version", "[\n{\"user_version\":24}\n]\n" },
		{ "SELECT name FROM pragma_table_info('string')",
		  "[\n{\"name\":\"id\"},\n{\"name\":\"text\"}\n]\n" },
		{ " ; -- nothing\nSELECT 1 AS a; SELECT 2 AS b;\n-- end\n",
		  "[\n[\n{\"a\":1}\n],\n[\n{\"b\":2}\n]\n]\n" },
		{ "-- title: T\n-- param: x TEXT\n-- column: a TEXT\n-- order: a\n"
		  "SELECT coalesce(:x, 'default') AS a ORDER BY a",
		  "[\n{\"a\":\"default\"}\n]\n" },
		{ "SELECT ABS(-1) AS a, '{\"b\":2}' ->> 'b' AS b, count(*) OVER () AS c,"
		  " unlikely(upper('x')) LIKE 'X' AS d",
		  "[\n{\"a\":1,\"b\":2,\"c\":1,\"d\":1}\n]\n" },
		{ "SELECT NULL AS a, 0.1 AS b, x'41ff' AS c, '' AS d",
		  "[\n{\"a\":null,\"b\":0.1,\"c\":\"41ff\",\"d\":\"\"}\n]\n" },
	};
	_cleanup_(td_db_closep) sqlite3 *db = make_db();

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text = NULL;
		struct td_err err = { 0 };

		TD_CASE(cases[i].sql);
		TD_CHECK_INT(run(db, cases[i].sql, NULL, 0, &text, &err), 0);
		TD_CHECK_STR(err.msg, "");
		TD_CHECK_STR(text, cases[i].want);
	}
}

static void test_errors(void)
{
	static const struct {
		const char *sql, *want;
	} cases[] = {
		{ "SELECT nosuch", "line 1, column 8: no such column: nosuch" },
		{ "SELECT 1;\nSELECT 2,\n  nosuch", "line 3, column 3: no such column: nosuch" },
		{ "SELEC 1", "line 1, column 1: near \"SELEC\": syntax error" },
		{ "SELECT 1;\n\n  DELETE FROM string",
		  "line 3: not authorized: only reading is possible here (SELECT, EXPLAIN, PRAGMAs "
		  "that ask)" },
		{ " -- nothing", "there is no SQL statement" },
		{ "SELECT 1; SELECT :none", "the parameter ':none' of the SQL has no value: give "
					    "it one with --param none=VALUE" },
		{ "SELECT $x AS a",
		  "the parameter '$x' of the SQL has no value: give it one with --param x=VALUE" },
		{ "SELECT ? AS a", "the SQL has a parameter '?', which has no name to give it a "
				   "value by: write :NAME" },
		{ "-- title: T\n-- param: x TEXT\n-- column: a TEXT\n-- order: a\nSELECT :y AS a "
		  "ORDER BY a",
		  "the parameter ':y' of the SQL has no value: give it one with --param y=VALUE" },
	};
	_cleanup_(td_db_closep) sqlite3 *db = make_db();

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		struct td_err err = { 0 };
		char *text = NULL;

		TD_CASE(cases[i].sql);
		TD_CHECK(run(db, cases[i].sql, NULL, 0, &text, &err) < 0);
		TD_CHECK_STR(err.msg, cases[i].want);
	}
}

static void test_params(void)
{
	static const struct td_arg args[] = { { "i", "-12" }, { "d", "1.50" }, { "t", "1e3" } };
	static const char sql[] = "SELECT typeof(:i) AS i, typeof(@d) AS d, typeof($t) AS t,"
				  " :i + 1 AS j";
	_cleanup_(td_db_closep) sqlite3 *db = make_db();
	_cleanup_free_ char *text = NULL;
	struct td_arg unused = { "x", "1" };
	struct td_err err = { 0 };
	char *none = NULL;

	TD_CASE("parameters");
	TD_CHECK_INT(run(db, sql, args, TD_ARRAY_SIZE(args), &text, &err), 0);
	TD_CHECK_STR(text, "[\n{\"i\":\"integer\",\"d\":\"real\",\"t\":\"text\",\"j\":-11}\n]\n");
	TD_CHECK_INT(run(db, "SELECT 1", &unused, 1, &none, &err), -EINVAL);
	TD_CHECK_STR(err.msg, "the SQL has no parameter ':x'");
}

/* An error that only shows when rows are read. */
static void test_runtime_error(void)
{
	_cleanup_(td_db_closep) sqlite3 *db = make_db();
	_cleanup_free_ char *text = NULL;
	struct td_err err = { 0 };

	TD_CASE("at run time");
	TD_CHECK(run(db, "SELECT abs(-9223372036854775807 - 1) AS n", NULL, 0, &text, &err) < 0);
	TD_CHECK_STR(err.msg, "while reading: integer overflow");
}

/* What asks for too much is told so before it has it. */
static void test_memory(void)
{
	static const struct {
		const char *sql, *want;
		int r;
	} cases[] = {
		{ "SELECT length(zeroblob(70000000)) AS n",
		  "while reading: a value is longer than 64 MiB", -E2BIG },
		{ "WITH c AS MATERIALIZED (SELECT hex(zeroblob(30000000)) AS a)"
		  " SELECT a || 1, a || 2, a || 3, a || 4, a || 5, a || 6, a || 7, a || 8, a || 9 "
		  "FROM c",
		  "while reading: this takes more than 512 MiB of memory", -ENOMEM },
	};
	_cleanup_(td_db_closep) sqlite3 *db = make_db();

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text = NULL;
		struct td_err err = { 0 };

		TD_CASE(cases[i].sql);
		TD_CHECK_INT(run(db, cases[i].sql, NULL, 0, &text, &err), cases[i].r);
		TD_CHECK_STR(err.msg, cases[i].want);
	}
}

static void test_deadline(void)
{
	static const char endless[] =
		"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
		" SELECT count(*) AS n FROM c";
	_cleanup_(td_db_closep) sqlite3 *db = make_db();
	struct td_deadline never = td_deadline_in(0), soon = td_deadline_in(1000000);
	_cleanup_free_ char *text = NULL, *none = NULL;
	struct td_err err = { 0 };

	TD_CASE("deadline");
	TD_CHECK_INT(never.at_ns, 0);
	td_query_deadline(db, &never);
	TD_CHECK_INT(run(db, "SELECT 1 AS n", NULL, 0, &text, &err), 0);
	td_query_deadline(db, &soon);
	TD_CHECK_INT(run(db, endless, NULL, 0, &none, &err), -ETIME);
	TD_CHECK_STR(err.msg, "while reading: it is not done after --timeout");
}

int main(void)
{
	test_deadline();
	test_memory();
	test_refused();
	test_allowed();
	test_errors();
	test_params();
	test_runtime_error();
	return td_check_result();
}
