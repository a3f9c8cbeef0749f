/* SPDX-License-Identifier: MIT */
/*
 * Phases by --phase-pattern: a line that the pattern finds begins one, and ends the one before of
 * that name and rank. Lines with the name and number of the one that is on change nothing. What is
 * on at the end ends with the log.
 */
#pragma once

#include "common/line_pattern.h"
#include "common/strbuf.h"
#include "importers/core/import.h"

struct td_mllog_phase {
	struct td_line_match is;
	int32_t rank; /* INT32_MIN: unknown */
	int64_t ts_ns;
	struct td_str line; /* for args */
};

struct td_mllog_phases {
	struct td_mllog_on *on; /* those that are; owned */
	size_t n, cap;
	int64_t last_ns; /* of the log; TD_NULL: no line has a time */
	bool arrived; /* times are when the lines came, not what they say */
	struct td_strbuf args; /* of the row being made */
};

void td_mllog_phases_init(struct td_mllog_phases *p);

/* The rank that stands in front of what matched, or in brackets in front of all: "[rank3]:[INFO]
 * Epoch 1". INT32_MIN: none. */
int32_t td_mllog_phases_rank(const struct td_mllog_phase *phase);

/* The string that is kept of its line; and the other way round, of the texts that a phase was taken from. */
uint32_t td_mllog_phases_line(const struct td_import *imp, const struct td_mllog_phase *phase);
void td_mllog_phases_set_texts(const struct td_import *imp, struct td_mllog_phase *phase,
			       uint32_t name_id, uint32_t line_id);

/* Is it of the phase that is on? Its time is not asked for. */
bool td_mllog_phases_is_on(const struct td_import *imp, const struct td_mllog_phases *p,
			   const struct td_mllog_phase *phase);

/* When the phase of that name and rank began that is on; TD_NULL: there is none. */
int64_t td_mllog_phases_began_at(const struct td_import *imp, const struct td_mllog_phases *p,
				 const struct td_mllog_phase *phase);

/* One that is not on begins; an enum td_verdict or -errno. */
int td_mllog_phases_add(struct td_import *imp, struct td_mllog_phases *p,
			const struct td_mllog_phase *phase);

/* Ends what is on at last_ns, with the words for why, and frees everything. 0 or -errno. */
int td_mllog_phases_end(struct td_import *imp, struct td_mllog_phases *p);

/* --- mllog/line_time.c --- */

/* The time that is printed in the line: of the day, with a date, or seconds since the epoch in
 * front. *ret_is_utc: it says so; else it is local. False: there is none. */
bool td_mllog_line_time(struct td_str line, int64_t *ret_ns, bool *ret_is_utc);
