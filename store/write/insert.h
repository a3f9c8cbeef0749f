/* SPDX-License-Identifier: MIT */
/*
 * Rows written through SQLite: what store/pages/btree.h cannot do, that is, append to tables with rows or
 * with indexes, inside a transaction. What it writes is the same, record for record.
 */
#pragma once

#include <sqlite3.h>
#include <stdint.h>

#include "common/cleanup.h"
#include "common/err.h"
#include "schema/table.h"

struct td_insert;

/* db: borrowed until td_insert_close(), which comes before sqlite3_close(). table: borrowed too; its
 * SQL columns are the INTEGER PRIMARY KEY, then table->columns in order. Returns 0, -ENOMEM, or
 * -EINVAL if there is no such table; err says more. */
int td_insert_open(sqlite3 *db, const struct td_table *table, struct td_insert **ret,
		   struct td_err *err);

/* Adds one row; record is a struct of table->record_size bytes and is not kept. Returns 0, -EEXIST
 * if there is a row with this rowid, else what td_sql_errno() makes of SQLite's result; sqlite3_errmsg(db) says
 * more. */
int td_insert_add(struct td_insert *ins, int64_t rowid, const void *record);

/* Frees ins; every row was already handed to SQLite. Takes NULL. */
void td_insert_close(struct td_insert *ins);

TD_DEFINE_CLEANUP(struct td_insert *, td_insert_close)
