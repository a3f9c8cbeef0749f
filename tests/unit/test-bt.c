/* SPDX-License-Identifier: MIT */
/*
 * The guard and its protocol, with shell scripts in bpftrace's place. Called with 'bpftrace' and a folder of
 * programs: the same with bpftrace itself, which needs root and tracefs.
 */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include "collector/samplers/bt.h"
#include "common/scan.h"
#include "tests/unit/check.h"

static char folder[] = "/tmp/test-bt-XXXXXX";
static char program[PATH_MAX], out[PATH_MAX];

static void make_program(const char *text)
{
	int fd = open(program, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	/* called as: PROGRAM -o OUT FILE.bt */
	TD_CHECK(fd >= 0 && dprintf(fd, "#!/bin/sh\nout=$2\n%s", text) > 0);
	close(fd);
	(void)unlink(out);
}

static const char *output(void)
{
	static char text[4096];
	int fd = open(out, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	close(fd);
	text[TD_MAX(n, (ssize_t)0)] = '\0';
	return text;
}

static uint64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static struct td_bt_options options_of(void)
{
	return (struct td_bt_options){
		.script = "/dev/null",
		.out_path = out,
		.uid = geteuid(),
		.gid = getegid(),
		.program = program,
	};
}

#define LOOP "while :; do sleep 0.02; done\n"

static void run_whole(void)
{
	struct td_bt_options options = options_of();
	_cleanup_(td_bt_freep) struct td_bt *b = NULL;
	struct td_err err = { 0 };
	struct stat st;

	TD_CASE("started, attached, ended, its END printed");
	make_program(
		"trap 'echo END >>\"$out\"; exit 0' INT\necho 'Attaching 2 probes...' >\"$out\"\n"
		"sleep 0.3\necho HEADER >>\"$out\"\n" LOOP);
	TD_CHECK_INT(td_bt_start(&options, &b, &err), 0);
	TD_CHECK_INT(td_bt_wait_attached(b, &err), 0);
	TD_CHECK_STR(output(), "Attaching 2 probes...\nHEADER\n");
	TD_CHECK_INT(td_bt_poll(b, &err), 0);
	TD_CHECK_INT(td_bt_finish(b, &err), 0);
	TD_CHECK_STR(output(), "Attaching 2 probes...\nHEADER\nEND\n");
	TD_CHECK(stat(out, &st) == 0 && (st.st_mode & 0777) == 0600);
}

static void run_loss(void)
{
	struct td_bt_options options = options_of();
	_cleanup_(td_bt_freep) struct td_bt *b = NULL;
	struct td_err err = { 0 };

	TD_CASE("what newer ones say on stderr: attached, and lost");
	make_program("trap 'echo WARNING: Lost 5 events >&2; exit 0' INT\necho ROW >\"$out\"\n"
		     "echo 'WARNING: Lost 37 events' >&2\necho 'Attached 3 probes' >&2\n" LOOP);
	TD_CHECK_INT(td_bt_start(&options, &b, &err), 0);
	TD_CHECK_INT(td_bt_wait_attached(b, &err), 0);
	TD_CHECK_INT(td_bt_finish(b, &err), 0);
	TD_CHECK_STR(output(), "ROW\nLost 42 events\n"); /* 37 + 5 */
}

static void run_failures(void)
{
	struct td_bt_options options = options_of();
	_cleanup_(td_bt_freep) struct td_bt *b = NULL;
	struct td_err err = { 0 };
	uint64_t begun_ms;

	TD_CASE("it does not read");
	make_program("echo \"ERROR: couldn't set RLIMIT_MEMLOCK for bpftrace.\" >&2\n"
		     "echo 'x.bt:1:1-4: ERROR: syntax error, unexpected identifier' >&2\nexit 1\n");
	TD_CHECK_INT(td_bt_start(&options, &b, &err), 0);
	TD_CHECK_INT(td_bt_wait_attached(b, &err), -EINVAL);
	TD_CHECK_STR(err.msg, "bpftrace '/dev/null': x.bt:1:1-4: ERROR: syntax error, unexpected "
			      "identifier");
	td_bt_free(TAKE_PTR(b));

	TD_CASE("it attaches for ever");
	make_program(LOOP);
	options.attach_ms = 200;
	TD_CHECK_INT(td_bt_start(&options, &b, &err), 0);
	TD_CHECK_INT(td_bt_wait_attached(b, &err), -ETIMEDOUT);
	td_bt_free(TAKE_PTR(b));
	options.attach_ms = 0;

	TD_CASE("it ends by itself, well and not so");
	make_program("echo ROW >\"$out\"\nsleep 0.2\n");
	TD_CHECK_INT(td_bt_start(&options, &b, &err), 0);
	TD_CHECK_INT(td_bt_wait_attached(b, &err), 0);
	for (begun_ms = now_ms(); td_bt_poll(b, &err) == 0 && now_ms() - begun_ms < 20000;)
		(void)usleep(10000);
	TD_CHECK_INT(td_bt_poll(b, &err), 1);
	TD_CHECK_INT(td_bt_finish(b, &err), 0);
	td_bt_free(TAKE_PTR(b));
	make_program("echo ROW >\"$out\"\nsleep 0.2\nkill -9 $$\n");
	TD_CHECK_INT(td_bt_start(&options, &b, &err), 0);
	TD_CHECK_INT(td_bt_wait_attached(b, &err), 0);
	(void)usleep(500000);
	TD_CHECK_INT(td_bt_finish(b, &err), -EINVAL);
	TD_CHECK_STR(err.msg, "bpftrace '/dev/null': it failed");
	td_bt_free(TAKE_PTR(b));

	TD_CASE("no program, no script, a file that exists");
	options.program = "/nonexistent/bpftrace";
	(void)unlink(out);
	TD_CHECK_INT(td_bt_start(&options, &b, &err), 0);
	TD_CHECK_INT(td_bt_wait_attached(b, &err), -EINVAL);
	TD_CHECK_STR(err.msg,
		     "bpftrace '/dev/null': ERROR: cannot execute '/nonexistent/bpftrace': "
		     "No such file or directory");
	td_bt_free(TAKE_PTR(b));
	TD_CHECK_INT(td_bt_start(&options, &b, &err), -EEXIST);
	options.script = "/nonexistent/x.bt";
	TD_CHECK_INT(td_bt_start(&options, &b, &err), -ENOENT);
}

/* A process that starts one and is killed. */
static void run_orphan(void)
{
	struct td_bt_options options = options_of();
	struct td_err err = { 0 };
	uint64_t begun_ms;
	pid_t pid;

	TD_CASE("tracedb-record is killed: the program ends, as it should");
	make_program("trap 'echo END >>\"$out\"; exit 0' INT\necho ROW >\"$out\"\n" LOOP);
	pid = fork();
	if (pid == 0) {
		struct td_bt *b = NULL;

		if (td_bt_start(&options, &b, &err) == 0 && td_bt_wait_attached(b, &err) == 0)
			(void)kill(getpid(), SIGKILL);
		_exit(1);
	}
	for (begun_ms = now_ms(); !strstr(output(), "END") && now_ms() - begun_ms < 20000;)
		(void)usleep(10000);
	TD_CHECK_STR(output(), "ROW\nEND\n");
}

/* --- with bpftrace --- */

#define OPENED "/tmp/test-bt-opened"
#define OPENS 100

static unsigned rows_printed(uint64_t from_ns, uint64_t to_ns)
{
	_cleanup_fclose_ FILE *f = fopen(out, "re");
	unsigned rows = 0;
	char line[1024];

	while (f && fgets(line, sizeof(line), f)) {
		struct td_scan s = td_scan_of(line, strlen(line));
		uint64_t ns;

		if (!strstr(line, OPENED))
			continue;
		TD_CHECK(td_scan_u64(&s, &ns) && ns >= from_ns && ns <= to_ns);
		rows++;
	}
	return rows;
}

/* Opens that happen in the window are there, all of them, and on our clock. bpftrace sees those of
 * all processes, loses what it does not read in time, and drops what it has not read when it is
 * ended: on a busy machine it gets time for both. */
static int run_bpftrace(const char *programs)
{
	_cleanup_(td_bt_freep) struct td_bt *b = NULL;
	struct td_bt_options options = options_of();
	struct td_err err = { 0 };
	char script[PATH_MAX];
	struct timespec t;
	uint64_t from_ns, to_ns;

	if (geteuid() != 0 || access("/sys/kernel/tracing/events/syscalls", R_OK) < 0 ||
	    system("command -v bpftrace >/dev/null") != 0) {
		printf("needs root, bpftrace and tracefs\n");
		return TD_TEST_SKIP;
	}
	(void)snprintf(script, sizeof(script), "%s/openat.bt", programs);
	options.script = script;
	options.program = NULL;
	TD_CHECK_INT(td_bt_start(&options, &b, &err), 0);
	TD_CHECK_INT(td_bt_wait_attached(b, &err), 0);
	TD_CHECK_STR(err.msg, "");
	(void)clock_gettime(CLOCK_BOOTTIME, &t);
	from_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	for (int i = 0; i < OPENS; i++) {
		close(open(OPENED, O_RDONLY | O_CLOEXEC));
		(void)usleep(2000);
	}
	(void)clock_gettime(CLOCK_BOOTTIME, &t);
	to_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	for (int i = 0; i < 100 && rows_printed(from_ns, to_ns) < OPENS; i++)
		(void)usleep(100000);
	TD_CHECK_INT(td_bt_poll(b, &err), 0);
	TD_CHECK_INT(td_bt_finish(b, &err), 0);
	TD_CHECK_INT(rows_printed(from_ns, to_ns), OPENS);
	return 0;
}

int main(int argc, char **argv)
{
	bool real = argc > 2 && strcmp(argv[1], "bpftrace") == 0;
	int r = 0;

	if (!mkdtemp(folder))
		return 1;
	(void)snprintf(program, sizeof(program), "%s/bpftrace", folder);
	(void)snprintf(out, sizeof(out), "%s/out", folder);
	if (real) {
		r = run_bpftrace(argv[2]);
	} else {
		run_whole();
		run_loss();
		run_failures();
		run_orphan();
	}
	(void)unlink(program);
	(void)unlink(out);
	(void)rmdir(folder);
	return r ? r : td_check_result();
}
