/* SPDX-License-Identifier: MIT */
/*
 * What the JSON forms of mpstat and iostat share. The one document that they write is followed as it comes, line by
 * line, wherever it is broken into lines: it may be of days, and ends where the tool was killed. Its rows (a CPU, a
 * disk) are small objects, which are taken out of it as a whole, for cJSON to read.
 */
#pragma once

#include <cjson/cJSON.h>

#include "common/json/events.h"
#include "common/strbuf.h"
#include "importers/core/import.h"

/* The first member of an importer's state. */
struct td_sysstat_json {
	struct td_json_events events;
	/* Set by the importer, and called for what is outside of rows, and for each row; 0, -errno, or -EBADMSG if
	 * the line makes no sense. */
	int (*on_event)(struct td_import *imp, enum td_json_event event);
	int (*on_row)(struct td_import *imp, const cJSON *row);
	/* own */
	unsigned row_depth; /* of the row being read; 0: none */
	const char *row_begin; /* on the line being read */
	struct td_strbuf row_text; /* of it, on the lines before */
	bool row_has_numbers, row_is_spoilt;
	bool line_has_numbers, line_is_spoilt; /* in its rows */
};

/* For on_event: the object that is being opened is a row. 0 or -errno. */
int td_sysstat_json_row(struct td_import *imp);

/* For line() of importers: a verdict or -errno. A line with a part of a row's numbers counts as one. */
int td_sysstat_json_line(struct td_import *imp, char *line, size_t len);

/* For takes_tail() of importers. */
bool td_sysstat_json_takes_tail(const char *tail, size_t len);

/* For end() of importers. false: the document ends before its time, which is noted. */
bool td_sysstat_json_end(struct td_import *imp);

/* A string of the row; .p NULL: it is none. */
struct td_str td_sysstat_json_text(const cJSON *value);
