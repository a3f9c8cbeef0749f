/* SPDX-License-Identifier: MIT */
/*
 * Rows of one table, value by value in the table's column order, by whoever has the file:
 *     _cleanup_(td_row_builder_done) struct td_row_builder s = { 0 };
 *     r = td_row_builder_open(&s, target, "device", err);
 *     td_row_i64(&s, id); td_row_text(&s, name); ...
 *     r = td_row_builder_end_row(&s);
 * Large tables of a fixed shape have a shorter way: td_btree_encode().
 */
#pragma once

#include "common/err.h"
#include "store/write/target.h"
#include "schema/value.h"

#define TD_ROW_COLUMNS_MAX 32

struct td_row_builder {
	struct td_err *err; /* borrowed */
	sqlite3 *db; /* borrowed */
	sqlite3_stmt *stmt; /* this, or a table of the b-tree writer */
	struct td_btree_table *table;
	struct td_btree_rows *rows; /* borrowed; where they go instead */
	size_t key; /* the column that is the rowid; SIZE_MAX: rows are numbered from 1 */
	int64_t rowid; /* of the last row */
	struct td_value values[TD_ROW_COLUMNS_MAX]; /* of the row that is being made */
	size_t n, ncolumns; /* so many of them are set, of so many */
	char *repaired[TD_ROW_COLUMNS_MAX]; /* texts among them that are not as they were given */
	size_t nrepaired;
	bool no_memory;
};

/* One of them per table at a time. The columns' number must be below the maximum. 0 or -errno. */
int td_row_builder_open(struct td_row_builder *s, const struct td_target *target, const char *table,
			struct td_err *err);

/* One for rows of of's table, of the b-tree writer, that is used on another thread: what it makes goes to rows, for
 * td_row_builder_add(). It needs no td_row_builder_done(). The table has a column that is the rowid. */
void td_row_builder_ahead(struct td_row_builder *s, const struct td_row_builder *of,
			  struct td_btree_rows *rows);
/* Adds them. 0 or -errno. */
int td_row_builder_add(struct td_row_builder *s, const struct td_btree_rows *rows);

void td_row_i64(struct td_row_builder *s, int64_t v); /* TD_NULL: NULL */
void td_row_key(struct td_row_builder *s, uint32_t id); /* 0: NULL */
void td_row_f64(struct td_row_builder *s, double v); /* NaN: NULL */
/* Borrowed until td_row_builder_end_row(); bytes that are not UTF-8 are replaced by U+FFFD, as Python and JSON
 * cannot read them. p NULL: NULL. */
void td_row_text(struct td_row_builder *s, const char *text);
void td_row_str(struct td_row_builder *s, struct td_str text);
/* Borrowed likewise. */
void td_row_blob(struct td_row_builder *s, const void *bytes, size_t len);

/* Ends the row. 0 or -errno; of rows for the b-tree writer the rowid must ascend (-EINVAL). */
int td_row_builder_end_row(struct td_row_builder *s);

/* The table is complete as far as it is written here; what fails now fails when the target is finished. */
void td_row_builder_done(struct td_row_builder *s);
