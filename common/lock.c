/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "common/lock.h"
#include "common/unfinished.h"

struct td_lock {
	int fd;
	char *path;
};

/* The file that was locked may have been removed by its last holder in the meantime: then another
 * process can lock a new one of that name, and ours is worth nothing. */
static bool still_there(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && lstat(path, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* An empty file with one name is what this makes. Anything else is somebody's, and not to be removed. */
static bool is_lock(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0 && st.st_nlink <= 1;
}

int td_lock_take(const char *path, struct td_lock **ret, struct td_err *err)
{
	struct td_lock *l;

	for (;;) {
		_cleanup_close_ int fd =
			open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);

		if (fd < 0)
			return td_err_errno(err, -errno, "cannot make '%s'", path);
		if (!is_lock(fd))
			return td_err_set(err, -EEXIST, "'%s' is in the way: it is no lock", path);
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
		td_unfinished_add(path);
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
	td_unfinished_remove(l->path);
	close(l->fd);
	free(l->path);
	free(l);
}

/* --- files that are more than locks --- */

int td_lock_open_file(int fd, const char *path, bool alone)
{
	if (flock(fd, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return -EBUSY;
	return still_there(fd, path) ? 0 : -EBUSY;
}

bool td_lock_is_held(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}
