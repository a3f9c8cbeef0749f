/* SPDX-License-Identifier: MIT */
/*
 * The small tables: what the store keeps in memory and a database has in tables of a few rows each (source, process,
 * file, string, ...). Each is described here by its columns, and a column by its name and by the place and the type of
 * a struct member, as the tables of many rows are in schema/table.h. Who writes a database (store/write/dims.c) and who
 * reads one back (store/load.c) goes by these descriptions; what is not said by a type is in one function for a table
 * on either side.
 */
#pragma once

#include "store/store.h"

/* In an order in which everything is there before it is referred to. */
enum td_dim {
	TD_DIM_RUN,
	TD_DIM_STRING,
	TD_DIM_SOURCE,
	TD_DIM_SOURCE_TEXT,
	TD_DIM_ANCHOR,
	TD_DIM_ISSUE_COUNT,
	TD_DIM_ISSUE,
	TD_DIM_PROCESS,
	TD_DIM_THREAD,
	TD_DIM_FILE,
	TD_DIM_DEVICE,
	TD_DIM_OP,
	TD_DIM_STACK,
	TD_DIM_STACK_TOTAL,
	TD_DIM_TRACK,
	TD_DIM_SUMMARY,
	TD_DIM_LOSS,
	TD_DIM_LOG_RUN,
	TD_NDIMS
};

#define TD_DIM_HASH_SIZE 33 /* that of td_source.hash */

/* A struct member, and what stands for NULL. */
enum td_dim_type {
	TD_DIM_ID, /* no member: the number of the row, from 1 */
	TD_DIM_I64, /* int64_t; TD_NULL */
	TD_DIM_U64, /* uint64_t; never NULL */
	TD_DIM_U32, /* uint32_t; never NULL */
	TD_DIM_LINE, /* uint64_t; 0 */
	TD_DIM_F64, /* double; NaN */
	TD_DIM_BOOL, /* bool, 0 or 1 in the column; never NULL */
	TD_DIM_KEY32, /* uint32_t, id of another small table; 0 */
	TD_DIM_KEY16, /* uint16_t, likewise */
	/* text from here on */
	TD_DIM_TEXT, /* const char *; NULL. Read back, it is borrowed until the next row */
	TD_DIM_KEPT, /* const char *, likewise; read back, it is in the store's strings */
	TD_DIM_OWNED, /* char *, likewise; read back, it is the record's */
	TD_DIM_STR, /* struct td_str; .p is NULL. Read back, it is borrowed until the next row */
	TD_DIM_HASH, /* char[TD_DIM_HASH_SIZE]; "" */
	TD_DIM_STRING_ID, /* uint32_t, id of a string whose text is in the column; 0 */
	TD_DIM_ENUM, /* an enum whose name is in the column; one without a name */
};

static inline bool td_dim_is_text(enum td_dim_type type)
{
	return type >= TD_DIM_TEXT;
}

struct td_dim_column {
	const char *name; /* as in the SQL, in the SQL's order */
	enum td_dim_type type;
	size_t offset; /* of the member in a record */
	bool not_null;
	enum td_dim dim; /* of a key: the table that it is an id of */
	const char *const *names; /* of an enum, by value */
	size_t nnames;
};

/* A record begins with an item of the contents' array, or is one. */
struct td_dim_table {
	const char *name;
	const char *key; /* the column by which rows are in the order of the array */
	size_t items, nitems; /* offsets of the array and of its length in struct td_contents */
	size_t item_size, record_size;
	const struct td_dim_column *columns;
	size_t ncolumns;
};

/* By enum td_dim. The run is nothing that the store knows: it has no items. */
extern const struct td_dim_table td_dim_tables[TD_NDIMS];

/* Records of tables that have columns which are made of the others. Times of all records are UTC. */

struct td_run_row {
	const char *name, *tracedb_version;
	int64_t start_ns, end_ns;
	int64_t utc_offset_s;
	const char *utc_offset_basis;
	int64_t bin_ns;
};

struct td_file_row {
	struct td_file file;
	const char *path_basis;
	uint32_t directory_id, template_id;
};

struct td_op_row {
	struct td_op op;
	const char *verb, *kind;
};

struct td_loss_row {
	struct td_loss loss;
	int64_t dur_ns;
};
