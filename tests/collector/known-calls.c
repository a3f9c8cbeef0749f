/* SPDX-License-Identifier: MIT */
/*
 * Makes calls of which it knows everything, and says so: known-calls TRUTH_FILE DIR, an empty directory.
 * Numbers of descriptors are those that the kernel gives; paths are absolute unless a case is about that.
 */
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>

#include "tests/collector/truth.h"

static char dir[512];
static char buf[1 << 16];

/* DIR/name; four in turn. */
static const char *in_dir(const char *name)
{
	static char paths[4][1024];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	(void)snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

/* What the file is, by fstat(). */
static void fstat_known(int fd, const char *path, const char *class)
{
	struct stat st;
	long r = call(SYS_fstat, fd, &st);

	truth_line("fstat", r,
		   ",\"fd\":%d,\"path\":\"%s\",\"class\":\"%s\",\"inode\":%llu,\"device\":%u,"
		   "\"mode\":%u",
		   fd, path, class, (unsigned long long)st.st_ino,
		   major(st.st_dev) << 20 | minor(st.st_dev), st.st_mode);
}

/* A call about an open file, with no bytes and no offset. */
static void plain_known(const char *op, long r, int fd, const char *path)
{
	truth_line(op, r, ",\"fd\":%d,\"path\":\"%s\"", fd, path);
}

/* One with both. */
static void io_known(const char *op, long r, int fd, const char *path, size_t asked, long offset)
{
	truth_line(op, r, ",\"fd\":%d,\"path\":\"%s\",\"asked\":%zu,\"offset\":%ld", fd, path,
		   asked, offset);
}

static int open_known(const char *path, int flags)
{
	int fd = (int)call(SYS_openat, AT_FDCWD, path, flags, 0600);

	plain_known("openat", fd, fd, path);
	return fd;
}

static void close_known(int fd, const char *path)
{
	plain_known("close", call(SYS_close, fd), fd, path);
}

/* Writes n bytes at the position that the caller knows. */
static void write_known(int fd, const char *path, size_t n, long offset)
{
	io_known("write", call(SYS_write, fd, buf, n), fd, path, n, offset);
}

static void read_known(int fd, const char *path, size_t n, long offset)
{
	io_known("read", call(SYS_read, fd, buf, n), fd, path, n, offset);
}

static void lseek_known(int fd, const char *path, long to)
{
	plain_known("lseek", call(SYS_lseek, fd, to, SEEK_SET), fd, path);
}

/* --- sizes and offsets --- */

static void known_vectors(int fd, const char *path)
{
	struct iovec v[20];
	size_t asked = 0;

	for (size_t i = 0; i < 20; i++) {
		v[i] = (struct iovec){ buf, i * 10 + 1 };
		asked += i * 10 + 1;
	}
	io_known("writev", call(SYS_writev, fd, v, 20), fd, path, asked, 7000);
	io_known("pwritev", call(SYS_pwritev, fd, v, 3, 100L, 0L), fd, path, 33, 100);
	io_known("preadv", call(SYS_preadv, fd, v, 8, 200L, 0L), fd, path, 288, 200);
	io_known("preadv2", call(SYS_preadv2, fd, v, 9, 200L, 0L, 0), fd, path, 369, 200);
	lseek_known(fd, path, 5000);
	io_known("preadv2", call(SYS_preadv2, fd, v, 2, -1L, -1L, 0), fd, path, 12, 5000);
	io_known("readv", call(SYS_readv, fd, v, 2), fd, path, 12, 5012);
}

/* What fails still asked for something somewhere. */
static void known_failures(int fd, const char *path)
{
	long r;

	lseek_known(fd, path, 0);
	io_known("read", call(SYS_read, fd, (void *)8, 100), fd, path, 100, 0);
	r = call(SYS_read, 999, buf, 100);
	truth_line("read", r, ",\"fd\":999,\"asked\":100");
	r = call(SYS_pread64, fd, buf, 3UL << 30, 5L << 30);
	io_known("pread64", r, fd, path, 3UL << 30, 5L << 30);
	io_known("pread64", call(SYS_pread64, fd, buf, 10UL, -5L), fd, path, 10, -5);
}

static void known_sizes(void)
{
	const char *path = in_dir("sizes");
	int fd = open_known(path, O_RDWR | O_CREAT | O_EXCL);
	long r;

	fstat_known(fd, path, "regular");
	write_known(fd, path, 0, 0);
	write_known(fd, path, 1, 0);
	write_known(fd, path, 4095, 1);
	write_known(fd, path, 904, 4096);
	io_known("pwrite64", call(SYS_pwrite64, fd, buf, 2000, 5000L), fd, path, 2000, 5000);
	lseek_known(fd, path, 7000);
	known_vectors(fd, path);
	io_known("pread64", call(SYS_pread64, fd, buf, 10, 8900L), fd, path, 10, 8900);
	lseek_known(fd, path, 8910);
	read_known(fd, path, 65536, 8910); /* 10 bytes are left */
	read_known(fd, path, 65536, 8920); /* the end */
	known_failures(fd, path);
	io_known("fallocate", call(SYS_fallocate, fd, 0, 10000L, 5000L), fd, path, 5000, 10000);
	r = call(SYS_ftruncate, fd, 12000L);
	truth_line("ftruncate", r, ",\"fd\":%d,\"path\":\"%s\",\"offset\":12000", fd, path);
	plain_known("fsync", call(SYS_fsync, fd), fd, path);
	plain_known("fdatasync", call(SYS_fdatasync, fd), fd, path);
	close_known(fd, path);
	r = call(SYS_close, fd);
	truth_line("close", r, ",\"fd\":%d", fd);
}

static void known_append(void)
{
	const char *path = in_dir("append");
	struct iovec v = { buf, 50 };
	int one = open_known(path, O_WRONLY | O_CREAT | O_APPEND);
	int two = open_known(path, O_RDWR | O_APPEND);

	write_known(one, path, 10, 0);
	write_known(two, path, 20, 10);
	write_known(one, path, 30, 30);
	lseek_known(two, path, 5);
	read_known(two, path, 7, 5);
	write_known(two, path, 40, 60);
	/* pwrite(2), BUGS: where the file appends the offset does not count */
	io_known("pwrite64", call(SYS_pwrite64, one, buf, 50, 3L), one, path, 50, 100);
	close_known(one, path);
	close_known(two, path);
	/* one that does not append may for once */
	one = open_known(path, O_RDWR);
	io_known("pwritev2", call(SYS_pwritev2, one, &v, 1, 3L, 0, RWF_APPEND), one, path, 50, 150);
	io_known("pwritev2", call(SYS_pwritev2, one, &v, 1, -1L, -1L, RWF_APPEND), one, path, 50,
		 200);
	io_known("pwritev2", call(SYS_pwritev2, one, &v, 1, 7L, 0, 0), one, path, 50, 7);
	close_known(one, path);
}

/* The side that a copy writes to; offset -1: it has none. */
static void out_known(const char *op, long r, int fd, const char *path, size_t asked, long offset)
{
	if (offset < 0)
		truth_line(op, r, ",\"fd\":%d,\"path\":\"%s\",\"asked\":%zu", fd, path, asked);
	else
		io_known(op, r, fd, path, asked, offset);
}

static void known_copies(void)
{
	const char *path = in_dir("sizes"), *to = in_dir("copy");
	int in = open_known(path, O_RDONLY), out = open_known(to, O_RDWR | O_CREAT);
	long offset = 1000, to_offset = 9000, r;

	r = call(SYS_sendfile, out, in, &offset, 500UL);
	io_known("sendfile", r, in, path, 500, 1000);
	out_known("sendfile:out", r, out, to, 500, 0);
	lseek_known(in, path, 77);
	r = call(SYS_sendfile, out, in, NULL, 500UL);
	io_known("sendfile", r, in, path, 500, 77);
	out_known("sendfile:out", r, out, to, 500, 500);
	offset = 4000;
	r = call(SYS_copy_file_range, in, &offset, out, NULL, 300UL, 0);
	io_known("copy_file_range", r, in, path, 300, 4000);
	out_known("copy_file_range:out", r, out, to, 300, 1000);
	offset = 4000;
	r = call(SYS_copy_file_range, in, &offset, out, &to_offset, 300UL, 0);
	io_known("copy_file_range", r, in, path, 300, 4000);
	out_known("copy_file_range:out", r, out, to, 300, 9000);
	/* what fails has copied nothing: it is the call alone */
	io_known("sendfile", call(SYS_sendfile, 555, in, NULL, 500UL), in, path, 500, 577);
	close_known(in, path);
	close_known(out, to);
}

static void known_splices(void)
{
	const char *path = in_dir("sizes"), *to = in_dir("spliced");
	int in = open_known(path, O_RDONLY), out = open_known(to, O_RDWR | O_CREAT);
	int one[2], two[2];
	long offset = 50, r;

	truth_line("pipe2", call(SYS_pipe2, one, 0), "%s", "");
	truth_line("pipe2", call(SYS_pipe2, two, 0), "%s", "");
	r = call(SYS_splice, in, &offset, one[1], NULL, 200UL, 0);
	io_known("splice", r, in, path, 200, 50);
	out_known("splice:out", r, one[1], "pipe:[*]", 200, -1);
	r = call(SYS_tee, one[0], two[1], 150UL, 0);
	out_known("tee", r, one[0], "pipe:[*]", 150, -1);
	out_known("tee:out", r, two[1], "pipe:[*]", 150, -1);
	r = call(SYS_splice, one[0], NULL, out, NULL, 200UL, 0);
	out_known("splice", r, one[0], "pipe:[*]", 200, -1);
	out_known("splice:out", r, out, to, 200, 0);
	for (int i = 0; i < 2; i++) {
		close_known(one[i], "pipe:[*]");
		close_known(two[i], "pipe:[*]");
	}
	close_known(in, path);
	close_known(out, to);
}

/* --- descriptors --- */

static void known_dups(void)
{
	const char *path = in_dir("dup");
	int fd = open_known(path, O_RDWR | O_CREAT);
	int two = (int)call(SYS_dup, fd);

	plain_known("dup", two, fd, path);
	write_known(fd, path, 100, 0);
	write_known(two, path, 100, 100); /* they share the position */
	close_known(fd, path);
	write_known(two, path, 100, 200);
	plain_known("dup3", call(SYS_dup3, two, 200, O_CLOEXEC), two, path);
	write_known(200, path, 1, 300);
	plain_known("fcntl", call(SYS_fcntl, two, F_DUPFD, 300), two, path);
	close_known(two, path);
	close_known(200, path);
	close_known(300, path);
}

/* The same number, often the same struct file, another file. */
static void known_reuse(void)
{
	for (int i = 0; i < 50; i++) {
		char path[1024];
		int fd;

		(void)snprintf(path, sizeof(path), "%s/reuse%d", dir, i % 7);
		fd = open_known(path, O_RDWR | O_CREAT | O_TRUNC);
		write_known(fd, path, (size_t)i + 1, 0);
		close_known(fd, path);
		if (i % 3 == 0)
			truth_line("unlink", call(SYS_unlink, path), ",\"text\":\"%s\"", path);
	}
}

/* Made by a call that has no path. */
static void made_known(const char *op, long fd, const char *name, const char *class)
{
	truth_line(op, fd, ",\"fd\":%ld,\"path\":\"%s\",\"class\":\"%s\"", fd, name, class);
}

/* Written to or read from where there is no position. */
static void stream_known(const char *op, long r, int fd, const char *name, const char *class,
			 size_t asked)
{
	truth_line(op, r, ",\"fd\":%d,\"path\":\"%s\",\"class\":\"%s\",\"asked\":%zu", fd, name,
		   class, asked);
}

/* What has no path; '*' in a name stands for a number. */
static void known_anonymous(void)
{
	const char *pipe_name = "pipe:[*]", *memfd = "memfd:weights";
	const char *eventfd = "anon_inode:[eventfd]", *epoll = "anon_inode:[eventpoll]";
	uint64_t one = 1;
	int fds[2], fd;

	truth_line("pipe2", call(SYS_pipe2, fds, 0), "%s", "");
	stream_known("write", call(SYS_write, fds[1], buf, 100), fds[1], pipe_name, "pipe", 100);
	stream_known("read", call(SYS_read, fds[0], buf, 1000), fds[0], pipe_name, "pipe", 1000);
	fstat_known(fds[0], pipe_name, "pipe");
	close_known(fds[0], pipe_name);
	close_known(fds[1], pipe_name);

	fd = (int)call(SYS_memfd_create, "weights", 0);
	made_known("memfd_create", fd, memfd, "memfd");
	write_known(fd, memfd, 5000, 0);
	fstat_known(fd, memfd, "memfd");
	close_known(fd, memfd);

	fd = (int)call(SYS_eventfd2, 0, 0);
	made_known("eventfd2", fd, eventfd, "eventfd");
	stream_known("write", call(SYS_write, fd, &one, 8), fd, eventfd, "eventfd", 8);
	close_known(fd, eventfd);
	/* most likely in the same struct file, and with the same inode */
	fd = (int)call(SYS_epoll_create1, 0);
	made_known("epoll_create1", fd, epoll, "anon-inode");
	close_known(fd, epoll);

	fd = open_known("/dev/null", O_RDWR);
	stream_known("write", call(SYS_write, fd, buf, 123), fd, "/dev/null", "device", 123);
	fstat_known(fd, "/dev/null", "device");
	close_known(fd, "/dev/null");
}

/* --- names --- */

static void known_missing(void)
{
	struct stat st;

	truth_line("stat", call(SYS_stat, in_dir("nothing"), &st), ",\"text\":\"%s/nothing\"", dir);
	truth_line("openat", call(SYS_openat, AT_FDCWD, in_dir("nothing"), O_RDONLY),
		   ",\"text\":\"%s/nothing\"", dir);
	truth_line("openat", call(SYS_openat, AT_FDCWD, "none", O_RDONLY),
		   ",\"text\":\"none\",\"path\":\"%s/sub\",\"class\":\"directory\"", dir);
	/* no text can be read there */
	truth_line("access", call(SYS_access, (void *)8, F_OK),
		   ",\"text\":\"\",\"path\":\"%s/sub\"", dir);
}

/* Under its old name, its new one, and none. */
static void known_rename(int at)
{
	char path[600];
	int fd;
	long r;

	(void)snprintf(path, sizeof(path), "%s/sub/inner", dir);
	fd = (int)call(SYS_openat, AT_FDCWD, "inner", O_RDWR | O_CREAT, 0600);
	plain_known("openat", fd, fd, path);
	r = call(SYS_renameat2, AT_FDCWD, "inner", at, "outer", 0);
	truth_line("renameat2", r,
		   ",\"text\":\"inner\",\"text2\":\"outer\",\"path\":\"%s/sub\",\"path2\":\"%s\"",
		   dir, dir);
	write_known(fd, in_dir("outer"), 10, 0);
	r = call(SYS_unlinkat, at, "outer", 0);
	truth_line("unlinkat", r, ",\"text\":\"outer\",\"path\":\"%s\"", dir);
	r = call(SYS_write, fd, buf, 10);
	truth_line("write", r,
		   ",\"fd\":%d,\"path\":\"%s/outer\",\"deleted\":true,\"asked\":10,\"offset\":10",
		   fd, dir);
	r = call(SYS_close, fd);
	truth_line("close", r, ",\"fd\":%d,\"path\":\"%s/outer\",\"deleted\":true", fd, dir);
}

static void known_links(int at)
{
	int fd;
	long r = call(SYS_symlink, "../sizes", "link");

	truth_line("symlink", r, ",\"text\":\"link\",\"text2\":\"../sizes\",\"path\":\"%s/sub\"",
		   dir);
	r = call(SYS_unlink, "link");
	truth_line("unlink", r, ",\"text\":\"link\",\"path\":\"%s/sub\"", dir);
	r = call(SYS_symlinkat, "../sizes", at, "sub/link");
	truth_line("symlinkat", r, ",\"text\":\"sub/link\",\"text2\":\"../sizes\",\"path\":\"%s\"",
		   dir);
	fd = (int)call(SYS_openat, AT_FDCWD, "link", O_RDONLY);
	plain_known("openat", fd, fd, in_dir("sizes"));
	close_known(fd, in_dir("sizes"));
	r = call(SYS_link, in_dir("sizes"), in_dir("hard"));
	truth_line("link", r, ",\"text\":\"%s/sizes\",\"text2\":\"%s/hard\"", dir, dir);
	r = call(SYS_rmdir, in_dir("sub")); /* the link is still there */
	truth_line("rmdir", r, ",\"text\":\"%s/sub\"", dir);
}

/* It is about what is watched, not about the descriptor that tells of it. */
static void known_watch(void)
{
	int fd = (int)call(SYS_inotify_init1, 0);

	plain_known("inotify_init1", fd, fd, "anon_inode:inotify");
	truth_line("inotify_add_watch", call(SYS_inotify_add_watch, fd, dir, IN_MODIFY),
		   ",\"text\":\"%s\"", dir);
	close_known(fd, "anon_inode:inotify");
}

static void known_names(void)
{
	struct stat st;
	int at;

	truth_line("mkdir", call(SYS_mkdir, in_dir("sub"), 0700), ",\"text\":\"%s/sub\"", dir);
	truth_line("chdir", call(SYS_chdir, in_dir("sub")), ",\"path\":\"%s/sub\"", dir);
	known_missing();
	at = open_known(dir, O_RDONLY | O_DIRECTORY);
	truth_line("newfstatat", call(SYS_newfstatat, at, "sizes", &st, 0),
		   ",\"text\":\"sizes\",\"path\":\"%s\"", dir);
	plain_known("newfstatat", call(SYS_newfstatat, at, "", &st, AT_EMPTY_PATH), at, dir);
	known_rename(at);
	known_links(at);
	known_watch();
	truth_line("chdir", call(SYS_chdir, dir), ",\"path\":\"%s\"", dir);
	close_known(at, dir);
}

static void rename_known(const char *from, const char *to)
{
	truth_line("rename", call(SYS_rename, from, to), ",\"text\":\"%s\",\"text2\":\"%s\"", from,
		   to);
}

static void mkdir_known(const char *path)
{
	truth_line("mkdir", call(SYS_mkdir, path, 0700), ",\"text\":\"%s\"", path);
}

/* How checkpoints are written: into a directory that gets its name when it is complete. */
static void known_renamed_directories(void)
{
	int fd, again;

	mkdir_known(in_dir("ckpt.tmp"));
	mkdir_known(in_dir("ckpt.tmp/rank0"));
	fd = open_known(in_dir("ckpt.tmp/rank0/model"), O_RDWR | O_CREAT);
	write_known(fd, in_dir("ckpt.tmp/rank0/model"), 100, 0);
	truth_line("chdir", call(SYS_chdir, in_dir("ckpt.tmp/rank0")),
		   ",\"path\":\"%s/ckpt.tmp/rank0\"", dir);
	rename_known(in_dir("ckpt.tmp"), in_dir("ckpt"));
	write_known(fd, in_dir("ckpt/rank0/model"), 100, 100);
	again = open_known(in_dir("ckpt/rank0/model"), O_RDONLY);
	close_known(again, in_dir("ckpt/rank0/model"));
	again = (int)call(SYS_openat, AT_FDCWD, "model", O_RDONLY);
	plain_known("openat", again, again, in_dir("ckpt/rank0/model"));
	close_known(again, in_dir("ckpt/rank0/model"));
	truth_line("access", call(SYS_access, "none", R_OK),
		   ",\"text\":\"none\",\"path\":\"%s/ckpt/rank0\"", dir);
	rename_known(in_dir("ckpt"), in_dir("ckpt.old"));
	write_known(fd, in_dir("ckpt.old/rank0/model"), 100, 200);
	close_known(fd, in_dir("ckpt.old/rank0/model"));
	truth_line("chdir", call(SYS_chdir, dir), ",\"path\":\"%s\"", dir);
}

/* The same file by two paths, in turns, where we may mount. */
static void known_bind_mount(void)
{
	int one, two;

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return;
	mkdir_known(in_dir("data"));
	mkdir_known(in_dir("view"));
	one = open_known(in_dir("data/x"), O_RDWR | O_CREAT);
	if (mount(in_dir("data"), in_dir("view"), NULL, MS_BIND, NULL) == 0) {
		for (int i = 0; i < 3; i++) {
			two = open_known(in_dir("view/x"), O_RDONLY);
			write_known(one, in_dir("data/x"), 10, 10 * i);
			close_known(two, in_dir("view/x"));
		}
		(void)umount2(in_dir("view"), 0);
	}
	close_known(one, in_dir("data/x"));
}

/* A chain of directories whose names are long, until the path has at least so many characters. */
static void known_long_path(size_t want)
{
	static char path[16384];
	char name[230];
	int at = open_known(dir, O_RDONLY | O_DIRECTORY), next;
	size_t len = strlen(dir);

	memset(name, 'n', sizeof(name));
	(void)snprintf(name + 200, 30, "%zu", want);
	memcpy(path, dir, len + 1);
	while (len < want) {
		truth_line("mkdirat", call(SYS_mkdirat, at, name, 0700), ",\"text\":\"%s\"", name);
		next = (int)call(SYS_openat, at, name, O_RDONLY | O_DIRECTORY);
		len += (size_t)snprintf(path + len, sizeof(path) - len, "/%s", name);
		truth_line("openat", next, ",\"fd\":%d,\"path\":\"%s\"%s", next, path,
			   len > 4095 ? ",\"cut\":true" : "");
		truth_line("close", call(SYS_close, at), ",\"fd\":%d", at);
		at = next;
	}
	next = (int)call(SYS_openat, at, "file", O_RDWR | O_CREAT, 0600);
	truth_line("openat", next, ",\"fd\":%d,\"path\":\"%s/file\"%s", next, path,
		   len + 5 > 4095 ? ",\"cut\":true" : "");
	truth_line("close", call(SYS_close, at), ",\"fd\":%d", at);
	truth_line("close", call(SYS_close, next), ",\"fd\":%d", next);
}

/* --- memory, waiting --- */

static void known_memory(void)
{
	const char *path = in_dir("sizes");
	int fd = open_known(path, O_RDONLY);
	long at = call(SYS_mmap, NULL, 8192UL, PROT_READ, MAP_PRIVATE, fd, 4096L);

	io_known("mmap", at, fd, path, 8192, 4096);
	truth_line("madvise", call(SYS_madvise, at, 4096UL, MADV_WILLNEED), ",\"asked\":4096");
	truth_line("munmap", call(SYS_munmap, at, 8192UL), ",\"asked\":8192");
	at = call(SYS_mmap, NULL, 3UL << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		  -1, 0L);
	truth_line("mmap", at, ",\"asked\":%lu", 3UL << 30);
	truth_line("mremap", call(SYS_mremap, at, 3UL << 30, 1UL << 20, 0), ",\"asked\":%lu",
		   1UL << 20);
	truth_line("munmap", call(SYS_munmap, at, 1UL << 20), ",\"asked\":%lu", 1UL << 20);
	truth_line("brk", call(SYS_brk, 0), "%s", "");
	close_known(fd, path);
}

/* Who is killed, and by what. */
static void known_signals(void)
{
	long pid = getpid();

	truth_line("kill", call(SYS_kill, pid, 0), ",\"asked\":0,\"address\":%ld", pid);
	truth_line("tgkill", call(SYS_tgkill, pid, pid, SIGALRM), ",\"asked\":%d,\"address\":%ld",
		   SIGALRM, pid);
	truth_line("kill", call(SYS_kill, 1 << 22, SIGTERM), ",\"asked\":%d,\"address\":%d",
		   SIGTERM, 1 << 22);
}

/* Queues of System V and of POSIX; the memory of a process, which may be one's own. */
static void known_messages(void)
{
	struct {
		long type;
		char text[20];
	} m = { 1, "" };
	struct {
		long flags, max, size, now, reserved[4];
	} attributes = { .max = 10, .size = 100 };
	struct iovec v[2] = { { buf, 10 }, { buf + 10, 20 } }, from = { buf + 100, 30 };
	int id = (int)call(SYS_msgget, IPC_PRIVATE, 0600), fd;

	truth_line("msgget", id, "%s", "");
	truth_line("msgsnd", call(SYS_msgsnd, id, &m, 20, 0), ",\"asked\":20");
	truth_line("msgrcv", call(SYS_msgrcv, id, &m, 20, 0, 0), ",\"asked\":20");
	truth_line("msgctl", call(SYS_msgctl, id, IPC_RMID, NULL), "%s", "");
	truth_line("process_vm_readv", call(SYS_process_vm_readv, getpid(), v, 2, &from, 1, 0),
		   ",\"asked\":30");
	fd = (int)call(SYS_mq_open, "tracedb-known", O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
	truth_line("mq_open", fd, ",\"fd\":%d", fd);
	if (fd < 0)
		return; /* a kernel without */
	truth_line("mq_timedsend", call(SYS_mq_timedsend, fd, buf, 10, 3, NULL),
		   ",\"fd\":%d,\"path\":\"/tracedb-known\",\"asked\":10", fd);
	truth_line("mq_timedreceive", call(SYS_mq_timedreceive, fd, buf, 100, NULL, NULL),
		   ",\"fd\":%d,\"path\":\"/tracedb-known\",\"asked\":100", fd);
	truth_line("mq_unlink", call(SYS_mq_unlink, "tracedb-known"), "%s", "");
	(void)call(SYS_close, fd);
	truth_line("close", 0, ",\"fd\":%d", fd);
}

/* A socket that does not wait to be connected has its peer from the call on. */
static void known_sockets(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), client;
	socklen_t size = sizeof(at);
	char want[100];
	long r;

	truth_line("socket", server, ",\"fd\":%d,\"path\":\"tcp:[*]\"", server);
	r = call(SYS_bind, server, &at, size);
	truth_line("bind", r, ",\"fd\":%d", server);
	r = call(SYS_listen, server, 1);
	truth_line("listen", r, ",\"fd\":%d", server);
	r = call(SYS_getsockname, server, &at, &size);
	truth_line("getsockname", r, ",\"fd\":%d,\"path\":\"tcp:127.0.0.1:%d\"", server,
		   ntohs(at.sin_port));
	client = (int)call(SYS_socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	truth_line("socket", client, ",\"fd\":%d,\"path\":\"tcp:[*]\"", client);
	(void)snprintf(want, sizeof(want), "tcp:127.0.0.1:*->127.0.0.1:%d", ntohs(at.sin_port));
	r = call(SYS_connect, client, &at, size);
	truth_line("connect", r, ",\"fd\":%d,\"path\":\"%s\"", client, want);
	r = call(SYS_shutdown, client, 1);
	truth_line("shutdown", r, ",\"fd\":%d,\"path\":\"%s\"", client, want);
	(void)call(SYS_close, client);
	truth_line("close", 0, ",\"fd\":%d,\"path\":\"%s\"", client, want);
	(void)call(SYS_close, server);
	truth_line("close", 0, ",\"fd\":%d", server);
}

static void ignore(int signal)
{
	(void)signal;
}

/* What a signal interrupts says so by an error that the program sees, not by one of the kernel's own. */
static void known_interrupts(void)
{
	const struct sigaction action = { .sa_handler = ignore };
	const struct itimerval often = { { 0, 20000 }, { 0, 20000 } }, never = { 0 };
	int fds[2];

	truth_line("pipe2", call(SYS_pipe2, fds, 0), "%s", "");
	(void)sigaction(SIGALRM, &action, NULL);
	(void)setitimer(ITIMER_REAL, &often, NULL);
	truth_line("pause", call(SYS_pause), "%s", "");
	truth_line("read", call(SYS_read, fds[0], buf, 10),
		   ",\"fd\":%d,\"path\":\"pipe:[*]\",\"asked\":10", fds[0]);
	truth_line("poll", call(SYS_poll, NULL, 0, -1), "%s", "");
	(void)setitimer(ITIMER_REAL, &never, NULL);
	close_known(fds[0], "pipe:[*]");
	close_known(fds[1], "pipe:[*]");
}

static void known_waits(void)
{
	static int word = 1;
	struct timespec t = { 0, 20000000 };
	struct pollfd none = { .fd = -1 };
	unsigned long at = (unsigned long)&word;

	truth_line("nanosleep", call(SYS_nanosleep, &t, NULL), ",\"least_ns\":20000000");
	truth_line("poll", call(SYS_poll, &none, 1, 15), ",\"least_ns\":15000000");
	truth_line("futex", call(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &t, NULL, 0),
		   ",\"asked\":%d,\"address\":%lu,\"least_ns\":20000000", FUTEX_WAIT_PRIVATE, at);
	truth_line("futex", call(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0),
		   ",\"asked\":%d,\"address\":%lu", FUTEX_WAKE_PRIVATE, at);
	truth_line("sched_yield", call(SYS_sched_yield), "%s", "");
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	truth_fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (truth_fd < 0 || strlen(argv[2]) >= sizeof(dir))
		return 1;
	(void)snprintf(dir, sizeof(dir), "%s", argv[2]);
	truth_begin();
	known_sizes();
	known_append();
	known_copies();
	known_splices();
	known_dups();
	known_reuse();
	known_anonymous();
	known_names();
	known_renamed_directories();
	known_bind_mount();
	known_long_path(70);
	known_long_path(300);
	known_long_path(3500);
	known_long_path(4500);
	known_memory();
	known_waits();
	known_interrupts();
	known_signals();
	known_sockets();
	known_messages();
	truth_end();
	return 0;
}
