/* SPDX-License-Identifier: MIT */
/*
 * A new database while it is being filled. The btree writer has the file first, for all rowid tables; then
 * SQLite, for the others and for what takes a statement. When SQLite is to write everything, it has the
 * file all the time.
 */
#pragma once

#include <sqlite3.h>

#include "common/cleanup.h"
#include "common/err.h"
#include "store/pages/btree.h"

enum td_row_writer { TD_WRITER_BTREE, TD_WRITER_SQLITE };

struct td_target;

/* A rowid table, as the b-tree writer needs to know it. */
struct td_target_table {
	char *name;
	uint32_t rootpage;
	size_t ncolumns;
	size_t key; /* which of them is the INTEGER PRIMARY KEY, SIZE_MAX: none */
};

/* Makes the file, which must not exist yet, with the schema and pages of so many bytes. On failure,
 * and whenever it is not finished, it is to be removed. 0 or -errno (-EEXIST). */
int td_target_create(const char *path, int page_size, enum td_row_writer writer,
		     struct td_target **ret, struct td_err *err);

/* The btree writer, or NULL when SQLite has the file. */
struct td_btree *td_target_btree(const struct td_target *t);

/* SQLite's connection, NULL as long as the b-tree writer has the file. A transaction is open. */
sqlite3 *td_target_db(const struct td_target *t);

/* NULL if there is no rowid table of that name, or SQLite was to write everything. */
const struct td_target_table *td_target_find(const struct td_target *t, const char *name);

/* From now on SQLite has the file; the b-tree writer's tables are finished. 0 or -errno. */
int td_target_to_sqlite(struct td_target *t, struct td_err *err);

/* Completes the database and frees t, also on failure. 0 or -errno. */
int td_target_finish(struct td_target *t, struct td_err *err);

/* Frees t; the file is to be removed. Tables and statements are closed. Takes NULL. */
void td_target_abort(struct td_target *t);

TD_DEFINE_CLEANUP(struct td_target *, td_target_abort)
