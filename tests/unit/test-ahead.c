/* SPDX-License-Identifier: MIT */
/* Asking for databases ahead: what will be read of them comes into memory, and locks on them stay. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/partial/ahead.h"
#include "analyzer/scan/records.h"
#include "schema/db.h"
#include "tests/unit/sql.h"

#define NFILES 4
#define PAGE 4096
#define NPAGES_MAX 4096
#define PATIENCE 1000 /* hundredths of a second */

static char dir[] = "test-ahead-XXXXXX"; /* here: /tmp may be memory, which nothing is asked of */
static char *paths[NFILES];

/* 300 pages of file_hist, and more of string. */
#define ROWS                                                                                       \
	"WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"        \
	" INSERT INTO file_hist (by, verb, durations, sizes)"                                      \
	" SELECT 'file,verb', 'read', zeroblob(400), zeroblob(0) FROM n;"                          \
	"WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"        \
	" INSERT INTO string (id, text) SELECT i, printf('%%400d', i) FROM n"

static void make(size_t i)
{
	sqlite3 *db = NULL;

	TD_CHECK(asprintf(&paths[i], "%s/%zu.db", dir, i) > 0);
	TD_CHECK_INT(td_db_create(paths[i], PAGE, &db, NULL), 0);
	sql(db, "INSERT INTO run (id, name, tracedb_version) VALUES (1, 'r', '1')");
	sql(db, ROWS);
	td_db_close(db);
}

/* Of each page of the file, whether it is in memory, without reading any; behind its end none is. Owned by who asks. */
static unsigned char *residence(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char *is_there = calloc(NPAGES_MAX, 1);
	void *map = mmap(NULL, (size_t)NPAGES_MAX * PAGE, PROT_READ, MAP_SHARED, fd, 0);

	TD_CHECK(is_there && map != MAP_FAILED);
	TD_CHECK_INT(mincore(map, (size_t)NPAGES_MAX * PAGE, is_there), 0);
	for (int i = 0; i < NPAGES_MAX; i++)
		is_there[i] &= 1;
	(void)munmap(map, (size_t)NPAGES_MAX * PAGE);
	(void)close(fd);
	return is_there;
}

/* Again where pages stay: what was asked for ahead may be on its way from the disk yet. */
static void forget(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool some = true;

	TD_CHECK(fsync(fd) == 0);
	for (int i = 0; i < PATIENCE / 10 && some; i++) {
		unsigned char *is_there;

		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		is_there = residence(path);
		some = memchr(is_there, 1, NPAGES_MAX) != NULL;
		free(is_there);
		if (some)
			(void)usleep(10000);
	}
	(void)close(fd);
}

/* How many of the first so many leaves of a table are in memory. Where they lie says SQLite, of the first file. */
static size_t first_in_memory(const char *path, const char *table, int first, size_t *ret_all)
{
	static const char pages[] =
		"SELECT pageno FROM dbstat WHERE name = ?1 AND pagetype = 'leaf' ORDER BY path"
		" LIMIT ?2";
	sqlite3 *db = db_open(paths[0]);
	sqlite3_stmt *s = NULL;
	unsigned char *is_there = residence(path);
	size_t n = 0;

	*ret_all = 0;
	TD_CHECK_INT(sqlite3_prepare_v2(db, pages, -1, &s, NULL), SQLITE_OK);
	TD_CHECK_INT(sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC), SQLITE_OK);
	TD_CHECK_INT(sqlite3_bind_int(s, 2, first), SQLITE_OK);
	while (sqlite3_step(s) == SQLITE_ROW) {
		n += is_there[sqlite3_column_int64(s, 0) - 1];
		++*ret_all;
	}
	(void)sqlite3_finalize(s);
	td_db_close(db);
	free(is_there);
	return n;
}

static size_t in_memory(const char *path, const char *table, size_t *ret_all)
{
	return first_in_memory(path, table, INT_MAX, ret_all);
}

static int prepared(sqlite3 *db, struct td_err *err)
{
	(void)db;
	(void)err;
	return 0;
}

/* Ends after so many. */
static int count_down(void *arg, const struct td_cell *cells)
{
	int *left = arg;

	(void)cells;
	return --*left == 0;
}

/* Reads nrows rows of the first file as a report does, 0: all; where others have the same is in *ret. */
static void read_first(struct td_db_series *s, int nrows, bool last_first, struct td_db_places *ret)
{
	const struct td_records what = {
		.table = "file_hist", .columns = { 1 }, .n = 1, .last_first = last_first
	};
	struct td_err err = { 0 };
	sqlite3 *db = NULL;
	int left = nrows;

	TD_CHECK_INT(td_db_series_next(s, paths[0], &db, &err), 0);
	sql(db, "SELECT by FROM file_hist LIMIT 1"); /* whether there are any */
	TD_CHECK_INT(td_records_read(db, &what, count_down, &left), nrows > 0);
	td_db_series_end(s);
	td_db_series_places(s, ret);
}

/* Until so many leaves of the table are in memory, 0: all, but for some that the kernel leaves out
 * where the disk is busy: 326 of 334 came, and no more in a minute. */
static bool comes(const char *path, const char *table, size_t n)
{
	size_t all = 0;

	for (int i = 0; i < PATIENCE; i++) {
		if (in_memory(path, table, &all) >= (n ? n : all - all / 20))
			return true;
		(void)usleep(10000);
	}
	return false;
}

/* Until the first leaf of file_hist is in memory. */
static bool first_comes(const char *path)
{
	size_t all = 0;

	for (int i = 0; i < PATIENCE; i++) {
		if (first_in_memory(path, "file_hist", 1, &all) == 1)
			return true;
		(void)usleep(10000);
	}
	return false;
}

static void test_places(const struct td_db_places *p)
{
	TD_CASE("places");
	TD_CHECK_INT(p->page_size, PAGE);
	TD_CHECK(p->nruns > 0);
	TD_CHECK_INT(p->runs[0].at, 0);
	TD_CHECK_INT(p->nroots, 1);
}

static void test_pages(const struct td_db_places *p)
{
	struct td_ahead *a = td_ahead_start(paths, NFILES, 1, p);
	size_t all = 0;

	TD_CASE("pages that are read, and no others");
	for (size_t i = 1; i < NFILES; i++) {
		TD_CHECK(comes(paths[i], "run", 0));
		TD_CHECK(comes(paths[i], "file_hist", 0));
		TD_CHECK(in_memory(paths[i], "string", &all) < all / 2);
		/* of a schema that nobody has changed the first page is enough */
		TD_CHECK(in_memory(paths[i], "sqlite_schema", &all) < all / 2);
	}
	td_ahead_stop(a);
}

/* 500 of 3,000 rows are a sixth of the leaves, and what is read with the last of these. */
static void test_part(bool last_first)
{
	_cleanup_(td_db_series_freep) struct td_db_series *s = NULL;
	struct td_db_places p = { 0 };
	struct td_ahead *a;
	size_t all = 0;

	TD_CASE(last_first ? "the end of a table" : "the beginning of a table");
	TD_CHECK_INT(td_db_series_new(prepared, &s), 0);
	read_first(s, 500, last_first, &p);
	for (size_t i = 1; i < NFILES; i++)
		forget(paths[i]);
	a = td_ahead_start(paths, NFILES, 1, &p);
	for (size_t i = 1; i < NFILES; i++) {
		(void)in_memory(paths[i], "file_hist", &all);
		TD_CHECK(comes(paths[i], "file_hist", all / 6));
		TD_CHECK(first_comes(paths[i])); /* which tells whether there is any row */
		TD_CHECK(in_memory(paths[i], "file_hist", &all) < all / 2);
	}
	td_ahead_stop(a);
}

/* What SQL reads: all of a table, or rows that it looks for, which tells nothing of other files where there are many pages. */
static void test_sql(void)
{
	static const struct {
		const char *sql;
		bool all;
	} cases[] = { { "SELECT sum(length(text)) FROM string", true },
		      { "SELECT text FROM string WHERE id = 1500", false } };

	TD_CASE("by SQL");
	for (size_t k = 0; k < TD_ARRAY_SIZE(cases); k++) {
		_cleanup_(td_db_series_freep) struct td_db_series *s = NULL;
		struct td_db_places p = { 0 };
		struct td_err err = { 0 };
		sqlite3 *db = NULL;
		struct td_ahead *a;
		size_t all = 0;

		for (size_t i = 1; i < NFILES; i++)
			forget(paths[i]);
		TD_CHECK_INT(td_db_series_new(prepared, &s), 0);
		TD_CHECK_INT(td_db_series_next(s, paths[0], &db, &err), 0);
		sql(db, "%s", cases[k].sql);
		sql(db, "SELECT sum(length(durations)) FROM file_hist");
		td_db_series_end(s);
		td_db_series_places(s, &p);
		TD_CHECK_INT(p.nroots, cases[k].all ? 2 : 1);
		a = td_ahead_start(paths, NFILES, 1, &p);
		TD_CHECK(comes(paths[NFILES - 1], "file_hist", 0)); /* what is asked for last */
		TD_CHECK(!cases[k].all || comes(paths[1], "string", 0));
		TD_CHECK(in_memory(paths[1], "string", &all) < all / 2 || cases[k].all);
		td_ahead_stop(a);
	}
}

/* How many pages at the beginning of the file are in memory, of 64. */
static size_t beginning(const char *path)
{
	unsigned char *is_there = residence(path);
	size_t n = 0;

	for (size_t i = 0; i < 64; i++)
		n += is_there[i];
	free(is_there);
	return n;
}

/* The first files, before anything is known of them; not where there is no other one to read meanwhile. */
static void test_first(void)
{
	TD_CASE("beginnings");
	forget(paths[0]);
	td_ahead_first(paths, 1);
	TD_CHECK_INT(beginning(paths[0]), 0);
	td_ahead_first(paths, NFILES);
	for (int i = 0; i < PATIENCE && beginning(paths[0]) < 60; i++)
		(void)usleep(10000);
	TD_CHECK(beginning(paths[0]) >= 60); /* but for what a busy disk leaves out */
}

/* Files that are not there are asked for in no time, and further ones than those that lie ahead not before some have
 * been read: what has been begun until then is not asked for any more. */
static void test_overtaken(const struct td_db_places *p)
{
	enum { MANY = 64, BEGUN = MANY - 2 };
	char none[] = "none", *many[MANY];
	struct td_ahead *a;
	size_t all = 0;

	TD_CASE("what is read before it is asked for");
	for (size_t i = 1; i < NFILES; i++)
		forget(paths[i]);
	for (size_t i = 0; i < MANY; i++)
		many[i] = none;
	many[BEGUN] = paths[1];
	many[BEGUN + 1] = paths[2];
	a = td_ahead_start(many, MANY, 0, p);
	td_ahead_reached(a, BEGUN);
	TD_CHECK(comes(paths[2], "file_hist", 0));
	td_ahead_stop(a);
	TD_CHECK(in_memory(paths[1], "file_hist", &all) < all / 2);
}

/* Once the second one has come the thread has looked at the first one, which it opened and closed for that. */
static void test_lock(struct td_db_series *s, const struct td_db_places *p)
{
	struct td_err err = { 0 };
	struct td_ahead *a;
	sqlite3 *db = NULL;

	TD_CASE("the lock on a file that is looked at");
	forget(paths[2]);
	TD_CHECK_INT(td_db_series_next(s, paths[1], &db, &err), 0);
	a = td_ahead_start(paths + 1, 2, 0, p);
	TD_CHECK(comes(paths[2], "file_hist", 0));
	td_ahead_stop(a);
	TD_CHECK(is_locked(paths[1]));
	td_db_series_end(s);
	TD_CHECK(!is_locked(paths[1]));
}

/* A file system that is memory, or does not tell, has nothing to test. */
static bool can_forget(void)
{
	size_t before, after, all = 0;

	before = in_memory(paths[1], "file_hist", &all);
	TD_CHECK(all > 250);
	for (size_t i = 1; i < NFILES; i++)
		forget(paths[i]);
	after = in_memory(paths[1], "file_hist", &all);
	return before == all && after < all / 2;
}

static void test_all(void)
{
	_cleanup_(td_db_series_freep) struct td_db_series *s = NULL;
	struct td_db_places places = { 0 };

	TD_CHECK_INT(td_db_series_new(prepared, &s), 0);
	read_first(s, 0, false, &places);
	test_places(&places);
	test_pages(&places);
	test_overtaken(&places);
	test_first();
	test_lock(s, &places);
	test_part(false);
	test_part(true);
	test_sql();
}

int main(void)
{
	bool can;

	if (!mkdtemp(dir))
		return 1;
	for (size_t i = 0; i < NFILES; i++)
		make(i);
	can = can_forget();
	if (can)
		test_all();
	for (size_t i = 0; i < NFILES; i++) {
		(void)unlink(paths[i]);
		free(paths[i]);
	}
	(void)rmdir(dir);
	return can ? td_check_result() : 77;
}
