/* SPDX-License-Identifier: MIT */
/*
 * Each cell of the table of system calls against what the kernel's prototypes and the manual pages say
 * (tests/calls). That no cell may be another one is tested with rows that differ in one cell.
 */
#include "common/cleanup.h"
#include "schema/calls.c"
#include "schema/ops.h"
#include "tests/unit/check.h"

#define NAMES_MAX 512
#define ARGS_MAX 6

/* --- what is known --- */

struct proto {
	char name[32];
	char same_as[32]; /* "": has arguments of its own */
	char args[ARGS_MAX][96]; /* "const char * filename" */
	size_t nargs;
	char kept[64]; /* "flags mode"; "-": nothing; "": not in the table */
	char effect[16]; /* "": plain */
	bool position, appends, renames, rwf, requests;
};

static struct proto protos[NAMES_MAX];
static size_t nprotos;

static struct proto *proto_of(const char *name)
{
	for (size_t i = 0; i < nprotos; i++)
		if (strcmp(protos[i].name, name) == 0)
			return &protos[i];
	return NULL;
}

static void add_args(struct proto *p, char *text)
{
	while (text && *text && p->nargs < ARGS_MAX) {
		const char *arg = strsep(&text, ",");

		(void)snprintf(p->args[p->nargs++], sizeof(p->args[0]), "%s", arg + (*arg == ' '));
	}
}

/* "read: unsigned int fd, char * buf, size_t count" or "stat = newstat" */
static void add_proto(const char *name, bool same, char *rest)
{
	struct proto *p = &protos[nprotos++];

	TD_CHECK(nprotos < NAMES_MAX);
	(void)snprintf(p->name, sizeof(p->name), "%s", name);
	if (same)
		(void)snprintf(p->same_as, sizeof(p->same_as), "%s", rest);
	else
		add_args(p, rest);
}

static void add_kept(const char *name, bool same, char *rest)
{
	struct proto *p = proto_of(name);

	(void)same;
	TD_CASE(name);
	TD_CHECK(p != NULL);
	if (p)
		(void)snprintf(p->kept, sizeof(p->kept), "%s", rest);
}

static void add_effects(const char *effect, bool same, char *rest)
{
	char *name;

	(void)same;
	while ((name = strsep(&rest, " "))) {
		struct proto *p = proto_of(name);

		TD_CASE(name);
		TD_CHECK(p != NULL);
		if (!p)
			continue;
		if (strcmp(effect, "position") == 0)
			p->position = true;
		else if (strcmp(effect, "appends") == 0)
			p->appends = true;
		else if (strcmp(effect, "renames") == 0)
			p->renames = true;
		else if (strcmp(effect, "rwf") == 0)
			p->rwf = true;
		else if (strcmp(effect, "requests") == 0)
			p->requests = true;
		else
			(void)snprintf(p->effect, sizeof(p->effect), "%s", effect);
	}
}

/* Lines "name: rest" and "name = rest". */
static void read_lines(const char *path, void (*add)(const char *, bool, char *))
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	char line[1024];

	TD_CASE(path);
	TD_CHECK(f != NULL);
	while (f && fgets(line, sizeof(line), f)) {
		char *end = line + strcspn(line, " :"), *mark;
		bool same;

		line[strcspn(line, "\n")] = '\0';
		if (*line == '#')
			continue;
		mark = *end == ' ' ? end + 1 : end;
		TD_CHECK(end > line && (*mark == ':' || *mark == '='));
		same = *mark == '=';
		*end = '\0';
		add(line, same, mark + 1 + strspn(mark + 1, " "));
	}
}

/* --- what an argument is --- */

/* By its name in the prototypes, with a star if it is a pointer. */
static const struct {
	const char *arg, *column;
} roles[] = {
	{ "fd", "fd" },          { "fildes", "fd" },      { "oldfd", "fd" },
	{ "mqdes", "fd" },       { "msg_len", "asked" },  { "msgsz", "asked" },
	{ "epfd", "fd" },        { "in_fd", "fd" },       { "fd_in", "fd" },
	{ "fdin", "fd" },        { "ufd", "fd" },         { "dfd", "dir" },
	{ "olddfd", "dir" },     { "newdfd", "dir2" },    { "*filename", "path" },
	{ "*pathname", "path" }, { "*path", "path" },     { "*oldname", "path" },
	{ "*newname", "path2" }, { "count", "asked" },    { "len", "asked" },
	{ "len_in", "asked" },   { "new_len", "asked" },  { "nbytes", "asked" },
	{ "size", "asked" },     { "bufsiz", "asked" },   { "*vec", "buffers" },
	{ "*lvec", "buffers" },  { "*uiov", "buffers" },  { "*msg", "buffers" },
	{ "pos", "offset" },     { "pos_l", "offset" },   { "off", "offset" },
	{ "offset", "offset" },  { "*offset", "offset" }, { "*off_in", "offset" },
	{ "length", "offset" }, /* of truncate(): off_t, where the file is to end */
	{ "*fildes", "pair" },   { "*usockvec", "pair" }, { "out_fd", "to" },
	{ "fd_out", "to" },      { "fdout", "to" },       { "*off_out", "to_offset" },
};

/* By the manual pages, where a name would mislead. Column NULL: the argument has none. */
static const struct {
	const char *call, *arg, *column;
} exceptions[] = {
	{ "symlink", "*newname", "path" }, /* "linkpath" */
	{ "symlink", "*oldname", "target" },
	{ "symlinkat", "*newname", "path" },
	{ "symlinkat", "newdfd", "dir" },
	{ "symlinkat", "*oldname", "target" },
	{ "execveat", "fd", "dir" }, /* "dirfd" */
	{ "name_to_handle_at", "*name", "path" }, /* "pathname" */
	{ "close_range", "fd", NULL }, /* "first" */
	{ "signalfd", "ufd", NULL }, /* -1, or what is returned */
	{ "signalfd4", "ufd", NULL },
	{ "_llseek", "offset", NULL }, /* relative to whence */
	{ "_llseek", "*result", "offset" }, /* "the resulting file position" */
	{ "lseek", "offset", NULL },
	{ "eventfd", "count", NULL }, /* "initval" */
	{ "eventfd2", "count", NULL },
	{ "epoll_create", "size", NULL }, /* "ignored" */
	{ "clone3", "size", NULL }, /* of a structure */
	{ "set_robust_list", "len", NULL },
	{ "sched_getaffinity", "len", NULL },
	{ "sched_setaffinity", "len", NULL },
	{ "mincore", "*vec", NULL }, /* of bytes about pages */
};

static const char *column_of(const char *call, const char *arg)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(exceptions); i++)
		if (strcmp(exceptions[i].call, call) == 0 && strcmp(exceptions[i].arg, arg) == 0)
			return exceptions[i].column;
	for (size_t i = 0; i < TD_ARRAY_SIZE(roles); i++)
		if (strcmp(roles[i].arg, arg) == 0)
			return roles[i].column;
	return NULL;
}

/* What calls make: the names in /proc/PID/fd, without "anon_inode:". */
static const struct {
	const char *call, *thing;
	enum td_class class;
} things[] = {
	{ "accept", "socket", TD_CLASS_SOCKET },
	{ "accept4", "socket", TD_CLASS_SOCKET },
	{ "socket", "socket", TD_CLASS_SOCKET },
	{ "epoll_create", "[eventpoll]", TD_CLASS_ANON_INODE },
	{ "epoll_create1", "[eventpoll]", TD_CLASS_ANON_INODE },
	{ "eventfd", "[eventfd]", TD_CLASS_EVENTFD },
	{ "eventfd2", "[eventfd]", TD_CLASS_EVENTFD },
	{ "fanotify_init", "[fanotify]", TD_CLASS_ANON_INODE },
	{ "inotify_init", "inotify", TD_CLASS_ANON_INODE },
	{ "inotify_init1", "inotify", TD_CLASS_ANON_INODE },
	{ "io_uring_setup", "[io_uring]", TD_CLASS_ANON_INODE },
	{ "mq_open", "mqueue", TD_CLASS_UNKNOWN },
	{ "perf_event_open", "[perf_event]", TD_CLASS_ANON_INODE },
	{ "pidfd_open", "[pidfd]", TD_CLASS_ANON_INODE },
	{ "signalfd", "[signalfd]", TD_CLASS_ANON_INODE },
	{ "signalfd4", "[signalfd]", TD_CLASS_ANON_INODE },
	{ "timerfd_create", "[timerfd]", TD_CLASS_ANON_INODE },
	{ "userfaultfd", "[userfaultfd]", TD_CLASS_ANON_INODE },
};

static const char *const effects[] = {
	[TD_CALL_PLAIN] = "",          [TD_CALL_TRANSFERS] = "transfers",
	[TD_CALL_COPIES] = "copies",   [TD_CALL_OPENS] = "opens",
	[TD_CALL_CLOSES] = "closes",   [TD_CALL_CLOSES_RANGE] = "closes-range",
	[TD_CALL_DUPS] = "dups",       [TD_CALL_FCNTL] = "fcntl",
	[TD_CALL_PAIR] = "pair",       [TD_CALL_MAKES] = "makes",
	[TD_CALL_MEMFD] = "memfd",     [TD_CALL_MAPS] = "maps",
	[TD_CALL_CHDIRS] = "chdirs",   [TD_CALL_LOCKS] = "locks",
	[TD_CALL_FORKS] = "forks",     [TD_CALL_CLONES] = "clones",
	[TD_CALL_EXECS] = "execs",     [TD_CALL_TELLS_PID] = "tells-pid",
	[TD_CALL_SEEKS] = "seeks",     [TD_CALL_STATS] = "stats",
	[TD_CALL_PRCTL] = "prctl",     [TD_CALL_SUBMITS] = "submits",
	[TD_CALL_REAPS] = "reaps",     [TD_CALL_SIGNALS] = "signals",
	[TD_CALL_CHROOTS] = "chroots", [TD_CALL_CONNECTS] = "connects",
};

/* --- what a row should be --- */

/* "*filename" of "const char * filename" */
static void name_of_arg(const char *arg, char *name, size_t size)
{
	const char *space = strrchr(arg, ' ');

	(void)snprintf(name, size, "%s%s", strchr(arg, '*') ? "*" : "", space ? space + 1 : arg);
}

static uint8_t *column_at(struct td_syscall *s, const char *column)
{
	const struct {
		const char *name;
		uint8_t *at;
	} columns[] = {
		{ "fd", &s->fd },       { "dir", &s->dir },         { "path", &s->path },
		{ "dir2", &s->dir2 },   { "path2", &s->path2 },     { "target", &s->target },
		{ "asked", &s->asked }, { "buffers", &s->buffers }, { "offset", &s->offset },
		{ "pair", &s->pair },   { "to", &s->to },           { "to_offset", &s->to_offset },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(columns); i++)
		if (strcmp(columns[i].name, column) == 0)
			return columns[i].at;
	return NULL;
}

static uint8_t position_of(const struct proto *p, const char *name)
{
	char arg[96];

	for (size_t i = 0; i < p->nargs; i++) {
		name_of_arg(p->args[i], arg, sizeof(arg));
		if (strcmp(arg + (*arg == '*'), name) == 0)
			return (uint8_t)(i + 1);
	}
	return 0;
}

/* "flags", "flags mode", "uargs ..." */
static void add_kept_to(const struct proto *p, struct td_syscall *want)
{
	char kept[sizeof(p->kept)], *last = kept, *first;

	memcpy(kept, p->kept, sizeof(kept));
	first = strsep(&last, " ");
	if (!*first || strcmp(first, "-") == 0)
		return;
	want->keep_from = *first == '(' ? 1 : position_of(p, first);
	if (!last || *first == '(')
		want->keep_to = want->keep_from;
	else
		want->keep_to = strcmp(last, "...") == 0 ? TD_CALL_REST : position_of(p, last);
}

static void add_flags(const struct proto *p, struct td_syscall *want)
{
	want->flags |= p->position ? TD_CALL_POSITION : 0;
	want->flags |= p->appends ? TD_CALL_APPENDS : 0;
	want->flags |= p->renames ? TD_CALL_RENAMES : 0;
	want->flags |= p->rwf ? TD_CALL_RWF : 0;
	want->flags |= p->requests ? TD_CALL_REQUESTS : 0;
	if (want->offset && strchr(p->args[want->offset - 1], '*'))
		want->flags |= TD_CALL_OFFSET_POINTER;
	if (want->buffers && strstr(p->args[want->buffers - 1], "msghdr"))
		want->flags |= TD_CALL_MESSAGE;
}

static void add_columns(const struct proto *p, struct td_syscall *want, char *args, size_t size)
{
	*args = '\0';
	for (size_t i = 0; i < p->nargs; i++) {
		size_t len = strlen(args);
		const char *column;
		uint8_t *at;
		char arg[96];

		name_of_arg(p->args[i], arg, sizeof(arg));
		(void)snprintf(args + len, size - len, "%s%s", i ? " " : "", arg);
		column = column_of(p->name, arg);
		at = column ? column_at(want, column) : NULL;
		if (at && !*at) /* of two descriptors the first */
			*at = (uint8_t)(i + 1);
	}
}

/* name and args are those of text, which is borrowed. */
static bool wanted(const char *name, struct td_syscall *want, char *text, size_t size)
{
	const struct proto *p = proto_of(name);

	*want = (struct td_syscall){ .name = name };
	if (p && *p->same_as)
		p = proto_of(p->same_as);
	if (!p)
		return false;
	add_columns(p, want, text, size);
	want->args = text;
	add_flags(p, want);
	add_kept_to(p, want);
	for (size_t i = 0; i < TD_ARRAY_SIZE(effects); i++)
		if (strcmp(effects[i], p->effect) == 0)
			want->effect = (uint8_t)i;
	for (size_t i = 0; i < TD_ARRAY_SIZE(things); i++)
		if (strcmp(things[i].call, p->name) == 0) {
			want->thing = things[i].thing;
			want->thing_class = (uint8_t)things[i].class;
		}
	return true;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* "", or the first cell that is not as it should be. */
static const char *wrong_cell(const struct td_syscall *s)
{
	struct td_syscall want;
	char args[ARGS_MAX * 32];

	if (!wanted(s->name, &want, args, sizeof(args)))
		return "name";
#define CELL(cell)                                                                                 \
	if (s->cell != want.cell)                                                                  \
	return #cell
	if (!same_text(s->args, want.args))
		return "args";
	CELL(effect);
	CELL(flags);
	CELL(fd);
	CELL(dir);
	CELL(path);
	CELL(dir2);
	CELL(path2);
	CELL(target);
	CELL(asked);
	CELL(buffers);
	CELL(offset);
	CELL(pair);
	CELL(to);
	CELL(to_offset);
	CELL(keep_from);
	CELL(keep_to);
	CELL(thing_class);
	return same_text(s->thing, want.thing) ? "" : "thing";
#undef CELL
}

/* --- tests --- */

static void test_rows(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(syscalls); i++) {
		const struct td_syscall *s = &syscalls[i];

		TD_CASE(s->name);
		TD_CHECK_STR(wrong_cell(s), "");
		TD_CHECK(td_syscall_find((struct td_str){ s->name, strlen(s->name) }) == s);
		/* what a path may start from comes before it */
		TD_CHECK(!s->path || s->path > s->dir);
		TD_CHECK(!i || strcmp(syscalls[i - 1].name, s->name) < 0);
	}
}

/* No call that is known of is left out. */
static void test_complete(void)
{
	for (size_t i = 0; i < nprotos; i++) {
		const struct proto *p = &protos[i];

		TD_CASE(p->name);
		TD_CHECK((*p->kept || *p->same_as) ==
			 (td_syscall_find((struct td_str){ p->name, strlen(p->name) }) != NULL));
	}
	TD_CASE("no call");
	TD_CHECK(!td_syscall_find((struct td_str){ "reads", 5 }));
	TD_CHECK(!td_syscall_find((struct td_str){ "", 0 }));
	TD_CHECK_INT(td_syscall_unknown.keep_from, 1);
	TD_CHECK_INT(td_syscall_unknown.keep_to, TD_CALL_REST);
	TD_CHECK_INT(td_syscall_unknown.effect, TD_CALL_PLAIN);
}

/* The same row with one number changed, to all others that it could be. */
static void check_numbers(const struct td_syscall *s)
{
	static const size_t cells[] = {
		offsetof(struct td_syscall, effect),      offsetof(struct td_syscall, flags),
		offsetof(struct td_syscall, fd),          offsetof(struct td_syscall, dir),
		offsetof(struct td_syscall, path),        offsetof(struct td_syscall, dir2),
		offsetof(struct td_syscall, path2),       offsetof(struct td_syscall, target),
		offsetof(struct td_syscall, asked),       offsetof(struct td_syscall, buffers),
		offsetof(struct td_syscall, offset),      offsetof(struct td_syscall, pair),
		offsetof(struct td_syscall, keep_from),   offsetof(struct td_syscall, keep_to),
		offsetof(struct td_syscall, thing_class), offsetof(struct td_syscall, to),
		offsetof(struct td_syscall, to_offset),
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cells); i++) {
		struct td_syscall other = *s;
		uint8_t *cell = (uint8_t *)&other + cells[i];
		uint8_t is = *cell;

		for (unsigned v = 0; v <= UINT8_MAX; v += v < 32 ? 1 : 223) {
			*cell = (uint8_t)v;
			TD_CHECK((*wrong_cell(&other) != '\0') == (v != is));
		}
	}
}

static void test_each_cell(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(syscalls); i++) {
		struct td_syscall other = syscalls[i];
		char text[128];

		TD_CASE(other.name);
		check_numbers(&other);
		(void)snprintf(text, sizeof(text), "%s_", other.name);
		other.name = text;
		TD_CHECK_STR(wrong_cell(&other), "name");
		other = syscalls[i];
		(void)snprintf(text, sizeof(text), "%s flags2", other.args);
		other.args = text;
		TD_CHECK_STR(wrong_cell(&other), "args");
		other = syscalls[i];
		other.thing = "[other]";
		TD_CHECK_STR(wrong_cell(&other), "thing");
	}
}

/* Other names of a call mean the same. */
static void test_kinds(void)
{
	static const struct {
		const char *call, *verb, *kind;
	} kinds[] = {
		{ "futex_time64", "lock", "lock" },
		{ "semtimedop_time64", "lock", "lock" },
		{ "ppoll_time64", "wait", "wait" },
		{ "pselect6_time64", "wait", "wait" },
		{ "clock_nanosleep_time64", "wait", "wait" },
		{ "rt_sigtimedwait_time64", "wait", "wait" },
		{ "io_pgetevents_time64", "wait", "wait" },
		{ "recvmmsg_time64", "socket", "io" },
		{ "utimensat_time64", "other", "io" },
		{ "newfstat", "stat", "io" },
		{ "llseek", "seek", "io" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(kinds); i++) {
		const struct td_op_info *info = td_op_lookup(kinds[i].call, strlen(kinds[i].call));

		TD_CASE(kinds[i].call);
		TD_CHECK_STR(info->verb, kinds[i].verb);
		TD_CHECK_STR(info->kind, kinds[i].kind);
	}
	for (size_t i = 0; i < nprotos; i++) {
		const struct proto *p = &protos[i];
		const struct td_op_info *info = td_op_lookup(p->name, strlen(p->name));
		const struct td_op_info *same = td_op_lookup(p->same_as, strlen(p->same_as));

		if (!*p->same_as)
			continue;
		TD_CASE(p->name);
		TD_CHECK_STR(info->verb, same->verb);
		TD_CHECK_STR(info->kind, same->kind);
		TD_CHECK(same_text(info->family, same->family));
	}
}

/* A call that copies reads, and its other side writes. */
static void test_copies(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(syscalls); i++) {
		const struct td_syscall *s = &syscalls[i];
		char out[64];
		int n = snprintf(out, sizeof(out), "%s" TD_CALL_OUT, s->name);

		TD_CASE(s->name);
		if (s->effect == TD_CALL_COPIES) {
			TD_CHECK_STR(td_op_lookup(s->name, strlen(s->name))->verb, "read");
			TD_CHECK_STR(td_op_lookup(out, (size_t)n)->verb, "write");
			TD_CHECK_STR(td_op_lookup(out, (size_t)n)->kind, "io");
		} else {
			TD_CHECK_STR(td_op_lookup(out, (size_t)n)->verb, "other");
		}
	}
}

int main(void)
{
	read_lines(TD_TEST_DATA "/../calls/prototypes.txt", add_proto);
	read_lines(TD_TEST_DATA "/../calls/others.txt", add_proto);
	read_lines(TD_TEST_DATA "/../calls/kept.txt", add_kept);
	read_lines(TD_TEST_DATA "/../calls/effects.txt", add_effects);
	test_rows();
	test_complete();
	test_each_cell();
	test_kinds();
	test_copies();
	return td_check_result();
}
