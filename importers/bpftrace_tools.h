/* SPDX-License-Identifier: MIT */
/* The text logic of bpftrace's and bcc's own tools, which the text and the JSON importer share. */
#pragma once

#include "importers/bpftrace_maps.h"
#include "importers/tool_table.h"

/* Where the times of a source come from; one source has one clock. */
enum td_tools_time {
	TD_TOOLS_TIME_NONE, /* no row yet */
	TD_TOOLS_TIME_MISSING, /* rows without a time */
	TD_TOOLS_TIME_SINCE,
	TD_TOOLS_TIME_TOD,
	TD_TOOLS_TIME_BOOT,
};

struct td_tools {
	struct td_tool_table table; /* .tool NONE: no header yet */
	bool in_table; /* no blank line since the last header or row */
	struct td_maps maps;
	enum td_tools_time time;
	int64_t nrows; /* stand for times where there are none */
	int64_t block_tod_ns; /* of the time above the map entries that follow; TD_NULL: none */
	int64_t prev_tod_ns; /* of the one before; TD_NULL: none */
	int64_t prev_sample_ns; /* of the row of samples before; TD_NULL: none */
	bool is_statsnoop; /* what it prints looks like opensnoop's */
	bool noted_text;
};

void td_tools_init(struct td_tools *t, const char *path);
void td_tools_done(struct td_tools *t);

/* What the importer's line() does. */
int td_tools_line(struct td_import *imp, struct td_tools *t, char *text, size_t len);

/* Stores one value of a map: as a sample if a time stands above it, else as a summary. A verdict. */
int td_tools_map_value(struct td_import *imp, struct td_tools *t, const struct td_maps_value *v);

/* 0 or -errno: a row of the table. 1: its time is on another clock than those before. */
int td_tools_put(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row);

/* Sets the clock of the source at its first time. false: it has another one already. */
bool td_tools_clock(struct td_import *imp, struct td_tools *t, enum td_tools_time time);

/* "Lost 88 events", "Possibly lost 12 samples": counted. */
bool td_tools_lost(struct td_import *imp, struct td_str line);
