/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sys/stat.h>

#include "collector/samplers/proc.h"
#include "common/cleanup.h"
#include "common/scan.h"

/* The number of bytes, without the NUL that is added; or -errno. */
static ssize_t read_file(int dir, const char *name, char *buf, size_t size)
{
	_cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0)
		return -errno;
	buf[n] = '\0';
	return n;
}

/* "4711 (a name) S 4710 ...": the name may hold anything, so what follows is found from its last bracket. Fields
 * from there: state, parent, ..., the 20th the start in ticks since boot. */
static int scan_stat(char *text, struct td_proc *ret)
{
	uint64_t ticks_per_s = (uint64_t)sysconf(_SC_CLK_TCK), parent = 0, start = 0;
	char *begin = strchr(text, '('), *end = strrchr(text, ')');
	struct td_scan t;
	struct td_str word;

	if (!begin || !end || end < begin)
		return -EBADMSG;
	*end = '\0';
	(void)snprintf(ret->comm, sizeof(ret->comm), "%s", begin + 1);
	t = td_scan_of(end + 1, strlen(end + 1));
	for (int field = 1; field <= 20; field++) {
		struct td_scan number;

		if (td_scan_blanks(&t) == 0 || !td_scan_token(&t, &word))
			return -EBADMSG;
		number = td_scan_of(word.p, word.len);
		if ((field == 2 && !td_scan_u64(&number, &parent)) ||
		    (field == 20 && !td_scan_u64(&number, &start)))
			return -EBADMSG;
	}
	ret->parent = (pid_t)parent;
	ret->start_ns =
		start / ticks_per_s * 1000000000 + start % ticks_per_s * 1000000000 / ticks_per_s;
	return 0;
}

int td_proc_read(pid_t pid, struct td_proc *ret)
{
	char path[32], text[1024];
	_cleanup_close_ int dir = -1;
	struct td_proc p = { .pid = pid };
	struct stat st;
	ssize_t n;
	int r;

	(void)snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	dir = open(path, O_DIRECTORY | O_PATH | O_CLOEXEC);
	if (dir < 0 || fstat(dir, &st) < 0)
		return -errno;
	p.uid = st.st_uid;
	n = read_file(dir, "stat", text, sizeof(text));
	r = n < 0 ? (int)n : scan_stat(text, &p);
	if (r < 0)
		return r;
	n = read_file(dir, "cmdline", p.args, sizeof(p.args)); /* of a kernel thread empty */
	while (n > 0 && p.args[n - 1] == '\0')
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (p.args[i] == '\0')
			p.args[i] = ' ';
	*ret = p;
	return 0;
}
