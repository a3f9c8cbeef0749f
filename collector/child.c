/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "collector/child.h"

/* --- in the child, which was forked before there were threads --- */

/* What sudo made of them is for root. */
static void set_environment(const struct td_user *u)
{
	if (u->home)
		(void)setenv("HOME", u->home, 1);
	if (u->name) {
		(void)setenv("USER", u->name, 1);
		(void)setenv("LOGNAME", u->name, 1);
	}
}

static int wait_for_go(int fd)
{
	char c;
	ssize_t n;

	do
		n = read(fd, &c, 1);
	while (n < 0 && errno == EINTR);
	return n == 1 ? 0 : -ECANCELED;
}

/* As execvp() would find it, but before anything is recorded: its attempts are not the command's. */
static int find_program(const char *name, char *ret, size_t size)
{
	const char *path = getenv("PATH");
	int r = -ENOENT;

	if (strchr(name, '/'))
		return (size_t)snprintf(ret, size, "%s", name) < size ? 0 : -ENAMETOOLONG;
	for (const char *p = path ? path : "/bin:/usr/bin", *end; *p; p = *end ? end + 1 : end) {
		int n;

		end = strchrnul(p, ':');
		n = snprintf(ret, size, "%.*s/%s", (int)(end - p), end > p ? p : ".", name);
		if ((size_t)n < size && access(ret, X_OK) == 0)
			return 0;
		if (errno == EACCES)
			r = -EACCES;
	}
	return r;
}

static void tell(int fd, int r)
{
	while (write(fd, &r, sizeof(r)) < 0 && errno == EINTR)
		;
}

static int set_streams(const struct td_child_options *o)
{
	if (dup2(o->stdout_fd, STDOUT_FILENO) < 0 || dup2(o->stderr_fd, STDERR_FILENO) < 0)
		return -errno;
	return 0;
}

static void execute(const struct td_child_options *o, int go_fd, int error_fd)
{
	char path[PATH_MAX];
	int r = o->user ? td_user_become(o->user) : td_user_drop_capabilities(), prepared = 0;

	if (o->env)
		environ = o->env;
	else if (o->user)
		set_environment(o->user);
	for (char *const *var = o->more; var && *var; var++)
		(void)putenv(*var);
	if (r == 0)
		r = set_streams(o);
	if (r == 0)
		r = find_program(o->command[0], path, sizeof(path));
	tell(error_fd, prepared);
	if (wait_for_go(go_fd) < 0)
		_exit(125); /* the recorder has given up */
	(void)sigprocmask(SIG_SETMASK, o->mask, NULL);
	if (r == 0) {
		(void)execvp(path, o->command); /* a script without '#!' is one for sh */
		r = -errno;
	}
	tell(error_fd, r);
	_exit(r == -ENOENT ? 127 : 126); /* as shells do */
}

/* --- in the recorder --- */

/* What the child tells: 1 with *ret_r, 0 if it has executed the command, or -errno. */
static int hear(const struct td_child *c, int *ret_r)
{
	ssize_t n;

	do
		n = read(c->error_fd, ret_r, sizeof(*ret_r));
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n > 0;
}

int td_child_fork(const struct td_child_options *options, struct td_child *ret, struct td_err *err)
{
	struct td_child c = TD_CHILD_INIT;
	int go[2], error[2], r, prepared;

	if (pipe2(go, O_CLOEXEC) < 0)
		return td_err_errno(err, -errno, "cannot make a pipe");
	if (pipe2(error, O_CLOEXEC) < 0) {
		close(go[0]);
		close(go[1]);
		return td_err_errno(err, -errno, "cannot make a pipe");
	}
	c.pid = fork();
	if (c.pid == 0) {
		close(go[1]); /* or it would wait for itself */
		execute(options, go[0], error[1]);
	}
	close(go[0]);
	close(error[1]);
	c.go_fd = go[1];
	c.error_fd = error[0];
	c.name = options->command[0];
	if (c.pid > 0)
		c.pidfd = (int)syscall(SYS_pidfd_open, c.pid, 0);
	r = c.pidfd < 0 ? -errno : hear(&c, &prepared);
	if (r <= 0) {
		r = r < 0 ? r : -ESRCH;
		td_child_done(&c);
		return td_err_errno(err, r, "cannot start '%s'", options->command[0]);
	}
	*ret = c;
	return 0;
}

int td_child_go(struct td_child *c, struct td_err *err)
{
	int r = 0;

	if (write(c->go_fd, "", 1) != 1)
		return td_err_errno(err, -errno, "cannot start '%s'", c->name);
	td_closep(&c->go_fd);
	c->go_fd = -1;
	return hear(c, &r) > 0 ? td_err_errno(err, r, "cannot execute '%s'", c->name) : 0;
}

bool td_child_ended(struct td_child *c, bool wait, int *ret_status)
{
	siginfo_t info = { .si_pid = 0 };
	int r;

	do
		r = waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT | (wait ? 0 : WNOHANG));
	while (r < 0 && errno == EINTR);
	if (r < 0 || info.si_pid != c->pid)
		return false;
	*ret_status = info.si_code == CLD_EXITED ? info.si_status : -info.si_status;
	c->ended_pid = c->pid;
	c->pid = 0;
	return true;
}

void td_child_reap(struct td_child *c)
{
	if (c->ended_pid > 0)
		(void)waitpid(c->ended_pid, NULL, 0);
	c->ended_pid = 0;
}

int td_child_signal(const struct td_child *c, int sig)
{
	return c->pid && kill(c->pid, sig) < 0 ? -errno : 0;
}

void td_child_done(struct td_child *c)
{
	bool let_go = c->go_fd < 0;
	int status;

	td_closep(&c->go_fd);
	td_closep(&c->error_fd);
	td_closep(&c->pidfd);
	c->go_fd = c->error_fd = c->pidfd = -1;
	if (c->pid > 0)
		(void)td_child_ended(c, !let_go, &status);
	td_child_reap(c);
	c->pid = 0;
}
