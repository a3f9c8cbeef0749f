/* SPDX-License-Identifier: MIT */
/* Running SQL that others wrote, without letting it do anything but read. */
#pragma once

#include <sqlite3.h>

#include "analyzer/args.h"
#include "analyzer/format/format.h"

/* Writes every row of the statement to the open table of the writer. */
int td_query_rows(sqlite3_stmt *stmt, struct td_writer *w, struct td_err *err);

/* One or several statements, prepared. */
struct td_query;

/* Prepares all of them and binds the arguments (values by their look) wherever their names occur as
 * :name, @name or $name; an argument that occurs nowhere is an error, and so is a parameter without
 * argument, unless the SQL is a report whose header declares it: then it is NULL and means its default.
 * -EINVAL: message with line and column. -EPERM: it would do more than read. */
int td_query_prepare(sqlite3 *db, const char *sql, const struct td_arg *args, size_t nargs,
		     struct td_query **ret, struct td_err *err);
void td_query_free(struct td_query *q);
TD_DEFINE_CLEANUP(struct td_query *, td_query_free)

/* How many tables td_query_run() will write. */
size_t td_query_ntables(const struct td_query *q);

int td_query_run(struct td_query *q, struct td_writer *w, struct td_err *err);
