/* SPDX-License-Identifier: MIT */
/*
 * The arguments have the names of the kernel's prototypes. perf trace leaves out those that are 0, so it is
 * the name that says what an argument is, and the table of system calls whether the call has it.
 */
#include "common/array.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "importers/perf/calls.h"
#include "importers/strace/text.h"

#define TEXT_MAX 256 /* bytes of arguments kept as text */

static const char *const fd_names[] = { "fd", "fildes", "in_fd", "epfd", "fd_in", NULL };
static const char *const path_names[] = { "filename", "pathname", "path", "oldname",
					  "name",     "newname",  NULL };
static const char *const asked_names[] = { "count", "len", "size", "nbytes", "length", NULL };
static const char *const offset_names[] = { "pos", "offset", "off", NULL };
/* Kept as text. Addresses are not: each call has others. */
static const char *const kept_names[] = { "flags",    "flag",     "mode",       "prot",    "whence",
					  "op",       "cmd",      "how",        "sig",     "option",
					  "advice",   "pid",      "upid",       "type",    "family",
					  "protocol", "resource", "error_code", "request", NULL };

/* --- tasks --- */

static int64_t assumed_pid(struct td_import *imp, int64_t tid)
{
	uint32_t thread_id = td_store_thread(imp->store, tid, 0);
	const struct td_thread *th = td_store_thread_at(imp->store, thread_id);
	const struct td_process *p = th ? td_store_process_at(imp->store, th->process_id) : NULL;

	return p ? p->pid : tid;
}

struct td_perf_task *td_perf_task(struct td_import *imp, struct td_perf *p, int64_t tid,
				  int64_t pid, struct td_str comm)
{
	uint32_t id = td_intern_add(&p->tids, (const char *)&tid, sizeof(tid));
	struct td_perf_task *t;

	if (!id)
		return NULL;
	if (id > p->ntasks) {
		if (td_grow(&p->tasks, &p->cap, p->ntasks) < 0)
			return NULL;
		p->tasks[p->ntasks++] = (struct td_perf_task){ .tid = tid, .off_ns = TD_NULL };
	}
	t = &p->tasks[id - 1];
	if (!t->process_id || pid >= 0) {
		t->process_id = td_store_process(imp->store, pid >= 0 ? pid : assumed_pid(imp, tid),
						 comm.p, comm.len);
		t->thread_id = td_store_thread(imp->store, tid, t->process_id);
	} else if (comm.len) {
		const struct td_process *process = td_store_process_at(imp->store, t->process_id);

		if (process && process->pid == tid) /* it may have a new name since execve */
			(void)td_store_process(imp->store, tid, comm.p, comm.len);
	}
	return t;
}

int td_perf_done(struct td_import *imp, struct td_perf *p)
{
	int r = 0;

	for (size_t i = 0; i < p->ntasks && r >= 0; i++) {
		if (!p->tasks[i].open)
			continue;
		p->tasks[i].row.unfinished = true;
		r = td_perf_end(imp, &p->tasks[i], TD_NULL, TD_NULL);
	}
	free(p->tasks);
	td_intern_done(&p->tids);
	return r;
}

/* --- arguments --- */

static bool is_one_of(struct td_str name, const char *const *names)
{
	for (; *names; names++)
		if (td_str_eq(name, *names))
			return true;
	return false;
}

/* The next "name: value"; commas in quotes and brackets do not end it. */
static bool next_arg(struct td_scan *s, struct td_str *ret_name, struct td_str *ret_value)
{
	const char *from, *colon;
	unsigned depth = 0;
	bool quoted = false;

	while (s->p < s->end && (*s->p == ' ' || *s->p == ','))
		s->p++;
	from = s->p;
	for (; s->p < s->end && (quoted || depth || *s->p != ','); s->p++) {
		if (*s->p == '\\' && quoted && s->p + 1 < s->end)
			s->p++;
		else if (*s->p == '"')
			quoted = !quoted;
		else if (!quoted && strchr("{[(<", *s->p) && *s->p)
			depth++;
		else if (!quoted && depth && strchr("}])>", *s->p) && *s->p)
			depth--;
	}
	if (from == s->p)
		return false;
	colon = memmem(from, (size_t)(s->p - from), ": ", 2);
	if (!colon)
		colon = from;
	*ret_name = (struct td_str){ from, (size_t)(colon - from) };
	*ret_value = colon == from ? (struct td_str){ from, (size_t)(s->p - from) }
				   : (struct td_str){ colon + 2, (size_t)(s->p - colon - 2) };
	return true;
}

/* "4</tmp/x>", "0x00000003" */
static void set_fd(struct td_import *imp, struct td_call *row, struct td_str value)
{
	struct td_str note;
	bool deleted;

	if (!td_strace_fd(value, &row->fd, &note, &deleted))
		return;
	if (!note.p || !note.len)
		return;
	row->file_id = note.p[0] == '/' ? td_store_file_path(imp->store, note,
							     (struct td_str){ NULL, 0 }, false)
					: td_store_file_name(imp->store, note, false);
}

static void set_path(struct td_import *imp, struct td_call *row, struct td_str value)
{
	_cleanup_(td_strbuf_done) struct td_strbuf buf = TD_STRBUF_INIT;
	struct td_str path;
	bool cut;

	if (!row->file_id && td_strace_string(value, &buf, &path, &cut) && path.len)
		row->file_id =
			td_store_file_path(imp->store, path, (struct td_str){ NULL, 0 }, cut);
}

static void set_args(struct td_import *imp, struct td_perf_task *t, struct td_str args)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	const struct td_syscall *spec = t->spec;
	struct td_scan s = td_scan_of(args.p, args.len);
	struct td_call *row = &t->row;
	struct td_str name, value;
	int64_t n;

	while (next_arg(&s, &name, &value)) {
		if ((spec->fd && is_one_of(name, fd_names)) ||
		    (spec == &td_syscall_unknown && td_str_eq(name, "fd"))) {
			set_fd(imp, row, value);
		} else if (spec->path && is_one_of(name, path_names)) {
			set_path(imp, row, value);
		} else if (spec->asked && is_one_of(name, asked_names)) {
			if (td_strace_number(value, &n) && n >= 0)
				row->asked_bytes = n;
		} else if (spec->offset && is_one_of(name, offset_names)) {
			if (td_strace_number(value, &n) && n >= 0)
				row->offset_bytes = n;
		} else if (is_one_of(name, kept_names) &&
			   text.len + name.len + value.len < TEXT_MAX) {
			td_strbuf_addf(&text, "%s%.*s=", text.len ? " " : "", (int)name.len,
				       name.p);
			td_strbuf_add(&text, value.p, value.len);
		}
	}
	if (text.len && td_strbuf_error(&text) == 0)
		row->args_id = td_store_string(imp->store, text.p, text.len);
}

/* --- calls --- */

bool td_perf_returns_twice(struct td_str name)
{
	static const char *const names[] = { "clone", "clone3", "fork", "vfork", NULL };

	return is_one_of(name, names);
}

int td_perf_begin(struct td_import *imp, struct td_perf_task *t, struct td_str name,
		  struct td_str args, int64_t start_ns)
{
	int r = t->open ? td_perf_end(imp, t, TD_NULL, TD_NULL) : 0;

	t->open = true;
	t->spec = td_syscall_find(name);
	if (!t->spec)
		t->spec = &td_syscall_unknown;
	t->row = (struct td_call)TD_CALL_INIT;
	t->row.start_ns = start_ns;
	t->row.op_id = td_store_op(imp->store, name.p, name.len, TD_LAYER_SYSCALL);
	t->row.process_id = t->process_id;
	t->row.thread_id = t->thread_id;
	set_args(imp, t, args);
	return r;
}

int td_perf_end(struct td_import *imp, struct td_perf_task *t, int64_t ret, int64_t dur_ns)
{
	t->open = false;
	t->row.ret = ret;
	t->row.dur_ns = dur_ns;
	if (t->spec->effect == TD_CALL_TRANSFERS && ret >= 0) /* TD_NULL is negative */
		t->row.done_bytes = ret;
	return td_put_call(imp, &t->row);
}

/* --- events of several lines --- */

#define HELD_LINES_MAX 16 /* a path or two of that many lines */

int td_perf_hold(struct td_import *imp, struct td_perf_held *held, struct td_str line)
{
	if (held->nlines++)
		td_strbuf_addc(&held->text, '\n');
	td_strbuf_add(&held->text, line.p, line.len);
	if (td_strbuf_error(&held->text) < 0)
		return -ENOMEM;
	if (held->nlines < HELD_LINES_MAX)
		return TD_LINE_OPEN;
	td_perf_held_drop(imp, held);
	return td_reject(imp, "torn-event");
}

void td_perf_held_drop(struct td_import *imp, struct td_perf_held *held)
{
	td_import_close_lines(imp, "torn-event", td_strbuf_str(&held->text), held->text.len);
	td_strbuf_reset(&held->text);
	held->nlines = 0;
}

void td_perf_held_done(struct td_import *imp, struct td_perf_held *held)
{
	td_import_close_lines(imp, NULL, NULL, 0);
	td_strbuf_reset(&held->text);
	held->nlines = 0;
}
