/* SPDX-License-Identifier: MIT */
#include <limits.h>

#include "collector/record_program.h"
#include "common/cleanup.h"

#define NAME "tracedb-record"

/* The folder's program, if it can be executed. */
static bool try_dir(const char *dir, size_t len, const char *below, char *ret, size_t size)
{
	int n = snprintf(ret, size, "%.*s/%s" NAME, (int)len, dir, below);

	return n > 0 && (size_t)n < size && access(ret, X_OK) == 0;
}

int td_record_program(char *ret_path, size_t size, struct td_err *err)
{
	const char *path = getenv("PATH");
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[TD_MAX(n, (ssize_t)0)] = '\0';
	slash = strrchr(self, '/');
	if (slash && (try_dir(self, (size_t)(slash - self), "", ret_path, size) ||
		      try_dir(self, (size_t)(slash - self), "../collector/", ret_path, size)))
		return 0;
	for (const char *p = path ? path : "", *end; *p; p = *end ? end + 1 : end) {
		end = strchrnul(p, ':');
		if (end > p && try_dir(p, (size_t)(end - p), "", ret_path, size))
			return 0;
	}
	return td_err_set(err, -ENOENT,
			  "'" NAME
			  "' is not installed: build tracedb with libbpf, clang and bpftool "
			  "(-Dcollector=enabled)");
}
