/* SPDX-License-Identifier: MIT */
/* Databases that one connection reads one after the other: each is answered as if it were the only one. */
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schema/series.h"
#include "tests/unit/sql.h"

static char dir[] = "/tmp/test-series-XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[512];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void change(const char *name, const char *sql)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;

	TD_CHECK_INT(sqlite3_open(in_dir(name), &db), SQLITE_OK);
	TD_CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

/* A database of a run that is called as the file is, changed by sql. All are written by as many changes. */
static void make(const char *name, const char *sql)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	struct td_err err = { 0 };
	char run[128];

	(void)snprintf(run, sizeof(run),
		       "INSERT INTO run (id, name, tracedb_version) VALUES (1, '%s', '1')", name);
	TD_CHECK_INT(td_db_create(in_dir(name), TD_PAGE_SIZE, &db, &err), 0);
	TD_CHECK_INT(sqlite3_exec(db, run, NULL, NULL, NULL), SQLITE_OK);
	td_db_close(TAKE_PTR(db));
	if (sql)
		change(name, sql);
}

static int nprepared;

static int prepared(sqlite3 *db, struct td_err *err)
{
	(void)db;
	(void)err;
	nprepared++;
	return 0;
}

#define NAME "SELECT name FROM run"

/* Asks the next one what its run is called: 1 if by a connection that was there before, 0, or -errno. */
static int ask_for(struct td_db_series *s, const char *name, const char *run)
{
	_cleanup_(td_db_put_backp) sqlite3_stmt *stmt = NULL;
	struct td_err err = { 0 };
	sqlite3 *db = NULL;
	int before = nprepared, r = td_db_series_next(s, in_dir(name), &db, &err);

	if (r < 0) {
		(void)td_db_series_forget(s);
		return r;
	}
	TD_CHECK_INT(td_db_prepare(db, NAME, &stmt), SQLITE_OK);
	TD_CHECK_INT(sqlite3_step(stmt), SQLITE_ROW);
	TD_CHECK_STR((const char *)sqlite3_column_text(stmt, 0), run);
	TD_CHECK_STR(strrchr(td_db_path(db), '/') + 1, run);
	td_db_put_back(TAKE_PTR(stmt));
	td_db_series_end(s);
	return nprepared == before;
}

static int ask(struct td_db_series *s, const char *name)
{
	return ask_for(s, name, name);
}

static void test_same(struct td_db_series *s)
{
	TD_CASE("the same schema");
	make("a", NULL);
	make("b", NULL);
	make("large", "WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
		      " INSERT INTO string (id, text) SELECT i, 'text ' || i FROM n");
	TD_CHECK_INT(ask(s, "a"), 0);
	for (int i = 0; i < 3; i++) {
		TD_CHECK_INT(ask(s, "b"), 1);
		TD_CHECK_INT(ask(s, "large"), 1);
		TD_CHECK_INT(ask(s, "a"), 1);
	}
	TD_CASE("a link");
	TD_CHECK_INT(symlink("b", in_dir("link")), 0);
	TD_CHECK_INT(ask_for(s, "link", "b"), 1);
	TD_CASE("changed meanwhile");
	change("a", "UPDATE run SET name = 'A'; UPDATE run SET name = 'a'");
	TD_CHECK_INT(ask(s, "a"), 1);
}

static void test_statements(struct td_db_series *s)
{
	sqlite3_stmt *first = NULL, *second = NULL, *again = NULL;
	struct td_err err = { 0 };
	sqlite3 *db = NULL;

	TD_CASE("statements");
	TD_CHECK_INT(td_db_series_next(s, in_dir("a"), &db, &err), 0);
	TD_CHECK_INT(td_db_prepare(db, "SELECT ?1", &first), SQLITE_OK);
	TD_CHECK_INT(td_db_prepare(db, "SELECT ?1", &second), SQLITE_OK);
	TD_CHECK(first != second);
	TD_CHECK_INT(sqlite3_bind_int(first, 1, 7), SQLITE_OK);
	td_db_put_back(first);
	td_db_put_back(second);
	td_db_series_end(s);
	TD_CHECK_INT(td_db_series_next(s, in_dir("b"), &db, &err), 0);
	TD_CHECK_INT(td_db_prepare(db, "SELECT ?1", &again), SQLITE_OK);
	TD_CHECK(again == first || again == second);
	TD_CHECK_INT(sqlite3_step(again), SQLITE_ROW);
	TD_CHECK_INT(sqlite3_column_type(again, 0), SQLITE_NULL);
	td_db_put_back(again);
	td_db_series_end(s);
}

/* What is not as the one before is opened anew, and so is the next. */
static void test_others(struct td_db_series *s)
{
	static const char *const changes[][2] = {
		{ "table", "CREATE TABLE mine (x)" },
		{ "view", "CREATE VIEW mine AS SELECT 1" },
		{ "index", "CREATE INDEX mine ON string (text)" },
		{ "dropped", "CREATE VIEW mine AS SELECT 1; DROP VIEW mine" },
		{ "page-size", "PRAGMA page_size = 8192; VACUUM" },
		{ "vacuumed", "CREATE TABLE mine (x); DROP TABLE mine; VACUUM" },
		{ "wal", "PRAGMA journal_mode = WAL" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(changes); i++) {
		TD_CASE(changes[i][0]);
		make(changes[i][0], changes[i][1]);
		(void)ask(s, "a");
		TD_CHECK_INT(ask(s, "b"), 1);
		TD_CHECK_INT(ask(s, changes[i][0]), 0);
		TD_CHECK_INT(ask(s, "a"), 0);
	}
}

/* One byte that is not the same, wherever a schema has it that somebody has changed. */
static void test_any_byte(struct td_db_series *s)
{
	static const char changed[] = "CREATE VIEW mine AS SELECT 1; DROP VIEW mine;";

	make("c", changed);
	make("d", changed);
	for (int i = 0; i < 10; i++) {
		char name[32], sql[300];

		(void)snprintf(name, sizeof(name), "byte-%d", i);
		(void)snprintf(
			sql, sizeof(sql),
			"%s PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql || "
			"' ' WHERE rowid = (SELECT max(rowid) * %d / 9 + (%d = 0)"
			" FROM sqlite_schema WHERE sql IS NOT NULL)",
			changed, i, i);
		TD_CASE(name);
		make(name, sql);
		(void)ask(s, "c");
		TD_CHECK_INT(ask(s, "d"), 1);
		TD_CHECK(ask(s, name) != 1);
	}
}

static void test_refused(struct td_db_series *s)
{
	static const struct {
		const char *name, *sql;
		int r;
	} refused[] = {
		{ "version", "PRAGMA user_version = 3", -EPROTONOSUPPORT },
		{ "foreign", "PRAGMA application_id = 3", -EMEDIUMTYPE },
		{ "unfinished", "DELETE FROM run", -ENODATA },
		{ "schema", "DROP VIEW phases", -EUCLEAN },
	};
	struct stat st;

	for (size_t i = 0; i < TD_ARRAY_SIZE(refused); i++) {
		TD_CASE(refused[i].name);
		make(refused[i].name, refused[i].sql);
		(void)ask(s, "a");
		TD_CHECK_INT(ask(s, refused[i].name), refused[i].r);
	}
	TD_CASE("cut");
	make("cut", NULL);
	TD_CHECK_INT(truncate(in_dir("cut"), 3 * TD_PAGE_SIZE), 0);
	(void)ask(s, "a");
	TD_CHECK_INT(ask(s, "cut"), -EUCLEAN);
	TD_CASE("cut behind the schema");
	make("cut-behind", "INSERT INTO string (id, text) VALUES (1, printf('%100000d', 1))");
	TD_CHECK_INT(stat(in_dir("cut-behind"), &st), 0);
	TD_CHECK_INT(truncate(in_dir("cut-behind"), st.st_size - TD_PAGE_SIZE), 0);
	(void)ask(s, "a");
	TD_CHECK_INT(ask(s, "b"), 1);
	TD_CHECK_INT(ask(s, "cut-behind"), -EUCLEAN);
}

static void test_locks(struct td_db_series *s)
{
	struct td_err err = { 0 };
	sqlite3 *db = NULL;

	TD_CASE("locks");
	(void)ask(s, "a");
	TD_CHECK_INT(td_db_series_next(s, in_dir("b"), &db, &err), 0);
	TD_CHECK(is_locked(in_dir("b")));
	TD_CHECK(!is_locked(in_dir("a")));
	td_db_series_end(s);
	TD_CHECK(!is_locked(in_dir("b")));
}

/* A process that died in the middle of a change leaves a journal: only with what is in it the file is whole. */
static void test_journal(struct td_db_series *s)
{
	char copy[512];

	TD_CASE("journal");
	make("journal", NULL);
	(void)snprintf(copy, sizeof(copy),
		       "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE run SET name "
		       "= 'never';"
		       "WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)"
		       " INSERT INTO string (id, text) SELECT i, 'text ' || i FROM n");
	if (fork() == 0) {
		sqlite3 *db = NULL;

		if (sqlite3_open(in_dir("journal"), &db) == SQLITE_OK)
			(void)sqlite3_exec(db, copy, NULL, NULL, NULL);
		_exit(0);
	}
	(void)wait(NULL);
	TD_CHECK_INT(access(in_dir("journal-journal"), F_OK), 0);
	(void)ask(s, "a");
	TD_CHECK(ask(s, "journal") < 0);
	change("journal", "SELECT * FROM run");
	(void)ask(s, "a");
	TD_CHECK_INT(ask(s, "journal"), 1);
}

static void remove_all(void)
{
	DIR *d = opendir(dir);
	const struct dirent *e;

	while (d && (e = readdir(d)))
		(void)unlink(in_dir(e->d_name));
	if (d)
		(void)closedir(d);
	(void)rmdir(dir);
}

int main(void)
{
	_cleanup_(td_db_series_freep) struct td_db_series *s = NULL;

	if (!mkdtemp(dir))
		return 1;
	TD_CHECK_INT(td_db_series_new(prepared, &s), 0);
	if (!s)
		return 1;
	test_same(s);
	test_statements(s);
	test_others(s);
	test_any_byte(s);
	test_refused(s);
	test_locks(s);
	test_journal(s);
	remove_all();
	return td_check_result();
}
