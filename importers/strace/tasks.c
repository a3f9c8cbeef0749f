/* SPDX-License-Identifier: MIT */
#include <sched.h>

#include "common/array.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/utf8.h"
#include "importers/core/importers.h"
#include "importers/strace/heirs.h"
#include "importers/strace/procs.h"
#include "importers/strace/tasks.h"
#include "importers/strace/text.h"

/* --- calls that have begun --- */

struct td_strace_begun *td_strace_begin(struct td_strace_tasks *ts, struct td_strace_task *t)
{
	struct td_strace_begun *b = ts->spare;

	if (b)
		ts->spare = b->next_spare;
	else
		b = calloc(1, sizeof(*b));
	if (b)
		td_strbuf_reset(&b->text);
	return t->begun = b;
}

struct td_strace_begun *td_strace_take_begun(struct td_strace_task *t)
{
	struct td_strace_begun *b = t->begun;

	t->begun = NULL;
	return b;
}

void td_strace_give_back(struct td_strace_tasks *ts, struct td_strace_begun *b)
{
	b->next_spare = ts->spare;
	ts->spare = b;
}

/* --- tasks --- */

static void list_remove(struct td_strace_tasks *ts, struct td_strace_task *t)
{
	if (t->prev_all)
		t->prev_all->next_all = t->next_all;
	else
		ts->all = t->next_all;
	if (t->next_all)
		t->next_all->prev_all = t->prev_all;
}

void td_strace_task_set_cloner(struct td_strace_tasks *ts, struct td_strace_task *t, bool cloner)
{
	if (t->cloner == cloner)
		return;
	t->cloner = cloner;
	if (cloner) {
		t->prev_cloner = NULL;
		t->next_cloner = ts->cloners;
		if (ts->cloners)
			ts->cloners->prev_cloner = t;
		ts->cloners = t;
		return;
	}
	if (t->prev_cloner)
		t->prev_cloner->next_cloner = t->next_cloner;
	else
		ts->cloners = t->next_cloner;
	if (t->next_cloner)
		t->next_cloner->prev_cloner = t->prev_cloner;
}

static struct td_strace_task **bucket_of(const struct td_strace_tasks *ts, int64_t tid)
{
	uint64_t h = (uint64_t)tid * UINT64_C(0x9e3779b97f4a7c15);

	return &ts->buckets[(h >> 32) & (ts->nbuckets - 1)];
}

static void unhash(struct td_strace_tasks *ts, struct td_strace_task *t)
{
	struct td_strace_task **at = bucket_of(ts, t->tid);

	while (*at != t)
		at = &(*at)->next_in_bucket;
	*at = t->next_in_bucket;
}

static void hash(struct td_strace_tasks *ts, struct td_strace_task *t)
{
	struct td_strace_task **at = bucket_of(ts, t->tid);

	t->next_in_bucket = *at;
	*at = t;
}

/* Twice the buckets, or the first ones. */
static int rehash(struct td_strace_tasks *ts)
{
	size_t n = ts->nbuckets ? ts->nbuckets * 2 : 64;
	struct td_strace_task **buckets = calloc(n, sizeof(struct td_strace_task *));

	if (!buckets)
		return -ENOMEM;
	free(ts->buckets);
	ts->buckets = buckets;
	ts->nbuckets = n;
	for (struct td_strace_task *t = ts->all; t; t = t->next_all)
		hash(ts, t);
	return 0;
}

static inline struct td_strace_task *find(const struct td_strace_tasks *ts, int64_t tid)
{
	struct td_strace_task *t = NULL;

	if (ts->nbuckets)
		for (t = *bucket_of(ts, tid); t && t->tid != tid;)
			t = t->next_in_bucket;
	return t;
}

struct td_strace_task *td_strace_task_find(const struct td_strace_tasks *ts, int64_t tid)
{
	return find(ts, tid);
}

/* proc: takes part in it; NULL (out of memory on the caller's side) is passed on. */
static struct td_strace_task *task_new(struct td_import *imp, struct td_strace_tasks *ts,
				       int64_t tid, struct td_strace_proc *proc)
{
	struct td_strace_task *t = NULL;

	if (proc && (ts->n < ts->nbuckets || rehash(ts) == 0))
		t = calloc(1, sizeof(*t));
	if (!t) {
		if (proc && !proc->ntasks)
			td_strace_proc_free(proc);
		return NULL;
	}
	t->tid = tid;
	t->proc = proc;
	proc->ntasks++;
	t->guessed_parent = TD_STRACE_NO_TID;
	t->first_line = imp->line_no;
	if (tid != TD_STRACE_NO_TID)
		t->thread_id = td_store_thread(imp->store, tid, proc->id);
	hash(ts, t);
	ts->n++;
	t->next_all = ts->all;
	if (ts->all)
		ts->all->prev_all = t;
	ts->all = t;
	return t;
}

/* Takes the task out of its process, which is freed with its last task. */
static void leave_proc(struct td_strace_tasks *ts, struct td_strace_task *t)
{
	struct td_strace_proc *p = t->proc;

	t->proc = NULL;
	if (--p->ntasks > 0)
		return;
	ts->nwaiting -= p->nwaiting;
	if (ts->newest.waits_in == p)
		ts->newest = (struct td_strace_newest){ 0 };
	td_strace_proc_free(p);
}

static void task_free(struct td_strace_tasks *ts, struct td_strace_task *t)
{
	td_strace_task_set_cloner(ts, t, false);
	unhash(ts, t);
	list_remove(ts, t);
	ts->n--;
	if (ts->last == t)
		ts->last = NULL;
	if (ts->unnamed == t)
		ts->unnamed = NULL;
	leave_proc(ts, t);
	if (t->begun)
		td_strace_give_back(ts, td_strace_take_begun(t));
	free(t->comm);
	free(t);
}

/* The process of t is this one of the store: rows that waited for it are stored. */
static int identify_as(struct td_import *imp, struct td_strace_tasks *ts, struct td_strace_task *t,
		       uint32_t process_id)
{
	const struct td_process *s = td_store_process_at(imp->store, process_id);
	struct td_strace_proc *p = t->proc;

	if (!s)
		return -ENOMEM;
	p->pid = s->pid;
	p->id = process_id;
	td_strace_proc_store(imp, p);
	t->orphan = false;
	if (t->tid != TD_STRACE_NO_TID)
		t->thread_id = td_store_thread(imp->store, t->tid, p->id);
	if (p->ntasks > 1)
		for (struct td_strace_task *o = ts->all; o; o = o->next_all)
			if (o->proc == p && o->tid != TD_STRACE_NO_TID)
				o->thread_id = td_store_thread(imp->store, o->tid, p->id);
	return td_strace_proc_flush(imp, ts, p, t->thread_id);
}

/* The process of t is the one with this pid. */
static int identify(struct td_import *imp, struct td_strace_tasks *ts, struct td_strace_task *t,
		    int64_t pid)
{
	return identify_as(imp, ts, t, td_store_process(imp->store, pid, "", 0));
}

/* The making of t was not seen: its process is what another source knows or will tell, else one of its own. */
static int assume(struct td_import *imp, struct td_strace_tasks *ts, struct td_strace_task *t,
		  int64_t tid)
{
	return identify_as(imp, ts, t, td_store_process_of_thread(imp->store, tid));
}

static int64_t tid_of_file_name(struct td_import *imp)
{
	size_t before;

	return td_strace_tid_of_path(td_store_source_at(imp->store, imp->source_id)->path, &before);
}

/* A thread of the store with that number, the newest one; NULL: none. */
static const struct td_thread *thread_of_tid(const struct td_contents *in, int64_t tid)
{
	for (size_t i = in->nthreads; i-- > 0;)
		if (in->threads[i].tid == tid)
			return &in->threads[i];
	return NULL;
}

/* Since when the process was there, by another log of strace with times of day; TD_NULL if none tells. */
static int64_t there_since(struct td_import *imp, const struct td_process *p)
{
	uint16_t id = p->start_source_id ? p->start_source_id : p->end_source_id;
	const struct td_source *s = id ? td_store_source_at(imp->store, id) : NULL;

	if (!s || id == imp->source_id || s->clock != TD_CLOCK_LOCAL_TOD || !s->importer ||
	    strcmp(s->importer, td_importer_strace.name) != 0)
		return TD_NULL;
	return p->start_source_id ? p->start_ns : s->first_native_ns;
}

#define CLONE_NS TD_SEC_NS /* what a clone makes may have lines from before it returns */

int64_t td_strace_days_behind(struct td_import *imp, int64_t tod_ns)
{
	int64_t tid = tid_of_file_name(imp), since_ns = TD_NULL;
	const struct td_thread *t = NULL;

	if (tid != TD_STRACE_NO_TID)
		t = thread_of_tid(td_store_contents(imp->store), tid);
	if (t && t->process_id)
		since_ns = there_since(imp, td_store_process_at(imp->store, t->process_id));
	if (since_ns == TD_NULL || tod_ns >= since_ns - CLONE_NS)
		return 0;
	return (since_ns - CLONE_NS - tod_ns + TD_DAY_NS - 1) / TD_DAY_NS * TD_DAY_NS;
}

static void rename_task(struct td_strace_tasks *ts, struct td_strace_task *t, int64_t tid)
{
	unhash(ts, t);
	t->tid = tid;
	hash(ts, t);
	if (ts->unnamed == t)
		ts->unnamed = NULL;
}

/* No more waiting for better knowledge. */
static int settle(struct td_import *imp, struct td_strace_tasks *ts, struct td_strace_task *t)
{
	int64_t tid = t->tid;

	if (t->proc->id)
		return 0;
	if (tid == TD_STRACE_NO_TID && !ts->pid_seen)
		tid = tid_of_file_name(imp);
	if (tid == TD_STRACE_NO_TID || (tid != t->tid && td_strace_task_find(ts, tid)))
		return td_strace_proc_flush(imp, ts, t->proc, 0);
	if (tid != t->tid)
		rename_task(ts, t, tid);
	return assume(imp, ts, t, tid);
}

int td_strace_task_by_file_name(struct td_import *imp, struct td_strace_tasks *ts,
				struct td_strace_task *t)
{
	bool may = t == ts->unnamed && !ts->pid_seen && !t->proc->id;

	return may && tid_of_file_name(imp) != TD_STRACE_NO_TID ? settle(imp, ts, t) : 0;
}

/* No row waits any more. Of a file of -ff who made the others comes first: its process is theirs, if they are threads,
 * but which one it is its own number tells. */
static int settle_all(struct td_import *imp, struct td_strace_tasks *ts)
{
	int r = ts->unnamed && ts->unnamed->proc->nwaiting ? settle(imp, ts, ts->unnamed) : 0;

	for (struct td_strace_task *t = ts->all; t && r >= 0; t = t->next_all)
		r = t->proc->nwaiting ? settle(imp, ts, t) : 0;
	return r;
}

/* The row is stored when its process is known, or when too many wait. */
static int keep_waiting(struct td_import *imp, struct td_strace_tasks *ts, struct td_strace_proc *p,
			const struct td_call *row)
{
	int r = td_grow(&p->waiting, &p->waiting_cap, p->nwaiting);

	if (r < 0)
		return r;
	p->waiting[p->nwaiting++] = (struct td_strace_waiting){ .call = *row };
	return ++ts->nwaiting <= TD_STRACE_WAITING_MAX ? 0 : settle_all(imp, ts);
}

static inline int put(struct td_import *imp, struct td_strace_tasks *ts, struct td_strace_task *t,
		      struct td_call *row)
{
	struct td_strace_proc *p = t->proc;

	if (!row->thread_id)
		row->thread_id = t->thread_id;
	if (!p->id)
		return keep_waiting(imp, ts, p, row);
	row->process_id = p->id;
	return td_put_call(imp, row);
}

int td_strace_put(struct td_import *imp, struct td_strace_tasks *ts, struct td_strace_task *t,
		  struct td_call *row)
{
	return put(imp, ts, t, row);
}

int td_strace_put_newest(struct td_import *imp, struct td_strace_tasks *ts,
			 struct td_strace_task *t, struct td_call *row)
{
	struct td_strace_newest *n = &ts->newest;
	int r = put(imp, ts, t, row);

	n->line_no = imp->line_no;
	n->waits_in = NULL;
	if (t->proc->nwaiting) {
		n->waits_in = t->proc;
		n->at = t->proc->nwaiting - 1;
	}
	n->call = td_strace_stacked_of(row);
	return r;
}

int td_strace_put_stack(struct td_import *imp, struct td_strace_tasks *ts, uint32_t stack_id)
{
	struct td_strace_newest *n = &ts->newest;

	if (!n->waits_in)
		return td_strace_stacked_put(imp, &n->call, stack_id);
	n->waits_in->waiting[n->at].stack_id = stack_id;
	return 0;
}

/* --- who made whom --- */

enum making { UNKNOWN, PROCESS, THREAD };

/* What the clone that t is in makes, as far as its text is there. */
static enum making making_of(const struct td_strace_task *t)
{
	struct td_str text;

	if (!t->begun)
		return UNKNOWN;
	if (t->begun->spec->effect == TD_CALL_FORKS)
		return PROCESS;
	text = (struct td_str){ t->begun->text.p, t->begun->text.len };
	if (!text.p)
		return UNKNOWN;
	if (td_arg_clone_flag(text, "CLONE_THREAD", CLONE_THREAD))
		return THREAD;
	return td_str_find(text, "flags=") ? PROCESS : UNKNOWN;
}

/* Until it calls execve a new process is a copy of its parent, name and command line included. */
static void inherit(struct td_strace_proc *p, const struct td_strace_proc *parent, int64_t now_ns)
{
	if (p->start_ns == TD_NULL)
		p->start_ns = now_ns;
	if (parent->pid != TD_STRACE_NO_TID)
		p->parent_pid = parent->pid;
	p->inherited = !p->name_id && !p->command_line_id;
	if (!p->name_id)
		p->name_id = parent->name_id;
	if (!p->command_line_id)
		p->command_line_id = parent->command_line_id;
}

static struct td_strace_task *new_process(struct td_import *imp, struct td_strace_tasks *ts,
					  const struct td_strace_task *parent, int64_t tid,
					  bool shares_fds, int64_t now_ns)
{
	struct td_strace_fds *fds = shares_fds ? td_strace_fds_ref(parent->proc->fds)
					       : td_strace_fds_copy(parent->proc->fds);
	struct td_strace_proc *p = fds ? td_strace_proc_new(fds) : NULL;

	if (!p)
		return NULL;
	inherit(p, parent->proc, now_ns);
	return task_new(imp, ts, tid, p);
}

/* A tid is there that nobody was seen to make. */
static struct td_strace_task *unheard_of(struct td_import *imp, struct td_strace_tasks *ts,
					 int64_t tid, int64_t now_ns)
{
	struct td_strace_task *parent = ts->cloners, *t;
	enum making what;
	int r;

	if (!parent) {
		t = task_new(imp, ts, tid, td_strace_proc_new(NULL));
		if (t && assume(imp, ts, t, tid) < 0)
			return NULL;
		return t;
	}
	what = parent->next_cloner ? UNKNOWN : making_of(parent);
	if (what == THREAD)
		t = task_new(imp, ts, tid, parent->proc);
	else
		t = new_process(imp, ts, parent, tid, false, now_ns);
	if (!t)
		return NULL;
	t->guessed_parent = parent->tid;
	t->orphan = what == UNKNOWN;
	r = what == PROCESS ? identify(imp, ts, t, tid) : 0;
	if (what != UNKNOWN)
		td_strace_task_set_cloner(ts, parent, false);
	return r < 0 ? NULL : t;
}

struct td_strace_task *td_strace_task_of_line(struct td_import *imp, struct td_strace_tasks *ts,
					      int64_t tid, bool resumed, int64_t now_ns)
{
	struct td_strace_task *t = ts->last, *u = ts->unnamed;

	if (tid != TD_STRACE_NO_TID) {
		ts->pid_seen = true;
		if (!t || t->tid != tid)
			t = find(ts, tid);
		/* the first pid that strace prints: the task that had none so far, or its child */
		if (!t && u && (resumed ? u->begun != NULL : !u->cloner))
			t = td_strace_task_told(imp, ts, u, tid) < 0 ? NULL : u;
		else if (!t)
			t = unheard_of(imp, ts, tid, now_ns);
	} else if (ts->n == 0) {
		t = ts->unnamed =
			task_new(imp, ts, tid, td_strace_proc_new(td_strace_heirs_take(imp)));
	} else if (u) {
		t = u;
	} else if (!t || ts->n == 1) {
		t = ts->all;
	}
	ts->last = t;
	/* nobody is about to claim it as a child */
	if (t && t->orphan && !ts->cloners && settle(imp, ts, t) < 0)
		return NULL;
	return t;
}

int td_strace_task_attached(struct td_import *imp, struct td_strace_tasks *ts, int64_t tid,
			    int64_t now_ns)
{
	struct td_strace_fds *fds = NULL;
	struct td_strace_task *t;

	if (td_strace_task_find(ts, tid))
		return 0;
	if (ts->cloners)
		return unheard_of(imp, ts, tid, now_ns) ? 0 : -ENOMEM;
	/* the message tears the line of the clone that made it */
	if (ts->last)
		fds = td_strace_fds_copy(ts->last->proc->fds);
	t = task_new(imp, ts, tid, td_strace_proc_new(fds));
	if (!t)
		return -ENOMEM;
	t->orphan = true;
	return 0;
}

/* A row that waited for another process. */
static int put_again(struct td_import *imp, struct td_strace_tasks *ts, struct td_strace_task *t,
		     struct td_strace_waiting *w)
{
	int r = td_strace_put(imp, ts, t, &w->call);
	struct td_strace_stacked of = td_strace_stacked_of(&w->call);

	if (r < 0 || !w->stack_id)
		return r;
	if (!t->proc->nwaiting)
		return td_strace_stacked_put(imp, &of, w->stack_id);
	t->proc->waiting[t->proc->nwaiting - 1].stack_id = w->stack_id;
	return r;
}

/* t turns out to be a thread of parent's process, which its rows waited for. */
static int join_thread(struct td_import *imp, struct td_strace_tasks *ts, struct td_strace_task *t,
		       struct td_strace_task *parent)
{
	struct td_strace_proc *old = t->proc;
	int r = td_strace_fds_merge(parent->proc->fds, old->fds);

	if (t->orphan) {
		_cleanup_free_ struct td_strace_waiting *rows = TAKE_PTR(old->waiting);
		size_t n = old->nwaiting;

		if (ts->newest.waits_in == old)
			ts->newest = (struct td_strace_newest){ 0 };

		ts->nwaiting -= n;
		old->nwaiting = old->waiting_cap = 0;
		for (size_t i = 0; i < n && r >= 0; i++)
			r = put_again(imp, ts, parent, &rows[i]);
	}
	t->orphan = false;
	leave_proc(ts, t);
	t->proc = parent->proc;
	t->proc->ntasks++;
	t->thread_id = td_store_thread(imp->store, t->tid, t->proc->id);
	return r;
}

/* t turns out to be a process that parent made. */
static int become_process(struct td_import *imp, struct td_strace_tasks *ts,
			  struct td_strace_task *t, struct td_strace_task *parent, bool shares_fds,
			  int64_t now_ns)
{
	struct td_strace_proc *p;

	if (t->proc->pid != t->tid && !t->orphan) {
		p = td_strace_proc_new(td_strace_fds_copy(parent->proc->fds));
		if (!p)
			return -ENOMEM;
		leave_proc(ts, t);
		t->proc = p;
		p->ntasks++;
	}
	p = t->proc;
	if (shares_fds && p->fds != parent->proc->fds) {
		td_strace_fds_unref(p->fds);
		p->fds = td_strace_fds_ref(parent->proc->fds);
	}
	inherit(p, parent->proc, now_ns);
	return identify(imp, ts, t, t->tid);
}

/* Was the child that this clone made over before it returned (often so after vfork)? */
static bool has_ended(struct td_import *imp, struct td_strace_tasks *ts,
		      const struct td_strace_proc *parent, int64_t tid, bool is_thread,
		      uint64_t begin_line)
{
	for (size_t i = 0; i < TD_STRACE_ENDED; i++) {
		struct td_strace_ended *e = &ts->ended[i];
		struct td_process *p;

		if (e->tid != tid || e->first_line < begin_line)
			continue;
		e->tid = 0;
		p = td_store_process_at(imp->store, e->process_id);
		if (p && !is_thread && p->parent_pid == TD_NULL && parent->pid > 0)
			p->parent_pid = parent->pid;
		return true;
	}
	return false;
}

int td_strace_task_cloned(struct td_import *imp, struct td_strace_tasks *ts,
			  struct td_strace_task *parent, int64_t tid, bool is_thread,
			  bool shares_fds, uint64_t begin_line, int64_t now_ns)
{
	struct td_strace_task *t = td_strace_task_find(ts, tid);
	int r = 0;

	if (t == parent)
		return 0;
	if (t && !t->orphan && t->first_line < begin_line) {
		/* the tid is used again, the end of its first life was not printed */
		r = td_strace_task_end(imp, ts, t, TD_NULL, now_ns);
		t = NULL;
	}
	if (r < 0)
		return r;
	if (!ts->pid_seen) /* its lines are in a file of its own */
		r = td_strace_heirs_add(imp, tid, parent->proc->fds, is_thread || shares_fds);
	if (r < 0)
		return r;
	if (!t && has_ended(imp, ts, parent->proc, tid, is_thread, begin_line))
		return 0;
	if (!t && is_thread)
		return task_new(imp, ts, tid, parent->proc) ? 0 : -ENOMEM;
	if (!t) {
		t = new_process(imp, ts, parent, tid, shares_fds, now_ns);
		return t ? identify(imp, ts, t, tid) : -ENOMEM;
	}
	if (is_thread)
		return t->proc == parent->proc ? 0 : join_thread(imp, ts, t, parent);
	return become_process(imp, ts, t, parent, shares_fds, now_ns);
}

int td_strace_task_told(struct td_import *imp, struct td_strace_tasks *ts, struct td_strace_task *t,
			int64_t tid)
{
	if (t->tid != TD_STRACE_NO_TID || tid <= 0 || td_strace_task_find(ts, tid))
		return 0;
	rename_task(ts, t, tid);
	return t->proc->id ? 0 : assume(imp, ts, t, tid);
}

/* --- names --- */

/* What the kernel makes of a name for comm: 15 bytes. */
static uint32_t comm_id(struct td_import *imp, struct td_str name)
{
	while (name.len > 15 || (name.len && !td_utf8_valid(name.p, name.len)))
		name.len--;
	return name.len ? td_store_string(imp->store, name.p, name.len) : 0;
}

int td_strace_task_exec(struct td_import *imp, struct td_strace_task *t, struct td_str command_line,
			struct td_str name)
{
	struct td_strace_proc *p = t->proc;
	const char *slash = name.len ? memrchr(name.p, '/', name.len) : NULL;

	if (slash)
		name = (struct td_str){ slash + 1, (size_t)(name.p + name.len - slash - 1) };
	if (name.len)
		p->name_id = comm_id(imp, name);
	if (command_line.len && td_utf8_valid(command_line.p, command_line.len))
		p->command_line_id = td_store_string(imp->store, command_line.p, command_line.len);
	p->inherited = false;
	td_strace_proc_store(imp, p);
	p->fds = td_strace_fds_exec(p->fds);
	return p->fds ? 0 : -ENOMEM;
}

void td_strace_task_name(struct td_import *imp, struct td_strace_task *t, struct td_str name)
{
	struct td_thread *th = td_store_thread_at(imp->store, t->thread_id);
	uint32_t id = comm_id(imp, name);

	if (th && id)
		th->name_id = id;
	if (id && (t->tid == t->proc->pid || t->tid == TD_STRACE_NO_TID)) {
		t->proc->name_id = id;
		t->proc->inherited = false;
		td_strace_proc_store(imp, t->proc);
	}
}

/* --- ends --- */

int td_strace_put_begun(struct td_import *imp, struct td_strace_tasks *ts, struct td_strace_task *t,
			bool unfinished)
{
	struct td_strace_begun *b = td_strace_take_begun(t);
	int r;

	if (!b)
		return 0;
	b->row.unfinished = unfinished;
	r = td_strace_put(imp, ts, t, &b->row);
	td_strace_give_back(ts, b);
	return r;
}

static void end_process(struct td_import *imp, struct td_strace_proc *p, int64_t now_ns)
{
	struct td_process *s = td_store_process_at(imp->store, p->id);

	if (!s || p->ended)
		return;
	p->ended = true;
	if (p->exit_status != TD_NULL)
		s->exit_status = p->exit_status;
	if (now_ns != TD_NULL &&
	    td_strace_proc_fits(imp, s->start_source_id, s->start_ns, now_ns)) {
		s->end_ns = now_ns;
		s->end_source_id = imp->source_id;
	}
	td_store_process_end(imp->store, p->id);
}

int td_strace_task_end(struct td_import *imp, struct td_strace_tasks *ts, struct td_strace_task *t,
		       int64_t exit_status, int64_t now_ns)
{
	struct td_strace_proc *p = t->proc;
	int r = td_strace_put_begun(imp, ts, t, true);
	/* the kernel tells the exit of the first thread when all others are gone, though their own lines may
	 * be in other files (-ff) */
	bool last = p->ntasks == 1 || (t->tid == p->pid && exit_status != TD_NULL);

	/* -ff: what it made is in other files, and does not tell who it is */
	if (r >= 0 && (last || (t == ts->unnamed && !ts->pid_seen)))
		r = settle(imp, ts, t);
	/* -ff: the only thread in this file may be one of several */
	last = last && (t->tid == p->pid || p->pid == TD_STRACE_NO_TID);
	if (exit_status != TD_NULL && (t->tid == p->pid || p->exit_status == TD_NULL))
		p->exit_status = exit_status;
	if (last)
		end_process(imp, p, now_ns);
	if (t->guessed_parent != TD_STRACE_NO_TID)
		ts->ended[ts->next_ended++ % TD_STRACE_ENDED] =
			(struct td_strace_ended){ t->tid, t->first_line, p->id };
	task_free(ts, t);
	return r;
}

int td_strace_task_superseded(struct td_import *imp, struct td_strace_tasks *ts,
			      struct td_strace_task *t, int64_t by, int64_t now_ns)
{
	struct td_strace_task *o = td_strace_task_find(ts, by);
	int r = td_strace_put_begun(imp, ts, t, true);

	if (r < 0 || !o || o == t)
		return r;
	if (!ts->pid_seen) /* -ff: before o is gone, so that its process is known */
		r = settle(imp, ts, t);
	if (r < 0)
		return r;
	t->begun = td_strace_take_begun(o);
	if (t->begun && !t->begun->row.thread_id)
		t->begun->row.thread_id = o->thread_id;
	return td_strace_task_end(imp, ts, o, TD_NULL, now_ns);
}

int td_strace_tasks_end(struct td_import *imp, struct td_strace_tasks *ts)
{
	int r = 0;

	for (struct td_strace_task *t = ts->all; t && r >= 0; t = t->next_all)
		r = td_strace_put_begun(imp, ts, t, true);
	if (r >= 0)
		r = settle_all(imp, ts);
	td_strace_tasks_done(ts);
	return r;
}

void td_strace_tasks_done(struct td_strace_tasks *ts)
{
	while (ts->all)
		task_free(ts, ts->all);
	while (ts->spare) {
		struct td_strace_begun *b = ts->spare;

		ts->spare = b->next_spare;
		td_strbuf_done(&b->text);
		free(b);
	}
	free(ts->buckets);
	ts->buckets = NULL;
	ts->nbuckets = 0;
}
