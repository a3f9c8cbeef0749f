/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>

#include "collector/tee/tee.h"
#include "collector/tee/relay.h"
#include "common/cleanup.h"
#include "common/passfd.h"
#include "common/scan.h"

/* --- the file --- */

/* One that a recording has left, or empty. */
static bool is_ours(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char head[sizeof(TD_TEE_LINES_HEAD) - 1];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	n = read(fd, head, sizeof(head));
	return n == 0 || (n == sizeof(head) && memcmp(head, TD_TEE_LINES_HEAD, sizeof(head)) == 0);
}

static int open_new(const char *path)
{
	int flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC;
	int fd = open(path, flags, 0600);

	if (fd < 0 && errno == EEXIST && is_ours(path) && unlink(path) == 0)
		fd = open(path, flags, 0600);
	return fd < 0 ? -errno : fd;
}

/* As the user where that is possible, else handed over. A descriptor or -errno with a text. */
static int make_file(const char *path, const struct td_user *user, struct td_err *err)
{
	int fd, r = 0;

	td_user_act_as(user);
	fd = open_new(path);
	td_user_end_acting();
	if (fd == -EACCES && geteuid() == 0) {
		fd = open_new(path);
		if (fd >= 0 && fchown(fd, user->uid, user->gid) < 0)
			r = -errno;
	}
	if (fd < 0)
		return td_err_errno(err, fd, "cannot create '%s'", path);
	if (r == 0 && write(fd, TD_TEE_LINES_HEAD, strlen(TD_TEE_LINES_HEAD)) < 0)
		r = -errno;
	if (r == 0)
		return fd;
	(void)unlink(path);
	(void)close(fd);
	return td_err_errno(err, r, "cannot write '%s'", path);
}

/* --- a stream --- */

/* td_stdfds_take() has put something into the place of one that is closed, which no program gets. */
static bool is_taken(int fd)
{
	int flags = fcntl(fd, F_GETFD), mode = fcntl(fd, F_GETFL);

	return flags >= 0 && !(flags & FD_CLOEXEC) && mode >= 0 && (mode & O_ACCMODE) != O_RDONLY;
}

static bool same_place(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino && x.st_rdev == y.st_rdev;
}

/* Its bytes come as they are written: what a terminal makes of them, as "\r\n" of a newline, the real one does. */
static int make_terminal(int like, int *ret_master, int *ret_slave)
{
	_cleanup_close_ int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios t;
	int slave;

	if (master < 0 || unlockpt(master) < 0)
		return -errno;
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		return -errno;
	if (tcgetattr(like, &t) == 0) {
		t.c_oflag &= ~(tcflag_t)OPOST;
		(void)tcsetattr(slave, TCSANOW, &t);
	}
	td_relay_copy_size(like, slave);
	*ret_master = master;
	*ret_slave = slave;
	master = -1;
	return 0;
}

static int make_pipe(int *ret_from, int *ret_to)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	*ret_from = fds[0];
	*ret_to = fds[1];
	return 0;
}

/* Belongs to the user, who may open it again ("/dev/stdout"). */
static int make_inner(int like, const struct td_user *user, struct td_relay *relay, int *ret_inner)
{
	int r;

	relay->is_terminal = isatty(like);
	td_user_act_as(user);
	r = relay->is_terminal ? make_terminal(like, &relay->from, ret_inner)
			       : make_pipe(&relay->from, ret_inner);
	td_user_end_acting();
	return r;
}

/* Forks it and waits until it can do what it is for. Takes over relay->from. */
static int start_relay(struct td_relay *relay, int *ret_control)
{
	int fds[2], none;
	char word = 0;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	relay->control = fds[1];
	pid = fork();
	if (pid == 0)
		td_relay_run(relay);
	(void)close(fds[1]);
	if (pid < 0 || td_passfd_receive(fds[0], &word, &none) <= 0 || word != TD_RELAY_READY) {
		(void)close(fds[0]);
		return pid < 0 ? -errno : -ECHILD;
	}
	*ret_control = fds[0];
	return 0;
}

static int start_stream(struct td_tee *o, int fd, struct td_relay *relay)
{
	struct td_tee_stream s = { .control = -1, .inner = -1 };
	int r = make_inner(fd, relay->user, relay, &s.inner);

	if (r < 0)
		return r;
	relay->to = fd;
	r = start_relay(relay, &s.control);
	(void)close(relay->from); /* or nobody would be told when the relay has ended */
	if (r < 0) {
		(void)close(s.inner);
		return r;
	}
	(void)fcntl(s.inner, F_SETFD, 0);
	s.is_terminal = relay->is_terminal;
	o->streams[o->n++] = s;
	return 0;
}

int td_tee_start(struct td_tee *o, const char *path, const struct td_tee_patterns *patterns,
		 const struct td_user *user, struct td_err *warning, struct td_err *err)
{
	static const char *const names[] = { "standard output", "standard error" };
	struct td_relay relay = { .patterns = patterns, .user = user };
	int *const inner[] = { &o->stdout_fd, &o->stderr_fd };
	const int fds[] = { STDOUT_FILENO, STDERR_FILENO };

	warning->msg[0] = '\0';
	o->lines_fd = make_file(path, user, err);
	if (o->lines_fd < 0)
		return o->lines_fd;
	relay.lines_fd = o->lines_fd;
	for (size_t i = 0; i < TD_ARRAY_SIZE(fds); i++) {
		int r;

		if (!is_taken(fds[i]))
			continue;
		if (i == 1 && o->n == 1 && same_place(fds[0], fds[1])) {
			o->stderr_fd = o->stdout_fd;
			continue;
		}
		r = start_stream(o, fds[i], &relay);
		if (r == 0)
			*inner[i] = o->streams[o->n - 1].inner;
		else
			(void)td_err_set(warning, r, "the command's %s is not looked at: %s",
					 names[i], strerror(-r));
	}
	return 0;
}

void td_tee_handed_over(struct td_tee *o)
{
	for (size_t i = 0; i < o->n; i++) {
		td_closep(&o->streams[i].inner);
		o->streams[i].inner = -1;
	}
}

/* --- words to and from the relays --- */

static void say(struct td_tee *o, char word)
{
	for (size_t i = 0; i < o->n; i++)
		if (!o->streams[i].is_gone)
			(void)send(o->streams[i].control, &word, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void td_tee_ask_to_drain(struct td_tee *o)
{
	say(o, TD_RELAY_DRAIN);
	for (size_t i = 0; i < o->n; i++)
		o->streams[i].is_asked = !o->streams[i].is_gone;
}

void td_tee_stop_lines(struct td_tee *o)
{
	say(o, TD_RELAY_STOP);
}

/* One word. */
static void hear(struct td_tee_stream *s, bool *is_broken)
{
	ssize_t n;
	char word;

	do
		n = recv(s->control, &word, 1, 0);
	while (n < 0 && errno == EINTR);
	s->is_gone = n <= 0;
	*is_broken |= n > 0 && word == TD_RELAY_BROKEN;
	if (s->is_gone || word == TD_RELAY_DRAIN)
		s->is_asked = false;
}

static int64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Those that are waited for; the number of them. */
static size_t set_fds(const struct td_tee *o, struct pollfd *fds)
{
	size_t left = 0;

	for (size_t i = 0; i < o->n; i++) {
		const struct td_tee_stream *s = &o->streams[i];

		fds[i] = (struct pollfd){ .fd = s->is_asked ? s->control : -1, .events = POLLIN };
		left += s->is_asked;
	}
	return left;
}

bool td_tee_wait_drained(struct td_tee *o, int timeout_ms, int other_fd, bool *is_broken)
{
	struct pollfd fds[3] = { { .fd = other_fd, .events = POLLIN } };
	int64_t until_ms = now_ms() + timeout_ms;

	while (set_fds(o, fds + 1)) {
		int64_t left_ms = TD_MAX(until_ms - now_ms(), (int64_t)0);
		int n = poll(fds, 1 + o->n, timeout_ms < 0 ? -1 : (int)left_ms);

		if (n == 0 || (n > 0 && fds[0].revents))
			return false;
		for (size_t i = 0; n > 0 && i < o->n; i++)
			if (fds[1 + i].revents)
				hear(&o->streams[i], is_broken);
	}
	return true;
}

/* --- the rest --- */

bool td_tee_resize(struct td_tee *o)
{
	bool any = false;

	say(o, TD_RELAY_RESIZE);
	for (size_t i = 0; i < o->n; i++)
		any |= o->streams[i].is_terminal && !o->streams[i].is_gone;
	return any;
}

/* The first rows tell: of those that are written at the end there are no more than streams. */
bool td_tee_has_lines(const struct td_tee *o)
{
	char rows[256];
	ssize_t n = o->lines_fd < 0 ? 0 : pread(o->lines_fd, rows, sizeof(rows), 0);
	struct td_str text = { rows, (size_t)TD_MAX(n, (ssize_t)0) };

	return td_str_find(text, "\tline\t") || td_str_find(text, "\tphase\t");
}

void td_tee_done(struct td_tee *o)
{
	for (size_t i = 0; i < o->n; i++) {
		td_closep(&o->streams[i].control);
		td_closep(&o->streams[i].inner);
	}
	td_closep(&o->lines_fd);
}
