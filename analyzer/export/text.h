/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "analyzer/export/bpftrace.h"
#include "common/scan.h"

#define TD_EXPORT_MAX_COLUMNS 16
/* Columns of the statement: when it ended (UTC ns), source, operation, then every enum td_export_field. */
#define TD_EXPORT_FIRST_FIELD 3

struct td_export_clock {
	int64_t boot_ns; /* UTC of boot, which time stamps count from */
	int64_t zone_ns; /* local time less UTC */
};

/* One conversion of a row, and what stands before it. */
struct td_export_column {
	struct td_str before;
	char type; /* t: time stamp, T: time of day, d, u, x, s */
	size_t width;
	int field; /* enum td_export_field, -1: the text */
	bool optional;
	struct td_str text;
};

struct td_export_line {
	const char *ops;
	struct td_export_column columns[TD_EXPORT_MAX_COLUMNS];
	size_t ncolumns;
	struct td_str after;
};

/* Points into the row. */
void td_export_compile(const struct td_export_row *in, struct td_export_line *ret);

/* Is the statement's row one of this operation, and are its columns known? The latency may be missing. */
bool td_export_fits(const struct td_export_line *row, sqlite3_stmt *s);

/* Writes it. A latency that is not known is the time stamp itself; newlines in names become '?'. */
void td_export_put(const struct td_export_clock *clock, FILE *out, const struct td_export_line *row,
		   sqlite3_stmt *s);

/* HH:MM:SS of local time; the length. */
size_t td_export_time_of_day(const struct td_export_clock *clock, int64_t utc_ns, char *buf,
			     size_t size);
