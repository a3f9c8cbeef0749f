/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into the program under test (LD_PRELOAD): counts its calls that change files, and lets one
 * go wrong.
 *     FAULT=kill:N    SIGKILL instead of call N
 *     FAULT=full:N    the disk is full from call N on: a write writes half, then nothing; nothing is made
 *     FAULT_COUNT=F   the number of calls is written to the file F at the end
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum mode { COUNT, KILL, FULL };

static enum mode mode;
static long at; /* the call that goes wrong */
static atomic_long calls;
static int count_fd = -1;

/* The function of that name that would have been called. */
#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void set_up(void)
{
	const char *fault = getenv("FAULT"), *count = getenv("FAULT_COUNT");

	if (fault)
		mode = strncmp(fault, "kill:", 5) == 0 ? KILL : FULL;
	if (fault)
		at = strtol(fault + 5, NULL, 10);
	if (count)
		count_fd = REAL(open64)(count, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}

__attribute__((destructor)) static void tear_down(void)
{
	if (count_fd >= 0)
		(void)dprintf(count_fd, "%ld\n", atomic_load(&calls));
}

/* Counts a call. True if it finds the disk full; *ret_first: it is the first one that does. */
static int is_full(int *ret_first)
{
	long n = atomic_fetch_add(&calls, 1) + 1;

	if (mode == KILL && n == at)
		(void)raise(SIGKILL);
	*ret_first = n == at;
	return mode == FULL && n >= at;
}

/* A call that needs no space. */
static void count(void)
{
	int first;

	(void)is_full(&first);
}

static int no_space(void)
{
	int first;

	if (!is_full(&first))
		return 0;
	errno = ENOSPC;
	return 1;
}

ssize_t write(int fd, const void *p, size_t len)
{
	int first;

	if (fd <= STDERR_FILENO || !is_full(&first))
		return REAL(write)(fd, p, len);
	if (first && len > 1)
		return REAL(write)(fd, p, len / 2);
	errno = ENOSPC;
	return -1;
}

ssize_t pwrite64(int fd, const void *p, size_t len, off64_t offset)
{
	int first;

	if (!is_full(&first))
		return REAL(pwrite64)(fd, p, len, offset);
	if (first && len > 1)
		return REAL(pwrite64)(fd, p, len / 2, offset);
	errno = ENOSPC;
	return -1;
}

int open64(const char *path, int flags, ...)
{
	mode_t permissions = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {
		permissions = va_arg(ap, mode_t);
		if (no_space()) {
			va_end(ap);
			return -1;
		}
	}
	va_end(ap);
	return REAL(open64)(path, flags, permissions);
}

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
	return no_space() ? -1 : REAL(linkat)(from_fd, from, to_fd, to, flags);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
	count();
	return REAL(renameat2)(from_fd, from, to_fd, to, flags);
}

int unlink(const char *path)
{
	count();
	return REAL(unlink)(path);
}

int unlinkat(int fd, const char *path, int flags)
{
	count();
	return REAL(unlinkat)(fd, path, flags);
}
