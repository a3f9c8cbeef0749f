/* SPDX-License-Identifier: MIT */
/* The database file: making an empty one, and opening one to read it. */
#pragma once

#include <sqlite3.h>

#include "common/cleanup.h"
#include "common/err.h"
#include "schema/table.h"

#define TD_APPLICATION_ID 0x74726462 /* "trdb"; PRAGMA application_id, also what file(1) shows */
#define TD_SCHEMA_VERSION 24 /* PRAGMA user_version; any change of schema/ (*.sql) raises it */
#define TD_PAGE_SIZE 4096 /* of a database with few rows */

/* Closes; every statement must have been finalized before. NULL is fine. */
void td_db_close(sqlite3 *db);

TD_DEFINE_CLEANUP(sqlite3 *, td_db_close)
TD_DEFINE_CLEANUP(sqlite3_stmt *, sqlite3_finalize)

/* A column of the row that a statement is at; TD_NULL: NULL. */
static inline int64_t td_db_known(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL ? TD_NULL
							       : sqlite3_column_int64(row, column);
}

/* A result code of SQLite, plain or extended, as 0 (OK, ROW, DONE) or -errno. */
int td_sql_errno(int rc);

/* Stores "<the message>: <what SQLite says about its last call>" and returns td_sql_errno(rc). */
int td_db_error(sqlite3 *db, int rc, struct td_err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Calls fn with each row of a statement; rc: what came of preparing it and of binding its values.
 * 0, what fn returned if that is not 0, or -errno with "<what>: <what SQLite says>". */
int td_db_rows(sqlite3 *db, int rc, sqlite3_stmt *stmt, int (*fn)(void *arg, sqlite3_stmt *row),
	       void *arg, const char *what, struct td_err *err);

/* What a file is by its first bytes. */
enum td_db_kind { TD_DB_NONE, TD_DB_FOREIGN, TD_DB_OURS };

/* TD_DB_NONE also where the file cannot be read. */
enum td_db_kind td_db_kind_of_fd(int fd);
enum td_db_kind td_db_kind_of(const char *path);

/* May a result that is no database be put in the place of what path is? Not in that of an SQLite database, ours or
 * not: -EEXIST. */
int td_db_spare(const char *path, struct td_err *err);

/* Bytes of a page of a database with so many rows. */
int td_db_page_size(uint64_t nrows);

/* Bytes of a page of this one. 0, or -errno with a message. */
int td_db_read_page_size(sqlite3 *db, int *ret, struct td_err *err);

/* Makes the file, which must not exist yet (":memory:" is fine), with all tables, empty, but no views,
 * and leaves it open without journal: a failure later leaves rubbish, so path should be a temporary
 * name. page_size: a power of two, 512..65536. -EEXIST, or what creating it failed with. */
int td_db_create_tables(const char *path, int page_size, sqlite3 **ret, struct td_err *err);

/* Adds the views to a database of td_db_create_tables(). This connection does not know them: to
 * take them apart is a quarter of what an import of a few rows costs. Or -errno with a message. */
int td_db_add_views(sqlite3 *db, struct td_err *err);

/* Both, and the connection knows the views. */
int td_db_create(const char *path, int page_size, sqlite3 **ret, struct td_err *err);

/* The schema cookie (https://www.sqlite.org/fileformat2.html, section 1.3.9) of a new database. SQLite counts each statement that
 * changes a schema, from a number on that is a hash of this one: in a file whose cookie it is all is where it is in others. */
uint32_t td_db_new_cookie(void);

/* Opens a finished tracedb database for reading; nothing that is done through it can write, whatever
 * the schema in the file says. Fails, with a message that names the remedy, on what is missing,
 * unreadable or not a regular file (-errno of that), not SQLite (-EMEDIUMTYPE), of another program
 * (-EMEDIUMTYPE), of another schema version (-EPROTONOSUPPORT), cut or damaged (-EUCLEAN), or not
 * complete (-ENODATA). */
int td_db_open_ro(const char *path, sqlite3 **ret, struct td_err *err);

/* Adds the file, which td_db_open_ro() opens, to a database in memory of td_db_create(), as the
 * schema of that name. Who calls raises the limit of attached files before. 0, or -errno with a
 * message. */
int td_db_attach_ro(sqlite3 *db, const char *path, const char *name, struct td_err *err);
