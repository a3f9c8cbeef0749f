/* SPDX-License-Identifier: MIT */
/*
 * Virtual tables of the same names and columns as views in the file (schema/views.sql), all of
 * whose rows are found when they are asked for, in one look at another table: what follows from row
 * to row, which SQL sorts all rows for. They answer for parts of the run, too.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

#define TD_LOADED_ARGS 9
#define TD_LOADED_GROUPINGS 10
#define TD_LOADED_ORDER 5

/* What is asked with: a column, and the comparison that is understood beside '='. */
struct td_loaded_arg {
	int column;
	unsigned char op; /* SQLITE_INDEX_CONSTRAINT_*; 0: there are no more arguments */
	bool echoed; /* what is asked with is what the column has */
};

/* A column that rows are in the order of. */
struct td_loaded_order {
	int column; /* 0: there are no more; the first column says of what rows are */
	bool descending;
};

/* What most are asked with: of when, and of whom. */
#define TD_LOADED_ECHOED(column)                                                                   \
	{                                                                                          \
		column, SQLITE_INDEX_CONSTRAINT_IS, true                                           \
	}
#define TD_LOADED_WHEN(since, until, phase)                                                        \
	TD_LOADED_ECHOED(since), TD_LOADED_ECHOED(until), TD_LOADED_ECHOED(phase)
#define TD_LOADED_WHOSE(pid, process) TD_LOADED_ECHOED(pid), TD_LOADED_ECHOED(process)

struct td_loaded_kind {
	const char *name;
	const char *columns; /* as in CREATE TABLE */
	const char
		*asks; /* the relation whose table it asks, which is there then, too; NULL: none */
	struct td_loaded_arg args[TD_LOADED_ARGS];
	/* Where rows can be of several things: what the first argument's column says of each; no
	 * name: there is one kind of rows. */
	const char *groupings[TD_LOADED_GROUPINGS];
	/* In which order the rows of one grouping come: SQLite does not sort them again for an
	 * ORDER BY that begins like it. */
	struct td_loaded_order order[TD_LOADED_ORDER];
	/* Rows of the grouping 'by', an index, which is asked for or, where none is, one of all.
	 * args: NULL where they are not given, or NULL. *ret is for free() below, also of no rows.
	 * 0, or -errno with a message. */
	int (*load)(sqlite3 *db, sqlite3_value *const *args, size_t by, void **ret, size_t *nrows,
		    struct td_err *err);
	/* of a column that is not echoed and says no grouping; without a result it is NULL */
	void (*value)(void *rows, size_t row, int column, sqlite3_context *ctx);
	void (*free)(void *rows);
};

extern const struct td_loaded_kind td_block_busy_kind, td_collective_stat_kind,
	td_cpu_sample_stat_kind, td_file_use_kind, td_gpu_gap_kind, td_gpu_sample_stat_kind,
	td_launch_stat_kind, td_lock_use_kind, td_long_call_kind, td_nvtx_stat_kind,
	td_operator_stat_kind, td_read_stat_kind, td_segment_use_kind, td_sync_stat_kind,
	td_transfer_stat_kind;

/* Puts all of them in front of the views of the database 'main' of a connection, which must be one
 * of tracedb: they are tables of the schema 'temp'. asking: as of td_vtab_create(). Those of
 * relations must be known (td_stat_table_use()). An SQLite result code. */
int td_loaded_tables_use(sqlite3 *db, const char *asking);

/* A number, where it is known. */
void td_loaded_known(sqlite3_context *ctx, sqlite3_int64 v);

/* What arguments say; TD_NULL and NULL where they are not given. The text is valid as long as the argument. */
sqlite3_int64 td_loaded_int(sqlite3_value *arg);
const char *td_loaded_text(sqlite3_value *arg);
