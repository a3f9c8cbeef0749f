/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#include "collector/tee/relay.h"
#include "common/caldate.h"
#include "common/cleanup.h"

#define CHUNK_BYTES ((size_t)64 * 1024)
/* The kernel hands over what was written to a terminal a moment later. */
#define TERMINAL_QUIET_MS 50
#define TERMINAL_DRAIN_NS TD_SEC_NS /* of one that is never quiet */

struct state {
	struct td_relay r;
	struct td_tee_lines *lines;
	bool discards; /* where it goes cannot be written to */
	bool asked; /* to tell when it is drained */
	int64_t asked_ns;
	size_t owed_bytes; /* of a pipe: of those that were there then */
	char chunk[CHUNK_BYTES];
};

static int64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * TD_SEC_NS + now.tv_nsec;
}

static void tell(const struct state *s, char word)
{
	(void)send(s->r.control, &word, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* --- what the process has --- */

/* What ends the command is not for this process, which ends when there is nothing to pass on. What
 * stops a job stops it, too. */
static void block_signals(void)
{
	static const int let[] = { SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT };
	sigset_t set;

	(void)sigfillset(&set);
	for (size_t i = 0; i < TD_ARRAY_SIZE(let); i++)
		(void)sigdelset(&set, let[i]);
	(void)sigprocmask(SIG_SETMASK, &set, NULL);
}

static bool is_needed(const struct td_relay *r, int fd)
{
	return fd == r->from || fd == r->to || fd == r->control || fd == r->lines_fd;
}

/* Whoever reads what others of these write to, or waits for their end, must not wait for this process. */
static void close_others(const struct td_relay *r)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int top = TD_MAX(TD_MAX(r->from, r->to), TD_MAX(r->control, r->lines_fd));

	for (int fd = 0; fd <= top; fd++) {
		if (is_needed(r, fd))
			continue;
		if (fd <= STDERR_FILENO && null >= 0)
			(void)dup2(null, fd);
		else
			(void)close(fd);
	}
	(void)close_range((unsigned)top + 1, ~0U, 0);
}

/* --- passing on --- */

/* 0 or -errno. */
static int write_all(const struct state *s, const char *p, size_t size)
{
	struct pollfd to = { .fd = s->r.to, .events = POLLOUT };

	while (size) {
		ssize_t n = write(s->r.to, p, size);

		if (n < 0 && errno == EAGAIN)
			(void)poll(&to, 1, -1); /* others that have it may not want to wait */
		else if (n < 0 && errno != EINTR)
			return -errno;
		p += TD_MAX(n, (ssize_t)0);
		size -= (size_t)TD_MAX(n, (ssize_t)0);
	}
	return 0;
}

/* Is there somebody to pass on to? The command gets the signal that it would get, when the stream
 * is closed; a disk that is full, or a terminal that is gone, does not end it. */
static bool pass_on(struct state *s, size_t size)
{
	int r = s->discards ? 0 : write_all(s, s->chunk, size);

	if (r == -EPIPE || r == -EFBIG)
		return false;
	if (r < 0) {
		s->discards = true;
		tell(s, TD_RELAY_BROKEN);
	}
	return true;
}

/* False: there is no more. */
static bool take(struct state *s)
{
	ssize_t n = read(s->r.from, s->chunk, sizeof(s->chunk));
	int64_t ts_ns = now_ns();

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0) /* of a terminal EIO */
		return false;
	s->owed_bytes -= TD_MIN(s->owed_bytes, (size_t)n);
	if (!pass_on(s, (size_t)n))
		return false;
	td_tee_lines_feed(s->lines, s->chunk, (size_t)n, ts_ns);
	return true;
}

static void drained(struct state *s)
{
	s->asked = false;
	tell(s, TD_RELAY_DRAIN);
}

void td_relay_copy_size(int from, int to)
{
	struct winsize size;

	if (ioctl(from, TIOCGWINSZ, &size) == 0)
		(void)ioctl(to, TIOCSWINSZ, &size);
}

/* False: nobody is there any more. */
static bool listen_to(struct state *s)
{
	int there = 0;
	char word;

	if (recv(s->r.control, &word, 1, MSG_DONTWAIT) <= 0)
		return false;
	if (word == TD_RELAY_STOP)
		td_tee_lines_stop(s->lines);
	if (word == TD_RELAY_RESIZE && s->r.is_terminal)
		td_relay_copy_size(s->r.to, s->r.from);
	if (word != TD_RELAY_DRAIN)
		return true;
	s->asked = true;
	s->asked_ns = now_ns();
	if (ioctl(s->r.from, FIONREAD, &there) == 0)
		s->owed_bytes = (size_t)TD_MAX(there, 0);
	return true;
}

/* Has all been passed on that was there when it was asked? Of a terminal that cannot be counted. */
static bool is_drained(const struct state *s, bool is_quiet)
{
	if (!s->r.is_terminal)
		return !s->owed_bytes;
	return is_quiet || now_ns() - s->asked_ns > TERMINAL_DRAIN_NS;
}

static bool is_pipe(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

static void relay(struct state *s)
{
	struct pollfd fds[] = {
		{ .fd = s->r.from, .events = POLLIN },
		{ .fd = s->r.control, .events = POLLIN },
		/* a pipe that nobody reads any more tells so by itself */
		{ .fd = is_pipe(s->r.to) ? s->r.to : -1 },
	};
	bool goes_on = true;

	while (goes_on) {
		int n = poll(fds, TD_ARRAY_SIZE(fds), s->asked ? TERMINAL_QUIET_MS : -1);

		if (n > 0 && fds[1].revents && !listen_to(s))
			fds[1].fd = -1;
		if (n > 0 && fds[0].revents)
			goes_on = take(s);
		if (n > 0 && fds[2].revents & POLLERR)
			goes_on = false;
		if (s->asked && is_drained(s, n == 0))
			drained(s);
	}
}

_Noreturn void td_relay_run(const struct td_relay *options)
{
	struct state *s = calloc(1, sizeof(*s));

	block_signals();
	close_others(options);
	(void)prctl(PR_SET_NAME, "tracedb-output");
	if (!s || td_privileges_drop(options->user, false) < 0)
		_exit(1);
	s->r = *options;
	s->lines = td_tee_lines_new(options->lines_fd, options->patterns);
	if (!s->lines)
		_exit(1);
	tell(s, TD_RELAY_READY);
	relay(s);
	/* a command that goes on writing is to be told so at once */
	(void)close(s->r.from);
	td_tee_lines_end(s->lines, now_ns());
	_exit(0);
}
