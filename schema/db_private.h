/* SPDX-License-Identifier: MIT */
/* What db.c and series.c share: the steps of td_db_open_ro(). */
#pragma once

#include <stdbool.h>

#include "schema/db.h"

/* What can be said about the file before SQLite sees it. 0; 1: SQLite may need files beside it, or
 * it is to be read as it lies; or -errno with a message. */
int td_db_check_file(const char *path, struct td_err *err);

/* The parts of it. What kind of file it is; a symlink is what it leads to. */
int td_db_check_kind(const char *path, struct td_err *err);

/* Does the log, or the index to it that processes share, lie beside the database? */
bool td_db_has_log(const char *path);

/* The path as a VFS wants it to open the file: absolute, without symlinks. For sqlite3_free_filename(); NULL when out of
 * memory, or where the path cannot be had. */
const char *td_db_full_name(sqlite3_vfs *vfs, const char *path);

/* td_db_open_ro() by a VFS of that name; NULL: the usual one. */
int td_db_open_by(const char *path, const char *vfs, sqlite3 **ret, struct td_err *err);

/* Was its import finished, from the row of run that the statement finds, which has not been stepped? */
extern const char td_db_run_sql[];
int td_db_check_run(sqlite3_stmt *run, const char *path, struct td_err *err);
