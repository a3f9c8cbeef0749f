/* SPDX-License-Identifier: MIT */
/* Makes known requests through io_uring: known-uring TRUTH_FILE DIR. Exits with 77 where there is no io_uring. */
#include <sys/uio.h>

#include "tests/collector/ring.h"
#include "tests/collector/truth.h"

#define NREQUESTS 40

static struct ring ring;
static char buf[1 << 16];

/* One request, waited for; its result. The call that does so comes first in the truth, as it began first. */
static int request(const struct io_uring_sqe *sqe)
{
	struct io_uring_cqe cqe = { .res = 0 };
	long r;

	push(&ring, sqe);
	r = call(SYS_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	truth_line("io_uring_enter", r, ",\"fd\":%d,\"path\":\"anon_inode:[io_uring]\"", ring.fd);
	(void)pop(&ring, &cqe);
	return cqe.res;
}

/* A request for size bytes (or, with vectors, that many buffers, which come to asked). */
static void known_request(const char *op, unsigned char opcode, int fd, const char *path,
			  const void *addr, unsigned size, size_t asked, long offset)
{
	int res = request(&(struct io_uring_sqe){ .opcode = opcode,
						  .fd = fd,
						  .addr = (unsigned long)addr,
						  .len = size,
						  .off = (unsigned long)offset });

	truth_line(op, res, ",\"path\":\"%s\",\"asked\":%zu,\"offset\":%ld", path, asked, offset);
}

int main(int argc, char **argv)
{
	struct iovec v[3] = { { buf, 100 }, { buf, 200 }, { buf, 300 } };
	char path[600];
	int fd, res;

	if (argc != 3)
		return 2;
	truth_fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	(void)snprintf(path, sizeof(path), "%s/uring", argv[2]);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || truth_fd < 0)
		return 1;
	if (open_ring(&ring, 0) < 0)
		return 77;
	truth_begin();
	for (int i = 0; i < NREQUESTS; i++) {
		unsigned size = (unsigned)(i + 1) * 100;

		known_request("io_uring_write", IORING_OP_WRITE, fd, path, buf, size, size,
			      i * 5000);
		known_request("io_uring_read", IORING_OP_READ, fd, path, buf, size, size, i * 5000);
	}
	known_request("io_uring_writev", IORING_OP_WRITEV, fd, path, v, 3, 600, 7);
	known_request("io_uring_readv", IORING_OP_READV, fd, path, v, 2, 300, 7);
	known_request("io_uring_read", IORING_OP_READ, fd, path, buf, 10, 10, 1L << 33);
	res = request(&(struct io_uring_sqe){ .opcode = IORING_OP_FSYNC, .fd = fd });
	truth_line("io_uring_fsync", res, ",\"path\":\"%s\"", path);
	res = request(&(struct io_uring_sqe){ .opcode = IORING_OP_NOP });
	truth_line("io_uring_nop", res, "%s", "");
	truth_end();
	return 0;
}
