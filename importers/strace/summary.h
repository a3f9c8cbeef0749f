/* SPDX-License-Identifier: MIT */
/* The table that strace -c and -C print: counts and times per system call, without single calls. */
#pragma once

#include "importers/core/import.h"

enum td_strace_column {
	TD_STRACE_COL_PERCENT,
	TD_STRACE_COL_SECONDS,
	TD_STRACE_COL_USECS,
	TD_STRACE_COL_CALLS,
	TD_STRACE_COL_ERRORS,
	TD_STRACE_COL_SHORTEST,
	TD_STRACE_COL_LONGEST,
	TD_STRACE_COL_NAME,
	TD_STRACE_NCOLS,
};

struct td_strace_summary {
	bool active; /* a header was seen; what ends the table was not: its total, or an event */
	unsigned n;
	enum td_strace_column columns[TD_STRACE_NCOLS];
	size_t ends
		[TD_STRACE_NCOLS]; /* where each column ends, from the line of dashes; 0: not seen */
};

/* Is the line the header of such a table? Then the next lines are for td_strace_summary_line(). */
bool td_strace_summary_header(struct td_strace_summary *t, struct td_str line);

/* A line of the table: an enum td_verdict, or TD_STRACE_NO_TABLE if it is none: spoilt, or behind the table. */
#define TD_STRACE_NO_TABLE 100
int td_strace_summary_line(struct td_import *imp, struct td_strace_summary *t, struct td_str line);
