/* SPDX-License-Identifier: MIT */
/*
 * The one place where SQLite opens a file: whoever reads a database that others made must not be able to forget
 * what keeps its schema and its pages from acting (docs/SECURITY.md).
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

/* The longest value that is read or made, in bytes, and what SQLite may have in memory, all connections together. */
#define TD_SQLITE_VALUE_MAX (64 << 20)
#define TD_SQLITE_HEAP_MAX (512 << 20)

/* Opens it as sqlite3_open_v2 does (vfs: NULL for the usual one), with its result code; *ret, to be
 * closed, only on success. The connection has no virtual tables but json_each(), json_tree() and
 * those of pragmas, no functions that load or call native code, and no ATTACH; functions that are
 * not harmless, and writing where SQLite keeps its own, are for nobody's schema. */
int td_sqlite_open(const char *name, int flags, const char *vfs, sqlite3 **ret);

/* The same to read a file that nobody writes meanwhile: takes no locks, makes no files beside it, and does not look
 * for a journal. */
int td_sqlite_open_immutable(const char *path, sqlite3 **ret);

/* Reads the file, too, as the schema of that name; db was opened with SQLITE_OPEN_URI, and lets so
 * many be attached. An SQLite result code. */
int td_sqlite_attach_ro(sqlite3 *db, const char *path, bool immutable, const char *name);
