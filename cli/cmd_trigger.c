/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "collector/trigger.h"

static int trigger(const char *db, struct td_err *err)
{
	_cleanup_free_ char *spool = NULL;

	if (asprintf(&spool, "%s.spool", db) < 0) {
		spool = NULL;
		return td_err_errno(err, -ENOMEM, "cannot trigger '%s'", db);
	}
	return td_trigger_send(spool, err);
}

static int run(const struct td_command *self, int argc, char **argv)
{
	bool help = false;
	const struct td_option options[] = { TD_OPTION_HELP(&help), { 0 } };
	struct td_err err = { "" };
	int first = 0, r = td_options_parse(options, argc, argv, &first, &err);

	if (r == 0 && help) {
		td_options_help(self, options, stdout);
		return TD_EXIT_OK;
	}
	if (r == 0 && first + 1 < argc)
		r = td_err_set(&err, -EINVAL, "one database at a time");
	if (r < 0)
		return td_usage_error(self, &err);
	r = trigger(first < argc ? argv[first] : "run.db", &err);
	if (r == 0)
		return TD_EXIT_OK;
	td_log_err(r, &err);
	return TD_EXIT_INPUT;
}

const struct td_command td_cmd_trigger = {
	.name = "trigger",
	.args = "[DB]",
	.help = "have a flight recorder write what it holds, and go on",
	.run = run,
};
