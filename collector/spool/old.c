/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sys/stat.h>

#include "collector/spool/old.h"
#include "common/cleanup.h"
#include "common/lock.h"

static int explain_live(const char *path, struct td_err *err)
{
	return td_err_set(err, -EBUSY,
			  "'%s' is being recorded, by another tracedb: -o names another file, like "
			  "run-%%h-%%r.db for each rank of a job",
			  path);
}

int td_spool_old_explain(const char *path, struct td_err *err)
{
	if (td_lock_is_held(path))
		return explain_live(path, err);
	return td_err_set(err, -EEXIST,
			  "'%s' exists: a recording that was not imported; 'tracedb import %s' "
			  "does it, -o names another",
			  path, path);
}

bool td_spool_old_is_empty(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0 &&
	       !td_lock_is_held(path);
}

int td_spool_old_check(const char *path, bool force, struct td_err *err)
{
	if (access(path, F_OK) != 0 || td_spool_old_is_empty(path) ||
	    (force && !td_lock_is_held(path)))
		return 0;
	return td_spool_old_explain(path, err);
}

/* Who removes it has it locked, so that nobody else does the same, or has made another one meanwhile. */
int td_spool_old_remove(const char *path, struct td_err *err)
{
	_cleanup_close_ int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd >= 0 && td_lock_open_file(fd, path, true) < 0)
		return explain_live(path, err);
	if (fd < 0 && errno != ELOOP)
		return errno == ENOENT ? 0 : td_err_errno(err, -errno, "cannot open '%s'", path);
	return unlink(path) < 0 ? td_err_errno(err, -errno, "cannot remove '%s'", path) : 0;
}
