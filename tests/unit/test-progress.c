/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/progress.h"
#include "common/status_line.h"
#include "tests/unit/check.h"

#define SEC INT64_C(1000000000)
#define CALLS 600 /* of at least 1 ms, so that they outlast the half second before the first line */

static void test_format(void)
{
	static const struct {
		int64_t bytes, total, rows, elapsed_ns;
		const char *want;
	} cases[] = {
		/* a quarter in 4 s: 12 s left; 10^7 rows in 4 s */
		{ 500000000, 2000000000, 10000000, 4 * SEC,
		  "x: 25% of 2.00 GB, 2,500,000 rows/s, 12 s left" },
		{ 1, 3601, 0, SEC, "x: 0% of 3.60 kB, 0 rows/s, 1h00m left" },
		{ 7, 7, 7, 2 * SEC, "x: 100% of 7 B, 3 rows/s, 0 s left" },
		{ 1500, -1, 30, 3 * SEC, "x: 1.50 kB, 10 rows/s" },
		{ 8, 7, 8, SEC, "x: 8 B, 8 rows/s" }, /* the file grew */
		{ 0, 0, 0, SEC, "x: 0 B, 0 rows/s" },
	};
	struct td_progress p;
	char buf[100];

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		TD_CASE(cases[i].want);
		td_progress_init(&p, "x", cases[i].total, true);
		TD_CHECK_STR(td_progress_format(buf, sizeof(buf), &p, cases[i].bytes, cases[i].rows,
						cases[i].elapsed_ns),
			     cases[i].want);
	}
	TD_CASE("things");
	td_progress_init(&p, "reading", 1000, true);
	p.things = "databases";
	TD_CHECK_STR(td_progress_format(buf, sizeof(buf), &p, 250, 0, 4 * SEC),
		     "reading: 25% of 1,000 databases, 12 s left");
	td_progress_init(&p, "a\033[2Jb\nc\x7f", -1, true);
	TD_CHECK_STR(p.label, "a\\x1b[2Jb\\nc\\x7f");
}

/* A job with stderr being fd: how many calls of td_progress_update() read the clock. */
static unsigned run(int fd, bool quiet)
{
	_cleanup_close_ int saved = dup(STDERR_FILENO);
	unsigned reached = 0;
	struct td_progress p;

	(void)dup2(fd, STDERR_FILENO);
	td_progress_init(&p, "importing a-file-with-a-rather-long-name.txt", 100 * 1000, quiet);
	for (int i = 0; i < CALLS; i++) {
		td_progress_update(&p, 50 * 1000, i);
		reached += p.calls == 0 && p.on;
		(void)usleep(1000);
	}
	td_progress_done(&p);
	(void)dup2(saved, STDERR_FILENO);
	return reached;
}

/* Of a terminal with 40 columns the last one stays free. */
#define LINE "\r\033[Kimporting a-file-with-a-rather-: 50% of"

/* What the terminal has got so far. The kernel passes it on in its own time: a mark says it is all. */
static void read_terminal(int master, int slave, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n = write(slave, "#", 1);

	while (n > 0 && len + 1 < size && (len == 0 || buf[len - 1] != '#')) {
		n = read(master, buf + len, size - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	}
	buf[len] = '\0';
}

/* A message has a line of its own, and what was shown before it is gone. */
static void test_message(int master, int slave)
{
	_cleanup_close_ int saved = dup(STDERR_FILENO);
	char out[256];

	(void)dup2(slave, STDERR_FILENO);
	td_status_show("half way");
	td_log_info("look");
	td_log_info("here");
	(void)dup2(saved, STDERR_FILENO);
	read_terminal(master, slave, out, sizeof(out));
	TD_CHECK_STR(out, "\r\033[Khalf way\r\033[Ktracedb: look\r\ntracedb: here\r\n#");
}

static void test_terminal(void)
{
	_cleanup_close_ int master = posix_openpt(O_RDWR | O_NOCTTY);
	_cleanup_close_ int slave = -1;
	struct winsize ws = { .ws_row = 25, .ws_col = 40 };
	char out[4096];
	const char *at = out;

	TD_CASE("terminal");
	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
	    (slave = open(ptsname(master), O_RDWR | O_NOCTTY)) < 0) {
		printf("no pseudoterminals here: the progress line is not tested\n");
		return;
	}
	(void)setenv("TERM", "xterm", 1);
	(void)ioctl(slave, TIOCSWINSZ, &ws);
	TD_CHECK_INT(run(slave, true), 0);
	read_terminal(master, slave, out, sizeof(out));
	TD_CHECK_STR(out, "#");
	TD_CHECK_INT(run(slave, false), CALLS / TD_PROGRESS_CALLS);
	read_terminal(master, slave, out, sizeof(out));
	/* the clock is read twice: after 512 calls, when 0.5 s are over, and after 256, when they
	 * are over only on a busy machine */
	while (strncmp(at, LINE, strlen(LINE)) == 0)
		at += strlen(LINE);
	TD_CHECK(at > out && at <= out + 2 * strlen(LINE));
	TD_CHECK_STR(at, "\r\033[K#");
	test_message(master, slave);
	(void)setenv("TERM", "dumb", 1);
	TD_CHECK_INT(run(slave, false), 0);
}

static void test_pipe(void)
{
	int fds[2] = { -1, -1 };

	TD_CASE("pipe");
	TD_CHECK_INT(pipe(fds), 0);
	TD_CHECK_INT(run(fds[1], false), 0);
	close(fds[1]);
	TD_CHECK_INT(read(fds[0], fds, 1), 0); /* end: nothing was written */
}

int main(void)
{
	test_format();
	test_pipe();
	test_terminal();
	return td_check_result();
}
