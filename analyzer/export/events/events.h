/* SPDX-License-Identifier: MIT */
/*
 * A database as what trace viewers draw: tracks, and on them slices, instants and values of
 * counters. Tables are walked one after the other and each in the order of its times, so that
 * memory goes with names and tracks, not with rows; viewers sort what they read.
 *
 * Slices of one track nest or follow each other: what overlaps otherwise goes onto another track of
 * the same name.
 */
#pragma once

#include <sqlite3.h>

#include "common/err.h"
#include "common/scan.h"
#include "common/strbuf.h"

/* A text that comes again. */
struct td_event_text {
	uint64_t iid; /* of this text among all; equal texts may have several. 0: there is none */
	struct td_str text; /* valid UTF-8, but not where iid is 0 */
};

enum td_event_category {
	TD_EVENT_CALL,
	TD_EVENT_REQUEST,
	TD_EVENT_SCHED,
	TD_EVENT_GPU,
	TD_EVENT_SPAN,
	TD_EVENT_MARK,
	TD_EVENT_SAMPLE,
	TD_EVENT_FINDING,
	TD_EVENT_LOSS,
	TD_EVENT_NCATEGORIES,
};
extern const char *const td_event_categories[TD_EVENT_NCATEGORIES];

/* What is told of an event beside its name; called as the columns are. */
enum td_event_key {
	TD_EVENT_ADVICE,
	TD_EVENT_ARGS,
	TD_EVENT_ASKED_BYTES,
	TD_EVENT_BYTES,
	TD_EVENT_COLD_BYTES,
	TD_EVENT_CORRELATION,
	TD_EVENT_CPU,
	TD_EVENT_DONE_BYTES,
	TD_EVENT_DUR_NS,
	TD_EVENT_FD,
	TD_EVENT_FILE,
	TD_EVENT_GENERATED,
	TD_EVENT_KIND,
	TD_EVENT_LEVEL,
	TD_EVENT_LOST,
	TD_EVENT_NUMBER,
	TD_EVENT_OFFSET_BYTES,
	TD_EVENT_PROCESS,
	TD_EVENT_QUEUE_NS,
	TD_EVENT_REASON,
	TD_EVENT_RET,
	TD_EVENT_RUN_NUMBER,
	TD_EVENT_SECTOR,
	TD_EVENT_STATE,
	TD_EVENT_TEXT,
	TD_EVENT_VALUE,
	TD_EVENT_NKEYS,
};
extern const char *const td_event_keys[TD_EVENT_NKEYS];

struct td_event_arg {
	enum td_event_key key;
	enum { TD_EVENT_INTEGER, TD_EVENT_REAL, TD_EVENT_STRING } type;
	int64_t integer;
	double real;
	struct td_event_text string;
};
#define TD_EVENT_ARGS_MAX 12

struct td_event {
	enum { TD_EVENT_SLICE, TD_EVENT_INSTANT, TD_EVENT_COUNTER } type;
	enum td_event_category category;
	uint32_t track;
	int64_t start_ns; /* UTC, not negative; of a counter: from when on it has the value */
	int64_t dur_ns; /* of a slice */
	double value; /* of a counter */
	struct td_event_text name; /* of the others */
	uint64_t
		flow; /* events of one flow are joined by arrows, in the order of their times; 0: of none */
	bool begins_flow; /* it is the first one */
	struct td_event_arg args[TD_EVENT_ARGS_MAX];
	size_t nargs;
};

struct td_event_track {
	enum {
		TD_EVENT_TRACK_PLAIN,
		TD_EVENT_TRACK_PROCESS,
		TD_EVENT_TRACK_THREAD,
		TD_EVENT_TRACK_COUNTER
	} type;
	uint32_t id; /* 1, 2, ... in the order that they are told of */
	uint32_t parent; /* 0: none */
	int64_t pid, tid; /* of a process and of a thread */
	/* Any bytes, without p: not known. */
	struct td_str name, command_line, label, unit;
};

/* Who draws it; 0 or -errno each. A track is told of before its events and its children. */
struct td_event_sink {
	void *self;
	int (*track)(void *self, const struct td_event_track *t);
	int (*event)(void *self, const struct td_event *e);
};

struct td_event_counts {
	long long tracks, slices, instants, values, flows;
	/* What has no place: samples without a value; times and durations that no import stores;
	 * durations where too much overlaps, which became instants; joined events beyond what is
	 * kept in mind. */
	long long no_value, no_time, crowded, no_flow;
};

/* Tells the sink all of it. 0 or -errno, with a text. */
int td_events_walk(sqlite3 *db, const struct td_event_sink *sink, struct td_event_counts *ret,
		   struct td_err *err);

/* Adds lines that say what was written, and what had no place. 0 or -ENOMEM. */
int td_events_note(struct td_strbuf *notes, const char *target, const struct td_event_counts *n);

/* The begin of the run, UTC ns; 0 where it is not known. */
int64_t td_events_start(sqlite3 *db);
