/* SPDX-License-Identifier: MIT */
#include <linux/magic.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "collector/spool/users_disks.h"
#include "common/cleanup.h"
#include "common/pid_here.h"
#include "common/scan.h"
#include "common/strbuf.h"

void td_users_disks_done(struct td_users_disks *d)
{
	td_intern_done(&d->cgroups);
	td_intern_done(&d->users);
}

/* --- disks --- */

/* proc(5): "   8        1  104857600 sda1" */
static bool scan_partition(char *line, uint64_t *ret_device, const char **ret_name)
{
	struct td_scan s = td_scan_of(line, strlen(line));
	uint64_t major, minor, blocks;
	struct td_str name;

	(void)td_scan_blanks(&s);
	if (!td_scan_u64(&s, &major) || !td_scan_blanks(&s) || !td_scan_u64(&s, &minor) ||
	    !td_scan_blanks(&s) || !td_scan_u64(&s, &blocks) || !td_scan_blanks(&s) ||
	    !td_scan_token(&s, &name))
		return false;
	line[strcspn(line, "\n")] = '\0'; /* which the token takes with it */
	*ret_device = major << 20 | minor;
	*ret_name = name.p;
	return true;
}

int td_users_disks_disks(struct td_emit *e)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/partitions", "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	uint64_t device;
	const char *name;
	int r = 0;

	while (r == 0 && f && getline(&line, &size, f) > 0)
		if (scan_partition(line, &device, &name))
			r = td_recording_name(e, TD_WIRE_NAME_DISK, device, name);
	return r;
}

/* --- processes --- */

/* Is it there already? 1, 0, or -ENOMEM; it is from now on. */
static int is_told(struct td_intern *numbers, uint64_t number)
{
	size_t n = numbers->n;

	if (!td_intern_add(numbers, (const char *)&number, sizeof(number)))
		return -ENOMEM;
	return numbers->n == n;
}

/* The "0::/path" of the unified hierarchy, which is the one that the id is of. NULL: the process is gone. */
static char *read_cgroup(uint32_t pid)
{
	char path[64];
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	(void)snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	f = fopen(path, "re");
	while (f && getline(&line, &size, f) > 0) {
		if (strncmp(line, "0::", 3) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		return strdup(line + 3);
	}
	return NULL;
}

static int tell_cgroup(struct td_users_disks *d, struct td_emit *e, const struct td_wire_process *p)
{
	_cleanup_free_ char *path = NULL;
	int r;

	if (!p->cgroup || td_intern_find(&d->cgroups, (const char *)&p->cgroup, sizeof(p->cgroup)))
		return 0;
	path = read_cgroup(td_pid_here(p->head.tid, p->pid_namespace, p->namespace_pid));
	if (!path) /* the next one of this group may live longer */
		return 0;
	r = is_told(&d->cgroups, p->cgroup);
	return r ? TD_MIN(r, 0) : td_recording_name(e, TD_WIRE_NAME_CGROUP, p->cgroup, path);
}

static int tell_user(struct td_users_disks *d, struct td_emit *e, uint32_t uid)
{
	const struct passwd *pw;
	int r = is_told(&d->users, uid);

	if (r)
		return TD_MIN(r, 0);
	pw = getpwuid(uid);
	return pw ? td_recording_name(e, TD_WIRE_NAME_USER, uid, pw->pw_name) : 0;
}

int td_users_disks_process(struct td_users_disks *d, struct td_emit *e,
			   const struct td_wire_process *p)
{
	int r = tell_user(d, e, p->uid);

	return r < 0 ? r : tell_cgroup(d, e, p);
}

/* Where the unified hierarchy is: alone, or beside the older ones. */
static const char *cgroup_root(void)
{
	static const char *const places[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	struct statfs fs;

	for (size_t i = 0; i < TD_ARRAY_SIZE(places); i++)
		if (statfs(places[i], &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC)
			return places[i];
	return NULL;
}

int td_cgroup_id(const char *path, uint64_t *ret, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf full = TD_STRBUF_INIT;
	const char *root = cgroup_root();
	struct statfs fs;
	struct stat st;

	if (!root)
		return td_err_set(err, -ENOENT,
				  "control groups of version 2 are not mounted here, and --cgroup "
				  "needs them");
	if (strncmp(path, root, strlen(root)) != 0)
		td_strbuf_addf(&full, "%s%s", root, *path == '/' ? "" : "/");
	td_strbuf_adds(&full, path);
	if (td_strbuf_error(&full) < 0)
		return -ENOMEM;
	if (stat(td_strbuf_str(&full), &st) < 0 || statfs(td_strbuf_str(&full), &fs) < 0)
		return td_err_errno(err, -errno, "cannot find control group '%s'",
				    td_strbuf_str(&full));
	if (!S_ISDIR(st.st_mode) || fs.f_type != CGROUP2_SUPER_MAGIC)
		return td_err_set(err, -ENOTDIR, "'%s' is no control group", td_strbuf_str(&full));
	*ret = st.st_ino; /* the kernel takes it for the id, too */
	return 0;
}
