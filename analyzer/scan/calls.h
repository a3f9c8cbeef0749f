/* SPDX-License-Identifier: MIT */
/*
 * The rows of `call` that count, a few hundred at a time and column by column, only the columns that are asked for. They are read
 * from the pages of the file, or by SQL where that cannot be done; the reader does not see which.
 */
#pragma once

#include "analyzer/scan/leaves.h"
#include "common/err.h"
#include "schema/table.h"

enum td_call_column {
	TD_CALL_START,
	TD_CALL_DUR,
	TD_CALL_OP,
	TD_CALL_PROCESS,
	TD_CALL_THREAD,
	TD_CALL_FILE,
	TD_CALL_RET,
	TD_CALL_DONE,
	TD_CALL_OFFSET,
	TD_CALL_NESTED,
	TD_CALL_UNFINISHED,
	TD_CALL_NCOLUMNS,
};

#define TD_CALLS_AT_ONCE                                                                           \
	256 /* so that what is looked at again and again stays in the first cache */

struct td_calls_batch {
	size_t n;
	int64_t columns[TD_CALL_NCOLUMNS]
		       [TD_CALLS_AT_ONCE]; /* TD_NULL: unknown, or not asked for */
};

struct td_filter;

struct td_call_source {
	sqlite3 *db;
	struct td_leaves leaves; /* n 0: SQLite reads */
	const struct td_filter *filter; /* borrowed */
	unsigned wanted; /* 1 << enum td_call_column */
	size_t nparts;
};

/* How many parts there are to be read at the same time is up to the source. filter must stay. 0 or -errno. */
int td_call_source_open(sqlite3 *db, const struct td_filter *filter, unsigned wanted,
			struct td_call_source *ret, struct td_err *err);
void td_call_source_done(struct td_call_source *s);

/* Calls fn with those rows of a part that count, in the order of their ids; the parts come one after the other in that order, too.
 * 0, what fn returned if that is negative, -EOPNOTSUPP if the pages are not those of SQLite's table, or -errno. */
int td_call_source_read(const struct td_call_source *s, size_t part,
			int (*fn)(void *arg, const struct td_calls_batch *b), void *arg);
