/* SPDX-License-Identifier: MIT */
/* What reports there are, and which of them a database can answer: 'report --list'. */
#pragma once

#include "analyzer/format/output.h"
#include "analyzer/report.h"

struct td_list_reports {
	const struct td_reports *set;
	char **dbs; /* with some, a column says which reports one of them has data for */
	size_t ndbs;
	const struct td_output_args *output;
};

/* Formats for people have a table for each group, the others one of all, by name. 0; -EINVAL: a
 * file is no database, or the options of the output contradict each other; or another -errno. */
int td_list_reports(const struct td_list_reports *list, struct td_err *err);
