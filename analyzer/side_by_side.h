/* SPDX-License-Identifier: MIT */
/*
 * A report of several databases as one table: that of each, one below the other, with the columns
 * 'run' and 'rank' in front (analyzer/several.h). Nothing is added up, so every value is as exact
 * as in the report of its database; where a report has a rank of its own, that is the one. Times
 * are dates, as each run has its own begin, by its own clock or by that of the first run (align),
 * as are times that the user asks for. A limit is one for each run. If events are missing in one of
 * the runs, the values of all are marked, and a note says in which.
 */
#pragma once

#include "analyzer/run_reports.h"
#include "analyzer/sandbox.h"

/* *ret_nanswered: as of td_run_reports(). 0 or -errno with a text. */
int td_side_by_side(const struct td_run_reports *run, const struct td_deadline *deadline,
		    struct td_output *out, size_t *ret_nanswered, struct td_err *err);
