/* SPDX-License-Identifier: MIT */
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "collector/privileges.h"
#include "common/scan.h"

/* --- who --- */

void td_user_done(struct td_user *u)
{
	free(u->name);
	free(u->home);
	free(u->groups);
	*u = (struct td_user){ 0 };
}

static int set_groups(struct td_user *u, const char *name)
{
	int n = 0;

	(void)getgrouplist(name, u->gid, NULL, &n);
	u->groups = calloc((size_t)n + 1, sizeof(*u->groups));
	if (!u->groups)
		return -ENOMEM;
	if (getgrouplist(name, u->gid, u->groups, &n) < 0)
		n = 0; /* groups were added meanwhile */
	u->ngroups = (size_t)n;
	return 0;
}

static int from_passwd(const struct passwd *pw, struct td_user *ret)
{
	_cleanup_(td_user_done) struct td_user u = { .uid = pw->pw_uid, .gid = pw->pw_gid };
	int r;

	u.name = strdup(pw->pw_name);
	u.home = strdup(pw->pw_dir);
	if (!u.name || !u.home)
		return -ENOMEM;
	r = set_groups(&u, pw->pw_name);
	if (r < 0)
		return r;
	*ret = u;
	u = (struct td_user){ 0 };
	return 0;
}

/* One that has no entry keeps the group that is given. */
static int from_uid(uid_t uid, gid_t gid, struct td_user *ret)
{
	const struct passwd *pw = getpwuid(uid);

	if (pw)
		return from_passwd(pw, ret);
	*ret = (struct td_user){ .uid = uid, .gid = gid };
	return 0;
}

/* The number in an environment variable, false if there is none. */
static bool env_number(const char *name, uint32_t *ret)
{
	const char *text = getenv(name);
	struct td_scan s = td_scan_of(text ? text : "", text ? strlen(text) : 0);
	uint64_t n;

	if (!td_scan_u64(&s, &n) || !td_scan_done(&s) || n >= UINT32_MAX)
		return false;
	*ret = (uint32_t)n;
	return true;
}

int td_user_invoking(struct td_user *ret, struct td_err *err)
{
	static const char *const variables[][2] = { { "SUDO_UID", "SUDO_GID" },
						    { "PKEXEC_UID", NULL } };
	uid_t uid = getuid();
	gid_t gid = getgid();
	int r;

	/* only root could have been somebody else before */
	for (size_t i = 0; getuid() == 0 && i < TD_ARRAY_SIZE(variables); i++) {
		if (!env_number(variables[i][0], &uid))
			continue;
		gid = uid;
		if (variables[i][1])
			(void)env_number(variables[i][1], &gid);
		break;
	}
	r = from_uid(uid, gid, ret);
	return r < 0 ? td_err_errno(err, r, "cannot find out who user %u is", (unsigned)uid) : 0;
}

int td_user_named(const char *name, struct td_user *ret, struct td_err *err)
{
	struct td_scan s = td_scan_of(name, strlen(name));
	const struct passwd *pw = getpwnam(name);
	uint64_t uid;
	int r;

	if (pw)
		r = from_passwd(pw, ret);
	else if (td_scan_u64(&s, &uid) && td_scan_done(&s) && uid < UINT32_MAX)
		r = from_uid((uid_t)uid, (gid_t)uid, ret);
	else
		return td_err_set(err, -ENOENT, "there is no user '%s'", name);
	return r < 0 ? td_err_errno(err, r, "cannot find out who '%s' is", name) : 0;
}

/* --- becoming somebody --- */

int td_user_become(const struct td_user *u)
{
	if (setgroups(u->ngroups, u->groups) < 0 || setresgid(u->gid, u->gid, u->gid) < 0 ||
	    setresuid(u->uid, u->uid, u->uid) < 0)
		return -errno;
	return 0;
}

bool td_user_can_write(const struct td_user *u, const char *folder)
{
	pid_t pid = fork(), ended;
	int status = -1;

	if (pid == 0)
		_exit(td_user_become(u) == 0 && access(folder, W_OK | X_OK) == 0 ? 0 : 1);
	do
		ended = pid > 0 ? waitpid(pid, &status, 0) : 0;
	while (ended < 0 && errno == EINTR);
	return status == 0;
}

/* As the kernel has it for NFS servers: the ids that files are made with, and nothing else. Without the privilege
 * both do nothing, and then there is nothing to do. */
void td_user_act_as(const struct td_user *u)
{
	(void)setfsgid(u->gid);
	(void)setfsuid(u->uid);
}

void td_user_end_acting(void)
{
	(void)setfsuid(geteuid());
	(void)setfsgid(getegid());
}

/* --- giving up --- */

static int set_capabilities(uint64_t keep)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = (uint32_t)keep, .permitted = (uint32_t)keep },
		{ .effective = (uint32_t)(keep >> 32), .permitted = (uint32_t)(keep >> 32) },
	};

	return syscall(SYS_capset, &head, data) < 0 ? -errno : 0;
}

int td_user_drop_capabilities(void)
{
	return geteuid() == 0 ? 0 : set_capabilities(0);
}

int td_privileges_drop(const struct td_user *u, bool keep_kill)
{
	uint64_t keep = keep_kill ? UINT64_C(1) << CAP_KILL : 0;
	int r = 0;

	if (geteuid() == 0 && u->uid != 0) {
		if (prctl(PR_SET_KEEPCAPS, keep_kill) < 0)
			return -errno;
		r = td_user_become(u);
	}
	if (r == 0)
		r = set_capabilities(keep);
	if (r == -EPERM && keep_kill) /* a user who had few capabilities to begin with */
		r = set_capabilities(0);
	if (r == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		r = -errno;
	return r;
}
