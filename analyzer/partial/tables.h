/* SPDX-License-Identifier: MIT */
/*
 * What a partial holds besides statistics of calls: rows of tables that reports read, with keys
 * that mean the same in all databases, and columns that say how two rows of the same key become
 * one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum td_partial_cell {
	TD_CELL_KEY_ID, /* a text; where reports look at it, it is a number that others refer to. Keys come first */
	TD_CELL_KEY_TEXT,
	TD_CELL_KEY_INT,
	TD_CELL_ID, /* as TD_CELL_KEY_ID; of two different ones the last in the order of bytes */
	TD_CELL_TEXT, /* likewise */
	TD_CELL_SUM, /* NULL is nothing, as it is of the next two */
	TD_CELL_MIN,
	TD_CELL_MAX,
};

struct td_partial_column {
	const char *name;
	enum td_partial_cell cell;
};

enum td_partial_table {
	TD_PARTIAL_DATABASE,
	TD_PARTIAL_FAILED,
	TD_PARTIAL_SOURCE,
	TD_PARTIAL_ISSUE_COUNT,
	TD_PARTIAL_OP,
	TD_PARTIAL_PROCESS,
	TD_PARTIAL_THREAD,
	TD_PARTIAL_FILE,
	TD_PARTIAL_FILE_KIND,
	TD_PARTIAL_RUN,
	TD_PARTIAL_PHASE_INTERVAL,
	TD_PARTIAL_PHASE_NAME,
	TD_PARTIAL_DEVICE,
	TD_PARTIAL_GPU_PHASE,
	TD_PARTIAL_GPU_IDLE_PART,
	TD_PARTIAL_DROPPED,
	TD_PARTIAL_NTABLES,
};

#define TD_PARTIAL_COLUMNS_MAX 24

struct td_partial_table_info {
	const char *name;
	/* SELECT of the columns from a database; NULL: the rows come from elsewhere. */
	const char *select;
	/* Tables of the schema that reports may read because of this one, with their columns:
	 * "table(column,column) ...". */
	const char *answers;
	/* INSERT into a database that reports are run on: ?1 the first column, ..., ?100 whether
	 * processes are of several machines; NULL: that is done elsewhere. */
	const char *insert;
	struct td_partial_column columns[TD_PARTIAL_COLUMNS_MAX];
	size_t ncolumns, nkeys;
	int has_id; /* the SELECT has the id of the row in its database first: what refers to it then refers to the first key */
};

static inline int td_partial_is_text(enum td_partial_cell cell)
{
	return cell == TD_CELL_KEY_ID || cell == TD_CELL_KEY_TEXT || cell == TD_CELL_ID ||
	       cell == TD_CELL_TEXT;
}

extern const struct td_partial_table_info td_partial_tables[TD_PARTIAL_NTABLES];
