/* SPDX-License-Identifier: MIT */
/* Compares databases and writes how they differ: what 'compare' does. */
#pragma once

#include "analyzer/compare/baseline.h"
#include "analyzer/compare/compare.h"
#include "analyzer/format/output.h"

struct td_run_compare {
	const struct td_reports *measures;
	const struct td_reports *reports; /* what partials are of */
	char **a, **b; /* paths of the databases on each side, or of partials of one run each */
	size_t na, nb;
	const struct td_baseline *baseline; /* how a was chosen; NULL: it was not */
	const char *rounds; /* samples are the rounds of this phase; NULL: the measures decide */
	double least_pct;
	const char *const *conditions; /* as analyzer/compare/condition.h has them */
	size_t nconditions;
	const struct td_output_args *output;
	int64_t timeout_ns; /* for all of it; 0: none */
	bool keep_going; /* runs of A that cannot be read are left out, with a warning */
};

/* Conditions that are met are logged as errors, and counted in *ret_nmet; *ret_nfailed: what was
 * left out here. 0; -EINVAL: a condition is none, or there is nothing that it speaks of; or another
 * -errno. */
int td_run_compare(const struct td_run_compare *run, size_t *ret_nmet, size_t *ret_nfailed,
		   struct td_err *err);
