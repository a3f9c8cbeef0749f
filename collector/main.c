/* SPDX-License-Identifier: MIT */
/*
 * tracedb-record: records by eBPF what 'tracedb record' asks for, into FILE.spool. The only program
 * of tracedb that needs privileges, and the only one that links libbpf.
 */
#include <fcntl.h>

#include "collector/check.h"
#include "collector/session.h"
#include "common/log.h"
#include "common/stdfds.h"

enum { EXIT_USAGE = 2, EXIT_FAILED = 3 }; /* as those of tracedb */

static int end_output(void)
{
	int r = td_flush(stdout);

	return r < 0 ? td_log_error(EXIT_FAILED, "cannot write to standard output: %s",
				    strerror(-r))
		     : 0;
}

static int check(const char *dir)
{
	const struct td_check_options options = { .dir = dir };
	_cleanup_(td_strbuf_done) struct td_strbuf rows = TD_STRBUF_INIT;
	int r = td_check_machine(&options, &rows);

	if (r == 0)
		r = td_check_sets(&rows);
	if (r < 0)
		return td_log_error(EXIT_FAILED, "out of memory");
	fputs(td_strbuf_str(&rows), stdout);
	return end_output();
}

static int run(const struct td_record_args *args, char **argv)
{
	_cleanup_(td_session_done) struct td_session s;
	enum td_wire_why why;
	struct td_err err = { "" }, end_err = { "" };
	int r = td_session_open(&s, args, argv, &err), e;

	if (r < 0) {
		td_log_err(r, &err);
		return r == -ECHILD ? td_exit_status(s.child_status) : EXIT_FAILED;
	}
	r = td_session_run(&s, &why, &err);
	if (r < 0)
		td_log_err(r, &err);
	e = td_session_end(&s, why, &end_err);
	if (e < 0)
		td_log_err(e, &end_err);
	e = td_session_wait(&s);
	if (e == 0 && (r < 0 || (s.spool_error && s.spool_error != -EFBIG)))
		e = EXIT_FAILED;
	return e;
}

static int usage_error(int r, const struct td_err *err)
{
	td_log_err(r, err);
	fprintf(stderr, "Try 'tracedb record --help'.\n");
	return EXIT_USAGE;
}

/* Those that tracedb has left open are nobody else's. */
static int take_descriptors(const struct td_record_args *a, struct td_err *err)
{
	const int fds[] = { a->done_fd, a->stdout_fd, a->stderr_fd };

	if (a->done_fd == a->stdout_fd || a->done_fd == a->stderr_fd)
		return td_err_set(err, -EINVAL, "--done-fd is another descriptor's number, too");
	for (size_t i = 0; i < TD_ARRAY_SIZE(fds); i++)
		if (fds[i] > STDERR_FILENO && fcntl(fds[i], F_SETFD, FD_CLOEXEC) < 0)
			return td_err_errno(err, -errno, "descriptor %d", fds[i]);
	return 0;
}

int main(int argc, char **argv)
{
	static char name[] = "tracedb record";
	_cleanup_(td_record_args_done) struct td_record_args args = { 0 };
	struct td_err err = { "" };
	int r;

	r = td_stdfds_take();
	if (r < 0)
		return td_log_error(EXIT_FAILED, "cannot open /dev/null: %s", strerror(-r));
	if (argc > 1 && strcmp(argv[1], "--check") == 0)
		return check(argc > 2 ? argv[2] : NULL);
	r = td_record_args_parse(argc, argv, &args, &err);
	if (r < 0)
		return usage_error(r, &err);
	if (args.help) {
		printf("Usage: tracedb-record [OPTION]... " TD_RECORD_USAGE "\n\n");
		td_record_args_print(stdout);
		return end_output();
	}
	if (args.done_fd >= 0) {
		r = take_descriptors(&args, &err);
		if (r < 0)
			return usage_error(r, &err);
		argv += TD_RECORD_OWN_WORDS; /* the recording says what was given */
		argv[0] = name;
	}
	return run(&args, argv);
}
