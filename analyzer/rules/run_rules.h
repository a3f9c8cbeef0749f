/* SPDX-License-Identifier: MIT */
/* Looks with rules at databases and writes what they find: what 'analyze' does. */
#pragma once

#include "analyzer/format/output.h"
#include "analyzer/rules/findings.h"

/* A value for a parameter of one rule. */
struct td_rule_arg {
	const char *rule;
	struct td_arg arg;
};

struct td_run_rules {
	const struct td_report **rules;
	size_t nrules;
	char **dbs;
	size_t ndbs;
	const struct td_rule_arg *args;
	size_t nargs;
	const struct td_output_args *output;
	int64_t timeout_ns; /* for all of it; 0: none */
};

struct td_rules_result {
	size_t nlooked; /* how often a rule had what it needs, over all databases */
	size_t found[TD_NLEVELS]; /* findings of each level */
};

/* Adds the worst findings of the built-in rules to notes, of max rules at most, a line each below a
 * line of their own; nothing where there are none. 0 or -errno. */
int td_rules_worst(sqlite3 *db, size_t max, struct td_strbuf *notes, struct td_err *err);

/* Writes a table of all findings of the built-in rules. 0 or -errno. */
int td_rules_put(sqlite3 *db, struct td_writer *w, struct td_err *err);

/* Warnings are logged. The format 'table' is text that is read from top to bottom; in the others a finding is a row.
 * 0; -EINVAL: an argument that no rule has; or another -errno. */
int td_run_rules(const struct td_run_rules *run, struct td_rules_result *ret, struct td_err *err);
