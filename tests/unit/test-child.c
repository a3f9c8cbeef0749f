/* SPDX-License-Identifier: MIT */
/* The command that waits until it is let go; and, as root, becoming another user and giving up privileges. */
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "collector/caller_env.h"
#include "collector/child.h"
#include "collector/spool/clocks.h"
#include "common/caldate.h"
#include "tests/unit/check.h"
#include "tests/unit/read_whole.h"

#define NOBODY 65534

static char folder[] = "/tmp/tracedb-child-XXXXXX";
static sigset_t none;

static void fork_child(struct td_child *c, char *const command[], const struct td_user *user)
{
	const struct td_child_options options = {
		.command = command, .user = user, .mask = &none, .stdout_fd = 1, .stderr_fd = 2
	};
	struct td_err err = { "" };

	TD_CHECK_INT(td_child_fork(&options, c, &err), 0);
	TD_CHECK_STR(err.msg, "");
}

/* The status of a shell command. */
static int run(const char *script, const struct td_user *user)
{
	_cleanup_(td_child_done) struct td_child c = TD_CHILD_INIT;
	char *copy = strdup(script);
	struct td_err err = { "" };
	int status = 999;

	fork_child(&c, (char *const[]){ (char[]){ "sh" }, (char[]){ "-c" }, copy, NULL }, user);
	TD_CHECK_INT(td_child_go(&c, &err), 0);
	TD_CHECK(td_child_ended(&c, true, &status));
	free(copy);
	return status;
}

static void test_status(void)
{
	TD_CASE("status");
	TD_CHECK_INT(run("exit 5", NULL), 5);
	TD_CHECK_INT(run("kill -9 $$", NULL), -9);
	TD_CHECK_INT(td_exit_status(5), 5);
	TD_CHECK_INT(td_exit_status(-9), 137);
}

static void test_waits(void)
{
	_cleanup_(td_child_done) struct td_child c = TD_CHILD_INIT;
	struct pollfd fd = { .events = POLLIN };
	struct td_err err = { "" };
	int status = 999;

	TD_CASE("waits");
	(void)unlink("ran");
	fork_child(&c, (char *const[]){ (char[]){ "touch" }, (char[]){ "ran" }, NULL }, NULL);
	fd.fd = c.pidfd;
	TD_CHECK_INT(poll(&fd, 1, 200), 0);
	TD_CHECK(!td_child_ended(&c, false, &status));
	TD_CHECK(access("ran", F_OK) < 0);
	TD_CHECK_INT(td_child_go(&c, &err), 0);
	TD_CHECK_INT(poll(&fd, 1, 10000), 1);
	TD_CHECK(td_child_ended(&c, false, &status));
	TD_CHECK_INT(status, 0);
	TD_CHECK(access("ran", F_OK) == 0);
	TD_CHECK_INT(c.pid, 0);
}

static void test_not_let_go(void)
{
	struct td_child c = TD_CHILD_INIT;
	pid_t pid;

	TD_CASE("not let go");
	(void)unlink("ran");
	fork_child(&c, (char *const[]){ (char[]){ "touch" }, (char[]){ "ran" }, NULL }, NULL);
	pid = c.pid;
	td_child_done(&c);
	TD_CHECK_INT(waitpid(pid, NULL, 0), -1); /* has been waited for */
	TD_CHECK_INT(errno, ECHILD);
	TD_CHECK(access("ran", F_OK) < 0);
}

static void test_no_program(void)
{
	static const struct {
		const char *name;
		int error, status;
	} cases[] = {
		{ "no-such-program", -ENOENT, 127 },
		{ "/no/such/program", -ENOENT, 127 },
		{ "./no-program", -EACCES, 126 },
	};

	fclose(fopen("no-program", "we"));
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_child_done) struct td_child c = TD_CHILD_INIT;
		char *name = strdup(cases[i].name);
		struct td_err err = { "" };
		int status = 999;

		TD_CASE(cases[i].name);
		fork_child(&c, (char *const[]){ name, NULL }, NULL);
		TD_CHECK_INT(td_child_go(&c, &err), cases[i].error);
		TD_CHECK(strstr(err.msg, cases[i].name) != NULL);
		TD_CHECK(td_child_ended(&c, true, &status));
		TD_CHECK_INT(status, cases[i].status);
		free(name);
	}
}

static void test_signals(void)
{
	sigset_t blocked;

	/* what is ignored at the begin is so in the command; what is blocked for the recorder is not */
	TD_CASE("signals");
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)sigemptyset(&blocked);
	(void)sigaddset(&blocked, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &blocked, NULL);
	TD_CHECK_INT(run("kill -PIPE $$; exit 1", NULL), 1);
	TD_CHECK_INT(run("kill -XFSZ $$; exit 1", NULL), 1);
	TD_CHECK_INT(run("kill -TERM $$; exit 1", NULL), -SIGTERM);
	(void)sigprocmask(SIG_UNBLOCK, &blocked, NULL);
}

/* --- as root --- */

static void test_other_user(void)
{
	_cleanup_(td_user_done) struct td_user u = { 0 };
	struct td_err err = { "" };

	TD_CASE("another user");
	TD_CHECK_INT(td_user_named("nobody", &u, &err), 0);
	TD_CHECK_INT(u.uid, NOBODY);
	TD_CHECK_INT(
		run("[ $(id -u) = 65534 ] && [ $(id -un) = $USER ] && [ $LOGNAME = $USER ]", &u),
		0);
	TD_CHECK_INT(run("for g in $(id -G); do [ $g != 0 ] || exit 1; done", &u), 0);
	TD_CHECK(!td_user_can_write(&u, folder));
	TD_CHECK(td_user_can_write(&u, "/tmp"));
	TD_CHECK_INT(td_user_named("no-such-user", &u, &err), -ENOENT);
}

static void test_invoker(void)
{
	static const struct {
		const char *sudo_uid, *sudo_gid;
		uid_t uid;
		gid_t gid;
	} cases[] = {
		{ NULL, NULL, 0, 0 },
		{ "4242", "4343", 4242, 4343 }, /* has no entry */
		{ "4242", NULL, 4242, 4242 },
		{ "-1", "0", 0, 0 },
		{ "", "", 0, 0 },
		{ "12x", "0", 0, 0 },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_user_done) struct td_user u = { 0 };
		struct td_err err = { "" };

		TD_CASE(cases[i].sudo_uid ? cases[i].sudo_uid : "no sudo");
		(void)unsetenv("SUDO_UID");
		(void)unsetenv("SUDO_GID");
		if (cases[i].sudo_uid)
			(void)setenv("SUDO_UID", cases[i].sudo_uid, 1);
		if (cases[i].sudo_gid)
			(void)setenv("SUDO_GID", cases[i].sudo_gid, 1);
		TD_CHECK_INT(td_user_invoking(&u, &err), 0);
		TD_CHECK_INT(u.uid, cases[i].uid);
		TD_CHECK_INT(u.gid, cases[i].gid);
	}
	(void)unsetenv("SUDO_UID");
	(void)unsetenv("SUDO_GID");
}

/* A number of /proc/self/status. */
static unsigned long long own_status(const char *name, int base)
{
	size_t len;
	_cleanup_free_ char *text = td_read_whole("/proc/self/status", &len);
	const char *p = text ? strstr(text, name) : NULL;

	return p ? strtoull(p + strlen(name) + 1, NULL, base) : UINT64_MAX;
}

/* In a process of its own: the bits of what is wrong. */
static int dropped(uid_t uid, bool keep_kill)
{
	struct td_user u = { .uid = uid, .gid = uid };
	unsigned long long want = keep_kill ? 1 << 5 : 0; /* CAP_KILL */
	int wrong = td_privileges_drop(&u, keep_kill) < 0;

	wrong |= (getuid() != uid || geteuid() != uid || getgid() != uid) << 1;
	wrong |= (own_status("CapEff:", 16) != want || own_status("CapPrm:", 16) != want) << 2;
	wrong |= (own_status("NoNewPrivs:", 10) != 1) << 3;
	if (uid)
		wrong |= (setuid(0) == 0) << 4;
	return wrong;
}

static void test_drop(void)
{
	for (int i = 0; i < 4; i++) {
		pid_t pid = fork();
		int status = 0;

		TD_CASE(i & 1 ? "drop to a user" : "drop as root");
		if (pid == 0)
			_exit(dropped(i & 1 ? NOBODY : 0, i & 2));
		TD_CHECK_INT(waitpid(pid, &status, 0), pid);
		TD_CHECK(WIFEXITED(status));
		TD_CHECK_INT(WEXITSTATUS(status), 0);
	}
}

/* What is made meanwhile is the user's. */
static void test_act_as(void)
{
	const struct td_user u = { .uid = NOBODY, .gid = NOBODY };
	struct stat st;

	TD_CASE("act as");
	TD_CHECK_INT(chmod(folder, 0777), 0);
	td_user_act_as(&u);
	TD_CHECK_INT(mkdir("theirs", 0700), 0);
	TD_CHECK(mkdir("/tracedb-test-not-there", 0700) < 0 && errno == EACCES);
	td_user_end_acting();
	TD_CHECK_INT(mkdir("mine", 0700), 0);
	TD_CHECK(stat("theirs", &st) == 0 && st.st_uid == NOBODY && st.st_gid == NOBODY);
	TD_CHECK(stat("mine", &st) == 0 && st.st_uid == 0);
	(void)rmdir("theirs");
	(void)rmdir("mine");
}

/* --- clocks --- */

/* Both clocks go on alike, so what they differ by is the same in all readings, to the width of each. */
static void test_anchors(void)
{
	int64_t low = INT64_MIN, high = INT64_MAX;

	TD_CASE("anchors");
	for (int i = 0; i < 100; i++) {
		struct td_wire_anchor a = td_read_anchor();

		TD_CHECK(a.before_ns <= a.after_ns);
		low = TD_MAX(low, a.utc_ns - (int64_t)a.after_ns);
		high = TD_MIN(high, a.utc_ns - (int64_t)a.before_ns);
	}
	TD_CHECK(low <= high);
	TD_CHECK(high - low < 100000);
}

/* What the caller had, and what is set here on purpose, but not what sudo sets. */
static void test_caller_env(void)
{
	static const char text[] = "PATH=/venv/bin:/bin\0CUDA_VISIBLE_DEVICES=0\0HOME=/home/me\0"
				   "no variable\0EMPTY=\0CUDA=x";
	char *const own[] = { (char[]){ "PATH=/sbin" },    (char[]){ "HOME=/root" },
			      (char[]){ "SUDO_UID=1000" }, (char[]){ "CUDA_VISIBLE_DEVICES=3" },
			      (char[]){ "PATHS=kept" },    NULL };
	static const char *const want[] = { "PATH=/venv/bin:/bin",
					    "CUDA_VISIBLE_DEVICES=3",
					    "HOME=/home/me",
					    "EMPTY=",
					    "CUDA=x",
					    "PATHS=kept" };
	_cleanup_(td_caller_env_done) struct td_caller_env e = { 0 };
	char *copy = malloc(sizeof(text));

	TD_CASE("the environment of who called sudo");
	memcpy(copy, text, sizeof(text));
	TD_CHECK_INT(td_caller_env_merge(copy, sizeof(text), own, &e), 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(want); i++)
		TD_CHECK_STR(e.vars[i] ? e.vars[i] : "(none)", want[i]);
	TD_CHECK(!e.vars[TD_ARRAY_SIZE(want)]);
}

int main(void)
{
	(void)sigemptyset(&none);
	if (!mkdtemp(folder) || chdir(folder) < 0)
		return 1;
	test_status();
	test_caller_env();
	test_waits();
	test_not_let_go();
	test_no_program();
	test_signals();
	test_anchors();
	if (geteuid() == 0) {
		test_other_user();
		test_invoker();
		test_drop();
		test_act_as();
	} else {
		fprintf(stderr, "not root: other users were not tried\n");
	}
	(void)unlink("ran");
	(void)unlink("no-program");
	(void)rmdir(folder);
	return td_check_result();
}
