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
