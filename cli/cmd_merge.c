/* SPDX-License-Identifier: MIT */
#include "cli/together.h"

static int merge(const struct td_together_args *args, char **paths, size_t npaths,
		 const char *output)
{
	_cleanup_(td_partial_freep) struct td_partial *p = NULL;
	struct td_partial_run run = { 0 };
	struct td_partial_totals totals = { 0 };
	struct td_err err = { 0 };
	int r = td_together_run(args, paths, npaths, &run, &err);

	if (r == 0)
		r = td_partials_of_files(&run, &p, &err);
	if (r == 0)
		r = td_partials_count(&run, p, &totals, &err);
	if (r == 0)
		r = td_partials_write(p, &totals, output, &err);
	return td_together_exit(r, &err, &totals);
}

static int run(const struct td_command *self, int argc, char **argv)
{
	struct td_together_args args = { 0 };
	const char *output = NULL;
	bool help = false;
	const struct td_option options[] = {
		{ "output", 'o', "FILE", "write there instead of to stdout", td_set_string,
		  &output },
		TD_OPTIONS_FLEET(&args),
		TD_OPTION_HELP(&help),
		{ 0 },
	};
	struct td_err err = { 0 };
	int first = 0, r = td_options_parse(options, argc, argv, &first, &err);

	if (r == 0 && help) {
		td_options_help(self, options, stdout);
		return TD_EXIT_OK;
	}
	if (r == 0 && first == argc)
		r = td_err_set(&err, -EINVAL,
			       "which partials? 'tracedb report --partial' writes them");
	return r < 0 ? td_usage_error(self, &err)
		     : merge(&args, argv + first, (size_t)(argc - first), output);
}

const struct td_command td_cmd_merge = {
	.name = "merge",
	.args = "PARTIAL...",
	.help = "put together what 'report --partial' wrote of several databases",
	.run = run,
};
