/* SPDX-License-Identifier: MIT */
#include "analyzer/flame/run_flame.h"
#include "cli/cli.h"
#include "common/scan.h"

static void print_help(const struct td_command *self, const struct td_option *options)
{
	td_options_help(self, options, stdout);
	printf("\nStacks:\n");
	for (size_t i = 0; i < TD_NFLAMES; i++)
		printf("  %-8s %s\n", td_flames[i].name, td_flames[i].help);
}

static int set_limit(void *target, char *value, struct td_err *err)
{
	struct td_scan s = td_scan_of(value, strlen(value));
	uint64_t n;

	if (!td_scan_u64(&s, &n) || !td_scan_done(&s) || n < 1 || n > INT32_MAX)
		return td_err_set(err, -EINVAL, "--limit takes a number, not '%s'", value);
	*(size_t *)target = n;
	return 0;
}

static int run(const struct td_command *self, int argc, char **argv)
{
	struct td_run_flame f = { 0 };
	_cleanup_free_ char *only = NULL;
	bool help = false;
	const struct td_option options[] = {
		{ "output", 'o', "FILE",
		  "write a page (.html) or folded stacks (.folded) instead of a tree",
		  td_set_string, &f.output },
		{ "what", 0, "NAME", "which stacks, of those below", td_set_string,
		  &f.request.what },
		{ "count", 0, NULL, "calls and spans by their number, not by their time",
		  td_set_flag, &f.request.count },
		{ "from", 0, "TIME", "begin there: 10s from the begin of the run, or a date in UTC",
		  td_set_string, &f.request.from },
		{ "to", 0, "TIME", "end there", td_set_string, &f.request.to },
		{ "phase", 0, "NAME", "only this phase: epoch, or 'epoch 3'", td_set_string,
		  &f.request.phase },
		{ "pid", 0, "PID", "only the process with this id", td_set_string, &f.request.pid },
		{ "process", 0, "NAME", "only processes with this name or role", td_set_string,
		  &f.request.process },
		{ "limit", 0, "N", "frames of the tree", set_limit, &f.limit },
		TD_OPTION_TIMEOUT(&f.request.timeout_ns),
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
		r = td_err_set(&err, -EINVAL, "one database only");
	if (r == 0 && argc == first)
		r = td_only_db(&only, &err);
	if (r < 0)
		return td_usage_error(self, &err);
	f.request.path = only ? only : argv[first];
	return td_exit_of(td_run_flame(&f, &err), &err);
}

const struct td_command td_cmd_flame = {
	.name = "flame",
	.args = "[DB]",
	.help = "draw where the time went by stacks: as a tree, as a page, for other programs",
	.run = run,
};
