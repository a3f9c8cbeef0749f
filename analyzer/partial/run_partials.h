/* SPDX-License-Identifier: MIT */
/* Reports of many databases at once: partials made, put together, kept and answered from. */
#pragma once

#include "analyzer/clocks.h"
#include "analyzer/format/output.h"
#include "analyzer/partial/blank.h"
#include "analyzer/partial/partial.h"
#include "analyzer/report.h"

/* The clock of the first database, by which times of all are. */
struct td_partial_clocks {
	struct td_clock_shift *shifts; /* owned; of each */
	int64_t since_ns, until_ns; /* asked for; TD_NULL: not */
	struct td_strbuf notes; /* by how much each is moved, for people */
};

struct td_partial_run {
	char **paths; /* databases, or partials */
	size_t npaths;
	bool keep_going; /* what cannot be read is left out */
	size_t expected; /* so many databases there should be; 0: nobody said */
	const struct td_partial_clocks
		*clocks; /* of the databases; NULL: times are by each one's own. Borrowed */
};

/* How many of how many. */
struct td_partial_totals {
	size_t ndbs; /* that are in it */
	size_t nfailed; /* that could not be read */
	size_t nmissing; /* that were expected and nobody spoke of */
};

/* Finds out by how much the clocks of the databases differ. 0; -EINVAL with a message: nothing that
 * the reports show or are asked for depends on it; -errno with one. td_partial_clocks_done() in all
 * cases. */
int td_partials_align(const struct td_partial_run *run, const struct td_report *const *reports,
		      size_t nreports, const struct td_arg *args, size_t nargs,
		      struct td_partial_clocks *ret, struct td_err *err);
void td_partial_clocks_done(struct td_partial_clocks *c);

/* Reads databases, on all CPUs, and puts them together. reports: those of the head. Warnings are
 * logged. 0; what the first one that cannot be read fails with, named in the message; -errno. */
int td_partials_of_dbs(const struct td_partial_run *run, const struct td_partial_head *head,
		       const struct td_report *const *reports, const struct td_arg *args,
		       size_t nargs, struct td_partial **ret, struct td_err *err);

/* The same of partials, of which there is one at least. */
int td_partials_of_files(const struct td_partial_run *run, struct td_partial **ret,
			 struct td_err *err);

/* 0; -ENODATA with a message: some are missing, and keep_going is not set; -ENOMEM. */
int td_partials_count(const struct td_partial_run *run, const struct td_partial *p,
		      struct td_partial_totals *ret, struct td_err *err);

/* To a file, or to stdout where path is NULL or "-". Warns where databases are missing. */
int td_partials_write(const struct td_partial *p, const struct td_partial_totals *totals,
		      const char *path, struct td_err *err);

/* The reports of the partial, or those of them that are named, to args->path. limit: for --limit;
 * NULL: as the partial has it.
 * set: where their SQL is. *ret_nanswered as of td_run_reports(). */
struct td_partials_print {
	const struct td_reports *set;
	const struct td_report **named; /* all of the partial if there are none */
	size_t nnamed;
	const char *limit;
	const struct td_output_args *output;
	struct td_partial_totals totals;
	const char *clocks; /* notes on them */
	struct td_partial_blank *blank; /* an empty database to run them on */
};
int td_partials_print(const struct td_partials_print *print, const struct td_partial *p,
		      size_t *ret_nanswered, struct td_err *err);
