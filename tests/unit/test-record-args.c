/* SPDX-License-Identifier: MIT */
/* The command line of 'tracedb record' and tracedb-record. */
#include <signal.h>

#include "collector/options.h"
#include "collector/probes/probes.h"
#include "tests/unit/check.h"

#define ARGC_MAX 8
#define SECOND INT64_C(1000000000)

static const struct {
	const char *args[ARGC_MAX];
	const char *error;
} errors[] = {
	{ { NULL }, "what is to be recorded?" },
	{ { "-o", "x.db" }, "what is to be recorded?" },
	{ { "--duration", "0", "true" }, "expected a time" },
	{ { "--duration", "5 parsecs", "true" }, "expected a time" },
	{ { "--max-size", "big", "true" }, "expected a size" },
	{ { "--max-size", "1048575", "true" }, "less than 1 MiB" },
	{ { "--buffer", "4k", "true" }, "at least 1 MiB" },
	{ { "--rate", "0", "true" }, "above 0" },
	{ { "--rate", "101", "true" }, "at most 100" },
	{ { "-p", "-1" }, "process id" },
	{ { "-p", "2147483648" }, "process id" },
	{ { "-p", "12x" }, "process id" },
	{ { "--comm", "a-name-of-16-chr" }, "at most 15 bytes" },
	{ { "--comm", "" }, "at most 15 bytes" },
	{ { "-e", "file_io,no_such", "true" }, "no event set is called 'no_such'" },
	{ { "-e", "file_io,no-file_io", "true" }, "no event set is left" },
	{ { "--trigger", "USR2", "true" }, "--trigger is for --flight-recorder" },
	{ { "--trigger", "gpu idle > 2s", "true" }, "--trigger is for --flight-recorder" },
	{ { "--trigger", "NONE" }, "like USR2, or a condition, like 'gpu idle > 2s'" },
	{ { "--trigger", "gpu idle < 2s" }, "expected 'gpu idle > TIME', or of one GPU" },
	{ { "--trigger", "gpu idle > soon" }, "expected a time like 2s or 500ms behind '>'" },
	{ { "--trigger", "gpu idle > 0" }, "expected a time like 2s" },
	{ { "--trigger", "gpu 5000 idle > 2s" }, "expected 'gpu idle > TIME'" },
	{ { "--trigger", "gpus" }, "expected 'gpu idle > TIME'" },
	{ { "--user", "me", "-a" }, "--user is for a command" },
	{ { "--all-users", "-p", "1" }, "--all-users is for" },
	{ { "--cuda", "-p", "1" }, "--cuda is for a command" },
	{ { "--cuda", "--user", "nobody", "--", "true" },
	  "--cuda is not for the command of --user" },
	{ { "--cupti", "/x.so", "--", "true" }, "--cupti is for --cuda" },
	{ { "--phases-from-output", "-a" }, "--phases-from-output is for a command" },
	{ { "--phase-pattern", "x", "-a" }, "--phase-pattern is for a command or a --log" },
	{ { "--phase-pattern", "(", "true" }, "no POSIX extended regular expression" },
	{ { "--phase-pattern", "", "true" }, "a pattern is empty" },
	{ { "--nonsense", "true" }, "unknown option '--nonsense'" },
};

/* argv of the words, which are copied: options are parsed in place. */
struct words {
	char text[ARGC_MAX + 1][64];
	char *argv[ARGC_MAX + 2];
	int argc;
};

static void set_words(struct words *w, const char *const args[ARGC_MAX])
{
	(void)snprintf(w->text[0], sizeof(w->text[0]), "record");
	w->argc = 1;
	for (; w->argc <= ARGC_MAX && args[w->argc - 1]; w->argc++)
		(void)snprintf(w->text[w->argc], sizeof(w->text[0]), "%s", args[w->argc - 1]);
	for (int i = 0; i < w->argc; i++)
		w->argv[i] = w->text[i];
	w->argv[w->argc] = NULL;
}

static void test_errors(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(errors); i++) {
		_cleanup_(td_record_args_done) struct td_record_args a = { 0 };
		struct td_err err = { "" };
		struct words w;

		set_words(&w, errors[i].args);
		TD_CASE(errors[i].args[0] ? errors[i].args[0] : "nothing");
		TD_CHECK_INT(td_record_args_parse(w.argc, w.argv, &a, &err), -EINVAL);
		TD_CHECK(strstr(err.msg, errors[i].error) != NULL);
	}
}

static void parse(struct words *w, struct td_record_args *a, const char *const args[ARGC_MAX])
{
	struct td_err err = { "" };

	set_words(w, args);
	TD_CHECK_INT(td_record_args_parse(w->argc, w->argv, a, &err), 0);
	TD_CHECK_STR(err.msg, "");
}

static void test_defaults(void)
{
	_cleanup_(td_record_args_done) struct td_record_args a = { 0 };
	struct words w;

	TD_CASE("defaults");
	parse(&w, &a, (const char *const[ARGC_MAX]){ "true" });
	TD_CHECK_STR(a.output, "run.db");
	TD_CHECK_INT(a.sets, td_sets_default());
	TD_CHECK_INT(a.rate_hz, 10);
	TD_CHECK_INT(a.done_fd, -1);
	TD_CHECK(!a.all && !a.force && !a.no_import && !a.quiet && !a.cpu && !a.gpu);
	TD_CHECK_INT(a.duration_ns + a.max_size_bytes + a.flight_ns, 0);
	TD_CHECK_STR(a.command[0], "true");
	TD_CHECK(!a.command[1]);
}

/* Whatever stands behind the first word that is no option is the command's. */
static void test_command(void)
{
	_cleanup_(td_record_args_done) struct td_record_args a = { 0 }, b = { 0 };
	struct words w, v;

	TD_CASE("command");
	parse(&w, &a, (const char *const[ARGC_MAX]){ "-q", "ls", "-a", "--", "--help" });
	TD_CHECK(a.quiet && !a.all && !a.help);
	TD_CHECK_STR(a.command[0], "ls");
	TD_CHECK_STR(a.command[1], "-a");
	TD_CHECK_STR(a.command[2], "--");
	TD_CHECK_STR(a.command[3], "--help");
	parse(&v, &b, (const char *const[ARGC_MAX]){ "-a", "--", "-x" });
	TD_CHECK(b.all);
	TD_CHECK_STR(b.command[0], "-x");
}

static void test_values(void)
{
	_cleanup_(td_record_args_done) struct td_record_args a = { 0 }, b = { 0 };
	struct words w, v;

	TD_CASE("values");
	parse(&w, &a,
	      (const char *const[ARGC_MAX]){ "-p", "17", "-p4", "--duration=1.5", "--delay=2m",
					     "--flight-recorder", "300ms" });
	TD_CHECK_INT(a.pids.n, 2);
	TD_CHECK_INT(td_record_pid(&a, 0), 17);
	TD_CHECK_INT(td_record_pid(&a, 1), 4);
	TD_CHECK_INT(a.duration_ns, 3 * SECOND / 2);
	TD_CHECK_INT(a.delay_ns, 120 * SECOND);
	TD_CHECK_INT(a.flight_ns, 3 * SECOND / 10);
	TD_CHECK(!a.command);
	parse(&v, &b,
	      (const char *const[ARGC_MAX]){ "-e", "file_io,sched", "--max-size", "2mb",
					     "--buffer=8MiB", "--done-fd=7",
					     "--comm=a-name-of-15-ch" });
	TD_CHECK_INT(b.sets, 1 << TD_SET_FILE_IO | 1 << TD_SET_SCHED);
	TD_CHECK_INT(b.max_size_bytes, 2000000);
	TD_CHECK_INT(b.buffer_bytes, 8388608);
	TD_CHECK_INT(b.done_fd, 7);
	TD_CHECK_STR(b.comm, "a-name-of-15-ch");
}

/* A pattern is for what the command prints, unless there is a log that it can be for. */
static void test_phases(void)
{
	static const struct {
		const char *args[ARGC_MAX];
		size_t patterns, logs;
		bool from_output;
	} lines[] = {
		{ { "true" }, 0, 0, false },
		{ { "--phases-from-output", "true" }, 0, 0, true },
		{ { "--phase-pattern=a", "--phase-pattern=b", "true" }, 2, 0, true },
		{ { "--phase-pattern=a", "--log=c", "--log=d", "true" }, 1, 2, false },
		{ { "--phase-pattern=a", "--log=c", "--phases-from-output", "true" }, 1, 1, true },
		{ { "--phase-pattern=a", "--log=c", "-a" }, 1, 1, false },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(lines); i++) {
		_cleanup_(td_record_args_done) struct td_record_args a = { 0 };
		struct words w;

		TD_CASE("phases");
		parse(&w, &a, lines[i].args);
		TD_CHECK_INT(a.phase_patterns.n, lines[i].patterns);
		TD_CHECK_INT(a.logs.n, lines[i].logs);
		TD_CHECK_INT(a.phases_from_output, lines[i].from_output);
		TD_CHECK_INT(a.stdout_fd, 1);
		TD_CHECK_INT(a.stderr_fd, 2);
	}
}

static void test_triggers(void)
{
	_cleanup_(td_record_args_done) struct td_record_args a = { 0 }, b = { 0 };
	struct words w, v;

	TD_CASE("triggers");
	parse(&w, &a,
	      (const char *const[ARGC_MAX]){ "--flight-recorder=9s", "--trigger=SIGUSR2",
					     "--trigger", "gpu 3 idle>1500ms", "true" });
	TD_CHECK_INT(a.trigger.signal, SIGUSR2);
	TD_CHECK_INT(a.trigger.gpu_idle.longer_than_ns, 3 * SECOND / 2);
	TD_CHECK_INT(a.trigger.gpu_idle.gpu, 3);
	TD_CHECK(a.gpu);
	parse(&v, &b,
	      (const char *const[ARGC_MAX]){ "--flight-recorder=9s", "--trigger", "gpu idle > 2",
					     "true" });
	TD_CHECK_INT(b.trigger.signal, 0);
	TD_CHECK_INT(b.trigger.gpu_idle.longer_than_ns, 2 * SECOND);
	TD_CHECK_INT(b.trigger.gpu_idle.gpu, TD_GPU_IDLE_ANY);
}

int main(void)
{
	test_errors();
	test_triggers();
	test_phases();
	test_defaults();
	test_command();
	test_values();
	return td_check_result();
}
