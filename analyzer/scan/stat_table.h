/* SPDX-License-Identifier: MIT */
/*
 * call_stat and io_stat as virtual tables: the same names and columns as the views in the file (schema/views.sql), which
 * hold some groupings of the whole run; these answer any grouping, window, phase, process and file.
 */
#pragma once

#include <sqlite3.h>

/* Puts them in front of the views of the database 'main' of a connection, which must be one of tracedb: they are tables of
 * the schema 'temp'. An SQLite result code. */
int td_stat_table_use(sqlite3 *db);
