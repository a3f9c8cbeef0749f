/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "importers/strace/later.h"
#include "importers/strace/procs.h"

/* Lines that are fetched while one is read, as they are in the cache of another CPU: what reading them takes. */
#define AHEAD 8

/* Lines that are settled one after the other. */
struct batch {
	struct td_import *imp;
	struct td_strace_part *part;
	struct td_strace_context at; /* task: of the line */
	size_t before; /* calls of the part */
	int64_t first_ns, last_ns; /* of those behind */
	uint64_t call_line_no; /* of the last one */
};

/* The thread of the line, if it is known and what it did before does not matter; else NULL. */
static struct td_strace_task *usual_task(const struct td_strace_log *log,
					 const struct td_strace_said *said, uint64_t line_no,
					 int64_t now_ns)
{
	struct td_strace_task *t = log->tasks.last;

	if (!t || t->tid != said->tid)
		t = td_strace_task_find(&log->tasks, said->tid);
	if (!t || t->orphan || t->cloner || !t->proc->id || td_strace_is_clock_step(t, now_ns))
		return NULL;
	if (said->what == TD_STRACE_RESUMED)
		return td_strace_is_end_of(t->begun, said, line_no) ? t : NULL;
	return t->begun ? NULL : t;
}

/* The row's time is known. */
static void add_time(struct batch *b, int64_t start_ns, int64_t dur_ns)
{
	int64_t end_ns = start_ns + (dur_ns == TD_NULL ? 0 : dur_ns);

	b->first_ns = TD_MIN(b->first_ns, start_ns);
	b->last_ns = TD_MAX(b->last_ns, end_ns);
}

/* The whole call, or its end. As settle_line(). */
static int settle_call(struct batch *b, const struct td_strace_said *said,
		       const struct td_syscall *spec, struct td_strace_task *task, int64_t now_ns)
{
	struct td_strace_log *log = b->imp->state;
	struct td_strace_later *later = &b->part->later[b->part->nlater];
	const struct td_strace_begun *begun = task->begun;
	int r;

	later->said = said;
	later->start_ns = begun ? begun->row.start_ns : now_ns;
	later->about.fd = begun ? begun->row.fd : INT32_MIN;
	later->about.file_id = begun ? begun->row.file_id : 0;
	later->process_id = task->proc->id;
	later->thread_id = begun && begun->row.thread_id ? begun->row.thread_id : task->thread_id;
	/* the time that the line has is possible */
	if (later->start_ns != said->stamp_ns &&
	    !td_import_takes_call(later->start_ns, said->dur_ns, TD_NULL))
		return 0;
	b->at.task = task;
	r = td_strace_call_later(b->imp, &log->calls, &b->at, spec, said, &later->about);
	if (r <= 0)
		return r;
	add_time(b, later->start_ns, said->dur_ns);
	b->part->nlater++;
	if (begun)
		td_strace_give_back(&log->tasks, td_strace_take_begun(task));
	return 1;
}

/* 1; 0: it has to be read by itself, as if this had not been tried; or -errno. */
static int settle_line(struct batch *b, const struct td_strace_said *said, uint64_t line_no)
{
	struct td_strace_log *log = b->imp->state;
	int64_t now_ns = said->stamp_ns + log->step_ns;
	struct td_strace_task *task = usual_task(log, said, line_no, now_ns);
	const struct td_strace_name *name;
	int r;

	name = task ? td_strace_name(b->imp, &log->calls, said->name) : NULL;
	if (!name)
		return 0;
	if (said->begins)
		r = td_strace_begin_call(b->imp, task, now_ns, line_no, said);
	else
		r = settle_call(b, said, name->spec, task, now_ns);
	if (r < 0 || (r == 0 && !said->begins))
		return r;
	log->now_ns = task->last_ns = now_ns;
	log->tasks.last = task;
	log->tasks.pid_seen = true;
	if (!said->begins)
		b->call_line_no = line_no;
	return 1;
}

/* What the lines behind these, and the end of the log, ask about them. */
static void tell(const struct batch *b)
{
	const struct td_strace_part *part = b->part;
	struct td_strace_log *log = b->imp->state;
	const struct td_strace_later *last;

	if (part->nlater == b->before)
		return;
	td_import_defer_calls(b->imp, part->nlater - b->before, b->first_ns, b->last_ns);
	last = &part->later[part->nlater - 1];
	log->tasks.newest = (struct td_strace_newest){
		.line_no = b->call_line_no,
		.call = { .start_ns = last->start_ns,
			  .dur_ns = last->said->dur_ns,
			  .process_id = last->process_id,
			  .thread_id = last->thread_id,
			  .op_id = td_strace_atom_at(&part->atoms, last->said->name)->op_id },
	};
}

static void fetch(const struct td_strace_said *said)
{
	__builtin_prefetch(said);
	__builtin_prefetch((const char *)said + 64);
}

/* For so many rows. 0 or -ENOMEM. */
static int make_room(struct td_strace_part *part, size_t n)
{
	struct td_strace_later *later;

	if (n <= part->later_cap)
		return 0;
	later = realloc(part->later, n * sizeof(*later));
	if (!later)
		return -ENOMEM;
	part->later = later;
	part->later_cap = n;
	return 0;
}

ssize_t td_strace_settle(struct td_import *imp, struct td_strace_part *part,
			 const struct td_strace_said *lines, size_t n)
{
	struct td_strace_log *log = imp->state;
	struct batch b = {
		.imp = imp,
		.part = part,
		.at = { .tasks = &log->tasks },
		.before = part->nlater,
		.first_ns = INT64_MAX,
		.last_ns = INT64_MIN,
	};
	size_t i = 0;
	int r = 0;

	if (log->torn.active || log->summary.active || log->stack.frames.n ||
	    log->stamp != TD_STRACE_STAMP_EPOCH)
		return 0;
	if (make_room(part, part->nlater + n) < 0)
		return -ENOMEM;
	part->source_id = imp->source_id;
	log->calls.atoms = &part->atoms;
	for (; i < n && lines[i].later; i++) {
		if (i + AHEAD < n)
			fetch(&lines[i + AHEAD]);
		r = settle_line(&b, &lines[i], imp->line_no + i);
		if (r <= 0)
			break;
	}
	tell(&b);
	return r < 0 ? r : (ssize_t)i;
}

void td_strace_later_row(const struct td_strace_part *part, size_t i, struct td_call *ret)
{
	const struct td_strace_later *later = &part->later[i];
	const struct td_strace_said *said = later->said;

	*ret = (struct td_call)TD_CALL_INIT;
	ret->start_ns = later->start_ns;
	td_strace_fill_numbers(said, ret);
	ret->process_id = later->process_id;
	ret->thread_id = later->thread_id;
	ret->file_id = later->about.file_id;
	ret->args_id = said->args ? td_strace_atom_at(&part->atoms, said->args)->string_id : 0;
	ret->fd = later->about.fd;
	ret->op_id = td_strace_atom_at(&part->atoms, said->name)->op_id;
	ret->source_id = part->source_id;
}
