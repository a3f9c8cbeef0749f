/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>

#include "collector/check.h"
#include "collector/samplers/nvml.h"
#include "common/cleanup.h"
#include "common/scan.h"
#include "common/units.h"

#define ROOM_LITTLE_BYTES INT64_C(2000000000)
#define ROOM_NONE_BYTES INT64_C(50000000)
#define PID_NAMESPACE_OF_ALL "pid:[4026531836]" /* PROC_PID_INIT_INO */

struct row {
	enum td_check_state state;
	char found[384];
	char todo[384];
};

void td_check_add(struct td_strbuf *rows, const char *what, enum td_check_state state,
		  const char *found, const char *todo)
{
	static const char *const states[] = { "ok", "limited", "absent", "missing" };
	const char *cells[] = { what, states[state], found, todo };

	for (size_t i = 0; i < TD_ARRAY_SIZE(cells); i++) {
		for (const char *p = cells[i]; *p; p++)
			td_strbuf_addc(rows, (char)(*p == '\t' || *p == '\n' ? ' ' : *p));
		td_strbuf_addc(rows, i + 1 < TD_ARRAY_SIZE(cells) ? '\t' : '\n');
	}
}

__attribute__((format(printf, 3, 4))) static void found(struct row *row, enum td_check_state state,
							const char *fmt, ...)
{
	va_list ap;

	row->state = state;
	va_start(ap, fmt);
	(void)vsnprintf(row->found, sizeof(row->found), fmt, ap);
	va_end(ap);
}

__attribute__((format(printf, 2, 3))) static void todo(struct row *row, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(row->todo, sizeof(row->todo), fmt, ap);
	va_end(ap);
}

/* --- files below the root --- */

static void path_of(const struct td_check_options *o, const char *path, char ret[PATH_MAX])
{
	(void)snprintf(ret, PATH_MAX, "%s%s", o->root ? o->root : "", path);
}

/* The file's first bytes as text, without the newline at its end. 0 or -errno. */
static int read_text(const struct td_check_options *o, const char *path, char *buf, size_t size)
{
	char full[PATH_MAX];
	_cleanup_close_ int fd = -1;
	ssize_t n;

	path_of(o, path, full);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0)
		return -errno;
	if (n && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return 0;
}

/* --- the checks: false if there is nothing to say --- */

/* What the collector needs: task storage in tracing programs, which came with 5.11. */
static bool check_kernel(const struct td_check_options *o, struct row *row)
{
	struct utsname u;
	char release[sizeof(u.release)];
	struct td_scan t;
	uint64_t major = 0, minor = 0;

	if (uname(&u) < 0)
		return false;
	if (read_text(o, "/proc/sys/kernel/osrelease", release, sizeof(release)) < 0)
		(void)snprintf(release, sizeof(release), "%s", u.release);
	t = td_scan_of(release, strlen(release));
	(void)(td_scan_u64(&t, &major) && td_scan_char(&t, '.') && td_scan_u64(&t, &minor));
	found(row, TD_CHECK_OK, "Linux %s, %s, %ld CPUs", release, u.machine,
	      sysconf(_SC_NPROCESSORS_ONLN));
	if (major < 5 || (major == 5 && minor < 11)) {
		row->state = TD_CHECK_MISSING;
		todo(row, "tracedb record needs Linux 5.11 or later");
	}
	return true;
}

static bool check_btf(const struct td_check_options *o, struct row *row)
{
	char path[PATH_MAX];
	struct stat st;

	path_of(o, "/sys/kernel/btf/vmlinux", path);
	if (stat(path, &st) == 0 && access(path, R_OK) == 0) {
		found(row, TD_CHECK_OK, "/sys/kernel/btf/vmlinux");
		return true;
	}
	found(row, TD_CHECK_MISSING, "the kernel does not describe its types");
	todo(row, "boot a kernel that was built with CONFIG_DEBUG_INFO_BTF: those of Debian 11, "
		  "Ubuntu 20.10, RHEL 8.2 and later are");
	return true;
}

/* The bits in "CapEff:	000001ffffffffff". */
static uint64_t capabilities(const struct td_check_options *o)
{
	char text[4096] = "";
	const char *at;
	struct td_scan t;
	uint64_t ret = 0;

	if (read_text(o, "/proc/self/status", text, sizeof(text)) < 0)
		return 0;
	at = strstr(text, "\nCapEff:");
	if (!at)
		return 0;
	t = td_scan_of(at + strlen("\nCapEff:"), strcspn(at + 1, "\n") - strlen("CapEff:"));
	td_scan_blanks(&t);
	(void)td_scan_hex(&t, &ret);
	return ret;
}

static bool has(uint64_t set, int capability)
{
	return set >> capability & 1;
}

/* A capability holds for the machine only if the user namespace is its first one. */
static bool in_first_user_namespace(const struct td_check_options *o)
{
	char text[256] = "";
	struct td_scan t;
	uint64_t inside, outside, n;

	if (read_text(o, "/proc/self/uid_map", text, sizeof(text)) < 0)
		return true;
	t = td_scan_of(text, strlen(text));
	td_scan_blanks(&t);
	return td_scan_u64(&t, &inside) && td_scan_blanks(&t) && td_scan_u64(&t, &outside) &&
	       td_scan_blanks(&t) && td_scan_u64(&t, &n) && !inside && !outside && n == UINT32_MAX;
}

static bool check_privilege(const struct td_check_options *o, struct row *row)
{
	uint64_t set = capabilities(o);
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[TD_MAX(n, (ssize_t)0)] = '\0';
	if (!in_first_user_namespace(o)) {
		found(row, TD_CHECK_MISSING, "in a user namespace");
		todo(row, "record from outside the container, or start that with --privileged and "
			  "without user namespace");
	} else if (has(set, CAP_SYS_ADMIN)) {
		found(row, TD_CHECK_OK, "%s", geteuid() == 0 ? "root" : "cap_sys_admin");
	} else if (has(set, CAP_BPF) && has(set, CAP_PERFMON)) {
		found(row, TD_CHECK_OK, "cap_bpf, cap_perfmon");
	} else {
		found(row, TD_CHECK_MISSING, "%s without cap_bpf and cap_perfmon",
		      geteuid() == 0 ? "root" : "a user");
		todo(row,
		     "record as root (sudo tracedb record ...), or once as root: setcap "
		     "cap_bpf,cap_perfmon=ep %.200s",
		     program);
	}
	return true;
}

static bool check_lockdown(const struct td_check_options *o, struct row *row)
{
	char text[128] = "";

	if (read_text(o, "/sys/kernel/security/lockdown", text, sizeof(text)) < 0 ||
	    !strstr(text, "[confidentiality]"))
		return false;
	found(row, TD_CHECK_MISSING, "the kernel is locked down: confidentiality");
	todo(row, "BPF may not read memory then: boot with lockdown=integrity");
	return true;
}

static bool check_pid_namespace(const struct td_check_options *o, struct row *row)
{
	char path[PATH_MAX], link[64];
	ssize_t n;

	path_of(o, "/proc/self/ns/pid", path);
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return false;
	link[n] = '\0';
	if (strcmp(link, PID_NAMESPACE_OF_ALL) == 0)
		return false;
	found(row, TD_CHECK_LIMITED, "in a container with process ids of its own");
	todo(row,
	     "only processes of the container are recorded, and -p takes the ids that they have "
	     "here: start it with the ids of the host (docker --pid=host) to record others");
	return true;
}

/* What the administrator has set. */
static bool check_sysctls(const struct td_check_options *o, struct row *row)
{
	static const struct {
		const char *path, *name;
		const char *bad, *advice; /* value that costs something; what to do */
	} sysctls[] = {
		{ "/proc/sys/net/core/bpf_jit_enable", "net.core.bpf_jit_enable", "0",
		  "sysctl net.core.bpf_jit_enable=1: interpreted BPF programs cost several times "
		  "as much" },
		{ "/proc/sys/kernel/ftrace_enabled", "kernel.ftrace_enabled", "0",
		  "sysctl kernel.ftrace_enabled=1: without it functions of the kernel cannot be "
		  "hooked" },
		{ "/proc/sys/kernel/unprivileged_bpf_disabled", "kernel.unprivileged_bpf_disabled",
		  NULL, NULL },
		{ "/proc/sys/kernel/perf_event_paranoid", "kernel.perf_event_paranoid", NULL,
		  NULL },
		{ "/proc/sys/kernel/bpf_stats_enabled", "kernel.bpf_stats_enabled", "1",
		  "sysctl kernel.bpf_stats_enabled=0: it makes every BPF program slower" },
	};
	size_t len = 0;

	row->state = TD_CHECK_OK;
	for (size_t i = 0; i < TD_ARRAY_SIZE(sysctls); i++) {
		char text[32] = "";

		if (read_text(o, sysctls[i].path, text, sizeof(text)) < 0)
			continue;
		len += (size_t)snprintf(row->found + len, sizeof(row->found) - len, "%s%s=%s",
					len ? " " : "", sysctls[i].name, text);
		if (!sysctls[i].bad || strcmp(text, sysctls[i].bad) != 0)
			continue;
		row->state = TD_CHECK_LIMITED;
		todo(row, "%s", sysctls[i].advice);
	}
	return len > 0;
}

/* Needed where tracepoints or functions have to be hooked the old way. */
static bool check_tracefs(const struct td_check_options *o, struct row *row)
{
	static const char *const places[] = { "/sys/kernel/tracing/events",
					      "/sys/kernel/debug/tracing/events" };
	bool denied = false;

	for (size_t i = 0; i < TD_ARRAY_SIZE(places); i++) {
		char path[PATH_MAX];

		path_of(o, places[i], path);
		if (access(path, R_OK) == 0) {
			found(row, TD_CHECK_OK, "%.*s", (int)(strrchr(places[i], '/') - places[i]),
			      places[i]);
			return true;
		}
		denied |= errno == EACCES;
	}
	if (denied) {
		found(row, TD_CHECK_LIMITED, "only root may read it");
		todo(row,
		     "needed only where an event set falls back to tracepoints: record as root");
	} else {
		found(row, TD_CHECK_LIMITED, "not mounted");
		todo(row, "needed only where an event set falls back to tracepoints, and by "
			  "bpftrace; as root: mount -t tracefs tracefs /sys/kernel/tracing");
	}
	return true;
}

static bool check_gpus(const struct td_check_options *o, struct row *row)
{
	_cleanup_(td_nvml_closep) struct td_nvml *n = NULL;
	struct td_err err = { 0 };
	char path[PATH_MAX];
	size_t len;
	bool device;

	path_of(o, "/dev/nvidiactl", path);
	device = access(path, F_OK) == 0;
	if (td_nvml_open(o->library, &n, &err) < 0) {
		found(row, device ? TD_CHECK_LIMITED : TD_CHECK_ABSENT, "%s", err.msg);
		todo(row,
		     device ? "there is an NVIDIA device: install the driver's libnvidia-ml.so.1 "
			      "(Debian: libnvidia-ml1)"
			    : "GPUs are sampled only with NVIDIA's driver");
		return true;
	}
	found(row, TD_CHECK_OK, "driver %s", td_nvml_driver(n));
	len = strlen(row->found);
	for (unsigned i = 0; i < td_nvml_ngpus(n) && len < sizeof(row->found); i++)
		len += (size_t)snprintf(row->found + len, sizeof(row->found) - len, ", GPU %u: %s",
					i, td_nvml_gpu_name(n, i));
	return true;
}

/* For programs of the user's own beside ours. */
static bool check_bpftrace(const struct td_check_options *o, struct row *row)
{
	const char *path = getenv("PATH");

	(void)o;
	for (const char *p = path ? path : "", *end; *p; p = *end ? end + 1 : end) {
		char program[PATH_MAX];

		end = strchrnul(p, ':');
		(void)snprintf(program, sizeof(program), "%.*s/bpftrace", (int)(end - p), p);
		if (access(program, X_OK) == 0) {
			found(row, TD_CHECK_OK, "%s", program);
			return true;
		}
	}
	found(row, TD_CHECK_ABSENT, "not installed");
	todo(row, "needed only by record --bt");
	return true;
}

static bool check_disk(const struct td_check_options *o, struct row *row)
{
	const char *dir = o->dir ? o->dir : ".";
	char bytes[TD_UNITS_BUF];
	struct statvfs st;
	int64_t room;

	if (statvfs(dir, &st) < 0 || access(dir, W_OK) < 0) {
		found(row, TD_CHECK_MISSING, "'%.200s': %s", dir, strerror(errno));
		todo(row, "record to a folder that can be written");
		return true;
	}
	room = (int64_t)(st.f_bavail * st.f_frsize);
	found(row, TD_CHECK_OK, "%s free in '%.200s'", td_format_bytes(bytes, sizeof(bytes), room),
	      dir);
	if (room < ROOM_LITTLE_BYTES) {
		row->state = room < ROOM_NONE_BYTES ? TD_CHECK_MISSING : TD_CHECK_LIMITED;
		todo(row, "record elsewhere, or bound it with --max-size");
	}
	return true;
}

static const struct {
	const char *what;
	bool (*check)(const struct td_check_options *o, struct row *row);
} checks[] = {
	{ "kernel", check_kernel },           { "type information (BTF)", check_btf },
	{ "privilege", check_privilege },     { "lockdown", check_lockdown },
	{ "container", check_pid_namespace }, { "settings", check_sysctls },
	{ "tracefs", check_tracefs },         { "GPUs (NVML)", check_gpus },
	{ "bpftrace", check_bpftrace },       { "disk", check_disk },
};

int td_check_machine(const struct td_check_options *options, struct td_strbuf *rows)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(checks); i++) {
		struct row row = { 0 };

		if (checks[i].check(options, &row))
			td_check_add(rows, checks[i].what, row.state, row.found, row.todo);
	}
	return td_strbuf_error(rows);
}
