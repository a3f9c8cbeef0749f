/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/tmpfile.h"

static void closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* The folder that path is in. NULL when out of memory. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

int td_tmpfile_open_nameable(const char *path)
{
	_cleanup_free_ char *folder = folder_of(path);
	int fd;

	if (!folder)
		return -ENOMEM;
	fd = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	/* open(2): EOPNOTSUPP of the file system, EISDIR of a kernel that does not know the flag */
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

static bool has_name(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_nlink > 0;
}

int td_tmpfile_open(const char *path)
{
	int fd = td_tmpfile_open_nameable(path);

	if (fd >= 0 && has_name(fd))
		(void)unlink(path);
	return fd;
}

/* linkat(2): a process without CAP_DAC_READ_SEARCH goes through /proc. */
int td_tmpfile_give_name(int fd, const char *path)
{
	char self[64];

	if (has_name(fd))
		return 0;
	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

int td_tmpfile_remove_leftovers(const char *path, struct td_err *err)
{
	_cleanup_free_ char *folder = folder_of(path);
	_cleanup_(closedirp) DIR *dir = NULL;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len = strlen(name);
	const struct dirent *e;

	if (!folder)
		return -ENOMEM;
	dir = opendir(folder);
	if (!dir) { /* one may be able to write to it all the same */
		(void)unlink(path);
		return 0;
	}
	while ((e = readdir(dir))) {
		if (strncmp(e->d_name, name, len) != 0 ||
		    (e->d_name[len] != '\0' && e->d_name[len] != '-'))
			continue;
		if (unlinkat(dirfd(dir), e->d_name, 0) < 0 && errno != ENOENT)
			return td_err_errno(err, -errno,
					    "cannot remove '%s/%s', which is in the way", folder,
					    e->d_name);
	}
	return 0;
}
