/* SPDX-License-Identifier: MIT */
#include <limits.h>

#include "cli/cli.h"
#include "importers/core/phase_pattern.h"
#include "importers/job/job.h"
#include "common/archive.h"
#include "common/caldate.h"
#include "common/scan.h"

struct import_args {
	const char *output;
	bool force, append, quiet, help;
	struct td_import_layouts layouts;
	struct td_import_options options;
};

static void import_args_done(struct import_args *args)
{
	td_import_layouts_done(&args->layouts);
}

/* "+05:30", "-5", "UTC", "-0500": local minus UTC in seconds. */
static int set_tz(void *target, char *value, struct td_err *err)
{
	struct td_scan s = td_scan_of(value, strlen(value));
	uint64_t hours = 0, minutes = 0;
	bool west;

	if (td_scan_literal(&s, "UTC") && td_scan_done(&s)) {
		*(int64_t *)target = 0;
		return 0;
	}
	west = td_scan_char(&s, '-');
	if (!west)
		(void)td_scan_char(&s, '+');
	if (!td_scan_u64(&s, &hours) || (td_scan_char(&s, ':') && !td_scan_u64(&s, &minutes)))
		hours = 99;
	if (hours >= 100) {
		minutes = hours % 100;
		hours /= 100;
	}
	if (!td_scan_done(&s) || hours > 14 || minutes > 59)
		return td_err_set(err, -EINVAL,
				  "'%s': expected an offset like -05:00, +5:30 or UTC", value);
	*(int64_t *)target = (int64_t)(hours * 3600 + minutes * 60) * (west ? -1 : 1);
	return 0;
}

/* YYYY-MM-DD */
static int set_date(void *target, char *value, struct td_err *err)
{
	struct td_scan s = td_scan_of(value, strlen(value));
	uint64_t year, month, day;

	if (!td_scan_u64(&s, &year) || !td_scan_char(&s, '-') || !td_scan_u64(&s, &month) ||
	    !td_scan_char(&s, '-') || !td_scan_u64(&s, &day) || !td_scan_done(&s) || year > 9999 ||
	    month > 12 || day > 31 || !td_date_valid((int)year, (int)month, (int)day))
		return td_err_set(err, -EINVAL, "'%s': expected a date like 2022-08-28", value);
	*(int64_t *)target = td_days_from_date((int)year, (int)month, (int)day);
	return 0;
}

static int add_layout(void *target, char *value, struct td_err *err)
{
	return td_import_layouts_add(target, value, err);
}

static int add_pattern(void *target, char *value, struct td_err *err)
{
	return td_import_phase_pattern_add(target, value, err);
}

/* target: the options of the import. */
static int set_rank(void *target, char *value, struct td_err *err)
{
	struct td_import_options *options = target;
	struct td_scan s = td_scan_of(value, strlen(value));
	uint64_t n;

	if (!td_scan_u64(&s, &n) || !td_scan_done(&s) || n > INT32_MAX)
		return td_err_set(err, -EINVAL, "'%s': expected a rank, a number from 0 on", value);
	options->rank_given = true;
	options->rank = (int32_t)n;
	return 0;
}

static int set_host(void *target, char *value, struct td_err *err)
{
	if (!*value || strlen(value) >= TD_HOST_SIZE)
		return td_err_set(err, -EINVAL, "--host takes the name of a machine, not '%s'",
				  value);
	*(const char **)target = value;
	return 0;
}

static int set_threads(void *target, char *value, struct td_err *err)
{
	struct td_scan s = td_scan_of(value, strlen(value));
	uint64_t n;

	if (!td_scan_u64(&s, &n) || !td_scan_done(&s) || n == 0 || n > UINT_MAX)
		return td_err_set(err, -EINVAL, "'%s': expected a number from 1 on", value);
	*(unsigned *)target = (unsigned)n;
	return 0;
}

/* Does the path of n bytes end in "." or "..", which are names of no folder? */
static bool has_no_name(const char *path, size_t n)
{
	const char *name = memrchr(path, '/', n);
	size_t len;

	name = name ? name + 1 : path;
	len = (size_t)(path + n - name);
	return len > 0 && len <= 2 && strncmp(name, "..", len) == 0;
}

/* The first path's name + ".db", beside it; an archive's without its ending, a recording's without '.spool'. The
 * caller frees it; NULL when out of memory. */
static char *default_output(const char *path)
{
	static const char spool[] = ".db.spool";
	size_t n = strlen(path), suffix;
	char *out = NULL;

	if (td_str_ends((struct td_str){ path, n }, spool))
		return strndup(path, n - strlen(".spool"));

	while (n > 1 && path[n - 1] == '/')
		n--;
	if (n == 1 && (path[0] == '.' || path[0] == '/'))
		return strdup("run.db");
	if (has_no_name(path, n)) {
		_cleanup_free_ char *real = realpath(path, NULL);

		return real && real[1] && asprintf(&out, "%s.db", real) >= 0 ? out
									     : strdup("run.db");
	}
	suffix = path[n] ? 0 : td_archive_suffix(path);
	if (suffix < n && path[n - suffix - 1] != '/')
		n -= suffix;
	return asprintf(&out, "%.*s.db", (int)n, path) < 0 ? NULL : out;
}

static int import(const struct td_command *self, const struct import_args *args, char **paths,
		  size_t n)
{
	_cleanup_free_ char *output = NULL;
	struct td_import_job job = {
		.paths = (const char *const *)paths,
		.npaths = n,
		.output = args->output,
		.if_exists = args->force    ? TD_EXISTS_REPLACE
			     : args->append ? TD_EXISTS_APPEND
					    : TD_EXISTS_REFUSE,
		.quiet = args->quiet,
		.options = args->options,
	};
	struct td_err err = { "" };
	int r;

	if (!job.output) {
		if (strcmp(paths[0], "-") == 0) {
			(void)td_err_set(
				&err, 0,
				"standard input has no name: -o says where the database goes");
			return td_usage_error(self, &err);
		}
		output = default_output(paths[0]);
		if (!output)
			return td_log_error(TD_EXIT_INPUT, "out of memory");
		job.output = output;
	}
	r = td_import_run(&job, &err);
	if (r < 0) {
		(void)td_log_err(r, &err);
		return TD_EXIT_INPUT;
	}
	td_import_say(&job);
	return job.failed || job.cut || job.unused ? TD_EXIT_PARTLY : TD_EXIT_OK;
}

static int run(const struct td_command *self, int argc, char **argv)
{
	_cleanup_(import_args_done) struct import_args args = {
		.options = { .clocks = TD_CLOCK_OPTIONS_NONE },
	};
	const struct td_option options[] = {
		{ "output", 'o', "FILE", "the database to make (default: PATH.db)", td_set_string,
		  &args.output },
		{ "force", 0, NULL, "replace the database if it exists", td_set_flag, &args.force },
		{ "append", 0, NULL, "add to the database if it exists; all of it or nothing",
		  td_set_flag, &args.append },
		{ "format", 0, "NAME",
		  "importer to use for all inputs ('tracedb formats' lists them)", td_set_string,
		  &args.options.format },
		{ "layout", 0, "FILE.bt|COMMAND",
		  "bpftrace program, or command line of nvidia-smi, that printed an input; may be "
		  "given again",
		  add_layout, &args.layouts },
		{ "phase-pattern", 0, "REGEX",
		  "lines of training logs that begin a phase, like 'Epoch [0-9]+'; may be given "
		  "again",
		  add_pattern, &args.layouts },
		{ "tz", 0, "OFFSET",
		  "local time minus UTC, like -05:00 (default: found from the sources)", set_tz,
		  &args.options.clocks.utc_offset_s },
		{ "date", 0, "YYYY-MM-DD",
		  "local date of sources that print only a time of day, or a date that can be read "
		  "two ways",
		  set_date, &args.options.clocks.date_days },
		{ "clock", 0, "boot=NS", "UTC time of boot, in nanoseconds since the epoch",
		  td_set_string, &args.options.clocks.clock },
		{ "host", 0, "NAME", "machine that files are of which name none", set_host,
		  &args.options.host },
		{ "rank", 0, "N",
		  "rank in the job that all of it is of (default: as the files, their names or "
		  "the launcher's environment tell)",
		  set_rank, &args.options },
		{ "threads", 0, "N",
		  "threads that parse a large file and lay down rows, at most (default: one per "
		  "CPU, up to 16)",
		  set_threads, &args.options.threads },
		{ "quiet", 'q', NULL, "no progress, no summary", td_set_flag, &args.quiet },
		{ "help", 'h', NULL, "print this", td_set_flag, &args.help },
		{ 0 },
	};
	struct td_err err = { "" };
	int first, status;

	if (td_options_parse(options, argc, argv, &first, &err) < 0)
		return td_usage_error(self, &err);
	if (args.help) {
		td_options_help(self, options, stdout);
		status = TD_EXIT_OK;
	} else if (first == argc) {
		(void)td_err_set(&err, 0, "what is to be imported? Name files, folders, or '-'");
		status = td_usage_error(self, &err);
	} else if (args.force && args.append) {
		(void)td_err_set(&err, 0, "--force and --append exclude each other");
		status = td_usage_error(self, &err);
	} else {
		args.options.layouts = &args.layouts;
		status = import(self, &args, argv + first, (size_t)(argc - first));
	}
	return status;
}

const struct td_command td_cmd_import = {
	.name = "import",
	.args = "PATH... [-o FILE]",
	.help = "make a database of trace files and folders",
	.run = run,
};
