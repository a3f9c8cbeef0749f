/* SPDX-License-Identifier: MIT */
/* Makes known requests through io_submit(): known-aio TRUTH_FILE DIR. Exits with 77 where there is no such call. */
#include <linux/aio_abi.h>
#include <sys/uio.h>

#include "tests/collector/truth.h"

#define NREQUESTS 48

static aio_context_t ctx;
static struct iocb cbs[NREQUESTS];
static struct iocb *ptrs[NREQUESTS];
static char buf[1 << 16];

static void submit(unsigned n, long want)
{
	long r = call(SYS_io_submit, ctx, n, ptrs);

	truth_line("io_submit", r, "%s", "");
	if (r != want)
		abort();
}

/* What a request was and became; in the order of their submission, which is that of the truth. */
static void known(const char *op, const struct iocb *cb, const char *path, size_t asked)
{
	truth_line(op, (long)asked, ",\"fd\":%d,\"path\":\"%s\",\"asked\":%zu,\"offset\":%lld",
		   (int)cb->aio_fildes, path, asked, (long long)cb->aio_offset);
}

static void reap(long n)
{
	struct io_event events[NREQUESTS];
	long r = call(SYS_io_getevents, ctx, n, NREQUESTS, events, NULL);

	truth_line("io_getevents", r, "%s", "");
	if (r != n)
		abort();
}

static void many(const char *op, unsigned short opcode, int fd, const char *path)
{
	for (unsigned i = 0; i < NREQUESTS; i++)
		cbs[i] = (struct iocb){ .aio_lio_opcode = opcode,
					.aio_fildes = (unsigned)fd,
					.aio_buf = (unsigned long)buf,
					.aio_nbytes = 512 * (i + 1),
					.aio_offset = (long)i * 65536 };
	submit(NREQUESTS, NREQUESTS);
	for (unsigned i = 0; i < NREQUESTS; i++)
		known(op, &cbs[i], path, 512 * (i + 1));
	reap(NREQUESTS);
}

static void vectors(int fd, const char *path)
{
	static struct iovec v[2] = { { buf, 1000 }, { buf, 24 } };

	cbs[0] = (struct iocb){ .aio_lio_opcode = IOCB_CMD_PREADV,
				.aio_fildes = (unsigned)fd,
				.aio_buf = (unsigned long)v,
				.aio_nbytes = 2,
				.aio_offset = 4096 };
	submit(1, 1);
	known("aio_readv", &cbs[0], path, 1024);
	reap(1);
}

/* Of three, the second one is refused: one was submitted. */
static void refused(int fd, const char *path)
{
	for (unsigned i = 0; i < 3; i++)
		cbs[i] = (struct iocb){ .aio_lio_opcode = IOCB_CMD_PREAD,
					.aio_fildes = i == 1 ? 999 : (unsigned)fd,
					.aio_buf = (unsigned long)buf,
					.aio_nbytes = 100 };
	submit(3, 1);
	known("aio_read", &cbs[0], path, 100);
	reap(1);
	cbs[0].aio_fildes = 999;
	submit(1, -EBADF);
}

int main(int argc, char **argv)
{
	char path[600];
	int fd;

	if (argc != 3)
		return 2;
	truth_fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	(void)snprintf(path, sizeof(path), "%s/aio", argv[2]);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || truth_fd < 0)
		return 1;
	if (syscall(SYS_io_setup, NREQUESTS, &ctx) < 0)
		return 77;
	for (unsigned i = 0; i < NREQUESTS; i++)
		ptrs[i] = &cbs[i];
	truth_begin();
	many("aio_write", IOCB_CMD_PWRITE, fd, path);
	many("aio_read", IOCB_CMD_PREAD, fd, path);
	vectors(fd, path);
	refused(fd, path);
	truth_end();
	return 0;
}
