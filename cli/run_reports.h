/* SPDX-License-Identifier: MIT */
/* Runs reports on databases: what 'report' and 'info' have in common. */
#pragma once

#include "analyzer/report.h"
#include "cli/output.h"

struct td_run_reports {
	const struct td_report **reports;
	size_t nreports;
	size_t noptional; /* the last so many: where they have nothing to show, nothing is said */
	char **dbs;
	size_t ndbs;
	const struct td_arg *args;
	size_t nargs;
	const struct td_output_args *output;
	bool compat_nsys; /* the output format is one of analyzer/compat_nsys.h */
};

/* An enum td_exit; errors are printed. TD_EXIT_INPUT also if no report found what it needs. */
int td_run_reports(const struct td_run_reports *run);
