/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

void td_options_help(const struct td_command *cmd, const struct td_option *options, FILE *out)
{
	fprintf(out, "Usage: tracedb %s [OPTION]...%s%s\n%s\n\n", cmd->name, *cmd->args ? " " : "",
		cmd->args, cmd->help);
	td_options_print(options, out);
}

int td_usage_error(const struct td_command *cmd, const struct td_err *err)
{
	td_log_err(-EINVAL, err);
	fprintf(stderr, "Try 'tracedb %s --help'.\n", cmd->name);
	return TD_EXIT_USAGE;
}
