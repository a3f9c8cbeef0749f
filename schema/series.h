/* SPDX-License-Identifier: MIT */
/*
 * Databases that are read one after the other by one connection. SQLite parses the schema of each
 * file that it opens, which takes longer than small questions do. Where what it would parse is the
 * same, and so at the same pages (which the first page says, if nobody has changed the schema since
 * the file was made, and else a look at each byte of it), what SQLite knows of the file before holds, and so do
 * statements that it has prepared: then the file is exchanged below SQLite, by a VFS that passes
 * all else on. What is not the same is opened as td_db_open_ro() does.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "schema/db.h"
#include "schema/pages_read.h"

struct td_db_series;

/* prepare is called once for each connection. 0 or -errno. */
int td_db_series_new(int (*prepare)(sqlite3 *db, struct td_err *err), struct td_db_series **ret);
void td_db_series_free(struct td_db_series *s);
TD_DEFINE_CLEANUP(struct td_db_series *, td_db_series_free)

/* Opens the next one, as td_db_open_ro() does, and locks it against writers. *ret is the series',
 * until td_db_series_end(). */
int td_db_series_next(struct td_db_series *s, const char *path, sqlite3 **ret, struct td_err *err);

/* Lets go of it; all other statements have been finalized or put back. */
void td_db_series_end(struct td_db_series *s);

/* After a failure: the next database is opened anew. Was the one that failed exchanged, so that it
 * is worth another try? */
bool td_db_series_forget(struct td_db_series *s);

#define TD_DB_RUNS_MAX 64
#define TD_DB_ROOTS_MAX 16

/* What has the same place in each file that is exchanged. */
struct td_db_places {
	uint32_t page_size;
	struct {
		int64_t at;
		int n;
	} runs[TD_DB_RUNS_MAX]; /* what is read to compare the schema, and of tables that lie there; as many as there is room for */
	size_t nruns;
	struct td_leaves_read roots
		[TD_PAGES_READ_TABLES_MAX]; /* of tables of which more than that was read in the first file */
	size_t nroots;
};

/* Of the files so far. */
void td_db_series_places(const struct td_db_series *s, struct td_db_places *ret);

/* Pages of the table, whose root page that is (from 1), are read beside SQLite. The name is copied;
 * a long one, or one table too many, is not remembered. */
void td_db_reads_table(sqlite3 *db, const char *table, uint32_t root);

/* The root page of such a table, which is the same in all files; 0: it is not known, as where the
 * connection is of no series. */
uint32_t td_db_root(sqlite3 *db, const char *table);

/* Is the connection of a series, whose file is locked against writers until td_db_series_end()? */
bool td_db_is_locked(sqlite3 *db);

/* As sqlite3_prepare_v2(); of a series a statement that was put back, without values. */
int td_db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret);

/* In place of sqlite3_finalize(): where the connection is of a series it keeps the statement. NULL is fine. */
void td_db_put_back(sqlite3_stmt *stmt);
TD_DEFINE_CLEANUP(sqlite3_stmt *, td_db_put_back)

/* The file that is behind main now, as sqlite3_db_filename() has it. */
const char *td_db_path(sqlite3 *db);
