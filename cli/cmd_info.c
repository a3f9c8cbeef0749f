/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "analyzer/run_reports.h"

/* What info shows is reports like any other. */
static const char *const names[] = { "info",      "info_sources", "info_issues", "info_tables",
				     "info_runs", "loss",         "cost" };
#define OPTIONAL 3 /* the last of them: of several runs, and of recordings only */
#define ON_ONE_SCREEN 2 /* the first of them */

/* Is it for somebody who looks at a screen, and did not ask for more than that holds? */
static bool is_brief(const struct td_output_args *output)
{
	return isatty(STDOUT_FILENO) && !output->path && !output->wide && !output->all &&
	       (!output->format || output->format->prose);
}

static int run(const struct td_command *self, int argc, char **argv)
{
	_cleanup_(td_reports_done) struct td_reports set = { 0 };
	const struct td_report *reports[TD_ARRAY_SIZE(names)];
	struct td_output_args output = { .fits = true };
	_cleanup_free_ char *only = NULL;
	bool help = false, brief;
	const struct td_option options[] = {
		TD_OPTIONS_OUTPUT(&output),
		TD_OPTIONS_TABLE(&output),
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
		r = td_only_db(&only, &err);
	if (r == 0)
		r = td_reports_load(&set, td_queries, NULL, 0, &err);
	for (size_t i = 0; i < TD_ARRAY_SIZE(names) && r == 0; i++)
		r = td_reports_find(&set, names[i], &reports[i], &err);
	if (r < 0)
		return td_usage_error(self, &err);
	brief = is_brief(&output);
	r = td_print_reports(&(struct td_run_reports){
		.reports = reports,
		.nreports = brief ? ON_ONE_SCREEN : TD_ARRAY_SIZE(names),
		.noptional = brief ? 0 : OPTIONAL,
		.dbs = only ? &only : argv + first,
		.ndbs = only ? 1 : (size_t)(argc - first),
		.output = &output,
	});
	if (brief && r == TD_EXIT_OK)
		puts("\n--all shows issues, rows of each table, runs, loss and cost of a "
		     "recording");
	return r;
}

const struct td_command td_cmd_info = {
	.name = "info",
	.args = "[DB...]",
	.help = "show what was imported: sources, clocks, loss, issues",
	.run = run,
};
