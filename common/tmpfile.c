/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/tmpfile.h"

#define MARK ".tracedb"
#define RANDOM_PLACE "??????"
#define RANDOM_CHARS (sizeof(RANDOM_PLACE) - 1)
#define TMP_SUFFIX ".tmp"
#define NAME_PART_MAX 180 /* of the 255 bytes of a name: the rest is for what others append, too */

static const char random_chars[] = "abcdefghijklmnopqrstuvwxyz234567";

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

/* "FOLDER/.NAME.tracedb" of a file path "FOLDER/NAME", and what is appended to it. A name that is too long for that
 * is cut. */
static char *hidden_name(const char *path, const char *ending)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *hidden;

	return asprintf(&hidden, "%.*s.%.*s" MARK "%s", (int)(name - path), path, NAME_PART_MAX,
			name, ending) < 0
		       ? NULL
		       : hidden;
}

char *td_tmpfile_name(const char *path)
{
	unsigned char random[RANDOM_CHARS];
	char ending[] = "-" RANDOM_PLACE TMP_SUFFIX;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return NULL;
	for (size_t i = 0; i < sizeof(random); i++)
		ending[1 + i] = random_chars[random[i] % (sizeof(random_chars) - 1)];
	return hidden_name(path, ending);
}

char *td_tmpfile_lock_name(const char *path)
{
	return hidden_name(path, ".lock");
}

/* Is it what td_tmpfile_name() made, with the given begin, or what was named after it? */
static bool is_leftover(const char *name, const char *begin)
{
	size_t len = strlen(begin);

	if (strncmp(name, begin, len) != 0 || strspn(name + len, random_chars) != RANDOM_CHARS)
		return false;
	name += len + RANDOM_CHARS;
	len = strlen(TMP_SUFFIX);
	return strncmp(name, TMP_SUFFIX, len) == 0 && (name[len] == '\0' || name[len] == '-');
}

void td_tmpfile_remove_leftovers(const char *path)
{
	_cleanup_free_ char *folder = folder_of(path), *begin = hidden_name(path, "-");
	_cleanup_(closedirp) DIR *dir = folder ? opendir(folder) : NULL;
	const struct dirent *e;

	while (begin && dir && (e = readdir(dir)))
		if (is_leftover(e->d_name, strrchr(begin, '/') ? strrchr(begin, '/') + 1 : begin))
			(void)unlinkat(dirfd(dir), e->d_name, 0);
}
