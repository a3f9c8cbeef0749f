/* SPDX-License-Identifier: MIT */
/* What all virtual tables have in common: https://www.sqlite.org/vtab.html. Results are those of SQLite. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

#include "common/err.h"

/* Whether a table can be asked for. asking: SQL, which has its name then; NULL: any may be asked for. */
bool td_vtab_is_named(const char *name, const char *asking);

/* A table of the schema 'temp', in front of a view of that name in the database 'main', unless it
 * is there already. The module must be known. A table that is not named in asking is not made,
 * which takes as long as a short report takes to run. */
int td_vtab_create(sqlite3 *db, const char *module, const char *name, const char *asking);

/* xDisconnect and xDestroy of a table that is nothing but memory of sqlite3_malloc(). */
int td_vtab_disconnect(sqlite3_vtab *base);

/* Leaves a message for -errno r: that of err, if it has one. */
int td_vtab_fail(sqlite3_vtab *base, int r, const struct td_err *err);

/* Keeps an argument, which the caller then owns; what is NULL is none. */
int td_vtab_keep(sqlite3_value *v, sqlite3_value **ret);
