/* SPDX-License-Identifier: MIT */
/* Whom the probes watch: processes by number, name, user and cgroup, from when on, and to which end. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common/cleanup.h"
#include "common/pid_here.h"
#include "collector/probes/probes.h"
#include "schema/wire.h"
#include "tests/unit/check.h"

#define SEEN_MAX 2048

/* What came, as far as these tests look at it. */
struct seen {
	struct {
		uint32_t pid;
		uint8_t flags; /* of its first record */
		char args[256]; /* of its last */
		bool ended;
	} processes[SEEN_MAX];
	size_t nprocesses;
	uint32_t callers[SEEN_MAX]; /* pids */
	size_t ncallers;
	uint32_t threads[SEEN_MAX];
	size_t nthreads;
	struct td_wire_call unfinished; /* the pause() that did not return */
	uint64_t calls;
	char op_names[512][32];
	bool file; /* one that ends in 'td-watch-open' */
};

static void add(uint32_t *set, size_t *n, uint32_t number)
{
	for (size_t i = 0; i < *n; i++)
		if (set[i] == number)
			return;
	if (*n < SEEN_MAX)
		set[(*n)++] = number;
}

static size_t process_at(const struct seen *s, uint32_t pid)
{
	size_t i = 0;

	while (i < s->nprocesses && s->processes[i].pid != pid)
		i++;
	return i;
}

static bool has_process(const struct seen *s, pid_t pid)
{
	return process_at(s, (uint32_t)pid) < s->nprocesses;
}

static bool has_calls(const struct seen *s, pid_t pid)
{
	for (size_t i = 0; i < s->ncallers; i++)
		if (s->callers[i] == (uint32_t)pid)
			return true;
	return false;
}

static void see_process(struct seen *s, const struct td_wire_process *p)
{
	size_t i = process_at(s, p->head.tid);

	if (i == SEEN_MAX)
		return;
	if (i == s->nprocesses) {
		s->nprocesses++;
		s->processes[i].pid = p->head.tid;
		s->processes[i].flags = p->head.flags;
	}
	(void)snprintf(s->processes[i].args, sizeof(s->processes[i].args), "%.*s", p->args_len,
		       p->text + p->comm_len);
}

static void see_call(struct seen *s, const struct td_wire_call *c)
{
	s->calls++;
	add(s->callers, &s->ncallers, c->pid);
	/* not that of idle_thread(), which may begin before or after the window opens */
	if (c->head.flags & TD_WIRE_CALL_NO_RETURN && c->head.tid == c->pid &&
	    strcmp(s->op_names[c->op], "pause") == 0)
		s->unfinished = *c;
}

static int sink(void *arg, const void *records, size_t size)
{
	static const char open_name[] = "td-watch-open";
	struct seen *s = arg;
	const char *p = records, *end = p + size;

	for (; p < end; p += ((const struct td_wire_head *)p)->size) {
		const struct td_wire_head *h = (const struct td_wire_head *)p;
		const struct td_wire_file *f = (const struct td_wire_file *)p;
		const struct td_wire_op *op = (const struct td_wire_op *)p;

		if (h->kind == TD_WIRE_PROCESS)
			see_process(s, (const struct td_wire_process *)p);
		else if (h->kind == TD_WIRE_THREAD)
			add(s->threads, &s->nthreads, h->tid);
		else if (h->kind >= TD_WIRE_CALL && h->kind <= TD_WIRE_CALL_TEXT)
			see_call(s, (const struct td_wire_call *)p);
		else if (h->kind == TD_WIRE_EXIT && process_at(s, h->tid) < s->nprocesses)
			s->processes[process_at(s, h->tid)].ended = true;
		else if (h->kind == TD_WIRE_FILE)
			s->file |= memmem(f->path, f->path_len, open_name, sizeof(open_name) - 1) !=
				   NULL;
		else if (h->kind == TD_WIRE_OP && op->op < 512)
			(void)snprintf(s->op_names[op->op], 32, "%.*s", op->name_len, op->name);
	}
	return 0;
}

/* --- children --- */

/* A child that waits for orders; it is told by writing to it, and answers by writing to us. */
struct child {
	pid_t pid;
	int orders, answers;
};

static void answer(int fd)
{
	if (write(fd, "", 1) != 1)
		_exit(1);
}

static void await(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		_exit(1);
}

static void order(const struct child *c)
{
	TD_CHECK_INT(write(c->orders, "", 1), 1);
}

static void hear(const struct child *c)
{
	char byte;

	TD_CHECK_INT(read(c->answers, &byte, 1), 1);
}

static struct child new_child(void (*work)(int orders, int answers))
{
	int orders[2], answers[2];
	struct child c = { .pid = -1 };

	if (pipe(orders) < 0 || pipe(answers) < 0)
		return c;
	c.pid = fork();
	if (c.pid == 0) {
		close(orders[1]);
		close(answers[0]);
		work(orders[0], answers[1]);
		_exit(0);
	}
	close(orders[0]);
	close(answers[1]);
	c.orders = orders[1];
	c.answers = answers[0];
	return c;
}

static void end_child(struct child *c)
{
	close(c->orders);
	close(c->answers);
	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
}

static struct td_probes *open_probes(const struct td_watch *watch)
{
	struct td_probes_options o = { .sets = 1u << TD_SET_FILE_IO | 1u << TD_SET_WAIT |
					       1u << TD_SET_THREAD,
				       .watch = *watch };
	struct td_probes *p = NULL;
	struct td_err err = { "" };

	if (td_probes_open(&o, &p, &err) < 0) {
		fprintf(stderr, "nothing can be recorded here: %s\n", err.msg);
		exit(TD_TEST_SKIP);
	}
	return p;
}

static void finish(struct td_probes *p, struct seen *s)
{
	struct td_err err = { "" };

	TD_CHECK_INT(td_probes_stop(p, &err), 0);
	TD_CHECK(td_probes_drain(p, sink, NULL, s, &err) >= 0);
	TD_CHECK_INT(td_probes_loss(p, sink, s, &err), 0);
	TD_CHECK_INT(td_probes_totals(p, sink, s, &err), 0);
	TD_CHECK_STR(err.msg, "");
	td_probes_close(p);
}

/* --- by number, from a moment on --- */

static void *idle_thread(void *arg)
{
	prctl(PR_SET_NAME, "idle");
	for (;;)
		pause();
	return NULL;
}

/* Has a thread and an open file; then forks a child that goes on, when told to. */
static void forking(int orders, int answers)
{
	pthread_t t;
	int fd = open("/tmp/td-watch-open", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	pid_t pid;

	if (fd < 0 || pthread_create(&t, NULL, idle_thread, NULL))
		_exit(1);
	unlink("/tmp/td-watch-open");
	answer(answers);
	await(orders);
	pid = fork();
	if (pid == 0) {
		await(orders);
		getcwd((char[4096]){ 0 }, 4096);
		answer(answers);
		pause();
	}
	if (write(answers, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	pause();
}

/* Followed before the window opens, as with --delay: its fork in between is followed, too. */
static void test_follow_early(void)
{
	struct td_probes *p = open_probes(&(struct td_watch){ 0 });
	struct child c = new_child(forking), other = new_child(forking);
	struct td_err err = { "" };
	struct seen s = { .calls = 0 };
	pid_t grandchild = 0;

	TD_CASE("follow before start");
	hear(&c);
	hear(&other);
	TD_CHECK_INT(td_probes_follow(p, c.pid, &err), 0);
	TD_CHECK(td_probes_any_left(p));
	order(&c);
	TD_CHECK_INT(read(c.answers, &grandchild, sizeof(grandchild)), sizeof(grandchild));
	TD_CHECK(td_probes_drain(p, sink, NULL, &s, &err) >= 0);
	TD_CHECK_INT(s.nprocesses + s.calls, 0); /* nothing yet */

	TD_CHECK_INT(td_probes_start(p, sink, &s, &err), 0);
	TD_CHECK(has_process(&s, c.pid) && has_process(&s, grandchild));
	TD_CHECK_INT(s.nprocesses, 2);
	TD_CHECK_INT(s.processes[process_at(&s, (uint32_t)c.pid)].flags, TD_WIRE_PROCESS_FOUND);
	TD_CHECK(strstr(s.processes[process_at(&s, (uint32_t)c.pid)].args, "watch") != NULL);
	TD_CHECK_INT(s.nthreads, 1);
	TD_CHECK(s.file); /* unlinked, and not used any more, but open */
	order(&c);
	hear(&c);
	kill(grandchild, SIGKILL);
	end_child(&c);
	while (td_probes_any_left(p))
		usleep(1000);
	TD_CHECK(td_probes_drain(p, sink, NULL, &s, &err) >= 0);
	TD_CHECK(has_calls(&s, grandchild));
	TD_CHECK(s.processes[process_at(&s, (uint32_t)grandchild)].ended);
	TD_CHECK(s.processes[process_at(&s, (uint32_t)c.pid)].ended);
	TD_CHECK(!has_process(&s, other.pid) && !has_calls(&s, other.pid));
	end_child(&other);
	finish(p, &s);
}

/* Without privilege once all is set up; a call that is under way at the end is told of. */
static void test_unprivileged_end(void)
{
	struct td_probes *p = open_probes(&(struct td_watch){ 0 });
	struct child c = new_child(forking);
	struct td_err err = { "" };
	struct seen s = { .calls = 0 };
	int status = 0;
	pid_t pid;

	TD_CASE("end without privilege");
	hear(&c);
	TD_CHECK_INT(td_probes_start(p, sink, &s, &err), 0);
	TD_CHECK_INT(td_probes_follow(p, c.pid, &err), 0);
	order(&c);
	TD_CHECK_INT(read(c.answers, &(pid_t){ 0 }, sizeof(pid_t)), sizeof(pid_t));
	usleep(20000); /* it goes on to pause() */
	fflush(stderr);
	pid = fork();
	if (pid == 0) {
		td_check_failures = 0;
		if (setgroups(0, NULL) < 0 || setresgid(65534, 65534, 65534) < 0 ||
		    setresuid(65534, 65534, 65534) < 0)
			_exit(1);
		finish(p, &s);
		TD_CHECK(s.unfinished.dur_ns >= 15000000);
		TD_CHECK_INT(s.unfinished.head.tid, c.pid);
		_exit(td_check_failures != 0);
	}
	waitpid(pid, &status, 0);
	TD_CHECK_INT(status, 0);
	td_probes_close(p);
	end_child(&c);
}

/* --- by name, user, cgroup --- */

static void run_shell(const char *name, const char *script, uid_t uid, const char *cgroup)
{
	char pid[16];
	int fd;

	if (cgroup) {
		fd = open(cgroup, O_WRONLY);
		(void)snprintf(pid, sizeof(pid), "%d", getpid());
		if (fd < 0 || write(fd, pid, strlen(pid)) < 0)
			_exit(1);
		close(fd);
	}
	if (uid && (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
		    setresuid(uid, uid, uid) < 0))
		_exit(1);
	execl(name, name, "-c", script, NULL);
	_exit(127);
}

static pid_t spawn(const char *name, const char *script, uid_t uid, const char *cgroup)
{
	pid_t pid = fork();

	if (pid == 0)
		run_shell(name, script, uid, cgroup);
	return pid;
}

/* Runs the one that is to be watched and the one that is not; both have a child. */
static void watch_one_of_two(const struct td_watch *watch, const char *name, uid_t uid,
			     const char *cgroup)
{
	static const char script[] = "/bin/ls / > /dev/null; exit 0";
	struct td_probes *p = open_probes(watch);
	struct seen s = { .calls = 0 };
	struct td_err err = { "" };
	pid_t one, two;

	TD_CHECK_INT(td_probes_start(p, sink, &s, &err), 0);
	s = (struct seen){ .calls = 0 }; /* who was there */
	one = spawn(name, script, uid, cgroup);
	two = spawn("/bin/sh", script, 0, NULL);
	waitpid(one, NULL, 0);
	waitpid(two, NULL, 0);
	finish(p, &s);
	TD_CHECK(has_process(&s, one) && has_calls(&s, one));
	TD_CHECK(!has_process(&s, two) && !has_calls(&s, two));
	TD_CHECK_INT(s.ncallers, 2); /* it and its child */
	TD_CHECK_INT(s.nprocesses, 2);
}

static void copy_file(const char *from, const char *to)
{
	_cleanup_close_ int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT, 0755);
	char buf[1 << 16];
	ssize_t n;

	while ((n = read(in, buf, sizeof(buf))) > 0)
		TD_CHECK_INT(write(out, buf, (size_t)n), n);
	TD_CHECK_INT(n, 0);
}

static void test_by_name(const char *dir)
{
	char path[256];

	TD_CASE("by name");
	(void)snprintf(path, sizeof(path), "%s/td-watched", dir);
	copy_file("/bin/sh", path);
	watch_one_of_two(&(struct td_watch){ .comm = "td-watched", .any_user = true }, path, 0,
			 NULL);
	unlink(path);
}

static void test_by_user(void)
{
	TD_CASE("by user");
	/* nobody else has that number, and no entry in /etc/passwd is needed */
	watch_one_of_two(&(struct td_watch){ .everyone = true, .uid = 54321 }, "/bin/sh", 54321,
			 NULL);
}

static void test_by_cgroup(const char *dir)
{
	char mount_point[256], outer[280], inner[300], procs[320];
	struct stat st;

	TD_CASE("by cgroup");
	(void)snprintf(mount_point, sizeof(mount_point), "%s/cgroup", dir);
	(void)snprintf(outer, sizeof(outer), "%s/td-watch", mount_point);
	(void)snprintf(inner, sizeof(inner), "%s/inner", outer);
	(void)snprintf(procs, sizeof(procs), "%s/cgroup.procs", inner);
	mkdir(mount_point, 0700);
	if (mount("none", mount_point, "cgroup2", 0, NULL) < 0) {
		fprintf(stderr, "no cgroup2 here: %s\n", strerror(errno));
		rmdir(mount_point);
		return;
	}
	TD_CHECK_INT(mkdir(outer, 0700), 0);
	TD_CHECK_INT(mkdir(inner, 0700), 0);
	TD_CHECK_INT(stat(outer, &st), 0);
	/* the id of a cgroup is the inode of its directory; what is below it counts */
	watch_one_of_two(&(struct td_watch){ .cgroup = st.st_ino, .any_user = true }, "/bin/sh", 0,
			 procs);
	rmdir(inner);
	rmdir(outer);
	umount(mount_point);
	rmdir(mount_point);
}

/* All but the recorder itself. */
static void test_everyone(void)
{
	struct td_probes *p = open_probes(&(struct td_watch){ .everyone = true, .any_user = true });
	struct seen s = { .calls = 0 };
	struct td_err err = { "" };
	pid_t pid;

	TD_CASE("everyone");
	TD_CHECK_INT(td_probes_start(p, sink, &s, &err), 0);
	TD_CHECK(has_process(&s, getppid()));
	s = (struct seen){ .calls = 0 };
	pid = spawn("/bin/sh", "exit 0", 0, NULL);
	waitpid(pid, NULL, 0);
	finish(p, &s);
	TD_CHECK(has_process(&s, pid) && has_calls(&s, pid));
	TD_CHECK(!has_process(&s, getpid()) && !has_calls(&s, getpid()));
}

int main(void)
{
	char dir[] = "/tmp/td-watch-XXXXXX";

	if (td_pid_here(1, 0, 0) != 1) {
		puts("in a pid namespace of its own, where records have other numbers");
		return 77;
	}
	if (!mkdtemp(dir))
		return 1;
	test_follow_early();
	test_unprivileged_end();
	test_by_name(dir);
	test_by_user();
	test_by_cgroup(dir);
	test_everyone();
	rmdir(dir);
	return td_check_result();
}
