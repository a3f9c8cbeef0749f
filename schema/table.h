/* SPDX-License-Identifier: MIT */
/*
 * How a C record becomes a row: a table is described by its columns, a column by the place, the
 * type and the NULL of a struct member. Both row writers (store/pages/btree.c lays down pages,
 * store/write/insert.c calls SQLite) and the staging area work from these descriptions alone.
 */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define TD_NULL INT64_MIN /* "unknown" in any int64_t member that may be NULL */

enum td_type {
	TD_I64, /* int64_t, TD_NULL is NULL */
	TD_I32, /* int32_t, INT32_MIN is NULL */
	TD_KEY32, /* uint32_t id of another table, 0 is NULL */
	TD_KEY16, /* uint16_t id of another table, 0 is NULL */
	TD_U8, /* uint8_t, never NULL */
	TD_F64, /* double, NaN is NULL */
};

struct td_column {
	const char *
		name; /* as in the SQL, in the SQL's order; the INTEGER PRIMARY KEY is not listed */
	enum td_type type;
	size_t offset; /* of the struct member */
};

struct td_table {
	const char *name;
	size_t record_size;
	size_t time_offset; /* of the int64_t member that the rows are ordered by */
	const struct td_column *columns;
	size_t ncolumns;
	/* td_cell_push() (store/pages/btree_cell.h) for these columns alone; NULL: any columns' will do */
	uint8_t *(*push_cell)(uint8_t *end, int64_t rowid, const uint8_t *record);
};
