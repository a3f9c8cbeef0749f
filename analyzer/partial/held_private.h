/* SPDX-License-Identifier: MIT */
/* What held.c, held_rows.c and held_buckets.c share: reading derived tables. */
#pragma once

#include "analyzer/scan/dims.h"
#include "analyzer/scan/records.h"
#include "schema/stat_math.h"

static inline int64_t td_held_known(sqlite3_stmt *s, int column)
{
	sqlite3_value *v = sqlite3_column_value(s, column); /* to look for it once */

	return sqlite3_value_type(v) == SQLITE_NULL ? TD_NULL : sqlite3_value_int64(v);
}

/* The number of a text among the few that there are, from 1; 0: it is NULL. -ENOMEM. */
int64_t td_held_label(struct td_labels *l, const char *text, size_t len);

/* Calls that are not nested, of I/O alone or all, as op_stat has them: any grouping is of so many.
 * *ret is -1: it has none. 0, or -errno with a message. */
int td_held_calls(sqlite3 *db, bool io_only, int64_t *ret, struct td_err *err);

/* The row that the statement is at, of TD_RECORD_COLUMNS_MAX columns at most; bytes are SQLite's. */
void td_held_cells(sqlite3_stmt *s, struct td_cell *ret);

/* Where rows of a derived table come from. */
struct td_held_from {
	const struct td_records *records; /* its pages; NULL: SQL */
	const char *sql; /* the same columns */
	const char *by; /* the value of ?1; NULL: sql has none */
};

/* Calls add with each row. It returns 1 to go on, 2 if it has seen enough, 0 if the file says what
 * cannot be, or -errno. 1, or what add returned that was less; -EOPNOTSUPP: only SQLite can read
 * it, though rows may have been handed over already; -errno with a message. */
int td_held_each(sqlite3 *db, const struct td_held_from *from,
		 int (*add)(void *arg, const struct td_cell *cells), void *arg, struct td_err *err);
