/* SPDX-License-Identifier: MIT */
/*
 * For programs that make known calls: what they did, as lines of JSON that compare.py holds against what was
 * recorded. Only calls between truth_begin() and truth_end() of a thread count; between them nothing else
 * may be called that enters the kernel, so calls are made by number, and lines are kept in memory.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRUTH_BEGIN_FD -4242 /* close() of it marks the beginning, ... */
#define TRUTH_END_FD -4243 /* ... and the end */

struct truth {
	char text[1 << 20];
	size_t len;
	long tid;
};

static int truth_fd = -1; /* open for append */
static _Thread_local struct truth *truth;

/* The result of a system call, -errno on failure. */
#define call(...)                                                                                  \
	({                                                                                         \
		long call_r = syscall(__VA_ARGS__);                                                \
		call_r < 0 ? -(long)errno : call_r;                                                \
	})

static void truth_begin(void)
{
	truth = calloc(1, sizeof(*truth));
	memset(truth, 1, sizeof(*truth)); /* no page faults that could matter later */
	truth->len = 0;
	truth->tid = syscall(SYS_gettid);
	call(SYS_close, TRUTH_BEGIN_FD);
}

static void truth_end(void)
{
	call(SYS_close, TRUTH_END_FD);
	if (write(truth_fd, truth->text, truth->len) != (ssize_t)truth->len)
		abort();
	truth->len = 0;
}

static void truth_line(const char *op, long ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* One call; fmt: further members of its JSON object, each with a comma before it, "" for none. */
static void truth_line(const char *op, long ret, const char *fmt, ...)
{
	size_t room = sizeof(truth->text) - truth->len;
	char *to = truth->text + truth->len;
	int n = snprintf(to, room, "{\"tid\":%ld,\"op\":\"%s\",\"ret\":%ld", truth->tid, op, ret);
	va_list ap;

	va_start(ap, fmt);
	n += vsnprintf(to + n, room - (size_t)n, fmt, ap);
	va_end(ap);
	n += snprintf(to + n, room - (size_t)n, "}\n");
	truth->len += (size_t)n;
	if (truth->len >= sizeof(truth->text))
		abort();
}
