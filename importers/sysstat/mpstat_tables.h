/* SPDX-License-Identifier: MIT */
/*
 * The tables that one run of mpstat prints in turns: each header is read once, and known again by its text.
 */
#pragma once

#include "importers/sysstat/mpstat.h"

#define TD_MPSTAT_COLUMNS_MAX 4096
#define TD_MPSTAT_TABLES_MAX 64
#define TD_MPSTAT_TOPOLOGY_MAX 3 /* -T: CORE, SOCK, NODE */

struct td_mpstat_cells {
	const char *track, *unit; /* in the store */
};

struct td_mpstat_table {
	struct td_str head; /* the header behind CPU or NODE; owned */
	enum td_mpstat_of of;
	const char
		*topology[TD_MPSTAT_TOPOLOGY_MAX]; /* names of the columns in front of the values */
	unsigned ntopology;
	unsigned nwrapped; /* of the last columns: on a line of their own, in mailed text */
	struct td_mpstat_cells *columns;
	size_t ncolumns, columns_cap;
	double *values; /* of the row being read, by column */
	uint32_t **rows; /* by number + 1: ids of the tracks by column, or NULL */
	size_t nrows;
	struct td_mpstat_table *next;
};

/* "<time> CPU [CORE SOCK NODE] %usr ...", or with NODE in place of CPU. */
struct td_mpstat_header {
	struct td_str before; /* the time or label */
	enum td_mpstat_of of;
	struct td_str head; /* the rest */
};

/* false: the line is no header. */
bool td_mpstat_scan_header(const char *line, size_t len, struct td_mpstat_header *ret);

/* Is it so like mpstat's that nothing else prints it? */
bool td_mpstat_is_own_header(const struct td_mpstat_header *h);

/* The table of that header, which is made if need be and then the first of the list. Valid until the next
 * call: more than a few dozen headers, which only damage can be the reason for, are not kept. NULL: out of
 * memory. */
struct td_mpstat_table *td_mpstat_table_of(struct td_import *imp, struct td_mpstat_table **list,
					   const struct td_mpstat_header *h);

/* The line has the columns that are missing at the end of the table's header; false: it does not look so. */
bool td_mpstat_continue_header(struct td_import *imp, struct td_mpstat_table *t, const char *line,
			       size_t len);

/* The tracks of the row's values, by column; made when it is seen for the first time. NULL: out of memory. */
const uint32_t *td_mpstat_table_row(struct td_import *imp, struct td_mpstat_table *t,
				    int64_t number, bool *ret_is_new);

void td_mpstat_tables_free(struct td_mpstat_table *list);
