/* SPDX-License-Identifier: MIT */
/*
 * The arguments have the names of the kernel's prototypes. perf trace leaves out those that are 0, so it is
 * the name that says which argument of the table of calls it is.
 */
#include <sched.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "importers/core/call_args.h"
#include "importers/perf/calls.h"

#define TEXT_MAX 256 /* bytes of arguments kept as text */

/* --- tasks --- */

/* The name that perf prints is that of the thread. The process has the one of its first thread, any
 * other until that is seen. */
static void name_task(struct td_import *imp, const struct td_perf_task *t, struct td_str comm)
{
	struct td_process *p = td_store_process_at(imp->store, t->process_id);
	struct td_thread *th = td_store_thread_at(imp->store, t->thread_id);
	uint32_t id = comm.len && p && th ? td_store_string(imp->store, comm.p, comm.len) : 0;

	if (!id)
		return;
	th->name_id = id;
	if (p->pid == t->tid || !p->name_id) /* it may have a new one since execve */
		p->name_id = id;
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
	if (tid == TD_NULL)
		return t;
	if (!t->process_id || pid >= 0) {
		t->process_id = pid >= 0 ? td_store_process(imp->store, pid, NULL, 0)
					 : td_store_process_of_thread(imp->store, tid);
		t->thread_id = td_store_thread(imp->store, tid, t->process_id);
	}
	name_task(imp, t, comm);
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

/* Which argument has that name, from 1; 0: none, as in calls that the table does not have. */
static unsigned position_of(const struct td_syscall *spec, struct td_str name, bool *ret_pointer)
{
	struct td_scan s = td_scan_of(spec->args, strlen(spec->args));

	*ret_pointer = false;
	for (unsigned position = 1; s.p < s.end; position++) {
		const char *end = memchr(s.p, ' ', (size_t)(s.end - s.p));
		bool pointer = *s.p == '*';
		struct td_str arg = { s.p + pointer,
				      (size_t)((end ? end : s.end) - s.p) - pointer };

		if (arg.len == name.len && memcmp(arg.p, name.p, name.len) == 0) {
			*ret_pointer = pointer;
			return position;
		}
		s.p = end ? end + 1 : s.end;
	}
	return 0;
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
	colon = td_find(from, (size_t)(s->p - from), ": ", 2);
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

	if (!td_arg_fd(value, &row->fd, &note, &deleted))
		return;
	if (!note.p || !note.len)
		return;
	row->file_id = note.p[0] == '/' ? td_store_file_path(imp->store, note,
							     (struct td_str){ NULL, 0 }, false)
					: td_store_file_name(imp->store, note, false);
}

/* A path wins over the descriptor that it may start from, also if perf prints no more than its address. */
static void set_path(struct td_import *imp, struct td_call *row, struct td_str value)
{
	_cleanup_(td_strbuf_done) struct td_strbuf buf = TD_STRBUF_INIT;
	struct td_str path;
	int64_t address;
	bool cut, is_string = td_arg_string(value, &buf, &path, &cut);

	if (is_string ? !path.len : td_arg_number(value, &address) && address == 0)
		return;
	row->fd = INT32_MIN;
	row->file_id =
		is_string ? td_store_file_path(imp->store, path, (struct td_str){ NULL, 0 }, cut)
			  : 0;
}

static void set_size(int64_t *size, struct td_str value)
{
	int64_t n;

	if (td_arg_number(value, &n) && n >= 0)
		*size = n;
}

/* What the table keeps of the call, and what it does not know, but no addresses: each call has others. Of
 * lseek() only whence: its result is the offset. */
static bool is_kept(const struct td_syscall *spec, unsigned position, bool pointer,
		    struct td_str value)
{
	unsigned from = spec->effect == TD_CALL_SEEKS ? spec->keep_to : spec->keep_from;
	int64_t n;

	if (position && (!from || position < from || position > spec->keep_to))
		return false;
	return !td_arg_number(value, &n) || (!pointer && n >= INT32_MIN && n <= UINT32_MAX);
}

static void keep(struct td_strbuf *text, struct td_str name, struct td_str value)
{
	if (text->len + name.len + value.len >= TEXT_MAX)
		return;
	if (text->len)
		td_strbuf_addc(text, ' ');
	td_strbuf_add(text, name.p, name.len);
	td_strbuf_addc(text, '=');
	td_strbuf_add(text, value.p, value.len);
}

/* CLONE_VM|CLONE_THREAD, without "CLONE_" or as a number. Of clone3 they are in memory, which is not printed. */
static void set_clone_flags(struct td_perf_task *t, struct td_str name, struct td_str value)
{
	if (t->spec->effect != TD_CALL_CLONES || !td_str_ends(name, "flags"))
		return;
	t->clones = true;
	t->clones_thread = td_arg_clone_flag(value, "THREAD", CLONE_THREAD);
}

static void set_args(struct td_import *imp, struct td_perf_task *t, struct td_str args)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	const struct td_syscall *spec = t->spec;
	struct td_scan s = td_scan_of(args.p, args.len);
	struct td_str name, value;
	bool pointer;

	while (next_arg(&s, &name, &value)) {
		unsigned position = position_of(spec, name, &pointer);

		set_clone_flags(t, name, value);
		if (position && position == spec->to)
			set_fd(imp, &t->to, value);
		if (position ? position == spec->fd || position == spec->dir
			     : td_str_eq(name, "fd"))
			set_fd(imp, &t->row, value);
		else if (position && position == spec->path)
			set_path(imp, &t->row, value);
		else if (position && position == spec->asked)
			set_size(&t->row.asked_bytes, value);
		else if (position && position == spec->offset && !pointer)
			set_size(&t->row.offset_bytes, value);
		else if (is_kept(spec, position, pointer, value))
			keep(&text, name, value);
	}
	if (text.len && td_strbuf_error(&text) == 0)
		t->row.args_id = td_store_string(imp->store, text.p, text.len);
}

/* What the result means; TD_NULL is negative. */
static void set_result(const struct td_syscall *spec, int64_t ret, struct td_call *row)
{
	row->ret = ret;
	if (ret < 0)
		return;
	if (td_syscall_transfers(spec))
		row->done_bytes = ret;
	else if (spec->effect == TD_CALL_SEEKS)
		row->offset_bytes = ret;
	else if (td_syscall_makes(spec) && ret <= INT32_MAX)
		row->fd = (int32_t)ret;
}

/* --- calls --- */

bool td_perf_returns_twice(struct td_str name)
{
	const struct td_syscall *spec = td_syscall_find(name);

	return spec && (spec->effect == TD_CALL_CLONES || spec->effect == TD_CALL_FORKS);
}

int td_perf_begin(struct td_import *imp, struct td_perf_task *t, struct td_str name,
		  struct td_str args, int64_t start_ns)
{
	int r = t->open ? td_perf_end(imp, t, TD_NULL, TD_NULL) : 0;

	t->open = true;
	t->clones = t->clones_thread = false;
	t->spec = td_syscall_find(name);
	if (!t->spec)
		t->spec = &td_syscall_unknown;
	t->row = (struct td_call)TD_CALL_INIT;
	t->to = t->row;
	t->row.start_ns = start_ns;
	t->row.op_id = td_store_op(imp->store, name.p, name.len, TD_LAYER_SYSCALL);
	t->row.process_id = t->process_id;
	t->row.thread_id = t->thread_id;
	set_args(imp, t, args);
	return r;
}

/* The side that the call wrote to. */
static int put_out(struct td_import *imp, const struct td_perf_task *t)
{
	struct td_call out;

	if (t->spec->effect != TD_CALL_COPIES || t->row.done_bytes == TD_NULL)
		return 0;
	out = td_call_out(imp, &t->row, t->spec->name);
	out.fd = t->to.fd;
	out.file_id = t->to.file_id;
	return td_put_call(imp, &out);
}

/* The call has made this process or thread, whose own lines tell neither. */
static void tell_made(struct td_import *imp, const struct td_perf_task *t, int64_t tid)
{
	const struct td_thread *maker = td_store_thread_at(imp->store, t->thread_id);
	int64_t parent_pid;
	struct td_process *made;

	if (!maker) /* perf prints no task where there is only one */
		return;
	if (t->clones_thread) {
		(void)td_store_thread(imp->store, tid, maker->process_id);
		return;
	}
	if (!t->clones && t->spec->effect != TD_CALL_FORKS)
		return;
	/* of the thread, since t itself may have turned out to be one meanwhile */
	parent_pid = td_store_process_at(imp->store, maker->process_id)->pid;
	made = td_store_process_at(imp->store, td_store_process(imp->store, tid, NULL, 0));
	if (made)
		made->parent_pid = parent_pid;
}

int td_perf_end(struct td_import *imp, struct td_perf_task *t, int64_t ret, int64_t dur_ns)
{
	int r;

	t->open = false;
	t->row.dur_ns = dur_ns;
	set_result(t->spec, ret, &t->row);
	if (t->spec->flags & TD_CALL_REQUESTS && ret > 0)
		td_note(imp, TD_ISSUE_REQUESTS, NULL);
	if (ret > 0)
		tell_made(imp, t, ret);
	r = td_put_call(imp, &t->row);
	return r < 0 ? r : put_out(imp, t);
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
