/* SPDX-License-Identifier: MIT */
/* The parts of the probes that need no kernel: what is loaded, the table of calls, names of files. */
#include <arpa/inet.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/magic.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "collector/options.h"
#include "collector/probes/command_lines.h"
#include "collector/probes/file_names.h"
#include "collector/probes/plan.h"
#include "collector/probes/syscalls.h"
#include "collector/bpf/td_bpf.skel.h"
#include "store/store.h"
#include "tests/unit/check.h"

/* Ways are gone through in their order, and what is wrong with each is said. */
static void test_plan(void)
{
	static struct td_plan p;
	struct td_set_status status[TD_NSETS];

	TD_CASE("the first way of all hooks");
	td_plan_make(&p, 1u << TD_SET_VFS | 1u << TD_SET_FAULTS, 0);
	TD_CHECK(td_plan_find(&p, "read_fentry") && !td_plan_find(&p, "read_kprobe"));
	TD_CHECK(td_plan_find(&p, "fault_btf") && td_plan_find(&p, "unfinished_faults"));
	TD_CHECK(td_plan_find(&p, "fork_btf") && !td_plan_find(&p, "enter_direct"));
	TD_CHECK_INT(td_plan_status(&p, status), 2);
	TD_CHECK_INT(status[0].set, TD_SET_FAULTS);
	TD_CHECK_INT(status[0].state, TD_SET_WORKS);
	TD_CHECK_INT(status[0].way, TD_WAY_TP_BTF);
	TD_CHECK_INT(status[1].way, TD_WAY_FENTRY);

	TD_CASE("the second one");
	td_plan_failed(&p, td_plan_find(&p, "unlink_fexit"), EPERM);
	TD_CHECK(!td_plan_find(&p, "read_fentry") && td_plan_find(&p, "unlink_kretprobe"));
	td_plan_status(&p, status);
	TD_CHECK_INT(status[1].state, TD_SET_FALLBACK);
	TD_CHECK_INT(status[1].way, TD_WAY_KPROBE);
	TD_CHECK_STR(status[1].why, "file functions: fentry: Operation not permitted");
	TD_CHECK(td_plan_has(&p, TD_SET_VFS));

	TD_CASE("none is left");
	td_plan_failed(&p, td_plan_find(&p, "read_kprobe"), EINVAL);
	TD_CHECK(!td_plan_find(&p, "read_kprobe"));
	td_plan_status(&p, status);
	TD_CHECK_INT(status[0].state, TD_SET_WORKS);
	TD_CHECK_INT(status[1].state, TD_SET_IMPOSSIBLE);
	TD_CHECK_STR(status[1].why, "file functions: fentry: Operation not permitted; kprobe: not "
				    "accepted by this kernel");
	TD_CHECK(!td_plan_has(&p, TD_SET_VFS) && td_plan_has(&p, TD_SET_FAULTS));
	TD_CHECK(!td_plan_has(&p, TD_SET_SCHED));
}

static void test_plan_of_several(void)
{
	static struct td_plan p;
	struct td_set_status status[TD_NSETS];

	TD_CASE("a way for another version of the kernel is as good");
	td_plan_make(&p, 1u << TD_SET_IO_URING | 1u << TD_SET_FILE_IO, 0);
	td_plan_failed(&p, td_plan_find(&p, "complete_cqe_btf"), EACCES);
	TD_CHECK(td_plan_find(&p, "complete_res_btf"));
	TD_CHECK_INT(td_plan_status(&p, status), 2);
	TD_CHECK_INT(status[1].state, TD_SET_WORKS);

	TD_CASE("calls without a cast to the kernel's types, as until 6.1, are as good");
	td_plan_failed(&p, td_plan_find(&p, "enter_direct"), EINVAL);
	TD_CHECK(!td_plan_find(&p, "enter_direct") && td_plan_find(&p, "enter_btf"));
	td_plan_status(&p, status);
	TD_CHECK_INT(status[0].state, TD_SET_WORKS);

	TD_CASE("what both need failing");
	td_plan_failed(&p, td_plan_find(&p, "enter_btf"), ENOENT);
	td_plan_status(&p, status);
	TD_CHECK_INT(status[0].state, TD_SET_FALLBACK);
	TD_CHECK_INT(status[1].state, TD_SET_FALLBACK);
	TD_CHECK_STR(status[1].why,
		     "system calls: typed tracepoint: not accepted by this kernel; typed "
		     "tracepoint: No such file or directory");

	TD_CASE("a way that is not to be used");
	td_plan_make(&p, 1u << TD_SET_MALLOC | 1u << TD_SET_SCHED, 1u << TD_WAY_TP_BTF);
	TD_CHECK(td_plan_find(&p, "fork_tracepoint") && !td_plan_find(&p, "switch_btf"));
	td_plan_status(&p, status);
	TD_CHECK_INT(status[0].state, TD_SET_FALLBACK);
	TD_CHECK_STR(status[0].why, "processes: the best way is not to be used");
	TD_CHECK_INT(status[1].state, TD_SET_IMPOSSIBLE);
}

/* The one-byte constant of that name. */
static bool has_constant(const struct bpf_object *obj, const char *name)
{
	const struct btf *btf = bpf_object__btf(obj);
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_VAR);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	return t && btf__resolve_size(btf, t->type) == 1;
}

static bool names_program(const struct td_hook *h, const char *name)
{
	for (size_t i = 0; i < TD_WAYS_MAX; i++)
		for (size_t k = 0; k < TD_WAY_PROGRAMS_MAX; k++)
			if (h->ways[i].programs[k] && strcmp(h->ways[i].programs[k], name) == 0)
				return true;
	return h->at_end && strcmp(h->at_end, name) == 0;
}

static bool is_used(const char *program)
{
	static struct td_plan all;

	td_plan_make(&all, (1u << TD_NSETS) - 1, 0);
	for (size_t i = 0; i < all.nhooks; i++)
		if (names_program(all.hooks[i].hook, program))
			return true;
	return false;
}

static void check_hook(const struct bpf_object *obj, const struct td_hook *h)
{
	TD_CASE(h->name);
	for (size_t i = 0; i < TD_WAYS_MAX; i++)
		for (size_t k = 0; k < TD_WAY_PROGRAMS_MAX && h->ways[i].programs[k]; k++)
			TD_CHECK(bpf_object__find_program_by_name(obj, h->ways[i].programs[k]));
	TD_CHECK(!h->at_end || bpf_object__find_program_by_name(obj, h->at_end));
}

/* What the sets name is in the BPF object, and there is no program that none of them names. */
static void test_object(void)
{
	struct td_bpf *bpf = td_bpf__open();
	struct bpf_program *prog;

	TD_CASE("the BPF object");
	TD_CHECK(bpf);
	if (!bpf)
		return;
	for (size_t i = 0; i < TD_NSETS; i++) {
		const struct td_set_provider *s = td_sets[i];

		for (size_t k = 0; k < TD_SET_HOOKS_MAX && s->hooks[k]; k++)
			check_hook(bpf->obj, s->hooks[k]);
		TD_CASE(s->name);
		TD_CHECK(!s->map || bpf_object__find_map_by_name(bpf->obj, s->map));
		TD_CHECK(!s->constant.name || has_constant(bpf->obj, s->constant.name));
	}
	bpf_object__for_each_program(prog, bpf->obj) {
		TD_CASE(bpf_program__name(prog));
		TD_CHECK(is_used(bpf_program__name(prog)));
	}
	td_bpf__destroy(bpf);
}

/* Each number and each name once, arguments that exist. */
static void test_syscalls(void)
{
	TD_CASE("table of calls");
	for (size_t i = 0; i < td_nsyscalls; i++) {
		const struct td_recorded_call *c = &td_syscalls[i];
		struct td_call_spec s;

		TD_CHECK(c->nr < TD_NSYSCALLS);
		TD_CHECK_INT(td_syscall_op(c), i + 1);
		TD_CHECK(c->set < TD_NSETS && c->file_set < TD_NSETS);
		TD_CHECK_INT(td_recorded_call_spec(c, &s), 0);
		TD_CHECK_INT(s.op, i + 1);
		TD_CHECK(s.set == c->set && s.file_set == c->file_set);
		TD_CHECK(s.fd <= 6 && s.asked <= 6 && s.buffers <= 5 && s.offset <= 6);
		TD_CHECK(s.dir <= 6 && s.path <= 6 && s.dir2 <= 6 && s.path2 <= 6);
		for (size_t k = 0; k < i; k++) {
			TD_CHECK(td_syscalls[k].nr != c->nr);
			TD_CHECK(strcmp(td_syscalls[k].name, c->name) != 0);
		}
	}
}

/* What the BPF programs are told of a call: of the manual pages what they have to know. */
static void test_specs(void)
{
	static const struct td_recorded_call unknown = { .name = "reads" };
	static const struct {
		const char *name;
		struct td_call_spec want;
	} cases[] = {
		{ "openat", { .dir = 1, .path = 2, .flags = TD_SPEC_MAKES } },
		{ "accept4", { .fd = 1, .peer_is = TD_PEER_ACCEPTED } },
		{ "connect",
		  { .fd = 1, .flags = TD_SPEC_NAMES, .peer = 2, .peer_is = TD_PEER_CONNECTED } },
		{ "recvfrom", { .fd = 1, .asked = 3, .peer = 5, .peer_is = TD_PEER_TOLD } },
		{ "memfd_create", { .flags = TD_SPEC_MAKES } },
		{ "write", { .fd = 1, .asked = 3, .flags = TD_SPEC_POSITION | TD_SPEC_WRITES } },
		{ "pwritev", { .fd = 1, .buffers = 2, .offset = 4, .flags = TD_SPEC_WRITES } },
		{ "sendmmsg",
		  { .fd = 1, .flags = TD_SPEC_PEER_MESSAGE, .peer = 2, .peer_is = TD_PEER_GIVEN } },
		{ "sendmsg",
		  { .fd = 1,
		    .buffers = 2,
		    .flags = TD_SPEC_MESSAGE | TD_SPEC_PEER_MESSAGE,
		    .peer = 2,
		    .peer_is = TD_PEER_GIVEN } },
		{ "splice",
		  { .fd = 1,
		    .asked = 5,
		    .offset = 2,
		    .to = 3,
		    .to_offset = 4,
		    .to_op = TD_OPS_OF_SET(TD_SET_FILE_IO) + 2,
		    .flags = TD_SPEC_POSITION | TD_SPEC_OFFSET_POINTER } },
		{ "renameat2",
		  { .dir = 1, .path = 2, .dir2 = 3, .path2 = 4, .flags = TD_SPEC_NAMES } },
		{ "symlinkat", { .dir = 2, .path = 3, .path2 = 1, .flags = TD_SPEC_TARGET } },
		{ "inotify_add_watch", { .path = 2 } },
		{ "chroot", { .path = 1, .flags = TD_SPEC_NAMES } },
		{ "chdir", { .path = 1, .flags = TD_SPEC_CWD } },
		{ "fchdir", { .fd = 1 } },
		{ "futex", { .asked = 2, .offset = 1, .flags = TD_SPEC_ADDRESS } },
		{ "mmap", { .fd = 5, .asked = 2, .offset = 6, .flags = TD_SPEC_MAP } },
		{ "execveat", { .dir = 1, .path = 2, .flags = TD_SPEC_EXECUTES } },
	};
	struct td_call_spec got;

	for (size_t i = 0, k; i < TD_ARRAY_SIZE(cases); i++) {
		struct td_call_spec want = cases[i].want;

		TD_CASE(cases[i].name);
		for (k = 0; k < td_nsyscalls; k++)
			if (strcmp(td_syscalls[k].name, cases[i].name) == 0)
				break;
		TD_CHECK(k < td_nsyscalls);
		if (k == td_nsyscalls)
			continue;
		TD_CHECK_INT(td_recorded_call_spec(&td_syscalls[k], &got), 0);
		want.op = (uint16_t)(k + 1);
		want.set = td_syscalls[k].set;
		want.file_set = td_syscalls[k].file_set;
		TD_CHECK(memcmp(&got, &want, sizeof(got)) == 0);
	}
	TD_CASE("no call");
	TD_CHECK_INT(td_recorded_call_spec(&unknown, &got), -ENOENT);
}

union raw {
	struct td_raw_file file;
	char bytes[sizeof(struct td_raw_file) + TD_TEXT_MAX];
};

static void check_file(struct td_raw_file raw, const char *path, size_t path_len, const char *want,
		       enum td_class class)
{
	static union td_file_record record;
	static union raw r;
	char got[512];

	TD_CASE(want);
	r.file = raw;
	r.file.path_len = (uint16_t)path_len;
	memcpy(r.bytes + offsetof(struct td_raw_file, path), path, path_len);
	td_file_record(&r.file, &record);
	(void)snprintf(got, sizeof(got), "%.*s", record.file.path_len, record.file.path);
	TD_CHECK_STR(got, want);
	TD_CHECK_INT(record.file.class, class);
	TD_CHECK_INT(record.file.head.size % 8, 0);
	TD_CHECK(record.file.head.size >= sizeof(record.file) + record.file.path_len);
	TD_CHECK_INT(record.file.inode, raw.inode);
}

static void test_files(void)
{
	static const struct {
		uint32_t magic;
		uint16_t mode;
		const char *path, *want;
		enum td_class class;
	} cases[] = {
		{ 0xef53, S_IFREG, "/data/x", "/data/x", TD_CLASS_REGULAR },
		{ 0xef53, S_IFDIR, "/", "/", TD_CLASS_DIRECTORY },
		{ 0xef53, S_IFIFO, "/run/fifo", "/run/fifo", TD_CLASS_PIPE },
		{ TMPFS_MAGIC, S_IFCHR, "/dev/null", "/dev/null", TD_CLASS_DEVICE },
		{ TMPFS_MAGIC, S_IFREG, "/dev/shm/torch_1", "/dev/shm/torch_1", TD_CLASS_SHM },
		{ TMPFS_MAGIC, S_IFREG, "SYSV00000000", "SYSV00000000", TD_CLASS_SHM },
		{ TMPFS_MAGIC, S_IFREG, "memfd:w", "memfd:w", TD_CLASS_MEMFD },
		{ PIPEFS_MAGIC, S_IFIFO, "", "pipe:[77]", TD_CLASS_PIPE },
		{ PROC_SUPER_MAGIC, S_IFREG, "/proc/stat", "/proc/stat", TD_CLASS_PROC_SYS },
		{ ANON_INODE_FS_MAGIC, 0600, "[eventfd]", "anon_inode:[eventfd]",
		  TD_CLASS_EVENTFD },
		{ ANON_INODE_FS_MAGIC, 0600, "[timerfd]", "anon_inode:[timerfd]",
		  TD_CLASS_ANON_INODE },
		{ ANON_INODE_FS_MAGIC, 0600, "inotify", "anon_inode:inotify", TD_CLASS_ANON_INODE },
		{ NSFS_MAGIC, S_IFREG, "", "ns:[77]", TD_CLASS_ANON_INODE },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++)
		check_file((struct td_raw_file){ .magic = cases[i].magic,
						 .mode = cases[i].mode,
						 .inode = 77 },
			   cases[i].path, strlen(cases[i].path), cases[i].want, cases[i].class);
}

static void test_sockets(void)
{
	struct td_raw_file inet = { .magic = SOCKFS_MAGIC,
				    .mode = S_IFSOCK,
				    .inode = 5,
				    .family = AF_INET,
				    .type = SOCK_STREAM };
	struct td_raw_file un = {
		.mode = S_IFSOCK, .inode = 6, .family = AF_UNIX, .type = SOCK_DGRAM
	};
	struct td_raw_file other = { .mode = S_IFSOCK, .inode = 7, .family = AF_ALG };

	check_file(inet, "", 0, "tcp:[5]", TD_CLASS_SOCKET);
	inet.local_port = 80;
	check_file(inet, "", 0, "tcp:0.0.0.0:80", TD_CLASS_SOCKET);
	inet_pton(AF_INET, "1.2.3.4", inet.local);
	inet_pton(AF_INET, "5.6.7.8", inet.remote);
	inet.remote_port = 50000;
	check_file(inet, "", 0, "tcp:1.2.3.4:80->5.6.7.8:50000", TD_CLASS_SOCKET);
	inet.family = AF_INET6;
	inet.type = SOCK_DGRAM;
	inet_pton(AF_INET6, "::1", inet.local);
	inet_pton(AF_INET6, "fe80::2", inet.remote);
	check_file(inet, "", 0, "udp:[::1]:80->[fe80::2]:50000", TD_CLASS_SOCKET);
	check_file(un, "", 0, "unix:[6]", TD_CLASS_SOCKET);
	check_file(un, "/run/x", 6, "unix:/run/x", TD_CLASS_SOCKET);
	check_file(un, "\0abstract", 9, "unix:@abstract", TD_CLASS_SOCKET);
	un.name_of_peer = 1;
	check_file(un, "/run/x", 6, "unix:->/run/x", TD_CLASS_SOCKET);
	check_file(other, "", 0, "socket:[7]", TD_CLASS_SOCKET);
}

/* The longest that the kernel's side can send is passed on as it is. */
static void test_longest(void)
{
	static union td_file_record record;
	static union raw r;

	TD_CASE("longest path");
	r.file = (struct td_raw_file){ .mode = S_IFREG, .path_len = TD_TEXT_MAX - 1 };
	memset(r.bytes + offsetof(struct td_raw_file, path), 'x', TD_TEXT_MAX - 1);
	td_file_record(&r.file, &record);
	TD_CHECK_INT(record.file.path_len, TD_TEXT_MAX - 1);
	TD_CHECK_INT(record.file.path[TD_TEXT_MAX - 2], 'x');
}

static void test_command_line(void)
{
	static const char words[] = "comm" /* */ "prog\0-a\0two words\0\0";
	static union td_process_record record;
	union {
		struct td_wire_process process;
		char bytes[sizeof(struct td_wire_process) + sizeof(words)];
	} raw = { .process = { .comm_len = 4, .args_len = sizeof(words) - 1 - 4 } };
	char got[64];

	TD_CASE("command line");
	memcpy(raw.bytes + offsetof(struct td_wire_process, text), words, sizeof(words));
	td_process_record(&raw.process, &record);
	(void)snprintf(got, sizeof(got), "%.*s|%.*s", record.process.comm_len, record.process.text,
		       record.process.args_len, record.process.text + record.process.comm_len);
	TD_CHECK_STR(got, "comm|prog -a two words");
	TD_CHECK_INT(record.process.head.size,
		     (sizeof(struct td_wire_process) + strlen(got) - 1 + 7) / 8 * 8);
}

/* What --help says is recorded is what the table of calls has, each in its set, and nothing else. */
static void test_help(void)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0, listed = 0, wanted = 0;
	FILE *out = open_memstream(&text, &size);
	char set[32] = "", *line, *rest;

	TD_CASE("help");
	td_record_args_print(out);
	TD_CHECK_INT(fclose(out), 0);
	rest = strstr(text, "\nSystem calls");
	TD_CHECK(rest != NULL);
	for (strsep(&rest, "\n"), strsep(&rest, "\n"); (line = strsep(&rest, "\n"));) {
		char *name, *words = line + TD_MIN(strlen(line), (size_t)14);

		TD_CHECK(strlen(line) <= 100);
		if (line[0] && line[2] != ' ')
			(void)snprintf(set, sizeof(set), "%.*s", (int)strcspn(line + 2, " "),
				       line + 2);
		while ((name = strsep(&words, ", "))) {
			size_t k = 0;

			if (!*name)
				continue;
			while (k < td_nsyscalls && strcmp(td_syscalls[k].name, name) != 0)
				k++;
			TD_CHECK(k < td_nsyscalls);
			TD_CHECK(k < td_nsyscalls &&
				 (strcmp(td_sets[td_syscalls[k].set]->name, set) == 0 ||
				  strcmp(td_sets[td_syscalls[k].file_set]->name, set) == 0));
			listed++;
		}
	}
	for (size_t k = 0; k < td_nsyscalls; k++)
		wanted += td_syscalls[k].set == td_syscalls[k].file_set ? 1 : 2;
	TD_CHECK_INT(listed, wanted);
}

int main(void)
{
	test_plan();
	test_plan_of_several();
	test_object();
	test_syscalls();
	test_specs();
	test_help();
	test_files();
	test_sockets();
	test_longest();
	test_command_line();
	return td_check_result();
}
