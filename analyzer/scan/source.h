/* SPDX-License-Identifier: MIT */
/*
 * The rows of a table that count, a few hundred at a time and column by column, only the columns
 * that are asked for. They are read from the pages of the file, or by SQL where that cannot be
 * done; the reader does not see which.
 */
#pragma once

#include "analyzer/scan/leaves.h"
#include "analyzer/scan/relation.h"
#include "common/err.h"
#include "schema/table.h"

#define TD_ROWS_AT_ONCE 256 /* so that what is looked at again and again stays in the first cache */

struct td_row_batch {
	size_t n;
	size_t range; /* of the filter: all rows are of the same */
	int64_t columns[TD_ROW_NCOLUMNS][TD_ROWS_AT_ONCE]; /* TD_NULL: unknown, or not asked for */
};

struct td_filter;

struct td_row_source {
	sqlite3 *db;
	const struct td_relation *relation;
	struct td_leaves leaves; /* n 0: SQLite reads */
	const struct td_filter *filter; /* borrowed */
	unsigned wanted; /* 1 << enum td_row_column */
	size_t nparts;
};

/* How many parts there are to be read at the same time is up to the source. Columns that the table
 * does not have are unknown. filter must stay. 0 or -errno. */
int td_row_source_open(sqlite3 *db, const struct td_relation *relation,
		       const struct td_filter *filter, unsigned wanted, struct td_row_source *ret,
		       struct td_err *err);

/* The pages turned out not to be what they should: SQLite reads the rest, or all again, as the one
 * part that there is then. */
void td_row_source_leave_pages(struct td_row_source *s);
void td_row_source_done(struct td_row_source *s);

/* Calls fn, which may change what is in a batch, with those rows of a part that count, in the order
 * of their ids; the parts come one after the other in that order, too. 0, what fn returned if that
 * is negative, -EOPNOTSUPP if the pages are not those of SQLite's table, or -errno. */
int td_row_source_read(const struct td_row_source *s, size_t part,
		       int (*fn)(void *arg, struct td_row_batch *b), void *arg);
