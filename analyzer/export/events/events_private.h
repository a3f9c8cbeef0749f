/* SPDX-License-Identifier: MIT */
#pragma once

#include "analyzer/export/events/events.h"
#include "analyzer/export/table.h"

#define TD_EVENT_TIME_MAX INT64_C(4000000000000000000) /* ns, as of imports */
#define TD_EVENT_NLOOKUPS 8

/* What a track is of. */
enum td_group_kind {
	TD_GROUP_PROCESS, /* a: process.id */
	TD_GROUP_THREAD, /* a: thread.id */
	TD_GROUP_CALLS, /* of a process, where threads are not known; a: process.id */
	TD_GROUP_DEVICE, /* a: device.id */
	TD_GROUP_REQUESTS, /* a: device.id */
	TD_GROUP_STREAM, /* a: device.id, b: stream */
	TD_GROUP_SLICES, /* a: thread.id */
	TD_GROUP_SPANS, /* a: string.id of the kind, b: rank, c: process.id */
	TD_GROUP_MARKS, /* a: process.id */
	TD_GROUP_COUNTER, /* a: track.id */
	TD_GROUP_FINDINGS,
	TD_GROUP_LOSS,
};
#define TD_GROUP_NONE INT64_MIN /* a, b, c that are NULL */

struct td_group_key {
	int64_t kind, a, b, c;
};

struct td_lane {
	uint32_t track;
	int64_t *ends; /* of the slices that are open, the innermost last; owned */
	size_t n, cap;
};

/* Tracks of one key. */
struct td_group {
	struct td_lane *lanes; /* owned */
	size_t n, cap;
	uint32_t parent; /* of all of them */
};

/* Numbers that join calls and GPU work, as bits: which of them each side has. */
struct td_flows {
	struct td_intern keys; /* process and number / 512 */
	struct td_flow_bits {
		uint64_t gpu[8], call[8];
	} * items; /* owned */
	size_t cap;
};

struct td_walk {
	sqlite3 *db;
	const struct td_event_sink *sink;
	struct td_event_counts *counts;
	struct td_err *err;
	struct td_lookups lookups;
	const struct td_lookup *names[TD_EVENT_NLOOKUPS]; /* borrowed from them */
	struct td_intern literals, hosts;
	struct td_intern keys; /* struct td_group_key: the groups, in their order */
	struct td_group *groups; /* owned */
	size_t groups_cap;
	sqlite3_stmt *makers[TD_GROUP_LOSS + 1]; /* owned */
	struct td_flows flows;
};

/* --- tracks.c --- */

/* The group of the key, made and told of if it is new; its number in *ret. */
int td_walk_group(struct td_walk *w, const struct td_group_key *key, uint32_t *ret);

/* Gives a slice its track, which may be a new one; it becomes an instant if too much overlaps.
 * Slices come by the order of their begins. */
int td_walk_lane(struct td_walk *w, uint32_t group, struct td_event *e);

void td_walk_tracks_done(struct td_walk *w);

/* --- flows.c --- */

/* Remembers that the GPU has work of the number. 0; 1: there are too many; -ENOMEM. */
int td_flows_add(struct td_flows *f, int64_t process_id, int64_t correlation);

/* The flow of a call (is_call) or of the work; 0: the other side does not have it. Calls come first. */
uint64_t td_flows_find(struct td_flows *f, int64_t process_id, int64_t correlation, bool is_call);

void td_flows_done(struct td_flows *f);

/* --- scan.c --- */

#define TD_SCAN_COLUMNS_MAX 20

struct td_scan_rows {
	size_t n;
	const int64_t *values[TD_SCAN_COLUMNS_MAX]; /* reals as their bits */
	const uint8_t *is_null[TD_SCAN_COLUMNS_MAX];
};

/* Calls fn with the columns (NULL-ended) of all rows of a table of numbers that has a rowid, in its
 * order, some hundred at a time. */
int td_walk_scan(struct td_walk *w, const char *table, const char *const *columns,
		 int (*fn)(void *arg, const struct td_scan_rows *rows), void *arg);

/* --- rows.c --- */

int td_walk_rows(struct td_walk *w);

/* --- others.c --- */

/* Findings, and what was lost. */
int td_walk_others(struct td_walk *w);

/* --- events.c --- */

/* A text that is not in the database. */
int td_walk_literal(struct td_walk *w, const char *text, size_t len, struct td_event_text *ret);

/* Tells of an event that has a time; counts it. */
int td_walk_put(struct td_walk *w, struct td_event *e);
