/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>

#include "collector/check.h"
#include "common/cleanup.h"
#include "tests/unit/check.h"

#define STATUS(caps) "Name:\tx\nCapPrm:\t0000000000000000\nCapEff:\t" caps "\nCapBnd:\t00\n"
#define FIRST_NAMESPACE "         0          0 4294967295\n"

/* A machine is a few files; each case says what one row is there. */
static const struct {
	const char *name;
	const char *path, *text; /* "" below the root; NULL: nothing there */
	const char *want; /* beginning of a row; NULL: the row 'not' is not there */
	const char *not_there;
} cases[] = {
	{ "a kernel that will do", "/proc/sys/kernel/osrelease", "5.11.0-16-generic\n",
	  "kernel\tok\tLinux 5.11.0-16-generic, ", NULL },
	{ "one that is too old", "/proc/sys/kernel/osrelease", "5.10.0-35-amd64\n",
	  "kernel\tmissing\tLinux 5.10.0-35-amd64, ", NULL },
	{ "BTF", "/sys/kernel/btf/vmlinux", "x", "type information (BTF)\tok\t", NULL },
	{ "no BTF", NULL, NULL, "type information (BTF)\tmissing\t", NULL },
	/* CAP_PERFMON is bit 38, CAP_BPF bit 39, CAP_SYS_ADMIN bit 21 */
	{ "all capabilities", "/proc/self/status", STATUS("000001ffffffffff"), "privilege\tok\t",
	  NULL },
	{ "CAP_BPF and CAP_PERFMON", "/proc/self/status", STATUS("000000c000000000"),
	  "privilege\tok\tcap_bpf, cap_perfmon\t\n", NULL },
	{ "CAP_SYS_ADMIN", "/proc/self/status", STATUS("0000000000200000"), "privilege\tok\t",
	  NULL },
	{ "CAP_BPF alone", "/proc/self/status", STATUS("0000008000000000"), "privilege\tmissing\t",
	  NULL },
	{ "no capability", "/proc/self/status", STATUS("0000000000000000"), "privilege\tmissing\t",
	  NULL },
	{ "a user namespace", "/proc/self/uid_map", "         0       1000          1\n",
	  "privilege\tmissing\tin a user namespace\t", NULL },
	{ "locked down", "/sys/kernel/security/lockdown", "none integrity [confidentiality]\n",
	  "lockdown\tmissing\t", NULL },
	{ "not so far locked down", "/sys/kernel/security/lockdown",
	  "none [integrity] confidentiality\n", NULL, "lockdown" },
	{ "settings", "/proc/sys/kernel/perf_event_paranoid", "2\n",
	  "settings\tok\tkernel.perf_event_paranoid=2\t\n", NULL },
	{ "no compiler of BPF programs", "/proc/sys/net/core/bpf_jit_enable", "0\n",
	  "settings\tlimited\tnet.core.bpf_jit_enable=0\tsysctl net.core.bpf_jit_enable=1: ",
	  NULL },
	{ "no settings that can be read", NULL, NULL, NULL, "settings" },
	{ "tracefs", "/sys/kernel/tracing/events/enable", "0", "tracefs\tok\t/sys/kernel/tracing\t",
	  NULL },
	{ "tracefs in debugfs", "/sys/kernel/debug/tracing/events/enable", "0",
	  "tracefs\tok\t/sys/kernel/debug/tracing\t", NULL },
	{ "no tracefs", NULL, NULL, "tracefs\tlimited\tnot mounted\t", NULL },
	{ "no GPU", NULL, NULL, "GPUs (NVML)\tabsent\tno NVIDIA driver: ", NULL },
	{ "a GPU without library", "/dev/nvidiactl", "",
	  "GPUs (NVML)\tlimited\tno NVIDIA driver: ", NULL },
};

static void put_file(const char *root, const char *path, const char *text)
{
	char full[PATH_MAX];
	int fd;

	(void)snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		(void)mkdir(full, 0700);
		*p = '/';
	}
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	TD_CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* The row that begins with the text and a tab, or NULL. */
static const char *row_of(const char *rows, const char *begin)
{
	for (const char *p = rows; *p; p = strchr(p, '\n') + 1)
		if (strncmp(p, begin, strlen(begin)) == 0)
			return p;
	return NULL;
}

static void run_cases(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		char root[] = "/tmp/test-check-XXXXXX";
		struct td_strbuf rows = TD_STRBUF_INIT;
		const struct td_check_options options = {
			.root = root,
			.dir = "/tmp",
			.library = "/nonexistent/libnvidia-ml.so.1",
		};

		TD_CASE(cases[i].name);
		TD_CHECK(mkdtemp(root) != NULL);
		if (!cases[i].path || strcmp(cases[i].path, "/proc/self/uid_map") != 0)
			put_file(root, "/proc/self/uid_map", FIRST_NAMESPACE);
		if (cases[i].path)
			put_file(root, cases[i].path, cases[i].text);
		TD_CHECK_INT(td_check_machine(&options, &rows), 0);
		if (cases[i].want)
			TD_CHECK(row_of(td_strbuf_str(&rows), cases[i].want) != NULL);
		else
			TD_CHECK(row_of(td_strbuf_str(&rows), cases[i].not_there) == NULL);
		(void)nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
		td_strbuf_done(&rows);
	}
}

static void run_machine(const char *fake_nvml)
{
	struct td_strbuf rows = TD_STRBUF_INIT;
	const struct td_check_options options = { .dir = "/nonexistent", .library = fake_nvml };

	TD_CASE("this machine, with a GPU, and no folder to write to");
	TD_CHECK_INT(td_check_machine(&options, &rows), 0);
	TD_CHECK(row_of(td_strbuf_str(&rows), "kernel\tok\t") != NULL);
	TD_CHECK(row_of(td_strbuf_str(&rows),
			"GPUs (NVML)\tok\tdriver 580.0-fake, GPU 0: Fake GPU\t\n") != NULL);
	TD_CHECK(row_of(td_strbuf_str(&rows), "disk\tmissing\t'/nonexistent': No such file") !=
		 NULL);
	td_strbuf_done(&rows);

	TD_CASE("what would break a row");
	td_check_add(&rows, "a\tb", TD_CHECK_ABSENT, "c\nd", "");
	TD_CHECK_STR(td_strbuf_str(&rows), "a b\tabsent\tc d\t\n");
	td_strbuf_done(&rows);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 1;
	run_cases();
	run_machine(argv[1]);
	return td_check_result();
}
