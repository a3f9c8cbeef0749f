/* SPDX-License-Identifier: MIT */
/*
 * gpu_gap and launch_stat as virtual tables: the same names and columns as the views in the file (schema/views.sql), which sort all
 * work of GPUs several times; these look at it once, and answer for any longest gap and phase.
 */
#pragma once

#include <sqlite3.h>

/* Puts them in front of the views of the database 'main' of a connection, which must be one of tracedb: they are tables of
 * the schema 'temp'. An SQLite result code. */
int td_gpu_tables_use(sqlite3 *db);
