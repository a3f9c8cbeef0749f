/* SPDX-License-Identifier: MIT */
/*
 * All columns of a table of numbers, some hundred rows at a time and column by column, from the
 * leaf pages that leaves.h finds. calls.h is for who looks at a few columns of `call` only.
 */
#pragma once

#include "analyzer/scan/leaves.h"

#define TD_TABLE_COLUMNS_MAX 40
#define TD_TABLE_ROWS_AT_ONCE 1024

/* What the records of the table hold. */
struct td_table_layout {
	size_t ncolumns;
	int rowid; /* the column that is the rowid, which records have NULL for; -1: none */
	bool is_real[TD_TABLE_COLUMNS_MAX]; /* reals; else integers */
	bool has_default[TD_TABLE_COLUMNS_MAX]; /* it is not NULL where the record ends before it */
};

struct td_table_rows {
	size_t n;
	int64_t values[TD_TABLE_COLUMNS_MAX][TD_TABLE_ROWS_AT_ONCE]; /* reals as their bits */
	uint8_t is_null[TD_TABLE_COLUMNS_MAX][TD_TABLE_ROWS_AT_ONCE];
};

/* Finds the leaves of a table of the schema main, as td_leaves_open(). */
int td_table_leaves(sqlite3 *db, const char *table, struct td_leaves *ret);

/* The same, as td_leaves_open_here(). */
int td_table_leaves_here(sqlite3 *db, const char *table, struct td_leaves *ret);

/* Calls fn with the rows of the leaves from first to before end, in the order of their rowids. 0,
 * what fn returned if that is negative, -EOPNOTSUPP if the pages are not those of such a table, or
 * -errno. */
int td_table_rows_read(const struct td_leaves *l, const struct td_table_layout *layout,
		       size_t first, size_t end,
		       int (*fn)(void *arg, const struct td_table_rows *rows), void *arg);
