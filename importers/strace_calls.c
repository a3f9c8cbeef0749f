/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sched.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/utf8.h"
#include "importers/strace_calls.h"

void td_strace_calls_done(struct td_strace_calls *cs)
{
	td_intern_done(&cs->interned);
	free(cs->names);
	td_strbuf_done(&cs->text);
	td_strbuf_done(&cs->text2);
}

static const struct td_strace_name *name_of(struct td_import *imp, struct td_strace_calls *cs,
					    struct td_str name)
{
	const struct td_strace_spec *spec;
	uint32_t id;

	if (cs->nnames >= TD_STRACE_NAMES_MAX) {
		id = td_intern_find(&cs->interned, name.p, name.len);
		return id ? &cs->names[id - 1] : NULL;
	}
	id = td_intern_add(&cs->interned, name.p, name.len);
	if (!id)
		return NULL;
	if (id <= cs->nnames)
		return &cs->names[id - 1];
	if (td_grow(&cs->names, &cs->names_cap, cs->nnames) < 0)
		return NULL;
	spec = td_strace_spec(name);
	cs->names[cs->nnames++] = (struct td_strace_name){
		.op_id = td_store_op(imp->store, name.p, name.len, TD_LAYER_SYSCALL),
		.spec = spec ? spec : &td_strace_unknown,
	};
	return &cs->names[id - 1];
}

const struct td_strace_name *td_strace_name(struct td_import *imp, struct td_strace_calls *cs,
					    struct td_str name)
{
	unsigned hash = (unsigned char)name.p[0] * 5u + (unsigned char)name.p[name.len - 1] * 3u +
			(unsigned)name.len;
	uint32_t *recent = &cs->recent[hash % TD_STRACE_RECENT];
	const struct td_strace_name *found;
	struct td_str text;

	if (*recent) {
		text = td_intern_get(&cs->interned, *recent);
		if (text.len == name.len && memcmp(text.p, name.p, name.len) == 0)
			return &cs->names[*recent - 1];
	}
	found = name_of(imp, cs, name);
	*recent = found ? (uint32_t)(found - cs->names) + 1 : 0;
	return found;
}

/* --- files --- */

static void set_class(struct td_import *imp, uint32_t file_id, enum td_class class)
{
	struct td_file *f = td_store_file_at(imp->store, file_id);

	if (!f)
		return;
	f->class = class;
	f->class_known = true;
}

static uint32_t thing(struct td_import *imp, struct td_str name, enum td_class class)
{
	uint32_t id = td_store_file_name(imp->store, name, false);

	if (class != TD_CLASS_UNKNOWN)
		set_class(imp, id, class);
	return id;
}

/* "/tmp/x", "/tmp/x (deleted)", "/dev/null<char 1:3>", "/memfd:x": what -y prints for a path. */
static uint32_t file_of_path_note(struct td_import *imp, struct td_strace_calls *cs,
				  struct td_str note, bool deleted)
{
	static const char suffix[] = " (deleted)";
	const char *device = NULL;
	uint32_t id;

	if (note.p[note.len - 1] == '>') {
		device = td_str_find(note, "<char ");
		if (!device)
			device = td_str_find(note, "<block ");
		if (device)
			note.len = (size_t)(device - note.p);
	}
	if (td_str_ends(note, suffix)) {
		note.len -= sizeof(suffix) - 1;
		deleted = true;
	}
	if (td_str_starts(note, "/memfd:"))
		return thing(
			imp,
			td_strace_unescape((struct td_str){ note.p + 1, note.len - 1 }, &cs->text),
			TD_CLASS_MEMFD);
	id = td_store_file_path(imp->store, td_strace_unescape(note, &cs->text),
				(struct td_str){ NULL, 0 }, false);
	if (device)
		set_class(imp, id, TD_CLASS_DEVICE);
	else if (deleted)
		set_class(imp, id, TD_CLASS_DELETED);
	return id;
}

/* "pipe:[123]": the number is the inode. */
static void set_inode(struct td_import *imp, uint32_t file_id, struct td_str note)
{
	const char *p = memchr(note.p, '[', note.len);
	struct td_file *f = td_store_file_at(imp->store, file_id);
	struct td_scan s;
	uint64_t inode;

	if (!p || !f)
		return;
	s = td_scan_of(p + 1, (size_t)(note.p + note.len - p - 1));
	if (td_scan_u64(&s, &inode) && inode <= INT64_MAX)
		f->inode = (int64_t)inode;
}

/* What -y or -yy prints behind a descriptor. Names of what has no path are those that the kernel
 * gives their dentries, so that they are the same files in a bpftrace log. */
static uint32_t file_of_note(struct td_import *imp, struct td_strace_calls *cs, struct td_str note,
			     bool deleted)
{
	static const struct {
		const char *prefix;
		enum td_class class;
	} things[] = {
		{ "pipe:[", TD_CLASS_PIPE },   { "socket:[", TD_CLASS_SOCKET },
		{ "TCP", TD_CLASS_SOCKET },    { "UDP", TD_CLASS_SOCKET },
		{ "UNIX", TD_CLASS_SOCKET },   { "NETLINK", TD_CLASS_SOCKET },
		{ "PACKET", TD_CLASS_SOCKET }, { "RAW", TD_CLASS_SOCKET },
		{ "SCTP", TD_CLASS_SOCKET },   { "PING", TD_CLASS_SOCKET },
	};
	static const char anon[] = "anon_inode:";
	uint32_t id;

	if (!note.p || !note.len)
		return 0;
	if (note.p[0] == '/')
		return file_of_path_note(imp, cs, note, deleted);
	if (td_str_starts(note, anon)) {
		note = (struct td_str){ note.p + sizeof(anon) - 1, note.len - sizeof(anon) + 1 };
		return thing(imp, note,
			     td_str_eq(note, "[eventfd]") ? TD_CLASS_EVENTFD : TD_CLASS_ANON_INODE);
	}
	if (td_str_starts(note, "pid:"))
		return thing(imp, (struct td_str){ "[pidfd]", 7 }, TD_CLASS_ANON_INODE);
	for (size_t i = 0; i < TD_ARRAY_SIZE(things); i++) {
		if (td_str_starts(note, things[i].prefix)) {
			id = thing(imp, note, things[i].class);
			set_inode(imp, id, note);
			return id;
		}
	}
	return td_store_file_path(imp->store, td_strace_unescape(note, &cs->text),
				  (struct td_str){ NULL, 0 }, false);
}

/* The argument n, counted from 1; empty if there is none. */
static struct td_str arg(const struct td_strace_text *t, unsigned n)
{
	return n && n <= t->nargs ? t->args[n - 1] : (struct td_str){ "", 0 };
}

/* Is this what -y prints for the file? Mostly it is the file that was there before, and need not be looked up. */
static bool is_note_of(struct td_import *imp, uint32_t file_id, struct td_str note, bool deleted)
{
	const struct td_file *f = td_store_file_at(imp->store, file_id);
	struct td_str text;

	if (!f || deleted)
		return false;
	text = f->path.p ? f->path : f->name;
	return text.len == note.len && memcmp(text.p, note.p, note.len) == 0;
}

static void fill_fd(struct td_import *imp, struct td_strace_calls *cs,
		    const struct td_strace_task *task, struct td_str text, struct td_call *row)
{
	struct td_strace_fds *fds = task->proc->fds;
	struct td_str note;
	bool deleted;
	int32_t fd;

	if (!text.len || !td_strace_fd(text, &fd, &note, &deleted))
		return;
	row->fd = fd;
	row->file_id = td_strace_fds_get(fds, fd);
	if (!note.p || is_note_of(imp, row->file_id, note, deleted))
		return;
	row->file_id = file_of_note(imp, cs, note, deleted);
	td_strace_fds_tell(fds, fd, row->file_id);
}

/* A path wins over the directory that it may be relative to; an empty one leaves the descriptor. */
static void fill_path(struct td_import *imp, struct td_strace_calls *cs, struct td_str text,
		      struct td_call *row)
{
	struct td_str path;
	bool cut;

	if (!text.len || !td_strace_string(text, &cs->text, &path, &cut) || !path.len)
		return;
	row->file_id = td_store_file_path(imp->store, path, (struct td_str){ NULL, 0 }, cut);
	row->fd = INT32_MIN;
}

void td_strace_call_begins(struct td_import *imp, struct td_strace_calls *cs,
			   const struct td_strace_context *at, const struct td_strace_spec *spec,
			   const struct td_strace_text *text, struct td_call *row)
{
	if (spec->fd)
		fill_fd(imp, cs, at->task, arg(text, spec->fd), row);
	if (spec->path)
		fill_path(imp, cs, arg(text, spec->path), row);
	if (spec->effect == TD_STRACE_CLOSES && row->fd >= 0)
		td_strace_fds_close(at->task->proc->fds, row->fd, row->fd);
}

/* --- columns --- */

static int64_t size_of(struct td_str text)
{
	int64_t n;

	return text.len && td_strace_number(text, &n) && n >= 0 ? n : TD_NULL;
}

/* Bytes that a list of buffers asks for; of a message: those of its msg_iov. */
static int64_t size_of_buffers(struct td_str text)
{
	static const char iov[] = "msg_iov=";
	int64_t n;

	if (text.len && text.p[0] == '{') {
		const char *p = td_str_find(text, iov);

		if (!p)
			return TD_NULL;
		p += sizeof(iov) - 1;
		text = (struct td_str){ p, (size_t)(text.p + text.len - p) };
	}
	return td_strace_sum_lengths(text, &n) ? n : TD_NULL;
}

static void fill_sizes(const struct td_strace_spec *spec, const struct td_strace_text *text,
		       struct td_call *row)
{
	if (spec->asked)
		row->asked_bytes = size_of(arg(text, spec->asked));
	else if (spec->buffers)
		row->asked_bytes = size_of_buffers(arg(text, spec->buffers));
	if (spec->bytes && text->ret >= 0)
		row->done_bytes = text->ret;
	if (spec->offset)
		row->offset_bytes = size_of(arg(text, spec->offset));
	if (spec->effect == TD_STRACE_SEEKS && text->ret >= 0)
		row->offset_bytes = text->ret;
}

/* The arguments that no column holds. They are next to each other, so a piece of the line does. */
static struct td_str kept_args(const struct td_strace_spec *spec, const struct td_strace_text *text)
{
	struct td_str first = arg(text, spec->keep_from), last;

	if (!first.len)
		return first;
	/* the offset is the result then, and in its column */
	if (spec->effect == TD_STRACE_SEEKS && text->ret >= 0 &&
	    td_str_eq(arg(text, spec->keep_to), "SEEK_SET"))
		return arg(text, spec->keep_to);
	if (spec->keep_to == TD_STRACE_REST)
		return (struct td_str){ first.p, (size_t)(text->all.p + text->all.len - first.p) };
	last = arg(text, TD_MIN(spec->keep_to, text->nargs));
	return (struct td_str){ first.p, (size_t)(last.p + last.len - first.p) };
}

static void fill_args(struct td_import *imp, struct td_strace_calls *cs,
		      const struct td_strace_spec *spec, const struct td_strace_text *text,
		      struct td_call *row)
{
	struct td_str s = kept_args(spec, text);

	if (!s.len)
		return;
	if (s.len > TD_STRACE_ARGS_MAX) {
		s.len = TD_STRACE_ARGS_MAX;
		while (s.len && (s.p[s.len] & 0xc0) == 0x80)
			s.len--;
	}
	/* addresses among the arguments of unknown calls make every text different */
	if ((spec == &td_strace_unknown && cs->ntexts >= TD_STRACE_TEXTS_MAX) ||
	    !td_utf8_valid(s.p, s.len))
		return;
	row->args_id = td_store_string(imp->store, s.p, s.len);
	if (row->args_id > cs->newest_text) {
		cs->newest_text = row->args_id;
		cs->ntexts += spec == &td_strace_unknown;
	}
}

/* --- effects --- */

/* -X raw: all calls but memfd_create use the value of O_CLOEXEC; a larger number is an address. */
static bool is_cloexec(const struct td_strace_text *text)
{
	if (td_str_find(text->all, "CLOEXEC"))
		return true;
	for (unsigned i = 0; i < text->nargs; i++) {
		struct td_scan s = td_scan_of(text->args[i].p, text->args[i].len);
		uint64_t flags;

		if (td_scan_literal(&s, "0x") && td_scan_hex(&s, &flags) && td_scan_done(&s) &&
		    flags <= UINT32_MAX && (flags & O_CLOEXEC))
			return true;
	}
	return false;
}

static int new_fd(const struct td_strace_context *at, int64_t fd, uint32_t file_id,
		  const struct td_strace_text *text)
{
	return td_strace_fds_set(at->task->proc->fds, fd, file_id, is_cloexec(text));
}

/* The file behind the descriptor that a call returned: as printed, else as given. */
static uint32_t returned_file(struct td_import *imp, struct td_strace_calls *cs,
			      const struct td_strace_text *text, uint32_t otherwise)
{
	if (!text->note.p || is_note_of(imp, otherwise, text->note, text->deleted))
		return otherwise;
	return file_of_note(imp, cs, text->note, text->deleted);
}

static int opens(struct td_import *imp, struct td_strace_calls *cs,
		 const struct td_strace_context *at, const struct td_strace_text *text,
		 struct td_call *row)
{
	if (text->ret < 0)
		return 0;
	row->fd = text->ret <= INT32_MAX ? (int32_t)text->ret : INT32_MIN;
	row->file_id = returned_file(imp, cs, text, row->file_id);
	if (td_str_find(text->all, "O_DIRECTORY"))
		set_class(imp, row->file_id, TD_CLASS_DIRECTORY);
	return new_fd(at, text->ret, row->file_id, text);
}

static int makes(struct td_import *imp, struct td_strace_calls *cs,
		 const struct td_strace_context *at, const struct td_strace_spec *spec,
		 const struct td_strace_text *text, struct td_call *row)
{
	struct td_str name = { spec->thing, strlen(spec->thing) };
	uint32_t file_id;

	if (text->ret < 0)
		return 0;
	file_id = text->note.p ? returned_file(imp, cs, text, 0)
			       : thing(imp, name, spec->thing_class);
	if (row->fd == INT32_MIN) {
		row->fd = text->ret <= INT32_MAX ? (int32_t)text->ret : INT32_MIN;
		row->file_id = file_id;
	}
	return new_fd(at, text->ret, file_id, text);
}

static int makes_memory(struct td_import *imp, struct td_strace_calls *cs,
			const struct td_strace_context *at, const struct td_strace_text *text,
			struct td_call *row)
{
	struct td_str name;
	bool cut;

	if (text->ret < 0)
		return 0;
	row->fd = text->ret <= INT32_MAX ? (int32_t)text->ret : INT32_MIN;
	if (text->note.p) {
		row->file_id = returned_file(imp, cs, text, 0);
	} else if (td_strace_string(arg(text, 1), &cs->text, &name, &cut)) {
		td_strbuf_reset(&cs->text2);
		td_strbuf_adds(&cs->text2, "memfd:");
		td_strbuf_add(&cs->text2, name.p, name.len);
		name = (struct td_str){ td_strbuf_str(&cs->text2), cs->text2.len };
		row->file_id = thing(imp, name, TD_CLASS_MEMFD);
	}
	return new_fd(at, text->ret, row->file_id, text);
}

/* "[3, 4]" or "[3<pipe:[1]>, 4<pipe:[1]>]". */
static int makes_pair(struct td_import *imp, struct td_strace_calls *cs,
		      const struct td_strace_context *at, const struct td_strace_spec *spec,
		      const struct td_strace_text *text)
{
	bool socket = spec->at > 1; /* socketpair */
	struct td_str both = arg(text, spec->at), one, note;
	int r = 0;

	if (text->ret != 0 || both.len < 2 || both.p[0] != '[')
		return 0;
	both = (struct td_str){ both.p + 1, both.len - 2 };
	for (unsigned i = 0; i < 2 && both.len && r >= 0; i++) {
		const char *comma = memmem(both.p, both.len, ", ", 2);
		bool deleted;
		uint32_t file_id;
		int32_t fd;

		one = both;
		if (comma)
			one.len = (size_t)(comma - both.p);
		if (!td_strace_fd(one, &fd, &note, &deleted))
			break;
		file_id = note.p   ? file_of_note(imp, cs, note, deleted)
			  : socket ? thing(imp, (struct td_str){ "socket", 6 }, TD_CLASS_SOCKET)
				   : thing(imp, (struct td_str){ "pipe", 4 }, TD_CLASS_PIPE);
		r = new_fd(at, fd, file_id, text);
		if (!comma)
			break;
		both = (struct td_str){ comma + 2, (size_t)(both.p + both.len - comma - 2) };
	}
	return r;
}

/* By name, or the number that -X raw prints; -1: another one. */
static int64_t fcntl_command(struct td_str arg)
{
	static const struct {
		const char *name;
		int number;
	} commands[] = {
		{ "F_DUPFD", F_DUPFD },
		{ "F_DUPFD_CLOEXEC", F_DUPFD_CLOEXEC },
		{ "F_SETFD", F_SETFD },
	};
	int64_t number;

	for (size_t i = 0; i < TD_ARRAY_SIZE(commands); i++)
		if (td_str_eq(arg, commands[i].name))
			return commands[i].number;
	return td_strace_number(arg, &number) ? number : -1;
}

static int does_fcntl(const struct td_strace_context *at, const struct td_strace_text *text,
		      const struct td_call *row)
{
	struct td_strace_fds *fds = at->task->proc->fds;
	int64_t command = fcntl_command(arg(text, 2)), flag;

	if (text->ret < 0)
		return 0;
	switch (command) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		return td_strace_fds_set(fds, text->ret, row->file_id, command != F_DUPFD);
	case F_SETFD:
		if (!td_strace_number(arg(text, 3), &flag))
			flag = td_str_eq(arg(text, 3), "FD_CLOEXEC") ? FD_CLOEXEC : 0;
		td_strace_fds_set_cloexec(fds, row->fd, flag == FD_CLOEXEC);
		return 0;
	default:
		return 0;
	}
}

static void closes_range(const struct td_strace_context *at, const struct td_strace_text *text)
{
	int64_t from, to;

	if (text->ret == 0 && !td_str_find(arg(text, 3), "CLOEXEC") &&
	    td_strace_number(arg(text, 1), &from) && td_strace_number(arg(text, 2), &to))
		td_strace_fds_close(at->task->proc->fds, from, to);
}

/* A result with the comment "12345 in strace's PID NS" (--decode-pids=pidns): the tid by which strace
 * prints the child's lines. */
static int64_t child_tid(const struct td_strace_text *text)
{
	struct td_scan s = td_scan_of(text->rest.p, text->rest.len);
	uint64_t tid;

	if (td_scan_literal(&s, "/* ") && td_scan_u64(&s, &tid) &&
	    td_scan_literal(&s, " in strace's PID NS") && tid <= INT32_MAX)
		return (int64_t)tid;
	return text->ret;
}

static int forks(struct td_import *imp, const struct td_strace_context *at,
		 const struct td_strace_text *text, bool clone)
{
	bool is_thread = clone && td_strace_clone_flag(text->all, "CLONE_THREAD", CLONE_THREAD);
	bool shares_fds = clone && td_strace_clone_flag(text->all, "CLONE_FILES", CLONE_FILES);

	if (text->ret <= 0 || text->ret > INT32_MAX)
		return 0;
	return td_strace_task_cloned(imp, at->tasks, at->task, child_tid(text), is_thread,
				     shares_fds, at->begin_line, at->end_ns);
}

static int execs(struct td_import *imp, struct td_strace_calls *cs,
		 const struct td_strace_context *at, const struct td_strace_spec *spec,
		 const struct td_strace_text *text)
{
	struct td_str path = { "", 0 }, command_line;
	bool cut;

	if (text->ret != 0)
		return 0;
	(void)td_strace_string(arg(text, spec->path), &cs->text, &path, &cut);
	td_strace_join_strings(arg(text, spec->path + 1u), &cs->text2);
	command_line = (struct td_str){ td_strbuf_str(&cs->text2), cs->text2.len };
	if (!command_line.len)
		command_line = path;
	return td_strace_task_exec(imp, at->task, command_line, path);
}

/* fstat and its like print st_mode=S_IFREG|0644: then the class is known. What lies in a file system of
 * its own kind (/dev/shm, /proc) or is known for something better stays what it is. */
static void tells_class(struct td_import *imp, const struct td_strace_text *text, uint32_t file_id)
{
	static const struct {
		const char *mode;
		enum td_class class;
	} modes[] = {
		{ "S_IFREG", TD_CLASS_REGULAR }, { "S_IFDIR", TD_CLASS_DIRECTORY },
		{ "S_IFCHR", TD_CLASS_DEVICE },  { "S_IFBLK", TD_CLASS_DEVICE },
		{ "S_IFIFO", TD_CLASS_PIPE },    { "S_IFSOCK", TD_CLASS_SOCKET },
	};
	static const char *const special[] = { "/dev/shm/", "/proc/", "/sys/" };
	const struct td_file *f = td_store_file_at(imp->store, file_id);
	const char *p;
	struct td_str rest;

	if (!f || f->class_known || !f->path.p)
		return;
	for (size_t i = 0; i < TD_ARRAY_SIZE(special); i++)
		if (td_str_starts(f->path, special[i]))
			return;
	p = td_str_find(text->all, "_mode=S_IF");
	if (!p)
		return;
	p += strlen("_mode=");
	rest = (struct td_str){ p, (size_t)(text->all.p + text->all.len - p) };
	for (size_t i = 0; i < TD_ARRAY_SIZE(modes); i++)
		if (td_str_starts(rest, modes[i].mode))
			set_class(imp, file_id, modes[i].class);
}

static void sets_name(struct td_import *imp, struct td_strace_calls *cs,
		      const struct td_strace_context *at, const struct td_strace_text *text)
{
	struct td_str name;
	bool cut;

	if (text->ret == 0 && td_str_eq(arg(text, 1), "PR_SET_NAME") &&
	    td_strace_string(arg(text, 2), &cs->text, &name, &cut))
		td_strace_task_name(imp, at->task, name);
}

/* What the call changed. Before the row is stored, as it may complete the row. */
static int follow(struct td_import *imp, struct td_strace_calls *cs,
		  const struct td_strace_context *at, const struct td_strace_spec *spec,
		  const struct td_strace_text *text, struct td_call *row)
{
	switch (spec->effect) {
	case TD_STRACE_OPENS:
		return opens(imp, cs, at, text, row);
	case TD_STRACE_CLOSES_RANGE:
		closes_range(at, text);
		return 0;
	case TD_STRACE_DUPS:
		return text->ret < 0 ? 0 : new_fd(at, text->ret, row->file_id, text);
	case TD_STRACE_FCNTL:
		return does_fcntl(at, text, row);
	case TD_STRACE_PAIR:
		return makes_pair(imp, cs, at, spec, text);
	case TD_STRACE_MAKES:
		return makes(imp, cs, at, spec, text, row);
	case TD_STRACE_MEMFD:
		return makes_memory(imp, cs, at, text, row);
	case TD_STRACE_TELLS_PID:
		return text->ret > 0 ? td_strace_task_told(imp, at->tasks, at->task, text->ret) : 0;
	case TD_STRACE_STATS:
		if (text->ret == 0)
			tells_class(imp, text, row->file_id);
		return 0;
	case TD_STRACE_PRCTL:
		sets_name(imp, cs, at, text);
		return 0;
	default:
		return 0;
	}
}

int td_strace_call(struct td_import *imp, struct td_strace_calls *cs,
		   const struct td_strace_context *at, const struct td_strace_name *name,
		   const struct td_strace_text *text, struct td_call *row)
{
	const struct td_strace_spec *spec = name->spec;
	int r;

	row->op_id = name->op_id;
	row->ret = text->ret;
	row->dur_ns = text->dur_ns;
	row->unfinished = text->unfinished;
	if (row->fd == INT32_MIN && !row->file_id)
		td_strace_call_begins(imp, cs, at, spec, text, row);
	fill_sizes(spec, text, row);
	fill_args(imp, cs, spec, text, row);
	r = follow(imp, cs, at, spec, text, row);
	if (r >= 0)
		r = td_strace_put(imp, at->tasks, at->task, row);
	if (r < 0)
		return r;
	/* these change who the task is; the call itself was still made by the old one */
	switch (spec->effect) {
	case TD_STRACE_FORKS:
	case TD_STRACE_CLONES:
		return forks(imp, at, text, spec->effect == TD_STRACE_CLONES);
	case TD_STRACE_EXECS:
		return execs(imp, cs, at, spec, text);
	default:
		return 0;
	}
}
