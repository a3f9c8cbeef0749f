/* SPDX-License-Identifier: MIT */
/*
 * tracedb-record records into FILE.spool; when that is complete, or its recorder is gone, it is imported here. A
 * socket tells what happens (enum td_record_news), and ends with the recorder.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/record_logs.h"
#include "cli/record_output.h"
#include "importers/core/import.h"
#include "importers/core/phase_pattern.h"
#include "importers/job/job.h"
#include "collector/record_program.h"
#include "collector/signals.h"
#include "collector/options.h"
#include "collector/privileges.h"
#include "collector/spool/old.h"
#include "common/array.h"
#include "common/caldate.h"
#include "common/lock.h"
#include "common/passfd.h"
#include "common/strbuf.h"
#include "common/stream.h"

#define RECORDER_ARGS (1 + TD_RECORD_OWN_WORDS) /* in front of those that were given */

struct recording {
	const struct td_record_args *args;
	char *spool; /* path; owned */
	int spool_fd; /* keeps it locked, first by the recorder; -1: it was not made */
	struct {
		char *path; /* owned */
		bool is_known; /* its layout */
	} * prints; /* what the programs of --bt print; owned */
	struct td_import_layouts layouts;
	struct td_record_output output;
	/* What is imported: the spool, what bpftrace printed, what was found in the output, and the logs. */
	const char **paths; /* owned, the array only */
	size_t npaths;
	int64_t begin_ns; /* CLOCK_REALTIME */
	pid_t pid; /* of the recorder; 0: it has ended */
	int status; /* as waitpid() gives it */
	int done_fd, signal_fd;
	pid_t *imports; /* processes that import parts of a flight recorder; owned */
	size_t nimports, imports_cap;
	sigset_t signals; /* those that are watched */
	sigset_t mask; /* before that */
};

static void recording_done(struct recording *rec)
{
	td_closep(&rec->done_fd);
	td_closep(&rec->spool_fd);
	td_closep(&rec->signal_fd);
	for (size_t i = 0; rec->prints && i < rec->args->bt.n; i++)
		free(rec->prints[i].path);
	free(rec->prints);
	free(rec->imports);
	free(rec->paths);
	td_import_layouts_done(&rec->layouts);
	td_record_output_done(&rec->output);
	free(rec->spool);
}

/* --- bpftrace programs --- */

/* What they print is imported by what their printf() calls say. Whether that is understood shows now, not when all is
 * recorded; but it may be a tool whose output is known by itself, and a program that only fills maps may be wanted
 * nevertheless. */
static int find_layouts(struct recording *rec, struct td_err *err)
{
	const struct td_string_list *bt = &rec->args->bt;

	rec->paths = calloc(bt->n + rec->args->logs.n + 2, sizeof(*rec->paths));
	rec->prints = calloc(bt->n + 1, sizeof(*rec->prints));
	if (!rec->paths || !rec->prints)
		return -ENOMEM;
	rec->paths[rec->npaths++] = rec->spool;
	for (size_t i = 0; i < bt->n; i++) {
		int r = td_import_layouts_add(&rec->layouts, bt->items[i], err);

		rec->prints[i].path = td_record_bt_output(rec->args, i);
		if (!rec->prints[i].path)
			return -ENOMEM;
		if (r < 0 && r != -EINVAL)
			return r;
		rec->prints[i].is_known = r == 0;
		if (r < 0)
			td_log_info("'%s' is imported if it is of a known format: %s",
				    rec->prints[i].path, err->msg);
	}
	return 0;
}

/* Does an importer know it for the output of a tool? */
static bool is_recognised(const char *path)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	const struct td_importer *importer = NULL;
	struct td_err err;
	const char *head;
	size_t len;

	return td_stream_open(path, &in, &err) == 0 && td_stream_peek(in, &head, &len) == 0 &&
	       td_sniff(head, len, &importer, &err) == 0 && importer;
}

/* Now that all is printed. */
static void add_prints(struct recording *rec)
{
	for (size_t i = 0; i < rec->args->bt.n; i++) {
		if (rec->prints[i].is_known || is_recognised(rec->prints[i].path))
			rec->paths[rec->npaths++] = rec->prints[i].path;
		else
			td_log_warning("what '%s' printed is left in '%s', not imported",
				       rec->args->bt.items[i], rec->prints[i].path);
	}
}

/* Adds those logs that there are. False: one is missing. */
static bool add_logs(const struct recording *rec, const char *database, bool quiet,
		     const char **paths, size_t *npaths)
{
	const struct td_string_list *logs = &rec->args->logs;
	size_t missing = 0;

	for (size_t i = 0; i < logs->n; i++) {
		if (td_record_log_is_there(logs->items[i], database, rec->begin_ns, quiet))
			paths[(*npaths)++] = logs->items[i];
		else
			missing++;
	}
	return missing == 0;
}

/* Of --phase-pattern: for the logs, and for what the command prints. */
static int find_patterns(struct recording *rec, struct td_err *err)
{
	const struct td_string_list *patterns = &rec->args->phase_patterns;
	int r = 0;

	for (size_t i = 0; i < patterns->n && r == 0; i++)
		r = td_import_phase_pattern_add(&rec->layouts, patterns->items[i], err);
	return r;
}

/* --- the recorder --- */

/* They are for the recorder, which passes them on to the command. */
static int watch_signals(struct recording *rec, struct td_err *err)
{
	td_signals_to_watch(rec->args->command != NULL, &rec->signals);
	(void)sigprocmask(SIG_BLOCK, &rec->signals, &rec->mask);
	rec->signal_fd = signalfd(-1, &rec->signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return rec->signal_fd < 0 ? td_err_errno(err, -errno, "cannot watch for signals") : 0;
}

/* Those that ask for the end are the import's; others wait until that is done. */
static void let_signals_end(const struct recording *rec)
{
	sigset_t let;

	(void)sigemptyset(&let);
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (td_signal_ends(sig) && sigismember(&rec->signals, sig) == 1 &&
		    sigismember(&rec->mask, sig) != 1)
			(void)sigaddset(&let, sig);
	(void)sigprocmask(SIG_UNBLOCK, &let, NULL);
	(void)signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is an error of write() then */
}

static int spawn(struct recording *rec, const char *program, char **argv)
{
	posix_spawnattr_t attr;
	int r = posix_spawnattr_init(&attr);

	if (r == 0)
		r = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	if (r == 0)
		r = posix_spawnattr_setsigmask(&attr, &rec->mask);
	if (r == 0)
		r = posix_spawn(&rec->pid, program, NULL, &attr, argv, environ);
	(void)posix_spawnattr_destroy(&attr);
	return -r;
}

/* argv: what was given, without the command's name. */
static int start(struct recording *rec, const char *program, int argc, char **argv,
		 struct td_err *err)
{
	_cleanup_free_ char **args = calloc((size_t)argc + RECORDER_ARGS + 1, sizeof(*args));
	char number[16], stdout_fd[16], stderr_fd[16];
	int fds[2], r;

	if (!args)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return td_err_errno(err, -errno, "cannot make a socket");
	rec->done_fd = fds[0];
	(void)fcntl(fds[1], F_SETFD, 0);
	(void)snprintf(number, sizeof(number), "%d", fds[1]);
	args[0] = (char *)program;
	args[1] = (char[]){ "--done-fd" };
	args[2] = number;
	args[3] = (char[]){ "--expanded" };
	args[4] = (char *)rec->args->output;
	(void)snprintf(stdout_fd, sizeof(stdout_fd), "%d", rec->output.tee.stdout_fd);
	(void)snprintf(stderr_fd, sizeof(stderr_fd), "%d", rec->output.tee.stderr_fd);
	args[5] = (char[]){ "--stdout-fd" };
	args[6] = stdout_fd;
	args[7] = (char[]){ "--stderr-fd" };
	args[8] = stderr_fd;
	memcpy(args + RECORDER_ARGS, argv, (size_t)argc * sizeof(*args));
	r = spawn(rec, program, args);
	/* or its status would be lost; the recorder has inherited what it was */
	(void)signal(SIGCHLD, SIG_DFL);
	close(fds[1]);
	td_tee_handed_over(&rec->output.tee);
	return r < 0 ? td_err_errno(err, r, "cannot execute '%s'", program) : 0;
}

/* What the terminal sends it sends to the whole group. */
static void pass_on(struct recording *rec)
{
	struct signalfd_siginfo info;

	while (read(rec->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			td_record_output_resize(&rec->output, info.ssi_code == SI_KERNEL);
		if (info.ssi_code != SI_KERNEL && rec->pid)
			(void)kill(rec->pid, (int)info.ssi_signo);
	}
}

static void wait_for(struct recording *rec, int fd)
{
	struct pollfd fds[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = rec->signal_fd, .events = POLLIN },
	};

	do {
		if (poll(fds, TD_ARRAY_SIZE(fds),
			 td_record_output_wait_ms(&rec->output, rec->pid)) > 0 &&
		    fds[1].revents)
			pass_on(rec);
	} while (!fds[0].revents);
}

static void wait_until_ended(struct recording *rec)
{
	_cleanup_close_ int fd = (int)syscall(SYS_pidfd_open, rec->pid, 0);

	if (fd >= 0)
		wait_for(rec, fd);
	while (waitpid(rec->pid, &rec->status, 0) < 0 && errno == EINTR)
		;
	rec->pid = 0;
}

static int exit_status(const struct recording *rec)
{
	return WIFSIGNALED(rec->status) ? 128 + WTERMSIG(rec->status) : WEXITSTATUS(rec->status);
}

/* --- the import --- */

/* What sudo was asked for is its caller's, not root's. As that user where the folder allows it, so that it works on a
 * network file system, too; else it is handed over afterwards. */
static bool become_invoker(const char *output, struct td_user *user, struct td_err *err)
{
	const char *slash = strrchr(output, '/');
	_cleanup_free_ char *folder =
		slash ? strndup(output, (size_t)(slash - output) + 1) : strdup(".");

	if (td_user_invoking(user, err) < 0 || geteuid() != 0 || user->uid == 0 || !folder)
		return true;
	return td_user_can_write(user, folder) && td_user_become(user) == 0;
}

static int import(struct td_import_job *job, struct td_err *err)
{
	_cleanup_(td_user_done) struct td_user user = { 0 };
	bool is_theirs = become_invoker(job->output, &user, err);
	int r;

	(void)umask(077); /* it says what somebody did */
	r = td_import_run(job, err);

	if (r == 0 && !is_theirs && lchown(job->output, user.uid, user.gid) < 0)
		td_log_warning("'%s' stays root's: %s", job->output, strerror(errno));
	return r;
}

static void say_import(const struct recording *rec)
{
	const struct td_string_list *logs = &rec->args->logs;
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	if (rec->output.path)
		td_strbuf_addf(&b, " %s", rec->output.path);
	for (size_t i = 0; i < logs->n; i++)
		td_strbuf_addf(&b, " %s", logs->items[i]);
	td_log_info("'tracedb import %s%s' makes a database of it", rec->spool, td_strbuf_str(&b));
}

static int import_spool(struct recording *rec)
{
	struct td_import_job job = {
		.output = rec->args->output,
		.if_exists = rec->args->force ? TD_EXISTS_REPLACE : TD_EXISTS_REFUSE,
		.quiet = rec->args->quiet,
		.options = { .layouts = &rec->layouts, .clocks = TD_CLOCK_OPTIONS_NONE },
	};
	struct td_err err = { "" };
	bool has_logs;
	int r;

	if (rec->spool_fd < 0 || td_lock_open_file(rec->spool_fd, rec->spool, false) < 0) {
		td_record_output_remove(&rec->output);
		return TD_EXIT_OK; /* the recorder has said why */
	}
	if (rec->args->no_import) {
		if (!rec->args->quiet)
			say_import(rec);
		return TD_EXIT_OK;
	}
	let_signals_end(rec);
	add_prints(rec);
	if (td_record_output_collect(&rec->output, rec->args))
		rec->paths[rec->npaths++] = rec->output.path;
	has_logs = add_logs(rec, rec->args->output, false, rec->paths, &rec->npaths);
	job.paths = rec->paths;
	job.npaths = rec->npaths;
	r = import(&job, &err);
	if (r < 0) {
		td_log_err(r, &err);
		td_log_warning("'%s' is kept: 'tracedb import %s%s%s' tries again", rec->spool,
			       rec->spool, rec->output.path ? " " : "",
			       rec->output.path ? rec->output.path : "");
		return TD_EXIT_INPUT;
	}
	td_import_say(&job);
	if (unlink(rec->spool) < 0)
		td_log_warning("cannot remove '%s': %s", rec->spool, strerror(errno));
	td_record_output_remove(&rec->output);
	return job.cut || job.failed || !has_logs ? TD_EXIT_PARTLY : TD_EXIT_OK;
}

/* --- parts of a flight recorder --- */

/* fd keeps the spool locked. */
static int import_part(const struct recording *rec, int fd)
{
	_cleanup_free_ const char **paths = calloc(rec->args->logs.n + 2, sizeof(*paths));
	char link[64], spool[PATH_MAX], output[PATH_MAX];
	struct td_import_job job = {
		.paths = paths,
		.npaths = 1,
		.output = output,
		.quiet = rec->args->quiet,
		.options = { .clocks = TD_CLOCK_OPTIONS_NONE },
	};
	struct td_err err = { "" };
	ssize_t n;
	int r;

	if (!paths)
		return td_log_error(TD_EXIT_INPUT, "out of memory");
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, spool, sizeof(spool) - 1);
	if (n < 0)
		return td_log_error(TD_EXIT_INPUT, "cannot find a part: %s", strerror(errno));
	spool[n] = '\0';
	(void)snprintf(output, sizeof(output), "%.*s", (int)(n - (ssize_t)strlen(".spool")), spool);
	let_signals_end(rec);
	paths[0] = spool;
	if (rec->output.path && td_tee_has_lines(&rec->output.tee))
		paths[job.npaths++] = rec->output.path;
	/* what is missing now may be there in the end */
	(void)add_logs(rec, output, true, paths, &job.npaths);
	r = td_lock_open_file(fd, spool, false);
	if (r == 0)
		r = import(&job, &err);
	if (r < 0) {
		td_log_err(r, &err);
		return TD_EXIT_INPUT;
	}
	td_import_say(&job);
	return unlink(spool) == 0 ? TD_EXIT_OK : TD_EXIT_PARTLY;
}

/* By a process of its own: the recording goes on, and signals are still to be passed on. */
static void start_import_of_part(struct recording *rec, int fd)
{
	int r = td_grow(&rec->imports, &rec->imports_cap, rec->nimports);
	pid_t pid = r < 0 ? -1 : fork();

	if (pid == 0)
		_exit(import_part(rec, fd));
	if (pid > 0)
		rec->imports[rec->nimports++] = pid;
	else
		td_log_warning("a part is not imported: %s", strerror(r < 0 ? -r : errno));
}

/* The worst of their exit statuses. */
static int wait_for_imports(const struct recording *rec)
{
	int worst = TD_EXIT_OK;

	for (size_t i = 0; i < rec->nimports; i++) {
		int status = 0;

		while (waitpid(rec->imports[i], &status, 0) < 0 && errno == EINTR)
			;
		if (status)
			worst = TD_MAX(worst,
				       WIFEXITED(status) ? WEXITSTATUS(status) : TD_EXIT_INPUT);
	}
	return worst;
}

/* --- the news --- */

static void on_news(struct recording *rec, char news, int fd)
{
	if (news == TD_RECORD_BEGINS) {
		rec->spool_fd = fd;
		return;
	}
	if (news == TD_RECORD_PART && fd >= 0 && !rec->args->no_import)
		start_import_of_part(rec, fd);
	td_closep(&fd);
}

/* Until the recording is complete, or its recorder has ended without that. */
static void wait_until_done(struct recording *rec)
{
	char news = TD_RECORD_BEGINS;

	while (news != TD_RECORD_DONE) {
		int fd = -1;

		wait_for(rec, rec->done_fd);
		if (td_passfd_receive(rec->done_fd, &news, &fd) <= 0) {
			wait_until_ended(rec);
			return;
		}
		on_news(rec, news, fd);
	}
}

/* --- the whole --- */

static int begin(struct recording *rec, int argc, char **argv, struct td_err *err)
{
	char program[PATH_MAX];
	struct timespec now;
	int r;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	rec->begin_ns = now.tv_sec * TD_SEC_NS + now.tv_nsec;
	if (asprintf(&rec->spool, "%s.spool", rec->args->output) < 0) {
		rec->spool = NULL;
		return -ENOMEM;
	}
	r = td_record_program(program, sizeof(program), err);
	if (r == 0)
		r = td_spool_old_check(rec->spool, rec->args->force, err);
	if (r == 0)
		r = find_layouts(rec, err);
	if (r == 0)
		r = find_patterns(rec, err);
	if (r == 0)
		r = watch_signals(rec, err);
	if (r == 0)
		r = td_record_output_start(&rec->output, rec->args, &rec->layouts, err);
	if (r == 0)
		r = start(rec, program, argc, argv, err);
	if (r < 0)
		td_record_output_remove(&rec->output);
	return r;
}

static int record(const struct td_record_args *args, int argc, char **argv)
{
	_cleanup_(recording_done) struct recording rec = {
		.args = args,
		.output.tee = TD_TEE_INIT,
		.spool_fd = -1,
		.done_fd = -1,
		.signal_fd = -1,
	};
	struct td_err err = { "" };
	int imported, parts, r = begin(&rec, argc, argv, &err);

	if (r < 0) {
		td_log_err(r, &err);
		return TD_EXIT_INPUT;
	}
	wait_until_done(&rec);
	if (!rec.pid && WIFSIGNALED(rec.status))
		td_log_warning("tracedb-record was killed by signal %d", WTERMSIG(rec.status));
	imported = import_spool(&rec);
	parts = wait_for_imports(&rec);
	(void)sigprocmask(SIG_BLOCK, &rec.signals, NULL);
	if (rec.pid)
		wait_until_ended(&rec);
	td_record_output_drain(&rec.output, rec.signal_fd);
	return exit_status(&rec) ? exit_status(&rec) : TD_MAX(imported, parts);
}

static int run(const struct td_command *self, int argc, char **argv)
{
	_cleanup_(td_record_args_done) struct td_record_args args = { 0 };
	struct td_err err = { "" };

	if (td_record_args_parse(argc, argv, &args, &err) < 0)
		return td_usage_error(self, &err);
	if (args.help) {
		printf("Usage: tracedb record [OPTION]... " TD_RECORD_USAGE "\n%s\n\n", self->help);
		td_record_args_print(stdout);
		return TD_EXIT_OK;
	}
	return record(&args, argc - 1, argv + 1);
}

const struct td_command td_cmd_record = {
	.name = "record",
	.args = TD_RECORD_USAGE,
	.help = "record what programs do, by eBPF, and make a database of it",
	.runs_programs = true,
	.run = run,
};
