/* SPDX-License-Identifier: MIT */
/* tracedb's commands: one file each, which ends with its struct td_command; main.c has the table. */
#pragma once

#include "common/cleanup.h"
#include "common/log.h"
#include "common/options.h"

enum td_exit {
	TD_EXIT_OK = 0,
	TD_EXIT_FINDING = 1, /* a rule found something, a comparison failed */
	TD_EXIT_USAGE = 2,
	TD_EXIT_INPUT = 3, /* unusable input; also output that cannot be written */
	TD_EXIT_PARTLY = 4, /* partly imported */
};

struct td_command {
	const char *name;
	const char *args; /* for the usage line */
	const char *help; /* one line */
	bool runs_programs; /* which inherit the signals that are ignored */
	/* argv[0] is the command's name. Returns an enum td_exit. */
	int (*run)(const struct td_command *self, int argc, char **argv);
};

extern const struct td_command td_cmd_analyze;
extern const struct td_command td_cmd_check;
extern const struct td_command td_cmd_compare;
extern const struct td_command td_cmd_export;
extern const struct td_command td_cmd_formats;
extern const struct td_command td_cmd_import;
extern const struct td_command td_cmd_info;
extern const struct td_command td_cmd_merge;
extern const struct td_command td_cmd_query;
extern const struct td_command td_cmd_record;
extern const struct td_command td_cmd_report;
extern const struct td_command td_cmd_flame;
extern const struct td_command td_cmd_timeline;
extern const struct td_command td_cmd_trigger;

/* What --help of the command shows. */
void td_options_help(const struct td_command *cmd, const struct td_option *options, FILE *out);

#define TD_OPTION_HELP(flag)                                                                       \
	{                                                                                          \
		"help", 'h', NULL, "show this", td_set_flag, (flag)                                \
	}

/* A time that is more than none; target: int64_t, in ns. */
int td_set_timeout(void *target, char *value, struct td_err *err);

#define TD_OPTION_TIMEOUT(ns)                                                                      \
	{                                                                                          \
		"timeout", 0, "TIME", "give up what is not done by then: 10s", td_set_timeout,     \
			(ns)                                                                       \
	}

/* The database that is meant where none is named: the only *.db of the current folder, which is
 * told on stderr. *ret is the caller's. 0; -EINVAL with a message that says what there is;
 * -ENOMEM. */
int td_only_db(char **ret, struct td_err *err);

/* Runs reports for a command. An enum td_exit; errors are printed. TD_EXIT_INPUT also if no report
 * found what it needs. */
struct td_run_reports;
int td_print_reports(const struct td_run_reports *run);

/* The enum td_exit of what was done: r < 0 failed, because of what was asked for (-EINVAL) or of
 * the input; it is said. */
int td_exit_of(int r, const struct td_err *err);

/* Prints what was wrong with the command line, and where help is. Returns TD_EXIT_USAGE. */
int td_usage_error(const struct td_command *cmd, const struct td_err *err);
