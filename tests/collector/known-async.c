/* SPDX-License-Identifier: MIT */
/*
 * Makes requests of io_uring in the ways in which no call of the program tells of each, and says what they were:
 * known-async TRUTH_FILE DIR. A line for each kind: how many completed, and the bytes that they asked for and got.
 * Exits with 77 where there is no io_uring.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "tests/collector/ring.h"

#define N 16
#define GROUP 7

static FILE *out;
static char dir[512], buf[N][4096];

static void say(const char *what, const char *op, const char *path, int n, long asked, long done)
{
	fprintf(out,
		"{\"what\":\"%s\",\"op\":\"%s\",\"path\":\"%s\",\"n\":%d,\"asked\":%ld,\"done\":%"
		"ld}\n",
		what, op, path, n, asked, done);
}

/* Waits for n completions; the bytes of all. The kernel is asked to look unless it does so by itself. */
static long complete(struct ring *r, int n)
{
	bool polls = r->params.flags & IORING_SETUP_SQPOLL;
	struct io_uring_cqe cqe;
	long bytes = 0;

	(void)syscall(SYS_io_uring_enter, r->fd, polls ? 0 : n, polls ? 0 : 1,
		      polls ? IORING_ENTER_SQ_WAKEUP : IORING_ENTER_GETEVENTS, NULL, 0);
	for (int i = 0; i < n; i++) {
		while (!pop(r, &cqe))
			usleep(100);
		if (cqe.res < 0)
			abort();
		bytes += cqe.res;
	}
	return bytes;
}

static void transfer(struct ring *r, unsigned char opcode, int fd)
{
	for (unsigned i = 0; i < N; i++)
		push(r, &(struct io_uring_sqe){ .opcode = opcode,
						.fd = fd,
						.addr = (unsigned long)buf[i],
						.len = 4096,
						.off = i * 4096UL });
}

/* The kernel's thread takes them from the ring: there need not be a call. */
static void polled(void)
{
	struct ring r = { 0 };
	char path[600];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/polled", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (open_ring(&r, IORING_SETUP_SQPOLL) < 0)
		return;
	transfer(&r, IORING_OP_WRITE, fd);
	say("sqpoll", "io_uring_write", path, N, N * 4096, complete(&r, N));
	transfer(&r, IORING_OP_READ, fd);
	say("sqpoll", "io_uring_read", path, N, N * 4096, complete(&r, N));
}

/* One request to receive, which completes for each message. */
static void received(struct ring *r)
{
	struct io_uring_cqe cqe;
	int fds[2], got = 0;
	long bytes = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) < 0)
		abort();
	push(r, &(struct io_uring_sqe){ .opcode = IORING_OP_PROVIDE_BUFFERS,
					.fd = N,
					.addr = (unsigned long)buf,
					.len = sizeof(buf[0]),
					.buf_group = GROUP });
	(void)complete(r, 1);
	push(r, &(struct io_uring_sqe){ .opcode = IORING_OP_RECV,
					.fd = fds[0],
					.flags = IOSQE_BUFFER_SELECT,
					.ioprio = IORING_RECV_MULTISHOT,
					.buf_group = GROUP,
					.user_data = 4711 });
	for (int i = 0; i < 5; i++)
		push(r, &(struct io_uring_sqe){ .opcode = IORING_OP_SEND,
						.fd = fds[1],
						.addr = (unsigned long)buf[0],
						.len = 1000 });
	(void)syscall(SYS_io_uring_enter, r->fd, 6, 10, IORING_ENTER_GETEVENTS, NULL, 0);
	while (pop(r, &cqe)) {
		if (cqe.user_data != 4711)
			continue;
		if (cqe.res < 0)
			return; /* before Linux 6.0 */
		got++;
		bytes += cqe.res;
	}
	say("send", "io_uring_send", "unix:[*]", 5, 5000, 5000);
	say("multishot", "io_uring_recv", "unix:[*]", got, 0, bytes);
}

static void opened(struct ring *r)
{
	char path[600];
	long fd;

	(void)snprintf(path, sizeof(path), "%s/polled", dir);
	push(r, &(struct io_uring_sqe){ .opcode = IORING_OP_OPENAT,
					.fd = AT_FDCWD,
					.addr = (unsigned long)path,
					.open_flags = O_RDONLY });
	fd = complete(r, 1);
	say("open", "io_uring_openat", path, 1, 0, fd);
}

int main(int argc, char **argv)
{
	struct ring r = { 0 };

	if (argc != 3)
		return 2;
	out = fopen(argv[1], "we");
	(void)snprintf(dir, sizeof(dir), "%s", argv[2]);
	if (!out)
		return 1;
	if (open_ring(&r, 0) < 0)
		return 77;
	polled();
	received(&r);
	opened(&r);
	return fclose(out) ? 1 : 0;
}
