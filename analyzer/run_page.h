/* SPDX-License-Identifier: MIT */
/* A run as one page: overview, findings, timeline, and every report that has something to say. */
#pragma once

#include "analyzer/format/output.h"

struct td_run_page {
	const struct td_reports *set;
	char **dbs;
	size_t ndbs; /* only one has a timeline */
	const struct td_output_args *output; /* td_output_is_page() */
	int64_t timeout_ns; /* 0: none */
};

/* As td_run_reports(). A run that has no timeline, and a program that was built without that page,
 * get the tables alone: that is logged. */
int td_run_page(const struct td_run_page *page, size_t *ret_nanswered, struct td_err *err);
