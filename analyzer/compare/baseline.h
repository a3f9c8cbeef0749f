/* SPDX-License-Identifier: MIT */
/* Which of many databases a run is to be compared with: the last ones of its kind before it. */
#pragma once

#include "common/err.h"
#include "common/strbuf.h"

#define TD_BASELINE_LAST 50

struct td_baseline {
	char **paths; /* borrowed texts in an array that is owned: those chosen, in the order of time */
	size_t n;
	size_t nothers; /* of another kind */
	size_t nlater; /* that did not begin before the run, itself among them */
	size_t nolder; /* of its kind, but before the last ones */
	char *kind; /* owned */
};

/* kind: what two runs of the same job have in common: the command line of the process that the run is about, with {} for what changes from run to
 * run, that is numbers in its paths and numbers of five digits and more; without a command line, the kinds of its logs and its phases.
 * any_kind: all are of its kind. last: at most so many. 0 or -errno with a message; a database that cannot be read is an error. */
int td_baseline_choose(char **paths, size_t n, const char *run, size_t last, bool any_kind,
		       struct td_baseline *ret, struct td_err *err);
void td_baseline_done(struct td_baseline *b);

/* What a command line is known by: adds it with {} in the place of what changes. A failure is td_strbuf_error()'s. */
void td_baseline_template(struct td_strbuf *b, const char *command_line);
