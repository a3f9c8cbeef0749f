/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "common/lock.h"

struct td_lock {
	int fd;
	char *path;
};

/* The file that was locked may have been removed by its last holder in the meantime: then another
 * process can lock a new one of that name, and ours is worth nothing. */
static bool still_there(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

int td_lock_take(const char *path, struct td_lock **ret, struct td_err *err)
{
	struct td_lock *l;

	for (;;) {
		_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

		if (fd < 0)
			return td_err_errno(err, -errno, "cannot make '%s'", path);
		if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
			if (errno != EWOULDBLOCK)
				return td_err_errno(err, -errno, "cannot lock '%s'", path);
			return td_err_set(err, -EBUSY, "another process holds '%s'", path);
		}
		if (!still_there(fd, path))
			continue;
		l = malloc(sizeof(*l));
		if (!l)
			return -ENOMEM;
		*l = (struct td_lock){ .fd = fd, .path = strdup(path) };
		fd = -1;
		*ret = l;
		return 0;
	}
}

void td_lock_release(struct td_lock *l)
{
	if (!l)
		return;
	if (l->path)
		(void)unlink(l->path);
	close(l->fd);
	free(l->path);
	free(l);
}
