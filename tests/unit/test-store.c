/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "schema/ops.h"
#include "store/store.h"
#include "tests/unit/check.h"

static struct td_store *new_store(void)
{
	struct td_store *st = NULL;

	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-store", &st), 0);
	return st;
}

static struct td_str str(const char *text)
{
	return (struct td_str){ text, text ? strlen(text) : 0 };
}

static uint32_t process(struct td_store *st, int64_t pid, const char *comm)
{
	return td_store_process(st, pid, comm, strlen(comm));
}

static const char *text(const struct td_store *st, uint32_t id)
{
	return id ? td_store_text(st, id).p : "(none)";
}

/* --- ids --- */

static void test_strings(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();

	TD_CASE("strings");
	TD_CHECK_INT(td_store_cstr(st, "a"), 1);
	TD_CHECK_INT(td_store_cstr(st, ""), 2);
	TD_CHECK_INT(td_store_string(st, "ab", 1), 1);
	TD_CHECK_INT(td_store_string(st, NULL, 0), 2);
	TD_CHECK_STR(text(st, 1), "a");
	TD_CHECK_STR(text(st, 2), "");
	TD_CHECK_INT(td_store_error(st), 0);
}

static void test_ops(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	const struct td_contents *in = td_store_contents(st);
	char name[16];
	uint16_t last = 0;

	TD_CASE("operations");
	TD_CHECK_INT(td_store_op(st, "read", 4, TD_LAYER_SYSCALL), 1);
	TD_CHECK_INT(td_store_op(st, "read", 4, TD_LAYER_LIBC), 2);
	TD_CHECK_INT(td_store_op(st, "readv", 5, TD_LAYER_SYSCALL), 3);
	TD_CHECK_INT(td_store_op(st, "readv", 4, TD_LAYER_SYSCALL), 1);
	TD_CHECK_INT(td_store_op(st, "no_such_call", 12, TD_LAYER_VFS), 4);
	TD_CHECK_STR(in->ops[0].name, "read");
	TD_CHECK_STR(in->ops[0].info->verb, "read");
	TD_CHECK_STR(in->ops[0].info->kind, "io");
	TD_CHECK_INT(in->ops[1].layer, TD_LAYER_LIBC);
	TD_CHECK_STR(in->ops[3].name, "no_such_call");
	TD_CHECK_STR(in->ops[3].info->verb, "other");
	TD_CHECK_STR(in->ops[3].info->kind, "other");

	/* a damaged file may hold any number of names; that must not end the import */
	TD_CASE("more operations than there are");
	for (int i = 0; i < 70000; i++) {
		(void)snprintf(name, sizeof(name), "op%d", i);
		last = td_store_op(st, name, strlen(name), TD_LAYER_SYSCALL);
	}
	TD_CHECK_INT(td_store_error(st), 0);
	TD_CHECK(last > 0);
	TD_CHECK_STR(in->ops[last - 1].name, "(other)");
	TD_CHECK_INT(td_store_op(st, "read", 4, TD_LAYER_SYSCALL), 1);
}

/* Every name is found, so the table is sorted; names that are none are not. */
static void test_op_table(void)
{
	static const struct {
		const char *name, *verb, *kind, *family;
	} some[] = {
		{ "_llseek", "seek", "io", "seek" },  { "openat", "open", "io", "open" },
		{ "vfs_open", "open", "io", "open" }, { "vfs_read", "read", "io", "read" },
		{ "pread64", "read", "io", "read" },  { "writev", "write", "io", "write" },
		{ "futex", "lock", "lock", NULL },    { "poll", "wait", "wait", NULL },
		{ "mmap", "map", "memory", "mmap" },  { "", "other", "other", NULL },
		{ "rea", "other", "other", NULL },    { "readx", "other", "other", NULL },
		{ "zzz", "other", "other", NULL },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(some); i++) {
		const struct td_op_info *op = td_op_lookup(some[i].name, strlen(some[i].name));

		TD_CASE(some[i].name);
		TD_CHECK_STR(op->verb, some[i].verb);
		TD_CHECK_STR(op->kind, some[i].kind);
		TD_CHECK_STR(op->family ? op->family : "-", some[i].family ? some[i].family : "-");
	}
}

static void test_processes(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();

	TD_CASE("processes");
	TD_CHECK_INT(process(st, 100, "python"), 1);
	TD_CHECK_INT(process(st, 200, ""), 2);
	TD_CHECK_INT(process(st, 100, ""), 1);
	TD_CHECK_STR(text(st, td_store_process_at(st, 1)->name_id), "python");
	TD_CHECK_INT(process(st, 100, "pt_main"), 1);
	TD_CHECK_STR(text(st, td_store_process_at(st, 1)->name_id), "pt_main");
	TD_CHECK_INT(td_store_process_at(st, 2)->name_id, 0);
	TD_CHECK_INT(td_store_process_at(st, 1)->lifetime, 1);
	TD_CHECK_INT(process(st, -5, "x"), 3);
	TD_CHECK(!td_store_process_at(st, 0));

	TD_CASE("lifetimes");
	td_store_process_end(st, 1);
	TD_CHECK_INT(process(st, 200, ""), 2);
	TD_CHECK_INT(process(st, 100, "sh"), 4);
	TD_CHECK_INT(process(st, 100, ""), 4);
	TD_CHECK_INT(td_store_process_at(st, 4)->lifetime, 2);
	TD_CHECK_STR(text(st, td_store_process_at(st, 1)->name_id), "pt_main");
	td_store_process_end(st, 1); /* again, by another source */
	TD_CHECK_INT(process(st, 100, ""), 4);
	td_store_process_end(st, 4);
	TD_CHECK_INT(process(st, 100, ""), 5);
	TD_CHECK_INT(td_store_process_at(st, 5)->lifetime, 3);
	td_store_process_end(st, 0);

	/* the end is only known to come before what the same source says later: another source is read
	 * after it, but was written at the same time */
	TD_CASE("a process that ended in another source");
	td_store_process_end(st, 5);
	TD_CHECK_INT(td_store_source(st, "a"), 1);
	TD_CHECK_INT(process(st, 100, ""), 5);
	td_store_process_end(st, 5);
	TD_CHECK_INT(process(st, 100, ""), 6);
}

static void test_threads(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	uint32_t p = process(st, 100, "a"), q = process(st, 200, "b"), again;

	TD_CASE("threads");
	TD_CHECK_INT(td_store_thread(st, 101, 0), 1);
	TD_CHECK_INT(td_store_thread_at(st, 1)->process_id, 0);
	TD_CHECK_INT(td_store_thread(st, 102, p), 2);
	TD_CHECK_INT(td_store_thread(st, 101, p), 1);
	TD_CHECK_INT(td_store_thread_at(st, 1)->process_id, p);
	TD_CHECK_INT(td_store_thread(st, 101, 0), 1);
	TD_CHECK_INT(td_store_thread_at(st, 1)->process_id, p);
	TD_CHECK_INT(td_store_thread_at(st, 1)->tid, 101);
	/* a source that knows better */
	TD_CHECK_INT(td_store_thread(st, 101, q), 1);
	TD_CHECK_INT(td_store_thread_at(st, 1)->process_id, q);
	TD_CHECK(!td_store_thread_at(st, 0));
	/* what shares a place among those seen last */
	TD_CHECK_INT(td_store_thread(st, 101 + 64, q), 3);
	TD_CHECK_INT(td_store_thread(st, 101, q), 1);
	TD_CHECK_INT(td_store_thread(st, 101 + 64, q), 3);

	/* the tid of a process that has ended belongs to another thread from then on */
	TD_CASE("thread ids used again");
	td_store_process_end(st, p);
	again = process(st, 100, "c");
	TD_CHECK_INT(td_store_thread(st, 102, again), 4);
	TD_CHECK_INT(td_store_thread_at(st, 2)->process_id, p);
	TD_CHECK_INT(td_store_thread_at(st, 4)->process_id, again);
	TD_CHECK_INT(td_store_thread(st, 102, again), 4);
	TD_CHECK_INT(td_store_thread(st, 102, 0), 4);
	/* the last calls of a process may be read after its end */
	td_store_process_end(st, again);
	TD_CHECK_INT(td_store_thread(st, 102, again), 4);
	TD_CHECK_INT(td_store_thread_at(st, 4)->process_id, again);
}

static void test_devices_and_tracks(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	const struct td_contents *in = td_store_contents(st);
	uint16_t a = td_store_source(st, "a"), b = td_store_source(st, "b");
	uint32_t gpu, cpu;

	TD_CASE("devices and tracks");
	gpu = td_store_device(st, TD_DEVICE_GPU, "GPU 0", 5, 0);
	cpu = td_store_device(st, TD_DEVICE_CPU, "GPU 0", 5, 7);
	TD_CHECK_INT(gpu, 1);
	TD_CHECK_INT(cpu, 2);
	TD_CHECK_INT(td_store_device(st, TD_DEVICE_GPU, "GPU 0!", 5, 0), 1);
	TD_CHECK_STR(in->devices[1].name, "GPU 0");
	TD_CHECK_INT(in->devices[1].number, 7);
	TD_CHECK_INT(td_store_track(st, a, "gpu.sm", "%", gpu, 0), 1);
	TD_CHECK_INT(td_store_track(st, b, "gpu.sm", "%", gpu, 0), 2);
	TD_CHECK_INT(td_store_track(st, a, "gpu.sm", "%", cpu, 0), 3);
	TD_CHECK_INT(td_store_track(st, a, "gpu.sm", "%", gpu, 1), 4);
	TD_CHECK_INT(td_store_track(st, a, "gpu.mem", "%", gpu, 0), 5);
	TD_CHECK_INT(td_store_track(st, a, "gpu.sm", "", gpu, 0), 6);
	TD_CHECK_INT(td_store_track(st, a, "gpu.sm", "%", gpu, 0), 1);
	TD_CHECK_STR(in->tracks[5].unit, "");
	TD_CHECK_INT(in->tracks[1].source_id, b);
}

static void test_sources(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();

	TD_CASE("sources");
	TD_CHECK_INT(td_store_source(st, "a"), 1);
	TD_CHECK_STR(td_store_source_at(st, 1)->path, "a");
	TD_CHECK_INT(td_store_source_at(st, 1)->first_native_ns, TD_NULL);
	TD_CHECK_INT(td_store_source_at(st, 1)->error_ns, TD_NULL);
	TD_CHECK(!td_store_source_at(st, 0));
	for (int i = 2; i <= 65535; i++)
		TD_CHECK_INT(td_store_source(st, "b"), i);
	TD_CHECK_INT(td_store_error(st), 0);
	TD_CHECK_INT(td_store_source(st, "c"), 0);
	TD_CHECK_INT(td_store_error(st), -E2BIG);
	TD_CHECK_INT(td_store_contents(st)->nsources, 65535);
}

/* --- issues --- */

static void test_issues(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	const struct td_contents *in = td_store_contents(st);
	char line[600];

	TD_CASE("issues");
	(void)td_store_source(st, "a");
	(void)td_store_source(st, "b");
	memset(line, 'x', sizeof(line));
	for (uint64_t i = 0; i < 100; i++) {
		td_store_issue(st, 1, "odd", TD_DROPPED, 10 + i, line, sizeof(line));
		td_store_issue(st, 1, i % 2 ? "even" : "odd", TD_DROPPED, 10 + i, "\xff\0z", 3);
	}
	TD_CHECK_INT(in->nissue_counts, 2);
	TD_CHECK_INT(in->issue_counts[0].count, 150);
	TD_CHECK_INT(in->issue_counts[0].first_line, 10);
	TD_CHECK_INT(in->issue_counts[1].count, 50);
	TD_CHECK_INT(in->issue_counts[1].first_line, 11);
	TD_CHECK_INT(in->nissues, 2 * TD_ISSUES_KEPT);
	TD_CHECK_INT(strlen(in->issues[0].text), 512);
	TD_CHECK_STR(in->issues[1].text, "\xef\xbf\xbd\xef\xbf\xbdz");
	TD_CHECK_STR(in->issues[1].kind, "odd");
	TD_CHECK_INT(in->issues[1].line, 10);

	/* one count per source and kind, also when a source is spoken of again after another */
	TD_CASE("issues of two sources in turn");
	td_store_issue(st, 2, "odd", TD_REPAIRED, 0, "", 0);
	td_store_issue(st, 1, "odd", TD_DROPPED, 500, "", 0);
	td_store_issue(st, 2, "odd", TD_REPAIRED, 3, "", 0);
	TD_CHECK_INT(in->nissue_counts, 3);
	TD_CHECK_INT(in->issue_counts[0].count, 151);
	TD_CHECK_INT(in->issue_counts[2].source_id, 2);
	TD_CHECK_INT(in->issue_counts[2].effect, TD_REPAIRED);
	TD_CHECK_INT(in->issue_counts[2].count, 2);
	TD_CHECK_INT(in->issue_counts[2].first_line, 0);
}

/* --- files --- */

/* path NULL: only the name is known. */
static const struct {
	const char *path, *name;
	enum td_class class;
	bool known;
} classes[] = {
	{ NULL, "", TD_CLASS_UNNAMED, true },
	{ NULL, "[eventfd]", TD_CLASS_EVENTFD, true },
	{ "anon_inode:[eventfd]", NULL, TD_CLASS_EVENTFD, true },
	{ NULL, "[eventpoll]", TD_CLASS_ANON_INODE, true },
	{ "anon_inode:inotify", NULL, TD_CLASS_ANON_INODE, true },
	{ NULL, "inotify", TD_CLASS_ANON_INODE, false },
	{ NULL, "torch_4242_1", TD_CLASS_SHM, false },
	{ NULL, "torch_4242_1 (deleted)", TD_CLASS_SHM, false },
	{ NULL, "sem.y", TD_CLASS_SHM, false },
	{ NULL, "psm_1a2b3c", TD_CLASS_SHM, false },
	{ NULL, "nccl-AbCdEf", TD_CLASS_SHM, false },
	{ "/data/torch_1.npy", NULL, TD_CLASS_REGULAR, false },
	{ "/data/sem.y", NULL, TD_CLASS_REGULAR, false },
	{ "/dev/shm/x", NULL, TD_CLASS_SHM, true },
	{ "/dev/shm/x (deleted)", NULL, TD_CLASS_SHM, true },
	{ "/dev/null", NULL, TD_CLASS_DEVICE, true },
	{ "/dev/pts/3", NULL, TD_CLASS_TERMINAL, true },
	{ "/dev/ttyS0", NULL, TD_CLASS_DEVICE, true },
	{ "/dev/console", NULL, TD_CLASS_TERMINAL, true },
	{ "/dev/pts", NULL, TD_CLASS_DEVICE, true },
	{ NULL, "0", TD_CLASS_TERMINAL, false },
	{ NULL, "12", TD_CLASS_TERMINAL, false },
	/* dentries of /dev/ptmx and /dev/pts/ptmx, of /dev/tty and /dev/tty1 */
	{ NULL, "ptmx", TD_CLASS_TERMINAL, false },
	{ NULL, "tty", TD_CLASS_TERMINAL, false },
	{ NULL, "tty1", TD_CLASS_TERMINAL, false },
	{ NULL, "ttyS0", TD_CLASS_UNKNOWN, false },
	{ NULL, "console", TD_CLASS_UNKNOWN, false },
	{ "ptmx", NULL, TD_CLASS_REGULAR, false },
	{ "/dev/pts/ptmx", NULL, TD_CLASS_TERMINAL, true },
	{ "/data/0", NULL, TD_CLASS_REGULAR, false },
	{ NULL, "memfd:buffer", TD_CLASS_MEMFD, true },
	{ "/memfd:buffer (deleted)", NULL, TD_CLASS_MEMFD, true },
	{ "pipe:[1]", NULL, TD_CLASS_PIPE, true },
	{ "socket:[12345]", NULL, TD_CLASS_SOCKET, true },
	{ "/proc/self/status", NULL, TD_CLASS_PROC_SYS, true },
	{ "/sys/devices/x", NULL, TD_CLASS_PROC_SYS, true },
	{ "/processed/x", NULL, TD_CLASS_REGULAR, false },
	{ "/data/a (deleted)", NULL, TD_CLASS_DELETED, false },
	{ NULL, "a (deleted)", TD_CLASS_DELETED, false },
	{ "/data/", NULL, TD_CLASS_DIRECTORY, false },
	{ "/data/a", NULL, TD_CLASS_REGULAR, false },
	{ "relative", NULL, TD_CLASS_REGULAR, false },
	{ NULL, "case_00001_x.npy", TD_CLASS_REGULAR, false },
	{ NULL, "Makefile", TD_CLASS_UNKNOWN, false },
	/* an openat of '' or one whose string could not be read: any file */
	{ "", NULL, TD_CLASS_UNKNOWN, false },
};

static void test_classes(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	uint32_t ids[TD_ARRAY_SIZE(classes)], told;

	for (size_t i = 0; i < TD_ARRAY_SIZE(classes); i++)
		ids[i] = classes[i].path
				 ? td_store_file_path(st, str(classes[i].path), str(NULL), false)
				 : td_store_file_name(st, str(classes[i].name), false);
	told = td_store_file_name(st, str("told.txt"), false);
	td_store_file_at(st, told)->class = TD_CLASS_SOCKET;
	td_store_file_at(st, told)->class_known = true;
	td_store_resolve_files(st);
	for (size_t i = 0; i < TD_ARRAY_SIZE(classes); i++) {
		const struct td_file *f = td_store_file_at(st, ids[i]);

		TD_CASE(classes[i].path ? classes[i].path : classes[i].name);
		TD_CHECK_STR(td_class_names[f->class], td_class_names[classes[i].class]);
		TD_CHECK_INT(f->class_known, classes[i].known);
	}
	TD_CASE("a class that a source told");
	TD_CHECK_INT(td_store_file_at(st, told)->class, TD_CLASS_SOCKET);
}

static void test_file_ids(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	const struct td_file *f;
	char longest[1000];

	TD_CASE("file ids");
	TD_CHECK_INT(td_store_file_path(st, str("/a/b"), str(NULL), false), 1);
	TD_CHECK_INT(td_store_file_name(st, str("b"), false), 2);
	TD_CHECK_INT(td_store_file_name(st, str("/a/b"), false), 3);
	TD_CHECK_INT(td_store_file_path(st, str("/a/b"), str("c"), false), 1);
	TD_CHECK_INT(td_store_file_name(st, str(""), false), 4);
	TD_CHECK_STR(td_store_file_at(st, 1)->name.p, "b");
	TD_CHECK_INT(td_store_file_at(st, 1)->device, TD_NULL);
	TD_CHECK(!td_store_file_at(st, 2)->path.p);
	TD_CHECK(!td_store_file_at(st, 0));
	/* a printed name is used where the path does not tell it */
	f = td_store_file_at(st, td_store_file_path(st, str("/long/pa"), str("real"), true));
	TD_CHECK_STR(f->name.p, "real");
	TD_CHECK(f->truncated);
	f = td_store_file_at(st, td_store_file_path(st, str("/"), str("root"), false));
	TD_CHECK_STR(f->name.p, "root");
	memset(longest, 'p', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	TD_CHECK_STR(td_store_file_at(st, td_store_file_name(st, str(longest), false))->name.p,
		     longest);
}

/* Paths are cut at 63 characters, so that many files share what is left; the name beside tells them apart. */
static void test_cut_paths(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	uint32_t a = td_store_file_path(st, str("/cut/at/so"), str("some.pyc"), true);
	uint32_t b = td_store_file_path(st, str("/cut/at/so"), str("sort.pyc"), true);
	uint32_t c = td_store_file_path(st, str("/cut/elsewhere/so"), str("some.pyc"), true);
	uint32_t twice = td_store_file_name(st, str("some.pyc"), false);
	uint32_t once = td_store_file_name(st, str("sort.pyc"), false);

	TD_CASE("cut paths");
	TD_CHECK(a != b && a != c && b != c);
	TD_CHECK_INT(td_store_file_path(st, str("/cut/at/so"), str("sort.pyc"), true), b);
	TD_CHECK_STR(td_store_file_at(st, a)->path.p, "/cut/at/so");
	TD_CHECK_STR(td_store_file_at(st, a)->name.p, "some.pyc");
	TD_CHECK_STR(td_store_file_at(st, b)->path.p, "/cut/at/so");
	TD_CHECK_STR(td_store_file_at(st, b)->name.p, "sort.pyc");
	td_store_resolve_files(st);
	TD_CHECK_INT(td_store_file_at(st, once)->merged_into, b);
	TD_CHECK_INT(td_store_file_at(st, twice)->merged_into, 0);
	TD_CASE("a cut path whose name is its end");
	TD_CHECK_INT(td_store_file_path(st, str("/cut/at/x"), str("x"), true),
		     td_store_file_path(st, str("/cut/at/x"), str(NULL), true));
}

struct spelled {
	const char *path, *name;
	bool truncated;
};

/* files: in the order of first sight; want: index of the file that the one with this index turns out to
 * be, -1 for none. */
static const struct {
	const char *name;
	struct spelled files[4];
	int want[4];
} matches[] = {
	{ "the only path", { { "/a/x", NULL }, { NULL, "x" } }, { -1, 0 } },
	{ "name before path", { { NULL, "x" }, { "/a/x", NULL } }, { 1, -1 } },
	{ "two paths", { { "/a/x", NULL }, { NULL, "x" }, { "/b/x", NULL } }, { -1, -1, -1 } },
	{ "no path", { { NULL, "x" }, { "/a/y", NULL } }, { -1, -1 } },
	{ "path without folder", { { NULL, "x" }, { "x", NULL } }, { 1, -1 } },
	{ "the end of a cut path", { { NULL, "x" }, { "/a/x", NULL, true } }, { -1, -1 } },
	{ "the name beside a cut path", { { NULL, "xyz" }, { "/a/x", "xyz", true } }, { 1, -1 } },
	{ "a cut name", { { NULL, "x", true }, { "/a/x", NULL } }, { -1, -1 } },
	{ "no name", { { NULL, "" }, { "/a/", NULL } }, { -1, -1 } },
	/* what lies below the empty path is not known, whatever came first */
	{ "empty path first", { { "", "x" }, { NULL, "x" } }, { -1, -1 } },
	{ "empty path last", { { NULL, "x" }, { "", "x" } }, { -1, -1 } },
	{ "two names, two paths",
	  { { NULL, "x" }, { NULL, "y" }, { "/y", NULL }, { "/x", NULL } },
	  { 3, 2, -1, -1 } },
};

static void test_matches(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(matches); i++) {
		_cleanup_(td_store_freep) struct td_store *st = new_store();
		const struct td_contents *in = td_store_contents(st);
		uint32_t n = 0;

		TD_CASE(matches[i].name);
		for (; n < 4 && (matches[i].files[n].path || matches[i].files[n].name); n++) {
			const struct spelled *s = &matches[i].files[n];

			TD_CHECK_INT(s->path ? td_store_file_path(st, str(s->path), str(s->name),
								  s->truncated)
					     : td_store_file_name(st, str(s->name), s->truncated),
				     n + 1);
		}
		td_store_resolve_files(st);
		for (uint32_t k = 0; k < n; k++) {
			TD_CHECK_INT((int)in->files[k].merged_into - 1, matches[i].want[k]);
			if (matches[i].want[k] >= 0)
				TD_CHECK(in->files[matches[i].want[k]].path_matched);
			else if (!matches[i].files[k].path)
				TD_CHECK(!in->files[k].path_matched);
		}
	}
}

static const struct {
	const char *path, *name, *directory, *template;
} places[] = {
	{ "/data/case_00123_x.npy", NULL, "/data", "/data/case_{}_x.npy" },
	{ "/v2/f10/7", NULL, "/v2/f10", "/v{}/f{}/{}" },
	{ "/x", NULL, "/", "/x" },
	{ "/", NULL, "/", "/" },
	{ "/a/b/", NULL, "/a/b", "/a/b/" },
	{ "x1", NULL, "(none)", "x{}" },
	{ NULL, "part-1.2", "(none)", "part-{}.{}" },
	{ NULL, "123", "(none)", "{}" },
	{ NULL, "", "(none)", "" },
};

static void test_places(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();

	for (size_t i = 0; i < TD_ARRAY_SIZE(places); i++) {
		uint32_t id = places[i].path ? td_store_file_path(st, str(places[i].path),
								  str(NULL), false)
					     : td_store_file_name(st, str(places[i].name), false);

		TD_CASE(places[i].path ? places[i].path : places[i].name);
		TD_CHECK_STR(text(st, td_store_file_directory(st, id)), places[i].directory);
		TD_CHECK_STR(text(st, td_store_file_template(st, id)), places[i].template);
	}
}

static void test_losses(void)
{
	/* from, to, ring, generated, lost, peak */
	static const struct td_loss put[] = {
		{ 1, "file_io", 0, 0, 10, 100, 0, 5, 64 },
		{ 1, "sched", 0, 0, 10, 7, 0, 5, 64 },
		{ 1, "file_io", 0, 10, 20, 50, 0, 9, 64 },
		{ 1, "file_io", 1, 10, 20, 1, 0, 2, 64 },
		{ 1, "file_io", 0, 20, 30, 60, 3, 64, 64 },
		{ 1, "file_io", 0, 30, 40, 70, 0, 3, 64 },
		{ 2, "file_io", 0, 40, 50, 80, 0, 3, 64 },
	};
	/* the first two of ring 0 are one; what follows a loss, or is of another ring or source, is not */
	static const struct td_loss want[] = {
		{ 1, "file_io", 0, 0, 20, 150, 0, 9, 64 },
		{ 1, "sched", 0, 0, 10, 7, 0, 5, 64 },
		{ 1, "file_io", 1, 10, 20, 1, 0, 2, 64 },
		{ 1, "file_io", 0, 20, 30, 60, 3, 64, 64 },
		{ 1, "file_io", 0, 30, 40, 70, 0, 3, 64 },
		{ 2, "file_io", 0, 40, 50, 80, 0, 3, 64 },
	};
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	const struct td_contents *in = td_store_contents(st);

	TD_CASE("losses");
	for (size_t i = 0; i < TD_ARRAY_SIZE(put); i++)
		td_store_loss(st, &put[i]);
	TD_CHECK_INT(in->nlosses, TD_ARRAY_SIZE(want));
	for (size_t i = 0; i < TD_ARRAY_SIZE(want); i++) {
		TD_CHECK_INT(in->losses[i].from_ns, want[i].from_ns);
		TD_CHECK_INT(in->losses[i].to_ns, want[i].to_ns);
		TD_CHECK_INT(in->losses[i].generated, want[i].generated);
		TD_CHECK_INT(in->losses[i].lost, want[i].lost);
		TD_CHECK_INT(in->losses[i].ring_peak_bytes, want[i].ring_peak_bytes);
	}
}

/* Process 7, its thread and CPU 0 of three machines, one of which has no name at first. */
static void test_hosts(void)
{
	_cleanup_(td_store_freep) struct td_store *st = new_store();
	const struct td_contents *in = td_store_contents(st);
	uint32_t a = td_store_cstr(st, "a"), b = td_store_cstr(st, "b");

	TD_CASE("machines");
	TD_CHECK_INT(process(st, 7, "python"), 1);
	TD_CHECK_INT(td_store_thread(st, 7, 1), 1);
	TD_CHECK_INT(td_store_device(st, TD_DEVICE_CPU, "CPU 0", 5, 0), 1);
	td_store_on_host(st, b);
	TD_CHECK_INT(process(st, 7, "java"), 2);
	TD_CHECK_INT(td_store_thread(st, 7, 2), 2);
	TD_CHECK_INT(td_store_device(st, TD_DEVICE_CPU, "CPU 0", 5, 0), 2);
	TD_CHECK_STR(in->devices[1].name, "CPU 0");
	TD_CHECK_STR(in->devices[1].host, "b");
	td_store_on_host(st, 0);
	TD_CHECK_INT(process(st, 7, ""), 1);
	TD_CASE("a machine gets its name");
	td_store_name_host(st, a);
	TD_CHECK_STR(text(st, in->processes[0].host_id), "a");
	TD_CHECK_STR(text(st, in->processes[1].host_id), "b");
	TD_CHECK_STR(in->devices[0].host, "a");
	TD_CHECK_INT(process(st, 7, ""), 3); /* of one that has no name */
	td_store_on_host(st, a);
	TD_CHECK_INT(process(st, 7, ""), 1);
	TD_CHECK_INT(td_store_thread(st, 7, 1), 1);
	td_store_on_host(st, b);
	TD_CHECK_INT(process(st, 7, ""), 2);
	TD_CHECK_STR(text(st, in->processes[2].host_id), "(none)");
}

int main(void)
{
	test_hosts();
	test_strings();
	test_ops();
	test_op_table();
	test_processes();
	test_threads();
	test_devices_and_tracks();
	test_sources();
	test_issues();
	test_classes();
	test_file_ids();
	test_cut_paths();
	test_matches();
	test_places();
	test_losses();
	return td_check_result();
}
