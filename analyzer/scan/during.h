/* SPDX-License-Identifier: MIT */
/* Intervals that any SELECT gives, and how much of a call's time lies in them: "while the GPU was
 * idle", "during a checkpoint". */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct td_during_interval {
	int64_t start_ns, end_ns; /* end_ns is behind it */
	uint64_t before_ns; /* length of all intervals before this one */
};

/* What is in an interval at all: those that overlap or touch are one. */
struct td_during {
	struct td_during_interval *items; /* owned; in order */
	size_t n, cap;
};

/* Runs the SELECT, whose two columns are begin and end in ns; rows in which one of them is NULL do
 * not count. What it may do is up to the connection. -EINVAL with a message for what is no such
 * SELECT or no interval, -E2BIG for too many, -ENOMEM, -EIO. */
int td_during_load(sqlite3 *db, const char *sql, struct td_during *ret, struct td_err *err);
void td_during_done(struct td_during *d);

/* Of dur_ns from start_ns on what lies in the intervals, in *ret; TD_NULL where dur_ns is. Returns
 * whether any does; of what lasts no time, or nobody knows how long, whether its begin does. *hint
 * is kept from one call to the next, 0 in the
 * beginning: what begins near the one before is found faster. */
bool td_during_of(const struct td_during *d, int64_t start_ns, int64_t dur_ns, size_t *hint,
		  int64_t *ret);
