/* SPDX-License-Identifier: MIT */
/*
 * Output formats. A writer gets tables, row by row, and writes them in one of the formats:
 *
 *     r = td_writer_new(td_format_find("csv"), stdout, &options, &w);
 *     td_writer_db(w, "run1.db");              for each database, if there are several
 *     td_writer_table(w, &head);               for each table
 *     td_writer_row(w, values);
 *     td_writer_table_end(w);
 *     td_writer_note(w, "...");                what the reader should know besides
 *     td_writer_end(w);
 *
 * Formats for people ('table', 'md', 'html') show titles, headings, units and notes; the others write names
 * and values as they are, nothing else. Shape of the latter:
 *   csv, tsv   a line of column names, then the rows. Several tables are separated by an empty line,
 *              and a line '# NAME' or '# DATABASE: NAME' says what comes. csv is quoted as
 *              RFC 4180 says; tsv has \t, \n, \r and \\ instead. NULL is empty (an empty text is "" in
 *              csv).
 *   json       a table is an array of objects, one per row; several tables are an object with an array
 *              for each by its name (an array of arrays for tables without names); several databases
 *              are an object with one of these for each by its path. Invalid UTF-8 becomes U+FFFD,
 *              an infinite number 9e999.
 *   ndjson     an object per row and line; "_report" and "_db" say which, where there are several.
 */
#pragma once

#include <stdio.h>

#include "analyzer/report_file.h"
#include "common/scan.h"

enum td_value_type { TD_VALUE_NULL, TD_VALUE_INT, TD_VALUE_REAL, TD_VALUE_TEXT };

struct td_cell {
	enum td_value_type type;
	bool is_hex; /* the text is the bytes of a blob in hexadecimal */
	int64_t i;
	double d;
	struct td_str text;
};

enum td_timeunit {
	TD_TIMEUNIT_AUTO, /* as it fits, value by value */
	TD_TIMEUNIT_NS,
	TD_TIMEUNIT_US,
	TD_TIMEUNIT_MS,
	TD_TIMEUNIT_S,
	TD_NTIMEUNITS,
};
extern const char *const td_timeunit_names[TD_NTIMEUNITS];

/* Of a page: what stands before its tables, and behind them. */
struct td_page_frame {
	const char *head, *tail;
};

struct td_writer_options {
	bool many_dbs;
	bool many_tables; /* per database */
	bool named; /* tables have names */
	enum td_timeunit timeunit; /* of durations; formats for people only */
	size_t width; /* table: cut text to fit so many columns; 0: never cut */
	bool utc; /* times as dates, not from the begin of the run */
	bool fits; /* table: leave out columns that say nothing, or for which there is no room; and name them */
	const char *columns; /* only these, in this order, with commas between them; NULL: all */
	size_t max_rows; /* table: show so many and say how many there are besides; 0: all */
	bool colour; /* table: bold headings */
	bool terminal; /* csv, tsv: somebody looks at it */
	const struct td_page_frame
		*frame; /* html: what the tables stand in; NULL: a page of their own */
	bool safe_csv; /* csv, tsv: for a spreadsheet; text that begins like a formula gets a ' in front */
};

/* Borrowed until td_writer_table_end(). */
struct td_table_head {
	const char *name; /* NULL: none */
	const char *title; /* NULL: none */
	const struct td_report_column *columns;
	size_t ncolumns;
	bool record; /* show rows as lines of 'name: value' */
	bool page; /* max_rows does not count */
	const struct td_report_column *
		total; /* one of the columns: rows that are not shown are told by their share of it; NULL: none */
	bool from_begin; /* times (ts_ns) are shown from begin_ns on, for people */
	int64_t begin_ns;
	const char *missing; /* what the database lacks, so that there are no rows, or NULL */
	const char *
		none; /* what it means that there are none if it lacks nothing; NULL: nothing else than that */
	unsigned damage; /* of the data, enum td_damage: formats for people mark what it moves */
};

struct td_writer {
	const struct td_format *format;
	FILE *out; /* borrowed; NULL: the format keeps what it is told */
	struct td_writer_options options;
	const char *db; /* borrowed; NULL: not said */
	const struct td_table_head *head; /* of the open table */
	struct td_choice *choice; /* of its columns; NULL: all. Owned */
	size_t ndbs; /* begun, as are the next three */
	size_t ntables; /* in this database */
	size_t nrows; /* in this table */
	bool told_time; /* some value in this table is shown from the begin on */
	bool told_apart; /* some has no date though the run has one, and is shown as its source has it */
	size_t all_tables;
	void *state; /* the format's own, state_size bytes */
};

struct td_format {
	const char *name;
	const char *desc; /* for --help */
	bool prose; /* for people */
	size_t state_size;
	/* 0 or -errno; each may be NULL. Counters in the writer do not include what begins here. */
	int (*begin)(struct td_writer *w);
	int (*db)(struct td_writer *w);
	int (*table)(struct td_writer *w);
	int (*row)(struct td_writer *w, const struct td_cell *values);
	int (*table_end)(struct td_writer *w);
	int (*note)(struct td_writer *w, const char *text);
	int (*end)(struct td_writer *w);
	void (*done)(struct td_writer *w); /* frees what state owns */
};

extern const struct td_format *const td_formats[]; /* NULL-ended; the first is the default */

/* NULL if there is none of that name. */
const struct td_format *td_format_find(const char *name);

int td_writer_new(const struct td_format *format, FILE *out,
		  const struct td_writer_options *options, struct td_writer **ret);
void td_writer_free(struct td_writer *w);
TD_DEFINE_CLEANUP(struct td_writer *, td_writer_free)

/* 0 or -errno (out of memory; what writing failed with comes from td_writer_end()). Chosen columns
 * that a table does not have are left out: td_choice_check() before. */
int td_writer_db(struct td_writer *w, const char *path);
int td_writer_table(struct td_writer *w, const struct td_table_head *head);
/* Why a table has no rows, for people. Borrowed from the head. */
const char *td_table_head_why(const struct td_table_head *head);
int td_writer_row(struct td_writer *w, const struct td_cell *values);
int td_writer_table_end(struct td_writer *w);
/* Lines of text below the last table; formats that are not for people drop it. */
int td_writer_note(struct td_writer *w, const char *text);
/* Completes the output and flushes it. */
int td_writer_end(struct td_writer *w);
