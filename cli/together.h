/* SPDX-License-Identifier: MIT */
/* Many databases, one report: the options of 'report' for it, and what 'merge' shares with them. */
#pragma once

#include "analyzer/partial/run_partials.h"
#include "cli/cli.h"

struct td_together_args {
	bool partial; /* write a partial */
	bool from_partial; /* the files are partials */
	bool merged; /* one report of all */
	bool keep_going;
	const char *top; /* numbers; NULL: not given */
	const char *expect;
};

#define TD_OPTIONS_FLEET(args)                                                                     \
	{ "keep-going",       0, NULL, "leave out what cannot be read, and say so", td_set_flag,   \
	  &(args)->keep_going },                                                                   \
	{                                                                                          \
		"expect", 0, "N", "fail, or say so, where it is fewer databases than that",        \
			td_set_string, &(args)->expect                                             \
	}

#define TD_OPTIONS_TOGETHER(args)                                                                  \
	{                                                                                          \
		"merged",       0, NULL, "one report of all databases together", td_set_flag,      \
		&(args)->merged                                                                    \
	},                                                                                         \
		{ "partial",   0,                                                                  \
		  NULL,        "write what the report needs of them, for 'merge' (-o FILE)",       \
		  td_set_flag, &(args)->partial },                                                 \
		{ "from-partial",       0, NULL, "the files are such partials", td_set_flag,       \
		  &(args)->from_partial },                                                         \
		{ "top",                                                                           \
		  0,                                                                               \
		  "N",                                                                             \
		  "of each database keep the N rows that took longest (20000), "                   \
		  "0: all",                                                                        \
		  td_set_string,                                                                   \
		  &(args)->top },                                                                  \
		TD_OPTIONS_FLEET(args)

static inline bool td_together_asked(const struct td_together_args *a)
{
	return a->partial || a->from_partial || a->merged || a->keep_going || a->top || a->expect;
}

struct td_report_together {
	const struct td_together_args *args;
	const struct td_reports *set;
	const struct td_report **reports;
	size_t nreports;
	bool named; /* the user said which reports */
	bool align; /* times are by the clock of the first database */
	char **dbs;
	size_t ndbs;
	const struct td_arg *values;
	size_t nvalues;
	const struct td_output_args *output;
};

/* An enum td_exit; errors are printed. */
int td_report_together(const struct td_report_together *t);

/* What the options say of reading; -EINVAL with a message. */
int td_together_run(const struct td_together_args *args, char **paths, size_t npaths,
		    struct td_partial_run *ret, struct td_err *err);

/* Prints the error of r, or what was left out decides. An enum td_exit. */
int td_together_exit(int r, const struct td_err *err, const struct td_partial_totals *totals);
