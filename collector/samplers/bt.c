/* SPDX-License-Identifier: MIT */
/*
 *     tracedb-record --+-- guard ---- bpftrace -o OUT FILE.bt
 *                      |      |           |
 *      control pipe ---+----->|           |       closed: end it
 *      status pipe  <--+------+           |       its pid, then what it exited with
 *      errors pipe  <--+------------------+       its stderr
 *
 * When is everything attached? bpftrace says so from 0.24 on ('Attached N probes'); before, it begins to wait for
 * events then (epoll), and what it prints comes after that, but for 'Attaching N probes...'.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "collector/samplers/bt.h"
#include "common/scan.h"

#define ATTACH_MS 60000
#define END_MS 20000 /* for END probes and large maps; then it is killed */
#define BEAT_MS 5

struct td_bt {
	char *out_path, *script;
	unsigned attach_ms;
	pid_t guard;
	pid_t pid; /* of bpftrace; 0: not known yet */
	int control, status, errors; /* our ends of the pipes; -1: closed */
	bool ended;
	int result; /* wait status, when ended */
	uint64_t lost; /* as it said on stderr, where newer ones do */
	char line[512]; /* of stderr, that is being read */
	size_t len;
	char why[512]; /* the last error on stderr */
	bool says_attached;
};

/* --- the guard: a process of its own --- */

static void end_program(pid_t pid, int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	(void)kill(pid, SIGINT);
	if (poll(&p, 1, END_MS) == 0)
		(void)kill(pid, SIGKILL);
}

__attribute__((noreturn)) static void execute(const char *const argv[], int errors)
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)dup2(errors, STDERR_FILENO);
	(void)dup2(errors, STDOUT_FILENO); /* it prints to -o */
	(void)execvp(argv[0], (char *const *)argv);
	dprintf(errors, "ERROR: cannot execute '%s': %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Runs the program until it ends or the control pipe is closed. */
__attribute__((noreturn)) static void watch(const char *const argv[], int control, int status,
					    int errors)
{
	int pidfd, result = 0;
	pid_t pid;

	(void)setsid(); /* Ctrl-C is for tracedb-record */
	(void)signal(SIGPIPE, SIG_IGN);
	pid = fork();
	if (pid == 0)
		execute(argv, errors);
	pidfd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	if (pidfd >= 0 && write(status, &pid, sizeof(pid)) == sizeof(pid)) {
		struct pollfd p[2] = { { .fd = control, .events = POLLIN },
				       { .fd = pidfd, .events = POLLIN } };

		while (poll(p, 2, -1) < 0 && errno == EINTR)
			;
		if (!p[1].revents)
			end_program(pid, pidfd);
	} else if (pid > 0) {
		(void)kill(pid, SIGKILL);
	}
	if (pid > 0)
		(void)waitpid(pid, &result, 0);
	(void)!write(status, &result, sizeof(result));
	_exit(0);
}

/* In the guard: nothing of tracedb-record's may stay open there, its own ends of the pipes least of all. */
__attribute__((noreturn)) static void become_guard(const char *const argv[], int control,
						   int status, int errors)
{
	int keep[3] = { control, status, errors };

	for (int i = 0; i < 3; i++)
		keep[i] = fcntl(keep[i], F_DUPFD_CLOEXEC, 64);
	for (int i = 0; i < 3; i++)
		if (dup3(keep[i], 3 + i, O_CLOEXEC) < 0)
			_exit(127);
	(void)close_range(6, ~0U, 0);
	watch(argv, 3, 4, 5);
}

/* --- starting --- */

static int make_output(const struct td_bt_options *o, struct td_err *err)
{
	_cleanup_close_ int fd = open(o->out_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int r;

	if (fd >= 0 && (geteuid() != 0 || fchown(fd, o->uid, o->gid) == 0))
		return 0;
	r = -errno;
	if (fd >= 0)
		(void)unlink(o->out_path);
	return td_err_errno(err, r, "cannot write '%s'", o->out_path);
}

static int spawn(struct td_bt *b, const struct td_bt_options *o, struct td_err *err)
{
	const char *argv[] = { o->program ? o->program : "bpftrace", "-o", o->out_path, o->script,
			       NULL };
	int control[2], status[2] = { -1, -1 }, errors[2] = { -1, -1 };
	int r = pipe2(control, O_CLOEXEC);

	if (r == 0) {
		b->control = control[1];
		r = pipe2(status, O_CLOEXEC | O_NONBLOCK);
	}
	if (r == 0) {
		b->status = status[0];
		r = pipe2(errors, O_CLOEXEC);
	}
	if (r == 0) {
		b->errors = errors[0];
		(void)fcntl(b->errors, F_SETFL, O_NONBLOCK);
		b->guard = fork();
	}
	if (r < 0 || b->guard < 0)
		return td_err_errno(err, -errno, "cannot run '%s'", argv[0]);
	if (b->guard == 0)
		become_guard(argv, control[0], status[1], errors[1]);
	close(control[0]);
	close(status[1]);
	close(errors[1]);
	return 0;
}

int td_bt_start(const struct td_bt_options *o, struct td_bt **ret, struct td_err *err)
{
	_cleanup_(td_bt_freep) struct td_bt *b = calloc(1, sizeof(*b));
	int r;

	if (!b)
		return -ENOMEM;
	b->control = b->status = b->errors = -1;
	b->attach_ms = o->attach_ms ? o->attach_ms : ATTACH_MS;
	b->out_path = strdup(o->out_path);
	b->script = strdup(o->script);
	if (!b->out_path || !b->script)
		return -ENOMEM;
	if (access(o->script, R_OK) < 0)
		return td_err_errno(err, -errno, "cannot read '%s'", o->script);
	if (geteuid() != 0 && !o->program)
		return td_err_set(err, -EPERM, "'%s': bpftrace runs as root only", o->script);
	r = make_output(o, err);
	if (r < 0)
		return r;
	r = spawn(b, o, err);
	if (r < 0) {
		(void)unlink(o->out_path);
		return r;
	}
	*ret = TAKE_PTR(b);
	return 0;
}

/* --- what it says --- */

/* "Lost 88 events", after 'WARNING: ' in newer ones. */
static void take_line(struct td_bt *b, struct td_str line)
{
	const char *lost = td_str_find(line, "Lost ");
	uint64_t n;

	b->says_attached |= td_str_starts(line, "Attached ");
	if (lost) {
		struct td_scan t = td_scan_of(lost, (size_t)(line.p + line.len - lost));

		if (td_scan_literal(&t, "Lost ") && td_scan_u64(&t, &n) &&
		    td_scan_literal(&t, " events"))
			b->lost += n;
	}
	/* that is said whenever the limit cannot be raised, and matters to old kernels only */
	if ((td_str_find(line, "ERROR") || td_str_find(line, "FATAL")) &&
	    !td_str_find(line, "RLIMIT_MEMLOCK"))
		(void)snprintf(b->why, sizeof(b->why), "%.*s", (int)line.len, line.p);
}

static void read_errors(struct td_bt *b)
{
	char buf[1024];
	ssize_t n;

	while (b->errors >= 0 && (n = read(b->errors, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (buf[i] == '\n') {
				take_line(b, (struct td_str){ b->line, b->len });
				b->len = 0;
			} else if (b->len < sizeof(b->line)) {
				b->line[b->len++] = buf[i];
			}
		}
	}
}

static void read_status(struct td_bt *b)
{
	int v;

	while (!b->ended && b->status >= 0) {
		ssize_t n = read(b->status, &v, sizeof(v));

		if (n == (ssize_t)sizeof(v) && !b->pid) {
			b->pid = (pid_t)v;
		} else if (n == (ssize_t)sizeof(v)) {
			b->result = v;
			b->ended = true;
		} else if (n == 0) { /* the guard was killed */
			b->result = SIGKILL;
			b->ended = true;
		} else {
			return;
		}
	}
}

/* Why it failed; 0 if it did not. A program that was ended by SIGINT exits with 0. */
static int failure(struct td_bt *b, struct td_err *err)
{
	if (WIFEXITED(b->result) && WEXITSTATUS(b->result) == 0)
		return 0;
	return td_err_set(err, -EINVAL, "bpftrace '%s': %s", b->script,
			  b->why[0] ? b->why : "it failed");
}

int td_bt_poll(struct td_bt *b, struct td_err *err)
{
	read_status(b);
	read_errors(b);
	if (!b->ended)
		return 0;
	(void)failure(b, err);
	return 1;
}

/* --- is it attached? --- */

/* Is the process waiting for events? "232 0x7 0x558a56125290 ...": what it is in, or "running". */
static bool waits_for_events(pid_t pid)
{
	static const uint64_t waits[] = {
#ifdef SYS_epoll_wait
		SYS_epoll_wait,
#endif
		SYS_epoll_pwait,
		SYS_epoll_pwait2,
	};
	char path[64], text[32] = "";
	_cleanup_close_ int fd = -1;
	struct td_scan t;
	uint64_t number;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	t = td_scan_of(text, n > 0 ? (size_t)n : 0);
	if (!td_scan_u64(&t, &number))
		return false;
	for (size_t i = 0; i < TD_ARRAY_SIZE(waits); i++)
		if (number == waits[i])
			return true;
	return false;
}

/* Has it printed more than what it begins with? */
static bool has_printed(const char *path)
{
	char text[256];
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	const char *newline = n > 0 ? memchr(text, '\n', (size_t)n) : NULL;

	if (n <= 0)
		return false;
	return !td_str_starts((struct td_str){ text, (size_t)n }, "Attaching ") ||
	       (newline && newline + 1 < text + n);
}

int td_bt_wait_attached(struct td_bt *b, struct td_err *err)
{
	for (unsigned ms = 0; ms < b->attach_ms; ms += BEAT_MS) {
		struct timespec beat = { .tv_nsec = BEAT_MS * 1000000 };

		if (td_bt_poll(b, err) == 1) {
			/* a program may be done at once: an exit() in BEGIN */
			int r = failure(b, err);

			return r < 0 ? r
				     : td_err_set(
					       err, -EINVAL,
					       "bpftrace '%s' ended before anything was recorded",
					       b->script);
		}
		if (b->says_attached || has_printed(b->out_path) ||
		    (b->pid && waits_for_events(b->pid)))
			return 0;
		(void)nanosleep(&beat, NULL);
	}
	return td_err_set(err, -ETIMEDOUT, "bpftrace '%s' has not attached its probes in %u s%s%s",
			  b->script, b->attach_ms / 1000, b->why[0] ? ": " : "", b->why);
}

/* --- ending --- */

/* Where it said on stderr that it lost events, the output says it as older ones do, for the import. */
static int append_loss(const struct td_bt *b, struct td_err *err)
{
	_cleanup_close_ int fd = -1;

	if (!b->lost)
		return 0;
	fd = open(b->out_path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0 || dprintf(fd, "Lost %llu events\n", (unsigned long long)b->lost) < 0)
		return td_err_errno(err, -errno, "cannot write '%s'", b->out_path);
	return 0;
}

/* Closing the control pipe is the sign. The guard waits as long as need be, and no longer. */
static void end(struct td_bt *b)
{
	td_closep(&b->control);
	b->control = -1;
	if (b->guard > 0) {
		/* stderr is read meanwhile: it could fill the pipe */
		while (!b->ended && waitpid(b->guard, NULL, WNOHANG) == 0) {
			struct pollfd p = { .fd = b->status, .events = POLLIN };

			read_errors(b);
			read_status(b);
			if (!b->ended)
				(void)poll(&p, 1, BEAT_MS);
		}
		read_status(b);
		(void)waitpid(b->guard, NULL, 0);
		b->guard = 0;
	}
	read_errors(b);
}

int td_bt_finish(struct td_bt *b, struct td_err *err)
{
	int r;

	end(b);
	r = append_loss(b, err);
	return r < 0 ? r : failure(b, err);
}

void td_bt_free(struct td_bt *b)
{
	if (!b)
		return;
	end(b);
	td_closep(&b->status);
	td_closep(&b->errors);
	free(b->out_path);
	free(b->script);
	free(b);
}
