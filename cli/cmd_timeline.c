/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/run_timeline.h"
#include "cli/cli.h"

static void print_help(const struct td_command *self, const struct td_option *options)
{
	td_options_help(self, options, stdout);
	printf("\nLanes:\n");
	for (size_t i = 0; td_lane_groups[i].name; i++)
		printf("  %-8s %s\n", td_lane_groups[i].name, td_lane_groups[i].help);
}

static int run(const struct td_command *self, int argc, char **argv)
{
	struct td_run_timeline t = { 0 };
	_cleanup_free_ char *only = NULL;
	bool help = false;
	const struct td_option options[] = {
		{ "output", 'o', "FILE",
		  "write a page (.html) or a picture (.svg) instead of drawing on the terminal",
		  td_set_string, &t.output },
		{ "from", 0, "TIME",
		  "begin there: 10s from the begin of the run, 05:16:14 (local), or a date in UTC",
		  td_set_string, &t.request.from },
		{ "to", 0, "TIME", "end there", td_set_string, &t.request.to },
		{ "phase", 0, "NAME", "only this phase: epoch, or 'epoch 3'", td_set_string,
		  &t.request.phase },
		{ "lanes", 0, "NAME,NAME", "only these lanes", td_set_string, &t.request.groups },
		{ "compare", 0, "OTHER.db", "draw another run below, aligned by phase",
		  td_set_string, &t.compare },
		TD_OPTION_TIMEOUT(&t.request.timeout_ns),
		TD_OPTION_HELP(&help),
		{ 0 },
	};
	struct td_err err = { 0 };
	int first = 0, r = td_options_parse(options, argc, argv, &first, &err);

	if (r == 0 && help) {
		print_help(self, options);
		return TD_EXIT_OK;
	}
	if (r == 0 && argc - first > 1)
		r = td_err_set(&err, -EINVAL,
			       "one database only; --compare draws another one below");
	if (r == 0 && argc == first)
		r = td_only_db(&only, &err);
	if (r < 0)
		return td_usage_error(self, &err);
	t.request.path = only ? only : argv[first];
	return td_exit_of(td_run_timeline(&t, &err), &err);
}

const struct td_command td_cmd_timeline = {
	.name = "timeline",
	.args = "[DB]",
	.help = "draw what the run did over time: on the terminal, as a page, as a picture",
	.run = run,
};
