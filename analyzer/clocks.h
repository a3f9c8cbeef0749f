/* SPDX-License-Identifier: MIT */
/* By how much the clocks of several databases differ, by the events that they have in common:
 * collectives, epochs, checkpoints. */
#pragma once

#include <stddef.h>

#include "analyzer/sandbox.h"
#include "common/err.h"
#include "common/strbuf.h"

/* What to add to the times of a database to have them by the clock of the first one, which they are
 * then to error_ns. */
struct td_clock_shift {
	int64_t ns; /* TD_NULL: the events do not bound it on both sides */
	int64_t error_ns;
};

/* Of each of the databases, whose ranges examples/sql/ranks/rank_clocks.sql finds: the middle. 0
 * and no error where all sources of both are of one machine. ret: room for n. 0 or -errno with a
 * message. */
int td_clock_shifts(char *const *paths, size_t n, const struct td_deadline *deadline,
		    struct td_clock_shift *ret, struct td_err *err);

/* A line for people: by how much the times of a run are moved, to the clock of the first one, and
 * to what that is known. Nothing where there is nothing to say. */
void td_clock_shift_note(const struct td_clock_shift *shift, const char *run, const char *first,
			 struct td_strbuf *b);
