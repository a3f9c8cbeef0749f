/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/utf8.h"
#include "importers/strace/calls.h"
#include "importers/strace/peers.h"

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
	const struct td_syscall *spec;
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
	spec = td_syscall_find(name);
	cs->names[cs->nnames++] = (struct td_strace_name){
		.op_id = td_store_op(imp->store, name.p, name.len, TD_LAYER_SYSCALL),
		.spec = spec ? spec : &td_syscall_unknown,
	};
	return &cs->names[id - 1];
}

const struct td_strace_name *td_strace_name_new(struct td_import *imp, struct td_strace_calls *cs,
						uint32_t atom)
{
	struct td_strace_atom *w;
	const struct td_strace_name *found;

	if (!atom)
		return NULL;
	w = td_strace_atom_at(cs->atoms, atom);
	found = name_of(imp, cs, td_strace_atom_text(cs->atoms, atom));
	w->name_no = found ? (uint16_t)(found - cs->names + 1) : 0;
	w->op_id = found ? found->op_id : 0;
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
			td_arg_unescape((struct td_str){ note.p + 1, note.len - 1 }, &cs->text),
			TD_CLASS_MEMFD);
	id = td_store_file_path(imp->store, td_arg_unescape(note, &cs->text),
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
	return td_store_file_path(imp->store, td_arg_unescape(note, &cs->text),
				  (struct td_str){ NULL, 0 }, false);
}

/* The file of a note that is an atom. One that is but a path is the same each time. */
static uint32_t file_of_atom(struct td_import *imp, struct td_strace_calls *cs, uint32_t atom,
			     bool deleted)
{
	struct td_strace_atom *w = td_strace_atom_at(cs->atoms, atom);
	struct td_str note = td_strace_atom_text(cs->atoms, atom);
	uint32_t id;

	if (w->note_id && !deleted)
		return w->note_id;
	id = file_of_note(imp, cs, note, deleted);
	if (note.len && note.p[0] == '/' && note.p[note.len - 1] != '>' &&
	    note.p[note.len - 1] != ')' && !td_str_starts(note, "/memfd:"))
		w->note_id = deleted ? 0 : id;
	return id;
}

static bool is_named(struct td_import *imp, const struct td_strace_calls *cs, uint32_t file_id,
		     uint32_t atom)
{
	const struct td_file *f;
	struct td_str text, note;

	f = td_store_file_at(imp->store, file_id);
	if (!f)
		return false;
	note = td_strace_atom_text(cs->atoms, atom);
	text = f->path.p ? f->path : f->name;
	if (text.len != note.len || memcmp(text.p, note.p, note.len) != 0)
		return false;
	td_strace_atom_at(cs->atoms, atom)->is_id = file_id;
	return true;
}

/* Is this what -y prints for the file? Mostly it is the file that was there before, and need not be looked up. */
static bool is_note_of(struct td_import *imp, const struct td_strace_calls *cs, uint32_t file_id,
		       uint32_t atom, bool deleted)
{
	const struct td_strace_atom *w = td_strace_atom_at(cs->atoms, atom);

	if (deleted || !file_id)
		return false;
	return w->note_id == file_id || w->is_id == file_id || is_named(imp, cs, file_id, atom);
}

/* The file behind the descriptor that is said, or the working directory. */
static uint32_t file_of_fd(struct td_import *imp, struct td_strace_calls *cs,
			   const struct td_strace_task *task, const struct td_strace_said *said)
{
	struct td_strace_fds *fds = task->proc->fds;
	bool cwd = said->fd == AT_FDCWD;
	uint32_t file_id = cwd ? td_strace_fds_cwd(fds) : td_strace_fds_get(fds, said->fd);

	if (!said->note || is_note_of(imp, cs, file_id, said->note, said->note_deleted))
		return file_id;
	file_id = file_of_atom(imp, cs, said->note, said->note_deleted);
	if (cwd)
		td_strace_fds_chdir(fds, file_id);
	else
		td_strace_fds_tell(fds, said->fd, file_id);
	return file_id;
}

static void fill_fd(struct td_import *imp, struct td_strace_calls *cs,
		    const struct td_strace_task *task, const struct td_strace_said *said,
		    struct td_strace_about *about)
{
	if (said->fd == INT32_MIN || said->relative)
		return;
	about->fd = said->fd;
	about->file_id = file_of_fd(imp, cs, task, said);
}

/* The path as it is from the directory; as it stands there if nothing is known of that. Links that ".." may lead back
 * from are not known, so it stays. */
static struct td_str join(struct td_strace_calls *cs, const struct td_file *base,
			  struct td_str path)
{
	struct td_strbuf *to = &cs->text2;

	while (td_str_starts(path, "./")) {
		path = (struct td_str){ path.p + 2, path.len - 2 };
		while (path.len && *path.p == '/')
			path = (struct td_str){ path.p + 1, path.len - 1 };
	}
	if (!path.len || td_str_eq(path, "."))
		return base->path;
	if (td_str_eq(base->path, "."))
		return path;
	td_strbuf_reset(to);
	td_strbuf_add(to, base->path.p, base->path.len);
	if (!td_str_ends(base->path, "/"))
		td_strbuf_adds(to, "/");
	td_strbuf_add(to, path.p, path.len);
	return (struct td_str){ td_strbuf_str(to), to->len };
}

static void fill_path(struct td_import *imp, struct td_strace_calls *cs,
		      const struct td_strace_task *task, const struct td_strace_said *said,
		      struct td_strace_about *about)
{
	const struct td_file *base;
	struct td_strace_atom *w;
	struct td_str path;
	uint32_t base_id;

	if (!said->path)
		return;
	base_id = said->relative ? file_of_fd(imp, cs, task, said) : 0;
	w = td_strace_atom_at(cs->atoms, said->path);
	if (!w->path_id || w->base_id != base_id) {
		path = td_strace_atom_text(cs->atoms, said->path);
		base = base_id ? td_store_file_at(imp->store, base_id) : NULL;
		if (base && base->path.p && !base->truncated)
			path = join(cs, base, path);
		w->path_id = td_store_file_path(imp->store, path, (struct td_str){ NULL, 0 },
						said->path_cut);
		w->base_id = base_id;
	}
	about->file_id = w->path_id;
}

static void closes(const struct td_strace_context *at, const struct td_syscall *spec,
		   const struct td_strace_about *about)
{
	if (spec->effect == TD_CALL_CLOSES && about->fd >= 0)
		td_strace_fds_close(at->task->proc->fds, about->fd, about->fd);
}

static inline void begins(struct td_import *imp, struct td_strace_calls *cs,
			  const struct td_strace_context *at, const struct td_syscall *spec,
			  const struct td_strace_said *said, struct td_strace_about *about)
{
	fill_fd(imp, cs, at->task, said, about);
	fill_path(imp, cs, at->task, said, about);
	closes(at, spec, about);
}

void td_strace_call_begins(struct td_import *imp, struct td_strace_calls *cs,
			   const struct td_strace_context *at, const struct td_syscall *spec,
			   const struct td_strace_said *said, struct td_strace_about *about)
{
	begins(imp, cs, at, spec, said, about);
}

/* --- columns --- */

/* The string of the arguments that are kept as text; 0: none. */
static uint32_t args_of(struct td_import *imp, struct td_strace_calls *cs,
			const struct td_syscall *spec, uint32_t atom)
{
	struct td_strace_atom *w;
	struct td_str text;

	/* addresses among the arguments of unknown calls make every text different */
	if (!atom || (spec == &td_syscall_unknown && cs->ntexts >= TD_STRACE_TEXTS_MAX))
		return 0;
	w = td_strace_atom_at(cs->atoms, atom);
	if (!w->string_id) {
		text = td_strace_atom_text(cs->atoms, atom);
		w->string_id = td_store_string(imp->store, text.p, text.len);
	}
	if (w->string_id > cs->newest_text) {
		cs->newest_text = w->string_id;
		cs->ntexts += spec == &td_syscall_unknown;
	}
	return w->string_id;
}

/* --- effects --- */

/* The call's text taken apart. Few calls do what needs more of it than is said, so it is done again for these. */
static const struct td_strace_text *parts_of(const struct td_strace_said *said,
					     struct td_strace_text *buf)
{
	struct td_scan s;

	if (said->apart)
		return said->parts;
	s = td_scan_of(said->text, said->text_len);
	td_strace_text_init(buf);
	(void)td_arg_scan_call_name(&s, &buf->name);
	(void)td_strace_scan_call(&s, buf);
	buf->ret = said->ret;
	return buf;
}

static int new_fd(const struct td_strace_context *at, int64_t fd, uint32_t file_id,
		  const struct td_strace_said *said)
{
	return td_strace_fds_set(at->task->proc->fds, fd, file_id, said->cloexec);
}

/* The file behind the descriptor that a call returned: as printed, else as given. */
static uint32_t returned_file(struct td_import *imp, struct td_strace_calls *cs,
			      const struct td_strace_said *said, uint32_t otherwise)
{
	if (!said->made || is_note_of(imp, cs, otherwise, said->made, said->made_deleted))
		return otherwise;
	return file_of_atom(imp, cs, said->made, said->made_deleted);
}

/* A file without a name in the directory: -y has its number behind the '#', which is the name that the kernel gives. */
static uint32_t unnamed_file(struct td_import *imp, struct td_strace_calls *cs, uint32_t file_id)
{
	const struct td_file *directory = td_store_file_at(imp->store, file_id);
	uint32_t id;

	if (!directory || !directory->path.p)
		return 0;
	id = td_store_file_path(imp->store, join(cs, directory, (struct td_str){ "#", 1 }),
				(struct td_str){ NULL, 0 }, directory->truncated);
	set_class(imp, id, TD_CLASS_DELETED);
	return id;
}

static int opens(struct td_import *imp, struct td_strace_calls *cs,
		 const struct td_strace_context *at, const struct td_strace_said *said,
		 struct td_strace_about *about)
{
	if (said->ret < 0)
		return 0;
	about->fd = said->ret <= INT32_MAX ? (int32_t)said->ret : INT32_MIN;
	about->file_id = said->unnamed && !said->made
				 ? unnamed_file(imp, cs, about->file_id)
				 : returned_file(imp, cs, said, about->file_id);
	if (said->directory)
		set_class(imp, about->file_id, TD_CLASS_DIRECTORY);
	return new_fd(at, said->ret, about->file_id, said);
}

/* A socket that has the peer of argument 2; 0: who that is is not said. */
static uint32_t connected(struct td_import *imp, struct td_strace_calls *cs,
			  const struct td_strace_said *said, bool with_port)
{
	struct td_strace_text buf;

	if (!td_strace_peer_name(td_strace_arg(parts_of(said, &buf), 2), with_port, &cs->text2,
				 &cs->text))
		return 0;
	return thing(imp, (struct td_str){ td_strbuf_str(&cs->text), cs->text.len },
		     TD_CLASS_SOCKET);
}

/* Where strace -y prints what a descriptor is, that is what the socket is called. */
static void connects(struct td_import *imp, struct td_strace_calls *cs,
		     const struct td_strace_context *at, const struct td_strace_said *said,
		     struct td_strace_about *about)
{
	const struct td_file *f = td_store_file_at(imp->store, about->file_id);
	uint32_t file_id;

	if ((said->ret != 0 && said->ret != -EINPROGRESS) ||
	    (f && !td_strace_is_bare_socket(f->name)))
		return;
	file_id = connected(imp, cs, said, true);
	if (!file_id)
		return;
	td_strace_fds_tell(at->task->proc->fds, about->fd, file_id);
	about->file_id = file_id;
}

static int makes(struct td_import *imp, struct td_strace_calls *cs,
		 const struct td_strace_context *at, const struct td_syscall *spec,
		 const struct td_strace_said *said, struct td_strace_about *about)
{
	struct td_str name = { spec->thing, strlen(spec->thing) };
	uint32_t file_id;

	if (said->ret < 0)
		return 0;
	/* accept tells who called */
	file_id = said->made               ? returned_file(imp, cs, said, 0)
		  : about->fd != INT32_MIN ? connected(imp, cs, said, false)
					   : 0;
	if (!file_id)
		file_id = thing(imp, name, spec->thing_class);
	if (about->fd == INT32_MIN) {
		about->fd = said->ret <= INT32_MAX ? (int32_t)said->ret : INT32_MIN;
		about->file_id = file_id;
	}
	return new_fd(at, said->ret, file_id, said);
}

static int makes_memory(struct td_import *imp, struct td_strace_calls *cs,
			const struct td_strace_context *at, const struct td_strace_said *said,
			struct td_strace_about *about)
{
	struct td_strace_text buf;
	struct td_str name;
	bool cut;

	if (said->ret < 0)
		return 0;
	about->fd = said->ret <= INT32_MAX ? (int32_t)said->ret : INT32_MIN;
	if (said->made) {
		about->file_id = returned_file(imp, cs, said, 0);
	} else if (td_arg_string(td_strace_arg(parts_of(said, &buf), 1), &cs->text, &name, &cut)) {
		td_strbuf_reset(&cs->text2);
		td_strbuf_adds(&cs->text2, "memfd:");
		td_strbuf_add(&cs->text2, name.p, name.len);
		name = (struct td_str){ td_strbuf_str(&cs->text2), cs->text2.len };
		about->file_id = thing(imp, name, TD_CLASS_MEMFD);
	}
	return new_fd(at, said->ret, about->file_id, said);
}

/* "[3, 4]" or "[3<pipe:[1]>, 4<pipe:[1]>]". */
static int makes_pair(struct td_import *imp, struct td_strace_calls *cs,
		      const struct td_strace_context *at, const struct td_syscall *spec,
		      const struct td_strace_said *said)
{
	bool socket = spec->pair > 1; /* socketpair */
	struct td_strace_text buf;
	struct td_str both = td_strace_arg(parts_of(said, &buf), spec->pair), one, note;
	int r = 0;

	if (said->ret != 0 || both.len < 2 || both.p[0] != '[')
		return 0;
	both = (struct td_str){ both.p + 1, both.len - 2 };
	for (unsigned i = 0; i < 2 && both.len && r >= 0; i++) {
		const char *comma = td_find(both.p, both.len, ", ", 2);
		bool deleted;
		uint32_t file_id;
		int32_t fd;

		one = both;
		if (comma)
			one.len = (size_t)(comma - both.p);
		if (!td_arg_fd(one, &fd, &note, &deleted))
			break;
		file_id = note.p   ? file_of_note(imp, cs, note, deleted)
			  : socket ? thing(imp, (struct td_str){ "socket", 6 }, TD_CLASS_SOCKET)
				   : thing(imp, (struct td_str){ "pipe", 4 }, TD_CLASS_PIPE);
		r = new_fd(at, fd, file_id, said);
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
	return td_arg_number(arg, &number) ? number : -1;
}

static int does_fcntl(const struct td_strace_context *at, const struct td_strace_said *said,
		      const struct td_strace_about *about)
{
	struct td_strace_fds *fds = at->task->proc->fds;
	const struct td_strace_text *text;
	struct td_strace_text buf;
	int64_t command, flag;

	if (said->ret < 0)
		return 0;
	text = parts_of(said, &buf);
	command = fcntl_command(td_strace_arg(text, 2));
	switch (command) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		return td_strace_fds_set(fds, said->ret, about->file_id, command != F_DUPFD);
	case F_SETFD:
		if (!td_arg_number(td_strace_arg(text, 3), &flag))
			flag = td_str_eq(td_strace_arg(text, 3), "FD_CLOEXEC") ? FD_CLOEXEC : 0;
		td_strace_fds_set_cloexec(fds, about->fd, flag == FD_CLOEXEC);
		return 0;
	default:
		return 0;
	}
}

static void closes_range(const struct td_strace_context *at, const struct td_strace_said *said)
{
	struct td_strace_text buf;
	const struct td_strace_text *text = parts_of(said, &buf);
	int64_t from, to;

	if (said->ret == 0 && !td_str_find(td_strace_arg(text, 3), "CLOEXEC") &&
	    td_arg_number(td_strace_arg(text, 1), &from) &&
	    td_arg_number(td_strace_arg(text, 2), &to))
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
		 const struct td_strace_said *said, bool clone)
{
	struct td_strace_text buf;
	const struct td_strace_text *text = parts_of(said, &buf);
	bool is_thread = clone && td_arg_clone_flag(text->all, "CLONE_THREAD", CLONE_THREAD);
	bool shares_fds = clone && td_arg_clone_flag(text->all, "CLONE_FILES", CLONE_FILES);

	if (text->ret <= 0 || text->ret > INT32_MAX)
		return 0;
	return td_strace_task_cloned(imp, at->tasks, at->task, child_tid(text), is_thread,
				     shares_fds, at->begin_line, at->end_ns);
}

static int execs(struct td_import *imp, struct td_strace_calls *cs,
		 const struct td_strace_context *at, const struct td_syscall *spec,
		 const struct td_strace_said *said)
{
	struct td_str path = { "", 0 }, command_line;
	const struct td_strace_text *text;
	struct td_strace_text buf;
	bool cut;

	if (said->ret != 0)
		return 0;
	text = parts_of(said, &buf);
	(void)td_arg_string(td_strace_arg(text, spec->path), &cs->text, &path, &cut);
	td_arg_join_strings(td_strace_arg(text, spec->path + 1u), &cs->text2);
	command_line = (struct td_str){ td_strbuf_str(&cs->text2), cs->text2.len };
	if (!command_line.len)
		command_line = path;
	return td_strace_task_exec(imp, at->task, command_line, path);
}

/* What lies in a file system of its own kind (/dev/shm, /proc) or is known for something better stays what it is. */
static void tells_class(struct td_import *imp, enum td_class class, uint32_t file_id)
{
	static const char *const special[] = { "/dev/shm/", "/proc/", "/sys/" };
	const struct td_file *f = td_store_file_at(imp->store, file_id);

	if (class == TD_CLASS_UNKNOWN || !f || f->class_known || !f->path.p)
		return;
	for (size_t i = 0; i < TD_ARRAY_SIZE(special); i++)
		if (td_str_starts(f->path, special[i]))
			return;
	set_class(imp, file_id, class);
}

/* Of a path with ".." nobody knows where it leads, as there may be a link before it. */
static void changes_directory(const struct td_strace_context *at, const struct td_strace_calls *cs,
			      const struct td_strace_said *said,
			      const struct td_strace_about *about)
{
	struct td_str path = { "", 0 };

	if (said->ret != 0)
		return;
	if (said->path)
		path = td_strace_atom_text(cs->atoms, said->path);
	td_strace_fds_chdir(at->task->proc->fds,
			    said->path_cut || td_str_find(path, "..") ? 0 : about->file_id);
}

static void sets_name(struct td_import *imp, struct td_strace_calls *cs,
		      const struct td_strace_context *at, const struct td_strace_said *said)
{
	struct td_strace_text buf;
	const struct td_strace_text *text = parts_of(said, &buf);
	struct td_str name;
	bool cut;

	if (said->ret == 0 && td_str_eq(td_strace_arg(text, 1), "PR_SET_NAME") &&
	    td_arg_string(td_strace_arg(text, 2), &cs->text, &name, &cut))
		td_strace_task_name(imp, at->task, name);
}

/* What the call changed. Before the row is stored, as it may tell what that is about. */
static int follow(struct td_import *imp, struct td_strace_calls *cs,
		  const struct td_strace_context *at, const struct td_syscall *spec,
		  const struct td_strace_said *said, struct td_strace_about *about)
{
	switch (spec->effect) {
	case TD_CALL_OPENS:
		return opens(imp, cs, at, said, about);
	case TD_CALL_CLOSES_RANGE:
		closes_range(at, said);
		return 0;
	case TD_CALL_DUPS:
		return said->ret < 0 ? 0 : new_fd(at, said->ret, about->file_id, said);
	case TD_CALL_FCNTL:
		return does_fcntl(at, said, about);
	case TD_CALL_PAIR:
		return makes_pair(imp, cs, at, spec, said);
	case TD_CALL_MAKES:
		return makes(imp, cs, at, spec, said, about);
	case TD_CALL_CONNECTS:
		connects(imp, cs, at, said, about);
		return 0;
	case TD_CALL_MEMFD:
		return makes_memory(imp, cs, at, said, about);
	case TD_CALL_TELLS_PID:
		return said->ret > 0 ? td_strace_task_told(imp, at->tasks, at->task, said->ret) : 0;
	case TD_CALL_STATS:
		tells_class(imp, said->class_told, about->file_id);
		return 0;
	case TD_CALL_CHDIRS:
		changes_directory(at, cs, said, about);
		return 0;
	case TD_CALL_PRCTL:
		sets_name(imp, cs, at, said);
		return 0;
	default:
		return 0;
	}
}

/* The side that a call which copies writes to. Few calls do, so their text is taken apart again. */
static int copies(struct td_import *imp, struct td_strace_calls *cs,
		  const struct td_strace_context *at, const struct td_syscall *spec,
		  const struct td_strace_said *said, const struct td_call *row)
{
	struct td_strace_text buf;
	const struct td_strace_text *text = parts_of(said, &buf);
	struct td_call out;
	struct td_str note;
	bool deleted;
	int64_t offset;

	if (said->ret < 0)
		return 0;
	out = td_call_out(imp, row, spec->name);
	if (td_arg_fd(td_strace_arg(text, spec->to), &out.fd, &note, &deleted))
		out.file_id = note.p ? file_of_note(imp, cs, note, deleted)
				     : td_strace_fds_get(at->task->proc->fds, out.fd);
	if (td_arg_number(td_strace_arg(text, spec->to_offset), &offset) && offset >= 0)
		out.offset_bytes = offset;
	return td_strace_put(imp, at->tasks, at->task, &out);
}

int td_strace_call(struct td_import *imp, struct td_strace_calls *cs,
		   const struct td_strace_context *at, const struct td_strace_name *name,
		   const struct td_strace_said *said, struct td_call *row)
{
	const struct td_syscall *spec = name->spec;
	struct td_strace_about about = { .file_id = row->file_id, .fd = row->fd };
	int r;

	row->op_id = name->op_id;
	td_strace_fill_numbers(said, row);
	if (about.fd == INT32_MIN && !about.file_id)
		begins(imp, cs, at, spec, said, &about);
	row->args_id = args_of(imp, cs, spec, said->args);
	if (spec->flags & TD_CALL_REQUESTS && said->ret > 0)
		td_note(imp, TD_ISSUE_REQUESTS, NULL);
	r = spec->effect <= TD_CALL_COPIES ? 0 : follow(imp, cs, at, spec, said, &about);
	row->fd = about.fd;
	row->file_id = about.file_id;
	if (r >= 0)
		r = td_strace_put_newest(imp, at->tasks, at->task, row);
	if (r < 0)
		return r;
	/* these make another row, or change who the task is: the call itself was still made by the old one */
	switch (spec->effect) {
	case TD_CALL_COPIES:
		return copies(imp, cs, at, spec, said, row);
	case TD_CALL_FORKS:
	case TD_CALL_CLONES:
		return forks(imp, at, said, spec->effect == TD_CALL_CLONES);
	case TD_CALL_EXECS:
		return execs(imp, cs, at, spec, said);
	default:
		return 0;
	}
}

/* --- rows that are made later --- */

/* Has td_put_call() nothing to say of the file? */
static bool is_whole(struct td_import *imp, uint32_t file_id)
{
	const struct td_file *f = td_store_file_at(imp->store, file_id);

	return !f || !f->truncated;
}

int td_strace_call_later(struct td_import *imp, struct td_strace_calls *cs,
			 const struct td_strace_context *at, const struct td_syscall *spec,
			 const struct td_strace_said *said, struct td_strace_about *about)
{
	bool begins = about->fd == INT32_MIN && !about->file_id;
	int r;

	if (begins) {
		fill_fd(imp, cs, at->task, said, about);
		fill_path(imp, cs, at->task, said, about);
	}
	if (!is_whole(imp, about->file_id))
		return 0;
	if (said->args && !td_strace_atom_at(cs->atoms, said->args)->string_id)
		(void)args_of(imp, cs, spec, said->args);
	if (spec->effect == TD_CALL_OPENS && said->ret >= 0 &&
	    !is_whole(imp, returned_file(imp, cs, said, about->file_id)))
		return 0;
	/* nothing before this matters if it is done again */
	if (begins)
		closes(at, spec, about);
	if (spec->effect == TD_CALL_STATS)
		tells_class(imp, said->class_told, about->file_id);
	r = spec->effect == TD_CALL_OPENS ? opens(imp, cs, at, said, about) : 0;
	return r < 0 ? r : 1;
}
