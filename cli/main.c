/* SPDX-License-Identifier: MIT */
#include <malloc.h>
#include <signal.h>
#include <sqlite3.h>

#include "common/stdfds.h"
#include "common/suggest.h"
#include "schema/heap.h"
#include "schema/sqlite.h"
#include "analyzer/report.h"
#include "cli/cli.h"
#include "cli/version.h"

/* As --help shows them. */
/* clang-format off */
static const struct td_command *const commands[] = {
	&td_cmd_record, &td_cmd_import, &td_cmd_report, &td_cmd_analyze, &td_cmd_compare, &td_cmd_timeline, &td_cmd_flame, &td_cmd_query, &td_cmd_info, &td_cmd_export, &td_cmd_check, &td_cmd_formats,
	&td_cmd_trigger, &td_cmd_merge,
};
/* clang-format on */

static void print_help(FILE *out)
{
	fprintf(out,
		"Usage: tracedb COMMAND [OPTION]... [ARGUMENT]...\n"
		"Turns folders of tracing logs into one SQLite database, and answers questions "
		"about it.\n\nCommands:\n");
	for (size_t i = 0; i < TD_ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->help);
	fprintf(out, "\n'tracedb COMMAND --help' tells more.\n"
		     "Exit status: 0 ok, 1 finding or failed comparison, 2 wrong usage, 3 unusable "
		     "input, 4 partly imported.\n");
}

static const struct td_command *find(const char *name)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(commands); i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static bool is_report(const char *name)
{
	struct td_reports set = { 0 };
	struct td_err err = { 0 };
	bool found =
		td_reports_load(&set, td_queries, NULL, 0, &err) == 0 && td_reports_has(&set, name);

	td_reports_done(&set);
	return found;
}

static int unknown_command(const char *name)
{
	struct td_suggest near = { .wanted = name };

	if (is_report(name))
		return td_log_error(TD_EXIT_USAGE, "'%s' is a report: 'tracedb report %s DATABASE'",
				    name, name);

	for (size_t i = 0; i < TD_ARRAY_SIZE(commands); i++)
		td_suggest_offer(&near, commands[i]->name);
	if (near.best)
		return td_log_error(TD_EXIT_USAGE, "unknown command '%s'; did you mean '%s'?", name,
				    near.best);
	return td_log_error(TD_EXIT_USAGE, "unknown command '%s'; 'tracedb --help' lists them",
			    name);
}

static int dispatch(int argc, char **argv)
{
	char *help_argv[] = { argc > 2 ? argv[2] : NULL, (char[]){ "--help" }, NULL };
	bool help = argc > 1 && strcmp(argv[1], "help") == 0;
	const struct td_command *cmd;

	if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    (help && argc == 2)) {
		print_help(argc < 2 ? stderr : stdout);
		return argc < 2 ? TD_EXIT_USAGE : TD_EXIT_OK;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		td_print_version(stdout);
		return TD_EXIT_OK;
	}
	cmd = find(argv[help ? 2 : 1]);
	if (!cmd)
		return unknown_command(argv[help ? 2 : 1]);
	if (!cmd->runs_programs)
		(void)signal(SIGPIPE,
			     SIG_DFL); /* "| head" ends us quietly, whatever the parent ignores */
	return help ? cmd->run(cmd, 2, help_argv) : cmd->run(cmd, argc - 1, argv + 1);
}

/* What large blocks took goes back to the system when they are freed, so that the parts of an
 * import that come one after the other do not add up: packed rows (store/stage/stage.h) and
 * durations (store/derive/durations.h). By default glibc keeps more and more of them, the larger
 * the blocks were that it has seen. */
static void limit_memory(void)
{
#ifdef __GLIBC__
	(void)mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	/* What one file after the other takes of the heap and gives back need not go to the system each time. */
	(void)mallopt(M_TRIM_THRESHOLD, 8 * 1024 * 1024);
#endif
	td_sqlite_heap_use(TD_SQLITE_HEAP_MAX);
	/* SQLite takes room for 20 pages at once, also for a temporary table of three rows: of 32
	 * KiB, all of them touched. */
	(void)sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
}

/* status: of what was done, which is not well as long as nobody can read it. A reader who went has what he wants. */
static int end_output(int status)
{
	int r = td_flush(stdout);

	if (r < 0 && r != -EPIPE)
		(void)td_log_error(0, "cannot write to standard output: %s", strerror(-r));
	return r < 0 && (status == TD_EXIT_OK || status == TD_EXIT_FINDING) ? TD_EXIT_INPUT
									    : status;
}

int main(int argc, char **argv)
{
	int r = td_stdfds_take();

	if (r < 0)
		return td_log_error(TD_EXIT_INPUT, "cannot open /dev/null: %s", strerror(-r));
	limit_memory();
	return end_output(dispatch(argc, argv));
}
