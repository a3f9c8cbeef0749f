/* SPDX-License-Identifier: MIT */
/* The text logic of bpftrace's and bcc's own tools, which the text and the JSON importer share. */
#pragma once

#include "common/strbuf.h"
#include "importers/bpftrace/maps.h"
#include "importers/bpftrace/stack_block.h"
#include "importers/bpftrace/tools_table.h"

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
	bool has_tod, has_fractions; /* a time of day; one that was no whole second */
	struct td_maps maps;
	struct td_stack_blocks stacks;
	enum td_tools_time time;
	int64_t nrows; /* stand for times where there are none */
	int64_t block_tod_ns; /* of the time above the map entries that follow; TD_NULL: none */
	int64_t prev_tod_ns; /* of the one before; TD_NULL: none */
	int64_t prev_sample_ns; /* of the row of samples before; TD_NULL: none */
	int64_t table_tod_ns; /* of the latest time above a table of values; TD_NULL: none */
	int64_t prev_table_ns; /* of the table before; TD_NULL: none */
	bool joins; /* lines that continue the arguments of the row above them belong to it */
	struct td_strbuf held; /* that row, until it is seen to be whole */
	uint64_t held_no; /* its first line */
	char title[128]; /* the latest line of another kind */
	bool is_statsnoop; /* what it prints looks like opensnoop's */
	bool noted_text;
	bool in_data; /* of sslsniff: what was sent, not lines of the tool */
	bool has_rows;
	bool has_unused; /* a banner of a tool whose output is not read */
};

void td_tools_init(struct td_tools *t, const char *path);
void td_tools_done(struct td_tools *t);

/* What the importer's line() does. */
int td_tools_line(struct td_import *imp, struct td_tools *t, char *text, size_t len);

/* Stores one value of a map: as a sample if a time stands above it, else as a summary. A verdict. */
int td_tools_map_value(struct td_import *imp, struct td_tools *t, const struct td_maps_value *v);

/* 0 or -errno: a row of the table. 1: its time is on another clock than those before. */
int td_tools_put(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row);

/* A time of day, on the clock of the source. */
int64_t td_tools_tod(struct td_import *imp, struct td_tools *t, int64_t tod_ns);

/* When the row was printed, on the clock of the source. false: that is not the clock of the rows before. */
bool td_tools_time_of(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row,
		      int64_t *ret_ns);

/* By PID and COMM; 0: it has no PID. */
uint32_t td_tools_process_of(struct td_import *imp, const struct td_tools *t,
			     const struct td_tool_row *row);

/* Rows of tools that are described by their columns (bpftrace/tools_events.c). 0 or -errno; 1 as td_tools_put(). */
int td_tools_put_event(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row,
		       int64_t ts_ns);
int td_tools_put_values(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row);

/* Lines of tools that print no table; rest: behind the time of day. A verdict, or TD_LINE_ISSUE + 1: not such a
 * line. */
int td_tools_sentence(struct td_import *imp, struct td_tools *t, struct td_str rest,
		      int64_t tod_ns);
bool td_tools_is_sentence(struct td_str rest);

/* Sets the clock of the source at its first time. false: it has another one already. */
bool td_tools_clock(struct td_import *imp, struct td_tools *t, enum td_tools_time time);

/* "Lost 88 events", "Possibly lost 12 samples": counted. */
bool td_tools_lost(struct td_import *imp, struct td_str line);
