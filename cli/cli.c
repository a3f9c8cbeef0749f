/* SPDX-License-Identifier: MIT */
#include <glob.h>

#include "cli/cli.h"
#include "common/caldate.h"
#include "common/strbuf.h"
#include "common/units.h"

#define NAMES_SHOWN 5

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

int td_exit_of(int r, const struct td_err *err)
{
	if (r >= 0)
		return TD_EXIT_OK;
	td_log_err(r, err);
	return r == -EINVAL ? TD_EXIT_USAGE : TD_EXIT_INPUT;
}

int td_only_db(char **ret, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf names = TD_STRBUF_INIT;
	glob_t found = { 0 };
	int r = glob("*.db", 0, NULL, &found);

	if (r == GLOB_NOSPACE)
		return -ENOMEM;
	if (r == 0 && found.gl_pathc == 1) {
		*ret = strdup(found.gl_pathv[0]);
		if (*ret)
			td_log_info("%s", *ret);
		globfree(&found);
		return *ret ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < found.gl_pathc && i < NAMES_SHOWN; i++)
		td_strbuf_addf(&names, "%s%s", i ? ", " : " Here are ", found.gl_pathv[i]);
	if (found.gl_pathc > NAMES_SHOWN)
		td_strbuf_addf(&names, " and %zu more", found.gl_pathc - NAMES_SHOWN);
	globfree(&found);
	return td_err_set(err, -EINVAL, "which database?%s", td_strbuf_str(&names));
}

int td_set_timeout(void *target, char *value, struct td_err *err)
{
	int64_t ns;

	if (td_parse_duration(value, TD_SEC_NS, &ns) < 0 || ns <= 0)
		return td_err_set(err, -EINVAL, "--timeout takes a time like 10s, not '%s'", value);
	*(int64_t *)target = ns;
	return 0;
}
