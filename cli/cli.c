/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "common/caldate.h"
#include "common/units.h"

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

int td_set_timeout(void *target, char *value, struct td_err *err)
{
	int64_t ns;

	if (td_parse_duration(value, TD_SEC_NS, &ns) < 0 || ns <= 0)
		return td_err_set(err, -EINVAL, "--timeout takes a time like 10s, not '%s'", value);
	*(int64_t *)target = ns;
	return 0;
}
