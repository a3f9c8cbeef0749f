/* SPDX-License-Identifier: MIT */
/* What a report can need ('-- needs:' in its header): how to see that it is there, and what to tell
 * a user who lacks it. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

#include "common/err.h"
#include "common/strbuf.h"

struct td_report;

/* Sources by what is in them, as far as that decides which clocks a report depends on. */
enum td_clocks {
	TD_CLOCKS_EVENTS = 1, /* calls, requests, kernels */
	TD_CLOCKS_SAMPLES = 2,
	TD_CLOCKS_SPANS = 4, /* phases and marks */
	TD_CLOCKS_ALL = 7,
};

/* Events by what they are of; a tracer can lose each. */
enum td_events {
	TD_EVENTS_CALLS = 1,
	TD_EVENTS_BLOCKS = 2,
	TD_EVENTS_OTHER = 4, /* GPU work, scheduling, NVTX ranges, summaries */
	TD_EVENTS_ALL = 7,
};

struct td_need {
	const char *name; /* table, view, or a part of one */
	const char *check; /* SQL: a row that says 1 if it has rows */
	const char *what; /* "GPU samples" are missing... */
	const char *how; /* ...and this gets them: for td_need_add_how() */
	unsigned events; /* enum td_events: it is made of these; 0: of none that could be lost */
	unsigned clocks; /* enum td_clocks: its times come from there; 0: it has none */
};

/* NULL if there is no such thing. */
const struct td_need *td_need_find(const char *name);

/* Adds how the database gets it: words that name the command, with the database's name. */
void td_need_add_how(struct td_strbuf *b, sqlite3 *db, const struct td_need *need);

/* 0, or -EINVAL with a message if the report needs something that there is no name for. */
int td_needs_known(const struct td_report *rep, struct td_err *err);

/* Has the database what the report (whose needs are known) needs? 0; 1 and words in missing if not; or -errno. */
int td_needs_check(sqlite3 *db, const struct td_report *rep, struct td_strbuf *missing,
		   struct td_err *err);

/* From which sources the times are that the report goes by: enum td_clocks, together. */
unsigned td_needs_clocks(const struct td_report *rep);

/* Of the events that the report is made of, how large a share the tracer lost or wrote in lines
 * that cannot be used: that of the source that is worst off, 0 .. 1. 0 or -errno. */
int td_needs_lost(sqlite3 *db, const struct td_report *rep, double *ret, struct td_err *err);

/* What a reader has to know about the data below the report, from the table source: lines of text, added to notes,
 * none in the good case. by_phase: its rows are chosen by the times of the phases, which its needs may
 * not say. *damage is what the data lacks: enum td_damage, together. 0 or -errno. */
int td_needs_notes(sqlite3 *db, const struct td_report *rep, bool by_phase, struct td_strbuf *notes,
		   unsigned *damage, struct td_err *err);

/* The same of what is no report: events are those that it is made of (enum td_events), clocks those
 * that its times come from (enum td_clocks). */
int td_needs_notes_of(sqlite3 *db, unsigned events, unsigned clocks, struct td_strbuf *notes,
		      unsigned *damage, struct td_err *err);
