/* SPDX-License-Identifier: MIT */
/*
 * Some columns of the rows of a table of numbers and texts, from its pages. table_rows.h is for
 * tables of numbers alone, and for many threads.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_RECORD_COLUMNS_MAX 32
#define TD_RECORD_NONE UINT8_MAX /* no column: NULL */
#define TD_RECORD_ROWID (UINT8_MAX - 1) /* no column, but the number of the row */

/* A value; NULL has neither. */
struct td_cell {
	int64_t number; /* TD_NULL: it is no integer */
	/* Or bytes, not ended by a NUL; NULL: it is none. Borrowed, until the function that it is handed to returns. */
	const char *text;
	size_t len;
};

struct td_records {
	const char *table;
	/* Those that are wanted, each once, counted from 0 as the table has them. */
	uint8_t columns[TD_RECORD_COLUMNS_MAX];
	size_t n;
	/* What the table's first column says in rows that are wanted, less than 58 bytes; NULL: anything. */
	const char *first;
	bool last_first; /* the leaves of the table in the order in which the last one comes first, the rows of each in that of rowids */
};

/* Calls fn with the wanted columns of each wanted row, in the order of rowids unless last_first
 * says otherwise, until it returns something else than 0. 0, what fn returned, -EOPNOTSUPP if only
 * SQLite can read the table (leaves.h; rows may have been handed over already), or -errno. */
int td_records_read(sqlite3 *db, const struct td_records *what,
		    int (*fn)(void *arg, const struct td_cell *cells), void *arg);
