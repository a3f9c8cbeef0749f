/* SPDX-License-Identifier: MIT */
/*
 * Processes and threads. Calls reach the stream a little after the exit of their process, and the pid may be given
 * away by then: so a pid stays with the process that had it until a record says that another one begins.
 */
#include <signal.h>

#include "common/array.h"
#include "common/json/write.h"
#include "importers/core/command_line.h"
#include "importers/recording/recording.h"

/* --- who --- */

uint32_t td_record_process(struct td_import *imp, uint32_t pid)
{
	struct td_record *rd = imp->state;
	uint32_t *id = td_record_map_at(&rd->pids, pid);

	if (!id)
		return 0;
	if (!*id)
		*id = td_store_process(imp->store, pid, NULL, 0);
	return *id;
}

/* Makes what is not known yet, and says so where others look. */
static int meet(struct td_import *imp, uint32_t pid, uint32_t tid, struct td_record_who *ret)
{
	struct td_record *rd = imp->state;
	uint32_t *known;

	ret->process_id = td_record_process(imp, pid);
	if (!ret->process_id)
		return -ENOMEM;
	ret->thread_id = td_store_thread(imp->store, tid, ret->process_id);
	known = td_record_map_at(&rd->tids, tid);
	if (!known)
		return -ENOMEM;
	*known = ret->thread_id;
	ret->age = rd->age;
	return 0;
}

int td_record_who(struct td_import *imp, uint32_t pid, uint32_t tid, uint32_t *ret_process,
		  uint32_t *ret_thread)
{
	struct td_record *rd = imp->state;
	struct td_record_who *w = &rd->last[tid % TD_RECORD_WHOS];
	uint64_t who = (uint64_t)pid << 32 | tid;
	int r = 0;

	if (w->who != who || w->age != rd->age || !w->process_id) {
		*w = (struct td_record_who){ .who = who };
		r = meet(imp, pid, tid, w);
	}
	*ret_process = w->process_id;
	*ret_thread = w->thread_id;
	return r;
}

/* --- processes --- */

/* What begins now is another one than the one that had the pid, of which the end was not seen. */
static uint32_t new_process(struct td_import *imp, uint32_t pid)
{
	struct td_record *rd = imp->state;
	uint32_t *id = td_record_map_at(&rd->pids, pid);

	if (!id)
		return 0;
	td_store_process_end(imp->store, *id);
	return *id = td_store_process(imp->store, pid, NULL, 0);
}

/* The name of a number may come later. */
static int owe(struct td_import *imp, uint32_t process_id, enum td_wire_name_of what,
	       uint64_t number)
{
	struct td_record *rd = imp->state;
	int r = td_grow(&rd->owed, &rd->owed_cap, rd->nowed);

	if (r == 0)
		rd->owed[rd->nowed++] = (struct td_record_owed){ process_id, what, number };
	return r;
}

static void set_process(struct td_import *imp, uint32_t id, const struct td_wire_process *w,
			struct td_str comm, struct td_str args)
{
	struct td_process *p = td_store_process_at(imp->store, id);

	p->parent_pid = w->parent_pid;
	if (w->pid_namespace) {
		p->pid_namespace = w->pid_namespace;
		p->namespace_pid = w->namespace_pid;
	}
	if (!(w->head.flags & TD_WIRE_PROCESS_EXEC)) {
		p->start_source_id = imp->source_id;
		p->start_ns = (int64_t)w->time_ns;
	}
	if (comm.len)
		p->name_id = td_rec_string(imp, comm);
	if (args.len) {
		p->command_line_id = td_rec_string(imp, args);
		p->role = td_command_role(args);
		p->role_basis = p->role ? "command-line" : NULL;
	}
}

int td_record_process_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record *rd = imp->state;
	struct td_wire_process w = TD_REC(rec, td_wire_process);
	struct td_scan s = TD_REC_TEXT(rec, td_wire_process, text);
	bool begins = !(w.head.flags & (TD_WIRE_PROCESS_FOUND | TD_WIRE_PROCESS_EXEC));
	struct td_str comm, args;
	uint32_t id;
	int r;

	if (!td_rec_text(&s, w.comm_len, &comm) || !td_rec_text(&s, w.args_len, &args) ||
	    w.time_ns > TD_RECORD_TIME_MAX)
		return td_rec_spoilt(imp);
	rd->age++;
	id = begins ? new_process(imp, w.head.tid) : td_record_process(imp, w.head.tid);
	if (!id)
		return -ENOMEM;
	set_process(imp, id, &w, comm, args);
	r = owe(imp, id, TD_WIRE_NAME_USER, w.uid);
	if (r == 0 && w.cgroup)
		r = owe(imp, id, TD_WIRE_NAME_CGROUP, w.cgroup);
	return r < 0 ? r : TD_LINE_ROW;
}

int td_record_thread_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record *rd = imp->state;
	struct td_wire_thread w = TD_REC(rec, td_wire_thread);
	struct td_scan s = TD_REC_TEXT(rec, td_wire_thread, comm);
	uint32_t process_id, thread_id;
	struct td_str comm;
	int r;

	if (!td_rec_text(&s, w.comm_len, &comm))
		return td_rec_spoilt(imp);
	rd->age++;
	r = td_record_who(imp, w.pid, w.head.tid, &process_id, &thread_id);
	if (r < 0)
		return r;
	if (thread_id && comm.len)
		td_store_thread_at(imp->store, thread_id)->name_id = td_rec_string(imp, comm);
	return TD_LINE_ROW;
}

/* --- ends, and what brings them about --- */

static int put_mark(struct td_import *imp, const char *name, uint64_t time_ns, uint32_t process_id,
		    uint32_t thread_id, const char *args)
{
	struct td_mark mark = TD_MARK_INIT;

	mark.ts_ns = (int64_t)time_ns;
	mark.name_id = td_store_cstr(imp->store, name);
	mark.process_id = process_id;
	mark.thread_id = thread_id;
	if (args)
		mark.args_id = td_store_cstr(imp->store, args);
	return td_put_mark(imp, &mark);
}

static void add_signal_name(struct td_strbuf *b, int32_t signal)
{
	const char *name = signal > 0 && signal < NSIG ? sigabbrev_np(signal) : NULL;

	if (name)
		td_strbuf_addf(b, "\"SIG%s\"", name);
	else
		td_strbuf_addf(b, "\"%d\"", signal);
}

static void add_sender(struct td_strbuf *b, const struct td_wire_signal *w, unsigned flags)
{
	const char *name = w->from_comm;

	if (flags & TD_WIRE_SIGNAL_KERNEL)
		name = "kernel";
	else if (flags & TD_WIRE_SIGNAL_OUTSIDE)
		name = "another pid namespace";
	td_json_add_key(b, "from");
	td_json_add_string(b, (struct td_str){ name, name == w->from_comm
							     ? strnlen(name, sizeof(w->from_comm))
							     : strlen(name) });
	if (name != w->from_comm)
		return;
	td_json_add_key(b, "from_pid");
	td_strbuf_addf(b, "%u", w->from_pid);
	td_json_add_key(b, "from_uid");
	td_strbuf_addf(b, "%u", w->from_uid);
}

int td_record_signal_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_wire_signal w = TD_REC(rec, td_wire_signal);
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	uint32_t process_id, thread_id;
	int r;

	if (w.time_ns > TD_RECORD_TIME_MAX)
		return td_rec_spoilt(imp);
	r = td_record_who(imp, w.pid, rec->head.tid, &process_id, &thread_id);
	if (r < 0)
		return r;
	td_strbuf_addc(&b, '{');
	td_json_add_key(&b, "signal");
	add_signal_name(&b, w.signal);
	add_sender(&b, &w, rec->head.flags);
	if (rec->head.flags & TD_WIRE_SIGNAL_IGNORED)
		td_strbuf_adds(&b, ",\"ignored\":true");
	td_strbuf_addc(&b, '}');
	r = td_strbuf_error(&b) < 0
		    ? -ENOMEM
		    : put_mark(imp, "signal", w.time_ns, process_id, thread_id, b.p);
	return r < 0 ? r : TD_LINE_ROW;
}

int td_record_process_rank_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_wire_process_rank w = TD_REC(rec, td_wire_process_rank);
	struct td_mark mark = TD_MARK_INIT;
	int r;

	if (w.rank > INT32_MAX || w.time_ns > TD_RECORD_TIME_MAX)
		return td_rec_spoilt(imp);
	mark.ts_ns = (int64_t)w.time_ns;
	mark.name_id = td_store_cstr(imp->store, "rank");
	mark.rank = (int32_t)w.rank;
	mark.process_id = td_record_process(imp, w.head.tid);
	if (!mark.process_id)
		return -ENOMEM;
	r = td_put_mark(imp, &mark);
	return r < 0 ? r : TD_LINE_ROW;
}

int td_record_exit_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_wire_exit w = TD_REC(rec, td_wire_exit);
	struct td_process *p;
	uint32_t id;
	int r = 0;

	if (!(w.head.flags & TD_WIRE_EXIT_GROUP))
		return TD_LINE_SKIPPED; /* of a thread, which has no columns for it */
	if (w.time_ns > TD_RECORD_TIME_MAX)
		return td_rec_spoilt(imp);
	id = td_record_process(imp, w.pid);
	if (!id)
		return -ENOMEM;
	p = td_store_process_at(imp->store, id);
	p->end_source_id = imp->source_id;
	p->end_ns = (int64_t)w.time_ns;
	p->exit_status = w.status;
	td_store_process_end(imp->store, id);
	if (w.head.flags & TD_WIRE_EXIT_OUT_OF_MEMORY)
		r = put_mark(imp, "out-of-memory", w.time_ns, id, 0, NULL);
	return r < 0 ? r : TD_LINE_ROW;
}

/* --- names --- */

int td_record_name_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record *rd = imp->state;
	struct td_wire_name w = TD_REC(rec, td_wire_name);
	struct td_scan s = TD_REC_TEXT(rec, td_wire_name, name);
	struct td_str name;
	uint32_t *id;

	if (w.head.flags == 0 || w.head.flags >= TD_ARRAY_SIZE(rd->names))
		return TD_LINE_SKIPPED; /* of a newer recorder */
	if (!td_rec_text(&s, w.name_len, &name) || !name.len)
		return td_rec_spoilt(imp);
	id = td_record_map_at(&rd->names[w.head.flags], w.number);
	if (!id)
		return -ENOMEM;
	*id = td_rec_string(imp, name);
	return TD_LINE_ROW;
}

/* The name, or the number where none came. */
static uint32_t name_of(struct td_import *imp, const struct td_record_owed *o)
{
	struct td_record *rd = imp->state;
	uint32_t id = td_record_map_get(&rd->names[o->what], o->number);
	char text[40];

	if (id)
		return id;
	(void)snprintf(text, sizeof(text), o->what == TD_WIRE_NAME_USER ? "%llu" : "cgroup:[%llu]",
		       (unsigned long long)o->number);
	return td_store_cstr(imp->store, text);
}

int td_record_settle(struct td_import *imp)
{
	struct td_record *rd = imp->state;

	for (size_t i = 0; i < rd->nowed; i++) {
		const struct td_record_owed *o = &rd->owed[i];
		struct td_process *p = td_store_process_at(imp->store, o->process_id);

		if (o->what == TD_WIRE_NAME_USER)
			p->user_id = name_of(imp, o);
		else
			p->cgroup_id = name_of(imp, o);
	}
	return td_store_error(imp->store);
}
