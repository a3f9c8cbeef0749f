/* SPDX-License-Identifier: MIT */
/* Runs reports on databases: what 'report' and 'info' have in common. */
#pragma once

#include "analyzer/format/output.h"
#include "analyzer/report.h"

struct td_run_reports {
	const struct td_report **reports;
	size_t nreports;
	size_t noptional; /* the last so many: where they have nothing to show, nothing is said */
	char **dbs;
	size_t ndbs;
	const struct td_arg *args;
	size_t nargs;
	const struct td_output_args *output;
	int64_t timeout_ns; /* for all of it; 0: none */
	bool findings; /* behind the first report: what the rules find */
	bool sql; /* write the statements instead of running them */
	bool side_by_side; /* one table of all databases (analyzer/side_by_side.h) */
	bool align; /* its times by the clock of the first one (analyzer/clocks.h) */
	bool compat_nsys; /* the output format is one of analyzer/format/compat_nsys.h */
};

/* What the arguments ask for (a phase, a pid, ...) has to be in one of the databases at least; those
 * without it are named in a warning. Warnings are logged. *ret_nanswered: how many of the reports, over
 * all databases, found what they need. 0; -EINVAL: an argument that no report or database has, or
 * options that contradict each other; or another -errno. */
int td_run_reports(const struct td_run_reports *run, size_t *ret_nanswered, struct td_err *err);
