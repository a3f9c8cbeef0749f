/* SPDX-License-Identifier: MIT */
/* Where results go, and in what format: the options that all commands with results share. */
#pragma once

#include "analyzer/format/format.h"
#include "common/cleanup.h"
#include "common/options.h"

struct td_output_args {
	const struct td_format *format; /* NULL: the default */
	const char *path; /* NULL or "-": stdout */
	enum td_timeunit timeunit;
	bool safe_csv;
	bool fits; /* table: what TD_OPTIONS_TABLE is about; without it all is shown as it is */
	bool wide, all; /* ... all columns, all rows */
	bool utc; /* times as dates */
	const char *columns; /* ... these; NULL: all. In every format */
	const struct td_page_frame *frame; /* of td_writer_options */
};

int td_set_format(void *target, char *value, struct td_err *err); /* struct td_output_args */
int td_set_timeunit(void *target, char *value, struct td_err *err); /* struct td_output_args */

#define TD_OPTIONS_OUTPUT(args)                                                                    \
	{ "format",      'f',   "FORMAT", "table, csv, tsv, json, ndjson, md or html",             \
	  td_set_format, (args) },                                                                 \
		{ "output",      'o',          "FILE", "write there instead of to stdout",         \
		  td_set_string, &(args)->path },                                                  \
		{ "safe-csv",  0,                                                                  \
		  NULL,        "csv and tsv: keep spreadsheets from taking text for formulas",     \
		  td_set_flag, &(args)->safe_csv },                                                \
	{                                                                                          \
		"timeunit", 0, "UNIT", "show durations in ns, us, ms or s (table, md, html)",      \
			td_set_timeunit, (args)                                                    \
	}

/* Of commands whose results may be larger than a terminal. */
#define TD_OPTIONS_TABLE(args)                                                                     \
	{ "wide",      0,                                                                          \
	  NULL,        "on a terminal: all columns, whole, however wide that is",                  \
	  td_set_flag, &(args)->wide },                                                            \
	{                                                                                          \
		"all", 0, NULL, "on a terminal: all rows", td_set_flag, &(args)->all               \
	}

/* Of commands whose tables all have columns of one's choice. */
#define TD_OPTIONS_COLUMNS(args)                                                                   \
	{ "utc",       0,                                                                          \
	  NULL,        "table, md, html: times as dates, not from the begin of the run",           \
	  td_set_flag, &(args)->utc },                                                             \
	{                                                                                          \
		"columns", 0, "NAME,NAME", "only these columns, in this order", td_set_string,     \
			&(args)->columns                                                           \
	}

/* Is it to be a page: by its format, or where none is given by the ending of its name? */
bool td_output_is_page(const struct td_output_args *args);

struct td_output {
	struct td_writer *w;
	FILE *f; /* stdout or owned */
	const char *path; /* NULL: stdout; borrowed */
	char *tmp_path; /* what f is, until it is complete; NULL: path itself */
};

/* Opens it and begins to write; options: the shape of the result (many_dbs, many_tables, named). A
 * regular file is written under another name first: it is there when complete, or not at all.
 * -EINVAL: the options contradict each other. */
int td_output_open(const struct td_output_args *args, const struct td_writer_options *options,
		   struct td_output *ret, struct td_err *err);

/* The same for who writes to f by himself; w is NULL. path: NULL or "-": stdout. */
int td_output_open_file(const char *path, struct td_output *ret, struct td_err *err);

/* Does f show colours, and is the user for it; and characters beyond ASCII? */
bool td_output_colour(FILE *f);
bool td_output_utf8(void);

/* Completes it. */
int td_output_close(struct td_output *out, struct td_err *err);

/* r, -errno of a write to it, with the words of td_output_close(); to be followed by td_output_done(). */
int td_output_failed(struct td_output *out, int r, struct td_err *err);

/* Drops what was not closed. */
void td_output_done(struct td_output *out);
