/* SPDX-License-Identifier: MIT */
/*
 * Tables of the bpftrace and bcc tools: the header line says which columns there are, and by them which
 * tool printed it; the rows below are read column by column. bpftrace/tools_columns.c knows headings and tools.
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
	/* any number of columns each */
	TD_TOOL_SAMPLE, /* a value: heading->track says which */
	TD_TOOL_NUMBER, /* a value that means something to its tool only */
	TD_TOOL_WORDS, /* a text */
	TD_TOOL_NOTHING, /* an arrow between two columns */
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
	/* tools that are described by their columns alone */
	TD_TOOL_CALL, /* one call per row, named by SYSCALL or SYS */
	TD_TOOL_WAIT, /* runqslower */
	TD_TOOL_MARK, /* something that happened */
	TD_TOOL_SPAN, /* something that took LAT */
	TD_TOOL_VALUES, /* values per row, at a time or not */
};

#define TD_TOOL_COLUMNS_MAX 20

enum td_tool_kind {
	TD_TOOL_INT,
	TD_TOOL_NS,
	TD_TOOL_CLOCK, /* time of day */
	TD_TOOL_WORD,
	TD_TOOL_ARROW_WORD, /* a word with "-> " before it */
	TD_TOOL_FLAGGED, /* a word, with "(...)" behind it or not */
	TD_TOOL_NAME, /* of a process: may have blanks in it */
	TD_TOOL_TWO_INTS,
	TD_TOOL_REST, /* of the line */
	TD_TOOL_VALUE,
};

/* How a tool calls a column and prints its cells. */
struct td_tool_heading {
	const char *text;
	enum td_tool_field field;
	enum td_tool_kind kind;
	int64_t scale; /* of NS the thousands in a second that the unit is, of INT and VALUE a factor */
	const char *track,
		*unit; /* of SAMPLE, and of NUMBER, whose track begins with the tool's name */
};

struct td_tool_column {
	enum td_tool_field field;
	const struct td_tool_heading *heading;
	size_t at; /* where the heading begins on its line */
};

struct td_tool_table {
	enum td_tool tool;
	const char *name; /* of the tool; static */
	bool is_csv;
	uint64_t fields; /* bits of enum td_tool_field */
	unsigned ncolumns;
	struct td_tool_column columns[TD_TOOL_COLUMNS_MAX];
};

struct td_tool_row {
	int64_t num[TD_TOOL_NFIELDS];
	struct td_str text[TD_TOOL_NFIELDS]; /* parts of the line */
	struct td_str cells[TD_TOOL_COLUMNS_MAX]; /* by column, as printed */
	double values[TD_TOOL_COLUMNS_MAX]; /* by column; in the unit of the track */
	uint64_t times; /* bits of TD_TOOL_TOD, SINCE, BOOT: which time the row has */
};

#define TD_TOOL_BIT(field) (UINT64_C(1) << (field))

static inline bool td_tool_has(const struct td_tool_table *t, enum td_tool_field f)
{
	return t->fields & TD_TOOL_BIT(f);
}

/* Does a known heading begin with that character? Most lines are no header by their first one. */
bool td_tool_heading_begins(char c);
/* The longest known heading that the text begins with, as whole words, which it is then behind; NULL: none.
 * separator: what may stand behind it, besides blanks. */
const struct td_tool_heading *td_tool_heading_at(struct td_scan *s, char separator);

/* Which tool has these columns: sets tool and name, NONE if there is none. */
void td_tool_identify(struct td_tool_table *t);

/* Is the line the header of a tool that is known? Every word of it must be. */
bool td_tool_header(struct td_str line, struct td_tool_table *ret);

/* Reads a row below that header; fields that the table does not have are left alone. */
bool td_tool_row(const struct td_tool_table *t, struct td_str line, struct td_tool_row *ret);
