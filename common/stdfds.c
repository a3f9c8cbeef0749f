/* SPDX-License-Identifier: MIT */
#include <fcntl.h>

#include "common/cleanup.h"
#include "common/stdfds.h"

int td_stdfds_take(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int other_way = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		/* the lowest free one is taken, and those below are in use */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", other_way | O_CLOEXEC) < 0)
			return -errno;
	}
	return 0;
}

/* A write that failed before has left nothing behind, not even its error: that is the one of a byte
 * more, behind a hole. */
static int error_of(FILE *f)
{
	return fputc('\n', f) == EOF || fflush(f) != 0 ? -errno : -EIO;
}

int td_flush(FILE *f)
{
	int r = 0;

	if (fflush(f) != 0)
		r = -errno;
	else if (ferror(f))
		r = error_of(f);
	return r;
}
