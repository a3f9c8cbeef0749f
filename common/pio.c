/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <unistd.h>

#include "common/pio.h"

int td_write_at(int fd, const void *p, size_t size_bytes, uint64_t offset_bytes)
{
	for (const char *at = p; size_bytes > 0;) {
		ssize_t n = pwrite(fd, at, size_bytes, (off_t)offset_bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		size_bytes -= (size_t)n;
		offset_bytes += (uint64_t)n;
	}
	return 0;
}

int td_read_at(int fd, void *p, size_t size_bytes, uint64_t offset_bytes)
{
	for (char *at = p; size_bytes > 0;) {
		ssize_t n = pread(fd, at, size_bytes, (off_t)offset_bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EINVAL;
		at += n;
		size_bytes -= (size_t)n;
		offset_bytes += (uint64_t)n;
	}
	return 0;
}
