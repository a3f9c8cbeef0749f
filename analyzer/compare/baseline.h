/* SPDX-License-Identifier: MIT */
/* Which of many databases, or partials of one run each, a run is to be compared with: the last ones
 * of its kind before it. */
#pragma once

#include "common/err.h"
#include "common/strbuf.h"

#define TD_BASELINE_LAST 50

struct td_baseline {
	char **paths; /* borrowed texts in an array that is owned: those chosen, in the order of time */
	size_t n;
	size_t nothers; /* of another kind; partials of several runs */
	size_t nlater; /* that did not begin before the run, itself among them */
	size_t nolder; /* of its kind, but before the last ones */
	size_t nfailed; /* that could not be read */
	char *kind; /* owned */
};

/* kind: as of td_run_kind(). any_kind: all are of its kind. last: at most so many. keep_going: what
 * cannot be read is told in a warning, counted and left out, else it is an error. 0 or -errno with
 * a message. */
int td_baseline_choose(char **paths, size_t n, const char *run, size_t last, bool any_kind,
		       bool keep_going, struct td_baseline *ret, struct td_err *err);
void td_baseline_done(struct td_baseline *b);
