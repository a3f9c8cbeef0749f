/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "importers/strace/procs.h"

void td_strace_proc_free(struct td_strace_proc *p)
{
	td_strace_fds_unref(p->fds);
	free(p->waiting);
	free(p);
}

struct td_strace_proc *td_strace_proc_new(struct td_strace_fds *fds)
{
	_cleanup_(td_strace_proc_freep) struct td_strace_proc *p = calloc(1, sizeof(*p));

	if (!p) {
		td_strace_fds_unref(fds);
		return NULL;
	}
	p->pid = TD_STRACE_NO_TID;
	p->start_ns = p->parent_pid = p->exit_status = TD_NULL;
	p->fds = fds ? fds : td_strace_fds_new();
	return p->fds ? TAKE_PTR(p) : NULL;
}

bool td_strace_proc_fits(struct td_import *imp, uint16_t other_id, int64_t from_ns, int64_t to_ns)
{
	const struct td_source *own = td_store_source_at(imp->store, imp->source_id), *other;

	if (!other_id)
		return true;
	other = td_store_source_at(imp->store, other_id);
	return other->clock == own->clock && from_ns <= to_ns;
}

void td_strace_proc_store(struct td_import *imp, struct td_strace_proc *p)
{
	struct td_process *s = td_store_process_at(imp->store, p->id);

	if (!s)
		return;
	if (p->name_id && !(p->inherited && s->name_id))
		s->name_id = p->name_id;
	if (p->command_line_id && !(p->inherited && s->command_line_id))
		s->command_line_id = p->command_line_id;
	if (p->parent_pid != TD_NULL)
		s->parent_pid = p->parent_pid;
	if (p->start_ns != TD_NULL && !s->start_source_id &&
	    td_strace_proc_fits(imp, s->end_source_id, p->start_ns, s->end_ns)) {
		s->start_ns = p->start_ns;
		s->start_source_id = imp->source_id;
	}
}

int td_strace_stacked_put(struct td_import *imp, const struct td_strace_stacked *c,
			  uint32_t stack_id)
{
	struct td_stack_sample row = TD_STACK_SAMPLE_INIT;

	row.start_ns = c->start_ns;
	row.dur_ns = c->dur_ns;
	row.kind_id = td_store_cstr(imp->store, TD_STACK_CALL);
	row.op_id = c->op_id;
	row.process_id = c->process_id;
	row.thread_id = c->thread_id;
	row.stack_id = stack_id;
	return td_put_stack(imp, &row);
}

/* Calls of the process do not wait any more. */
static void newest_is_stored(struct td_strace_tasks *ts, const struct td_strace_proc *p)
{
	struct td_strace_newest *n = &ts->newest;

	if (n->waits_in != p)
		return;
	n->call = td_strace_stacked_of(&p->waiting[n->at].call);
	n->waits_in = NULL;
}

int td_strace_proc_flush(struct td_import *imp, struct td_strace_tasks *ts,
			 struct td_strace_proc *p, uint32_t thread_id)
{
	int r = 0;

	for (size_t i = 0; i < p->nwaiting && r >= 0; i++) {
		struct td_strace_waiting *w = &p->waiting[i];

		w->call.process_id = p->id;
		if (!w->call.thread_id)
			w->call.thread_id = thread_id;
		r = td_put_call(imp, &w->call);
		if (r >= 0 && w->stack_id) {
			struct td_strace_stacked of = td_strace_stacked_of(&w->call);

			r = td_strace_stacked_put(imp, &of, w->stack_id);
		}
	}
	newest_is_stored(ts, p);
	ts->nwaiting -= p->nwaiting;
	free(p->waiting);
	p->waiting = NULL;
	p->nwaiting = p->waiting_cap = 0;
	return r;
}
