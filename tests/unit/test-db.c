/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sys/stat.h>

#include "schema/db.h"
#include "schema/sql.h"
#include "tests/unit/sql.h"

static char dir[] = "/tmp/test-db-XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void exec(sqlite3 *db, const char *sql)
{
	TD_CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void write_file(const char *name, const void *data, size_t len)
{
	_cleanup_fclose_ FILE *f = fopen(in_dir(name), "we");

	TD_CHECK(f && fwrite(data, 1, len, f) == len);
}

/* A database in the folder, changed by sql. */
static void make_db(const char *name, const char *sql)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	struct td_err err = { 0 };

	TD_CHECK_INT(td_db_create(in_dir(name), TD_PAGE_SIZE, &db, &err), 0);
	TD_CHECK_STR(err.msg, "");
	if (!db)
		return;
	exec(db, sql);
	check_sound(db);
}

#define RUN "INSERT INTO run (id, name, tracedb_version) VALUES (1, 'r', '1'); "

static void test_create(void)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL, *again = NULL;
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	struct td_err err = { 0 };

	TD_CASE("create");
	make_db("good.db", RUN);
	TD_CHECK_INT(td_db_create(in_dir("good.db"), TD_PAGE_SIZE, &again, &err), -EEXIST);
	TD_CHECK(!again);
	TD_CHECK_INT(td_db_open_ro(in_dir("good.db"), &db, &err), 0);
	TD_CHECK_INT(sqlite3_prepare_v2(
			     db,
			     "SELECT page_size, (SELECT count(*) FROM calls) FROM pragma_page_size",
			     -1, &stmt, NULL),
		     SQLITE_OK);
	TD_CHECK_INT(sqlite3_step(stmt), SQLITE_ROW);
	TD_CHECK_INT(sqlite3_column_int(stmt, 0), 4096);
	TD_CHECK_INT(sqlite3_column_int(stmt, 1), 0);
	TD_CHECK_INT(td_db_create(in_dir("no/such/folder.db"), TD_PAGE_SIZE, &again, &err),
		     -ENOENT);
}

/* What SQLite itself counts, of pages of any size, and one more for each statement that changes the schema. */
static void test_cookie(void)
{
	static const char *const changes[] = { NULL, "CREATE INDEX mine ON string (text)",
					       "DROP VIEW phases" };
	static const int sizes[] = { TD_PAGE_SIZE, 32768 };

	TD_CASE("schema cookie");
	for (size_t i = 0; i < TD_ARRAY_SIZE(changes) * TD_ARRAY_SIZE(sizes); i++) {
		_cleanup_(td_db_closep) sqlite3 *db = NULL;
		const char *change = changes[i / TD_ARRAY_SIZE(sizes)];
		char want[16];

		(void)unlink(in_dir("cookie.db"));
		TD_CHECK_INT(td_db_create(in_dir("cookie.db"), sizes[i % TD_ARRAY_SIZE(sizes)], &db,
					  NULL),
			     0);
		if (change)
			exec(db, change);
		(void)snprintf(want, sizeof(want), "%" PRIu32,
			       td_db_new_cookie() + (change != NULL));
		TD_CHECK_STR(sql_text(db, "PRAGMA schema_version"), want);
	}
}

/* Views, which are not created by SQLite, are there as it would have kept them; and nobody writes
 * into the schema later. */
static void test_as_created(void)
{
	_cleanup_(td_db_closep) sqlite3 *made = NULL;
	sqlite3 *want = db_open(":memory:");

	TD_CASE("as created by SQL");
	for (const struct td_sql *s = td_schema_sql; s->name; s++)
		exec(want, s->text);
	TD_CHECK_INT(td_db_create(in_dir("made.db"), TD_PAGE_SIZE, &made, NULL), 0);
	sql(want, "ATTACH '%s' AS made", in_dir("made.db"));
	TD_CHECK_STR(sql_text(want, "SELECT count(*) > 80 FROM made.sqlite_schema"), "1");
	TD_CHECK_STR(sql_text(want, "SELECT count(*) FROM (SELECT row_number() OVER (), type, "
				    "name, tbl_name, sql"
				    " FROM main.sqlite_schema EXCEPT SELECT row_number() OVER (), "
				    "type, name, tbl_name, sql"
				    " FROM made.sqlite_schema)"),
		     "0");
	TD_CHECK_STR(sql_text(want, "SELECT (SELECT count(*) FROM made.sqlite_schema) - count(*) "
				    "FROM main.sqlite_schema"),
		     "0");
	TD_CHECK(sqlite3_exec(made, "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema", NULL,
			      NULL, NULL) != SQLITE_OK);
	db_close(want);
}

/* What file(1) and other tools see: bytes 68..71 of the file are "trdb", 60..63 the version. */
static void test_header(void)
{
	_cleanup_fclose_ FILE *f = fopen(in_dir("good.db"), "re");
	unsigned char h[100] = { 0 };

	TD_CASE("header");
	TD_CHECK(f && fread(h, 1, sizeof(h), f) == sizeof(h));
	TD_CHECK(memcmp(h + 68, "trdb", 4) == 0);
	TD_CHECK(memcmp(h + 60, "\0\0\0\30", 4) == 0);
}

static void test_read_only(void)
{
	static const char *const writes[] = {
		"INSERT INTO string VALUES (1, 'x')",
		"CREATE TABLE t (a)",
		"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ''",
		"PRAGMA query_only = OFF; DELETE FROM run",
	};
	_cleanup_(td_db_closep) sqlite3 *db = NULL;

	TD_CHECK_INT(td_db_open_ro(in_dir("good.db"), &db, NULL), 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(writes); i++) {
		TD_CASE(writes[i]);
		TD_CHECK(sqlite3_exec(db, writes[i], NULL, NULL, NULL) != SQLITE_OK);
	}
}

static void make_bad_files(void)
{
	char page[TD_PAGE_SIZE * 2];
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_(td_db_closep) sqlite3 *db = NULL;

	write_file("empty.db", "", 0);
	write_file("short.db", "SQLite format 3", 16);
	write_file("log.db", "PID COMM\n1 init\n", 16);
	write_file("xz.db",
		   "\xfd"
		   "7zXZ\0\0\4",
		   8);
	write_file("zst.db", "\x28\xb5\x2f\xfd\4", 5);
	(void)mkdir(in_dir("folder.db"), 0755);
	(void)mkfifo(in_dir("pipe.db"), 0644);
	make_db("newer.db", RUN "PRAGMA user_version = 25");
	make_db("older.db", RUN "PRAGMA user_version = 0");
	make_db("unfinished.db", "");
	f = fopen(in_dir("good.db"), "re");
	TD_CHECK(f && fread(page, 1, sizeof(page), f) == sizeof(page));
	write_file("cut.db", page, sizeof(page));
	TD_CHECK_INT(sqlite3_open(in_dir("other.db"), &db), SQLITE_OK);
	exec(db, "CREATE TABLE run (id)");
}

static void test_refused(void)
{
	static const struct {
		const char *name;
		int r;
		const char *says; /* with the path in place of @ */
	} cases[] = {
		{ "missing.db", -ENOENT,
		  "there is no database '@'; make it with 'tracedb import LOGS -o @'" },
		{ "folder.db", -EISDIR,
		  "'@' is a folder, not a database; import it first: tracedb import @" },
		{ "pipe.db", -EMEDIUMTYPE,
		  "'@' is not a regular file, so it cannot be a database" },
		{ "empty.db", -EMEDIUMTYPE, "'@' is empty, not a database; import the logs again" },
		{ "short.db", -EMEDIUMTYPE,
		  "'@' is not a database; if it is a log, import it first: tracedb import @" },
		{ "log.db", -EMEDIUMTYPE,
		  "'@' is not a database; if it is a log, import it first: tracedb import @" },
		{ "xz.db", -EMEDIUMTYPE,
		  "'@' is packed: unpack a database with 'xz -dk @'; if it is a log, "
		  "import it: tracedb import @" },
		{ "zst.db", -EMEDIUMTYPE,
		  "'@' is packed: unpack a database with 'zstd -d @'; if it is a log, "
		  "import it: tracedb import @" },
		{ "other.db", -EMEDIUMTYPE,
		  "'@' is an SQLite database, but not one of tracedb; "
		  "make one with 'tracedb import LOGS'" },
		{ "newer.db", -EPROTONOSUPPORT,
		  "'@' was written by a newer tracedb (schema 25, this one reads 24): upgrade "
		  "tracedb" },
		{ "older.db", -EPROTONOSUPPORT,
		  "'@' was written by an older tracedb (schema 0, this one reads 24): "
		  "import the logs again" },
		{ "unfinished.db", -ENODATA,
		  "'@' is incomplete, its import did not finish; import the logs again" },
	};

	make_bad_files();
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_db_closep) sqlite3 *db = NULL;
		struct td_err err = { 0 };
		char want[512] = "";
		size_t n = 0;

		TD_CASE(cases[i].name);
		TD_CHECK_INT(td_db_open_ro(in_dir(cases[i].name), &db, &err), cases[i].r);
		TD_CHECK(!db);
		for (const char *p = cases[i].says; *p; p++)
			n += (size_t)snprintf(want + n, sizeof(want) - n, "%.*s",
					      *p == '@' ? 128 : 1,
					      *p == '@' ? in_dir(cases[i].name) : p);
		TD_CHECK_STR(err.msg, want);
	}
}

static void test_cut(void)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	struct td_err err = { 0 };

	TD_CASE("cut");
	TD_CHECK_INT(td_db_open_ro(in_dir("cut.db"), &db, &err), -EUCLEAN);
	TD_CHECK(strstr(err.msg, "/cut.db' is cut: 8192 of its "));
}

/* What SQL can do on every connection that is opened, before any authorizer. */
static void test_harmless(void)
{
	static const char *const refused[] = {
		"SELECT fts3_tokenizer('simple', x'4141414141414141')",
		"SELECT load_extension('x.so')",
		"CREATE VIRTUAL TABLE temp.t USING fts4(a)",
		"CREATE VIRTUAL TABLE temp.t USING rtree(a, b, c)",
		"SELECT * FROM dbstat",
		"ATTACH ':memory:' AS other",
		"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ''",
		"SELECT zeroblob(70000000)",
	};
	_cleanup_(td_db_closep) sqlite3 *made = NULL, *opened = NULL;

	TD_CHECK_INT(td_db_create(":memory:", TD_PAGE_SIZE, &made, NULL), 0);
	TD_CHECK_INT(td_db_open_ro(in_dir("good.db"), &opened, NULL), 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(refused); i++) {
		TD_CASE(refused[i]);
		TD_CHECK(sqlite3_exec(made, refused[i], NULL, NULL, NULL) != SQLITE_OK);
		TD_CHECK(sqlite3_exec(opened, refused[i], NULL, NULL, NULL) != SQLITE_OK);
	}
}

/* Views that call functions which are not for schemas. */
static void test_schema_acts(void)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;

	TD_CASE("schema that acts");
	make_db("acts.db", RUN "CREATE VIEW v AS SELECT fts3_tokenizer('simple') AS a;"
			       "CREATE VIEW w AS SELECT load_extension('x') AS a");
	TD_CHECK_INT(td_db_open_ro(in_dir("acts.db"), &db, NULL), 0);
	TD_CHECK(sqlite3_exec(db, "SELECT a FROM v", NULL, NULL, NULL) != SQLITE_OK);
	TD_CHECK(sqlite3_exec(db, "SELECT a FROM w", NULL, NULL, NULL) != SQLITE_OK);
}

#define FORGE "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET "

/* Opens a database that was changed by sql: r and, if that is an error, part of its text. */
static void check_changed(const char *sql, int r, const char *text)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	struct td_err err = { 0 };

	TD_CASE(sql);
	make_db("changed.db", RUN);
	TD_CHECK_INT(sqlite3_open(in_dir("changed.db"), &db), SQLITE_OK);
	exec(db, sql);
	td_db_close(db);
	db = NULL;
	TD_CHECK_INT(td_db_open_ro(in_dir("changed.db"), &db, &err), r);
	if (r < 0)
		TD_CHECK(strstr(err.msg, text));
	TD_CHECK_INT(unlink(in_dir("changed.db")), 0);
}

/* The schema is compared before a row is read; what users add beside it is theirs. */
static void test_schema(void)
{
	check_changed("CREATE TABLE mine (a); CREATE VIEW v AS SELECT * FROM mine;"
		      "CREATE INDEX i ON call (dur_ns); ANALYZE; VACUUM",
		      0, NULL);
	check_changed(
		"DROP TABLE run; CREATE VIEW run AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL "
		"SELECT n + 1 FROM r) SELECT n AS id FROM r WHERE n < 0",
		-EUCLEAN, "'run' differs");
	check_changed("DROP VIEW io_calls; CREATE VIEW io_calls AS SELECT 1", -EUCLEAN,
		      "'io_calls' differs");
	check_changed("DROP VIEW io_calls", -EUCLEAN, "missing");
	check_changed("DROP VIEW launch_stat", -EUCLEAN, "missing"); /* the last of all */
	check_changed(FORGE "sql = replace(sql, ' NOT NULL', '') WHERE name = 'call'", -EUCLEAN,
		      "'call' differs");
	check_changed(FORGE "name = 'x' WHERE name = 'call'", -EUCLEAN, "");
	check_changed("ALTER TABLE call ADD COLUMN mine INTEGER", -EUCLEAN, "'call' differs");
	check_changed("CREATE VIEW json_each AS SELECT 1 AS value", -EUCLEAN,
		      "'json_each' differs");
}

/* Who opens a database that the process reads already leaves it the lock on it. */
static void test_locks(void)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL, *twice = NULL;

	TD_CASE("locks");
	TD_CHECK_INT(td_db_open_ro(in_dir("good.db"), &db, NULL), 0);
	TD_CHECK(!is_locked(in_dir("good.db")));
	exec(db, "BEGIN; SELECT * FROM run");
	TD_CHECK(is_locked(in_dir("good.db")));
	TD_CHECK_INT(td_db_open_ro(in_dir("good.db"), &twice, NULL), 0);
	TD_CHECK(is_locked(in_dir("good.db")));
	exec(db, "COMMIT");
	TD_CHECK(!is_locked(in_dir("good.db")));
}

static void test_errno(void)
{
	TD_CASE("errno");
	TD_CHECK_INT(td_sql_errno(SQLITE_DONE), 0);
	TD_CHECK_INT(td_sql_errno(SQLITE_FULL), -ENOSPC);
	TD_CHECK_INT(td_sql_errno(SQLITE_IOERR_READ), -EIO);
	TD_CHECK_INT(td_sql_errno(SQLITE_READONLY_DBMOVED), -EROFS);
	TD_CHECK_INT(td_sql_errno(SQLITE_MISUSE), -EIO);
}

int main(void)
{
	static const char *const names[] = { "good.db", "empty.db", "short.db", "log.db",
					     "pipe.db", "newer.db", "older.db", "unfinished.db",
					     "cut.db",  "other.db", "acts.db",  "made.db" };

	TD_CHECK(mkdtemp(dir));
	test_create();
	test_cookie();
	test_as_created();
	test_header();
	test_read_only();
	test_refused();
	test_cut();
	test_harmless();
	test_schema();
	test_schema_acts();
	test_locks();
	test_errno();
	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++)
		(void)unlink(in_dir(names[i]));
	(void)rmdir(in_dir("folder.db"));
	(void)rmdir(dir);
	return td_check_result();
}
