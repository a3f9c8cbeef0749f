/* SPDX-License-Identifier: MIT */
/*
 * A log of strace whose lines are taken apart ahead, part by part and on several threads, makes the same database, to
 * the byte, as one of which each line is alone in its part.
 *
 *     preparse SOURCES  texts made here, parts of some lines; our own samples
 *     preparse corpus   the samples below $TRACEDB_CORPUS
 */
#include "tests/property/in_parts.h"

/* Of no line, so that each is read as it comes; of few lines; of many. */
#define NO_LINE 1
static const size_t sizes[] = { 150, 1000, 9000, 300000 };

static const struct td_import_options line_by_line = { .clocks = TD_CLOCK_OPTIONS_NONE,
						       .threads = 1,
						       .part_bytes = NO_LINE };

static struct td_speculation_count made_later; /* parts of which rows were */

/* Compares threads and one thread with parts of that size with reading line by line. */
static void check_size(const char *path, size_t part_bytes)
{
	struct td_import_options out = line_by_line;

	out.part_bytes = part_bytes;
	td_both_other(path, &out, 0);
	out.threads = 3;
	out.speculated = &made_later;
	td_both_other(path, &out, 0);
	td_parts_inputs++;
}

/* --- texts --- */

#define TASKS 6

/* What a thread is in. */
struct task {
	int tid;
	const char *name; /* NULL: in no call */
	const char *rest;
};

struct text {
	struct td_strbuf buf;
	uint64_t random;
	int64_t ts; /* us */
	struct task tasks[TASKS];
	int next_tid;
};

static unsigned pick(struct text *t, unsigned n)
{
	t->random = t->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(t->random >> 33) % n;
}

static void prefix(struct text *t, int tid)
{
	t->ts += 1 + pick(t, 40);
	td_strbuf_addf(&t->buf, "%d  %" PRId64 ".%06d ", tid, t->ts / 1000000,
		       (int)(t->ts % 1000000));
}

static const char *const paths[] = {
	"/data/a.npy",  "/data/b c",       "/dev/null<char 1:3>",    "pipe:[41]",
	"/x (deleted)", "/tmp/\\303\\244", "anon_inode:[eventpoll]", "/y\\n"
};

/* A call that can be cut in two behind begin; %s: a path, %d: a number. */
static const struct {
	const char *name, *begin, *rest;
} calls[] = {
	{ "read", "read(3</data/a.npy>, ", "\"abc\\0\", 4096) = 4 <0.000012>" },
	{ "read", "read(3</data/a.npy>, \"x", "y\", 4096) = 4 <0.000012>" },
	{ "openat", "openat(AT_FDCWD, \"/data/b\", O_RDONLY|O_CLOEXEC",
	  ") = 4</data/b> <0.000100>" },
	{ "openat", "openat(AT_FDCWD, ",
	  "\"/data/c\", O_RDONLY|O_DIRECTORY) = -1 ENOENT (No such file)" },
	{ "lseek", "lseek(3</data/a.npy>, 512, ", "SEEK_SET) = 512 <0.000001>" },
	{ "futex", "futex(0x7f00, FUTEX_WAIT_PRIVATE, 2, NULL", ") = -1 EAGAIN (Try again) <0.1>" },
	{ "close", "close(3</data/a.npy>", ") = 0" },
	{ "dup2", "dup2(3, ", "7) = 7" },
	{ "pipe2", "pipe2(", "[3<pipe:[7]>, 5<pipe:[7]>], O_CLOEXEC) = 0" },
	{ "fstat", "fstat(4</data/b>, ", "{st_mode=S_IFREG|0644, st_size=3}) = 0" },
	{ "execve", "execve(\"/bin/ls\", [\"ls\", \"-l\"], 0x7ffe /* 3 vars */", ") = 0 <0.002>" },
	{ "fcntl", "fcntl(3, F_DUPFD_CLOEXEC, ", "9) = 9" },
	{ "readv", "readv(3, [{iov_base=\"x\", iov_len=7}, ",
	  "{iov_base=\"\", iov_len=9}], 2) = 7" },
	{ "new_call", "new_call(0x1, \"a", "b\", 7) = 3 (INJECTED)" },
	{ "restart_syscall", "restart_syscall(<... resuming interrupted poll ...>", ") = 1" },
	{ "exit_group", "exit_group(0", ") = ?" },
};

static void whole(struct text *t, int tid)
{
	unsigned kind = pick(t, TD_ARRAY_SIZE(calls));
	const char *path = paths[pick(t, TD_ARRAY_SIZE(paths))];

	prefix(t, tid);
	if (pick(t, 3) == 0)
		td_strbuf_addf(&t->buf, "read(%u<%s>, \"\", %u) = 0 <0.000005>\n", 3 + pick(t, 4),
			       path, pick(t, 9999));
	else
		td_strbuf_addf(&t->buf, "%s%s\n", calls[kind].begin, calls[kind].rest);
}

/* A new thread or process, whose first line may come before the clone ends. */
static void clones(struct text *t, struct task *by)
{
	struct task *child = &t->tasks[pick(t, TASKS)];
	bool thread = pick(t, 2);
	int tid = t->next_tid++;

	if (child == by || by->name)
		return;
	prefix(t, by->tid);
	td_strbuf_addf(&t->buf, "clone(child_stack=NULL, flags=%s <unfinished ...>\n",
		       thread ? "CLONE_VM|CLONE_FILES|CLONE_THREAD" : "SIGCHLD");
	if (pick(t, 2))
		whole(t, tid);
	if (!child->name && pick(t, 2)) {
		prefix(t, child->tid);
		td_strbuf_adds(&t->buf, "+++ exited with 0 +++\n");
	}
	prefix(t, by->tid);
	td_strbuf_addf(&t->buf, "<... clone resumed>) = %d <0.000200>\n", tid);
	*child = (struct task){ .tid = tid };
}

static void begins_or_ends(struct text *t, struct task *k)
{
	unsigned kind = pick(t, TD_ARRAY_SIZE(calls));

	prefix(t, k->tid);
	if (!k->name) {
		k->name = calls[kind].name;
		k->rest = calls[kind].rest;
		td_strbuf_addf(&t->buf, "%s <unfinished ...>\n", calls[kind].begin);
	} else if (pick(t, 12) == 0) { /* in more than two lines */
		td_strbuf_addf(&t->buf, "<... %s resumed> <unfinished ...>\n", k->name);
	} else {
		/* sometimes of a call that it is not in */
		td_strbuf_addf(&t->buf, "<... %s resumed>%s\n",
			       pick(t, 15) ? k->name : calls[kind].name, k->rest);
		k->name = NULL;
	}
}

static void other(struct text *t, struct task *k)
{
	static const char *const lines[] = {
		"",
		" \t",
		"strace: Process 812 attached",
		"strace: Process 812 detached",
		"the program prints this",
		"\033[31m44\033[0m 1644092866.077425 read(3, \"\", 1) = 0",
		"44 12:00:01.5 read(3, \"\", 1) = 0",
		" > /lib/libc.so(read+0x1) [0x2]",
		"% time     seconds  usecs/call     calls    errors syscall",
		"------ ----------- ----------- --------- --------- ----------------",
		" 48.68    0.090894        2673        34           read",
		"100.00    0.186729          50      3685       441 total",
		") = 0 <0.000004>",
	};

	if (pick(t, 3)) {
		td_strbuf_addf(&t->buf, "%s\n", lines[pick(t, TD_ARRAY_SIZE(lines))]);
		return;
	}
	prefix(t, k->tid);
	switch (pick(t, 5)) {
	case 0:
		td_strbuf_adds(&t->buf, "--- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---\n");
		break;
	case 1: /* torn by a message, and goes on in the next line */
		td_strbuf_addf(&t->buf, "write(1, \"a\"strace: Process %d attached\n, 1) = 1\n",
			       t->next_tid++);
		break;
	case 2: /* by the traced program's own text */
		td_strbuf_adds(&t->buf, "write(1, \"a\", hello\n");
		break;
	case 3:
		td_strbuf_adds(&t->buf, "read(4, \"\", 1) = 0 and more\n");
		break;
	default:
		td_strbuf_adds(&t->buf, "+++ superseded by execve in pid 7 +++\n");
	}
}

static void mixed(struct text *t)
{
	for (int i = 0; i < 1500; i++) {
		struct task *k = &t->tasks[pick(t, TASKS)];

		switch (pick(t, 12)) {
		case 0:
			clones(t, k);
			break;
		case 1:
			other(t, k);
			break;
		case 2:
		case 3:
			whole(t, k->tid);
			break;
		default:
			begins_or_ends(t, k);
		}
	}
}

/* As most logs are: calls, some in two lines. */
static void plain(struct text *t)
{
	for (int i = 0; i < 3000; i++) {
		struct task *k = &t->tasks[pick(t, TASKS)];

		if (k->name || pick(t, 5) == 0)
			begins_or_ends(t, k);
		else
			whole(t, k->tid);
	}
}

/* Calls that are rows by themselves between what only a look at the lines before them tells, or what is no usual row. */
static void rare(struct text *t)
{
	static const char *const events[] = {
		"read(3, \"\", 4096) = 3 <2000000000.000001>",
		"read(3, \"\", 4096) = 144115188075855873 <0.000001>",
		"read(3, \"\", 4096) = 3 (DELAYED)",
		"openat(AT_FDCWD, \"/data/cut\"..., O_RDONLY) = 5</data/cut> <0.000003>",
		"openat(AT_FDCWD, \"/data/cut\", O_RDONLY|O_DIRECTORY) = 6</data/cut> <0.000003>",
		"newfstatat(AT_FDCWD, \"/data/cut\", {st_mode=S_IFDIR|0755, st_size=3}, 0) = 0",
		"openat(AT_FDCWD, \"/x\", O_RDONLY) = 70000 <0.000003>",
		"close(6) = 0 <0.000001>",
		"read(6, \"\", 1) = 1 <0.000001>",
		"odd_call(0x7ffc1, \"x\", 7) = 0 <0.000001>",
		"getpid() = 41 <0.000001>",
		"fork() = 42",
		"exit_group(0) = ?",
		"read(3, \"\", 1) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)",
		"read(3, \"\", 1) = 1 <0.000001>\n > /usr/lib/libc.so.6(read+0x1) [0xf8090]",
		"write(1, \"a\", 1 <unfinished ...>\n > /usr/lib/libc.so.6(write+0x1) [0xf8090]",
	};

	for (int i = 0; i < 2500; i++) {
		int tid = 40 + (int)pick(t, TASKS);

		switch (pick(t, 90)) {
		case 0: /* the clock was set */
			t->ts -= pick(t, 3) * 700000;
			break;
		case 1: /* no time that there can be, towards the end since the clock was set */
			td_strbuf_addf(&t->buf, "%d  %s.900000 read(3, \"\", 7) = 7 <0.000001>\n",
				       tid, i < 2400 ? "4100000000" : "3999999999");
			break;
		case 2: /* nobody has told of it */
			tid = t->next_tid++;
			break;
		case 3:
			td_strbuf_addf(&t->buf, "%d<python%u> ", tid, pick(t, 2));
			td_strbuf_addf(&t->buf, "%" PRId64 ".000001 read(3, \"\", 7) = 7\n",
				       t->ts / 1000000 + 1);
			break;
		default:
			break;
		}
		if (pick(t, 3) == 0) {
			prefix(t, tid);
			td_strbuf_addf(&t->buf, "%s\n", events[pick(t, TD_ARRAY_SIZE(events))]);
		} else if (tid < 40 + TASKS && pick(t, 3) == 0) {
			begins_or_ends(t, &t->tasks[tid - 40]);
		} else {
			whole(t, tid);
		}
	}
}

/* Lines longer than a part, with and without '\r', the last one cut. */
static void long_lines(struct text *t)
{
	for (int i = 0; i < 300; i++) {
		whole(t, 40 + i % 3);
		if (i % 7 == 0) {
			prefix(t, 40);
			td_strbuf_addf(&t->buf, "read(3, \"%0*u\", 12000) = 3 <unfinished ...>\n",
				       (int)pick(t, 12000), 1u);
		}
		if (i % 5 == 0) {
			t->buf.len--;
			td_strbuf_adds(&t->buf, "\r\n");
		}
	}
	t->buf.len -= 9;
}

/* --- */

static void check_text(const char *name, void (*make)(struct text *t))
{
	for (uint64_t seed = 1; seed <= 2; seed++) {
		struct text t = { .random = seed, .ts = INT64_C(1644092866077425), .next_tid = 60 };
		char path[128];

		TD_CASE(name);
		for (int i = 0; i < TASKS; i++)
			t.tasks[i].tid = 40 + i;
		make(&t);
		(void)snprintf(path, sizeof(path), "%s/in/%s", td_both_dir, name);
		td_parts_write(path, &t.buf);
		td_parts_sizes(path, &line_by_line, check_size, sizes, TD_ARRAY_SIZE(sizes));
		TD_CHECK_INT(unlink(path), 0);
		td_strbuf_done(&t.buf);
	}
}

static void check_texts(void)
{
	char dir[128];

	(void)snprintf(dir, sizeof(dir), "%s/in", td_both_dir);
	TD_CHECK_INT(mkdir(dir, 0700), 0);
	check_text("plain", plain);
	TD_CHECK(made_later.joined > 0);
	check_text("mixed", mixed);
	check_text("rare", rare);
	check_text("long-lines", long_lines);
	TD_CHECK_INT(rmdir(dir), 0);
}

int main(int argc, char **argv)
{
	return td_parts_main(argc, argv,
			     (struct td_parts_test){ .importer = "strace",
						     .texts = check_texts,
						     .turn = &line_by_line,
						     .check = check_size,
						     .sizes = sizes,
						     .nsizes = 3,
						     .corpus_size = 40000 });
}
