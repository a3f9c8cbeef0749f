/* SPDX-License-Identifier: MIT */
/* Makes known requests through io_uring: known-uring TRUTH_FILE DIR. Exits with 77 where there is no io_uring. */
#include <linux/openat2.h>
#include <sys/stat.h>
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

/* A request that names a file by path, from the directory dir on, and perhaps a second one. */
static int named_request(unsigned char opcode, int dir, const char *path, unsigned len,
			 const void *off, unsigned flags)
{
	return request(&(struct io_uring_sqe){ .opcode = opcode,
					       .fd = dir,
					       .addr = (unsigned long)path,
					       .len = len,
					       .off = (unsigned long)off,
					       .open_flags = flags });
}

/* Those that copy from one file to another: what was read is a row, what was written another one. */
static void copy_requests(int fd, const char *path, const int *from, const int *to)
{
	int res = request(&(struct io_uring_sqe){ .opcode = IORING_OP_SPLICE,
						  .fd = from[1],
						  .len = 300,
						  .off = (unsigned long)-1,
						  .splice_fd_in = fd,
						  .splice_off_in = 10 });

	truth_line("io_uring_splice", res, ",\"fd\":%d,\"path\":\"%s\",\"asked\":300,\"offset\":10",
		   fd, path);
	truth_line("io_uring_splice:out", res, ",\"path\":\"pipe:[*]\",\"asked\":300");
	res = request(&(struct io_uring_sqe){
		.opcode = IORING_OP_TEE, .fd = to[1], .len = 200, .splice_fd_in = from[0] });
	truth_line("io_uring_tee", res, ",\"fd\":%d,\"path\":\"pipe:[*]\",\"asked\":200", from[0]);
	truth_line("io_uring_tee:out", res, ",\"path\":\"pipe:[*]\",\"asked\":200");
	res = request(&(struct io_uring_sqe){ .opcode = IORING_OP_SPLICE,
					      .fd = fd,
					      .len = 300,
					      .off = 1000,
					      .splice_fd_in = from[0],
					      .splice_off_in = (unsigned long)-1 });
	truth_line("io_uring_splice", res, ",\"fd\":%d,\"path\":\"pipe:[*]\",\"asked\":300",
		   from[0]);
	truth_line("io_uring_splice:out", res, ",\"path\":\"%s\",\"asked\":300,\"offset\":1000",
		   path);
}

/* Those that open. What is opened is known by its descriptor; in the ring's own table it has none. */
static void open_requests(const char *dir, int at, const char *long_path)
{
	struct open_how how = { .flags = O_RDWR | O_CREAT, .mode = 0600 };
	char path[600];
	int res;

	(void)snprintf(path, sizeof(path), "%s/opened", dir);
	res = named_request(IORING_OP_OPENAT, at, "opened", 0600, NULL, O_RDWR | O_CREAT);
	truth_line("io_uring_openat", res, ",\"fd\":%d,\"path\":\"%s\"", res, path);
	res = named_request(IORING_OP_OPENAT2, AT_FDCWD, path, sizeof(how), &how, 0);
	truth_line("io_uring_openat2", res, ",\"fd\":%d,\"path\":\"%s\"", res, path);
	res = named_request(IORING_OP_OPENAT, at, "none", 0, NULL, O_RDONLY);
	truth_line("io_uring_openat", res, ",\"text\":\"none\",\"path\":\"%s\"", dir);
	res = named_request(IORING_OP_OPENAT, AT_FDCWD, long_path, 0, NULL, O_RDONLY);
	truth_line("io_uring_openat", res, ",\"text\":\"%s\"", long_path);
	res = request(&(struct io_uring_sqe){ .opcode = IORING_OP_OPENAT,
					      .fd = at,
					      .addr = (unsigned long)"opened",
					      .file_index = 1 });
	truth_line("io_uring_openat", res, ",\"text\":\"opened\",\"path\":\"%s\"", dir);
}

/* Those that name two. */
static void two_path_requests(const char *dir, int at, const char *new_path)
{
	int res;

	res = named_request(IORING_OP_RENAMEAT, at, "opened", AT_FDCWD, new_path, 0);
	truth_line("io_uring_renameat", res,
		   ",\"text\":\"opened\",\"text2\":\"%s\",\"path\":\"%s\"", new_path, dir);
	res = named_request(IORING_OP_LINKAT, AT_FDCWD, new_path, at, "hard", 0);
	truth_line("io_uring_linkat", res, ",\"text\":\"%s\",\"text2\":\"hard\",\"path2\":\"%s\"",
		   new_path, dir);
	res = named_request(IORING_OP_SYMLINKAT, at, "to/where", 0, "soft", 0);
	truth_line("io_uring_symlinkat", res,
		   ",\"text\":\"soft\",\"text2\":\"to/where\",\"path\":\"%s\"", dir);
}

/* Those that name a file in a directory that is open, by a relative path or an absolute one. */
static void path_requests(const char *dir, int at)
{
	static char long_path[3500];
	char path[600];
	struct statx st;
	int res;

	memset(long_path, '/', sizeof(long_path) - 1);
	memcpy(long_path + sizeof(long_path) - 5, "none", 4);
	(void)snprintf(path, sizeof(path), "%s/renamed", dir);
	open_requests(dir, at, long_path);
	two_path_requests(dir, at, path);
	res = named_request(IORING_OP_MKDIRAT, at, "made", 0700, NULL, 0);
	truth_line("io_uring_mkdirat", res, ",\"text\":\"made\",\"path\":\"%s\"", dir);
	res = named_request(IORING_OP_STATX, AT_FDCWD, path, STATX_SIZE, &st, 0);
	truth_line("io_uring_statx", res, ",\"text\":\"%s\"", path);
	res = named_request(IORING_OP_STATX, at, "", STATX_SIZE, &st, AT_EMPTY_PATH);
	truth_line("io_uring_statx", res, ",\"fd\":%d,\"path\":\"%s\"", at, dir);
	res = request(&(struct io_uring_sqe){ .opcode = IORING_OP_GETXATTR,
					      .addr = (unsigned long)"user.none",
					      .addr3 = (unsigned long)path });
	truth_line("io_uring_getxattr", res, ",\"text\":\"%s\"", path);
	res = named_request(IORING_OP_UNLINKAT, AT_FDCWD, path, 0, NULL, 0);
	truth_line("io_uring_unlinkat", res, ",\"text\":\"%s\"", path);
	res = named_request(IORING_OP_UNLINKAT, at, "none", 0, NULL, 0);
	truth_line("io_uring_unlinkat", res, ",\"text\":\"none\",\"path\":\"%s\"", dir);
}

/* Those that the kernel refuses while it prepares them: each has a completion all the same, and no file. */
static void refused_requests(int fd)
{
	static const struct {
		const char *op;
		struct io_uring_sqe sqe;
	} refused[] = {
		{ "io_uring_other", { .opcode = 250 } }, /* none such */
		{ "io_uring_read",
		  { .opcode = IORING_OP_READ, .flags = 1 << 7 } }, /* nor such a flag */
		{ "io_uring_fsync", { .opcode = IORING_OP_FSYNC, .fsync_flags = 1U << 31 } },
		{ "io_uring_fallocate", { .opcode = IORING_OP_FALLOCATE, .buf_index = 1 } },
		{ "io_uring_splice", { .opcode = IORING_OP_SPLICE, .splice_flags = 1U << 20 } },
		{ "io_uring_unlinkat", { .opcode = IORING_OP_UNLINKAT, .unlink_flags = 1U << 31 } },
		{ "io_uring_write", { .opcode = IORING_OP_WRITE, .personality = 9 } },
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		struct io_uring_sqe sqe = refused[i].sqe;

		sqe.fd = fd;
		truth_line(refused[i].op, request(&sqe), "%s", "");
	}
}

int main(int argc, char **argv)
{
	struct iovec v[3] = { { buf, 100 }, { buf, 200 }, { buf, 300 } };
	char path[600];
	int fd, at, none = -1, from[2], to[2], res;

	if (argc != 3)
		return 2;
	truth_fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	(void)snprintf(path, sizeof(path), "%s/uring", argv[2]);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || truth_fd < 0)
		return 1;
	if (open_ring(&ring, 0) < 0)
		return 77;
	at = open(argv[2], O_RDONLY | O_DIRECTORY);
	(void)syscall(SYS_io_uring_register, ring.fd, IORING_REGISTER_FILES, &none, 1);
	if (pipe(from) < 0 || pipe(to) < 0)
		return 1;
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
	path_requests(argv[2], at);
	copy_requests(fd, path, from, to);
	refused_requests(fd);
	truth_end();
	return 0;
}
