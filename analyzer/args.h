/* SPDX-License-Identifier: MIT */
/* Values for the parameters of reports and queries, as the user writes them. */
#pragma once

#include <sqlite3.h>
#include <stdint.h>

#include "analyzer/format/unit.h"
#include "common/err.h"

struct td_arg {
	const char *name; /* without ':' */
	const char *value;
};

/* Binds the value to a parameter of that type: sizes and durations may have units ("64mb",
 * "500ms"), a time is 2022-08-28T05:16:14.74Z, a time of day in the local zone of the run (05:16,
 * 05:16:14.5), nanoseconds since the epoch ("1661663774740000000") or, with a unit, counted from
 * the begin of the run ("90s", read from table run; "0" is the begin). TD_UNIT_COUNT is not below
 * 0, or 'all'. TD_UNIT_ANY: an integer or a number if it looks like one, else text. The value is
 * copied. 0, -EINVAL with a message, or what SQLite failed with. */
int td_arg_bind(sqlite3_stmt *stmt, int index, enum td_unit type, const struct td_arg *arg,
		struct td_err *err);

/* The time that an argument is of this database, as td_arg_bind() has it. 0 or -errno with a message. */
int td_arg_time(sqlite3 *db, const struct td_arg *arg, int64_t *ret, struct td_err *err);

/* When the first thing of the run happened. 1; 0: nothing has a time; or -errno. */
int td_run_begin(sqlite3 *db, int64_t *ret, struct td_err *err);
