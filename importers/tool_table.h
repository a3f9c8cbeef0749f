/* SPDX-License-Identifier: MIT */
/*
 * Tables of the bpftrace and bcc tools: the header line says which columns there are, and by them which
 * tool printed it; the rows below are read column by column.
 */
#pragma once

#include "common/scan.h"

enum td_tool_field {
	TD_TOOL_TOD, /* local time of day, ns */
	TD_TOOL_SINCE, /* since the tool was started, ns */
	TD_TOOL_BOOT, /* since boot, ns */
	TD_TOOL_PID,
	TD_TOOL_TID,
	TD_TOOL_PPID,
	TD_TOOL_UID,
	TD_TOOL_COMM,
	TD_TOOL_FD,
	TD_TOOL_ERR,
	TD_TOOL_RET,
	TD_TOOL_PATH,
	TD_TOOL_FLAGS,
	TD_TOOL_MODE,
	TD_TOOL_FUNC, /* name of a system call or kernel function */
	TD_TOOL_ADDR,
	TD_TOOL_DISK,
	TD_TOOL_DEVNO, /* "8     0": major and minor number; the text is both */
	TD_TOOL_OP, /* R, W, ... */
	TD_TOOL_SECTOR,
	TD_TOOL_BYTES,
	TD_TOOL_QUEUE, /* ns */
	TD_TOOL_LAT, /* ns */
	TD_TOOL_OFFSET, /* bytes */
	TD_TOOL_PATTERN, /* biosnoop -P */
	TD_TOOL_ARGS,
	TD_TOOL_EVENT,
	TD_TOOL_SIG,
	TD_TOOL_TPID,
	TD_TOOL_COUNT,
	TD_TOOL_TOTAL, /* us */
	TD_TOOL_SAMPLE, /* any number of columns: td_tool_column.track */
	TD_TOOL_NFIELDS,
};

enum td_tool {
	TD_TOOL_NONE,
	TD_TOOL_SLOWER,
	TD_TOOL_BIOSNOOP,
	TD_TOOL_KILLSNOOP,
	TD_TOOL_SYNCSNOOP,
	TD_TOOL_EXECSNOOP,
	TD_TOOL_OPENSNOOP,
	TD_TOOL_STATSNOOP,
	TD_TOOL_COUNTS,
	TD_TOOL_SAMPLES,
};

#define TD_TOOL_COLUMNS_MAX 16

struct td_tool_heading;

struct td_tool_column {
	enum td_tool_field field;
	const struct td_tool_heading *heading; /* how its cells are read */
	const char *track, *unit; /* of TD_TOOL_SAMPLE */
	size_t at; /* where the heading begins on its line */
};

struct td_tool_table {
	enum td_tool tool;
	bool is_csv;
	uint32_t fields; /* bits of enum td_tool_field */
	unsigned ncolumns;
	struct td_tool_column columns[TD_TOOL_COLUMNS_MAX];
};

struct td_tool_row {
	int64_t num[TD_TOOL_NFIELDS];
	struct td_str text[TD_TOOL_NFIELDS]; /* parts of the line */
	double samples[TD_TOOL_COLUMNS_MAX]; /* by column; in the unit of the track */
};

static inline bool td_tool_has(const struct td_tool_table *t, enum td_tool_field f)
{
	return t->fields >> f & 1;
}

/* Is the line the header of a tool that is known? Every word of it must be. */
bool td_tool_header(struct td_str line, struct td_tool_table *ret);

/* Reads a row below that header; fields that the table does not have are left alone. */
bool td_tool_row(const struct td_tool_table *t, struct td_str line, struct td_tool_row *ret);
