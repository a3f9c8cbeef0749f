/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "importers/strace/events.h"
#include "importers/core/error_names.h"

/* --- time --- */

static enum td_clock clock_of(enum td_strace_stamp stamp)
{
	switch (stamp) {
	case TD_STRACE_STAMP_EPOCH:
		return TD_CLOCK_UTC;
	case TD_STRACE_STAMP_TOD:
		return TD_CLOCK_LOCAL_TOD;
	default:
		return TD_CLOCK_RELATIVE;
	}
}

/* Relative clocks add up; a sum that no log can reach stays where it is. */
static void advance(struct td_strace_log *log, int64_t ns)
{
	if (log->now_ns <= TD_STRACE_TIME_MAX - ns)
		log->now_ns += ns;
}

static bool take_other_time(struct td_import *imp, const struct td_strace_prefix *p)
{
	struct td_strace_log *log = imp->state;

	if (log->stamp == TD_STRACE_STAMP_UNDECIDED) {
		log->stamp = p->stamp;
		log->in_seconds = p->in_seconds && p->stamp != TD_STRACE_STAMP_DELTA;
		td_import_set_clock(imp, clock_of(p->stamp));
		if (p->stamp == TD_STRACE_STAMP_TOD && p->tid == TD_STRACE_NO_TID)
			log->step_ns = td_strace_days_behind(imp, p->stamp_ns);
	}
	if (p->stamp != log->stamp)
		return false;
	switch (p->stamp) {
	case TD_STRACE_STAMP_EPOCH:
		log->now_ns = p->stamp_ns + log->step_ns;
		break;
	case TD_STRACE_STAMP_TOD:
		log->now_ns = td_import_unwrap_tod(imp, p->stamp_ns) + log->step_ns;
		break;
	case TD_STRACE_STAMP_DELTA:
		advance(log, p->stamp_ns);
		break;
	default:
		advance(log, 1);
	}
	return true;
}

/* The time of an event's line. False: its time stamp is of another kind than those before. */
static inline bool take_time(struct td_import *imp, const struct td_strace_prefix *p)
{
	struct td_strace_log *log = imp->state;

	if (p->stamp != TD_STRACE_STAMP_EPOCH || log->stamp != TD_STRACE_STAMP_EPOCH)
		return take_other_time(imp, p);
	log->now_ns = p->stamp_ns + log->step_ns;
	return true;
}

#define COMM_MAX 63 /* 15 bytes, each perhaps as \377 */

static void take_comm(struct td_import *imp, struct td_strace_task *t, struct td_str comm)
{
	struct td_strace_log *log = imp->state;
	size_t len = TD_MIN(comm.len, COMM_MAX);
	char *own;

	if (t->comm && strlen(t->comm) == len && memcmp(t->comm, comm.p, len) == 0)
		return;
	own = strndup(comm.p, len); /* without memory the name is looked at again */
	free(t->comm);
	t->comm = own;
	/* before its execve the first process still has strace's own name */
	if (!td_str_eq(comm, "strace"))
		td_strace_task_name(imp, t, td_arg_unescape(comm, &log->calls.text));
}

/* What a thread does is in order, whatever others do, unless the clock was set. */
static void follow_clock(struct td_import *imp, struct td_strace_task *t)
{
	struct td_strace_log *log = imp->state;
	int64_t by_ns;

	if (td_strace_is_clock_step(t, log->now_ns)) {
		by_ns = td_import_clock_step(imp, log->now_ns, t->last_ns);
		log->step_ns += by_ns;
		log->now_ns += by_ns;
	}
	t->last_ns = log->now_ns;
}

struct td_strace_task *td_strace_task_of(struct td_import *imp, const struct td_strace_prefix *p,
					 bool resumed)
{
	struct td_strace_log *log = imp->state;
	struct td_strace_task *t =
		td_strace_task_of_line(imp, &log->tasks, p->tid, resumed, td_strace_known_ns(log));

	if (t)
		follow_clock(imp, t);
	if (t && p->comm.p)
		take_comm(imp, t, p->comm);
	return t;
}

/* --- calls --- */

int td_strace_put_call(struct td_import *imp, struct td_strace_task *task, uint64_t begin_line,
		       const struct td_strace_said *said, struct td_call *row)
{
	struct td_strace_log *log = imp->state;
	const struct td_strace_name *name = td_strace_name(imp, &log->calls, said->name);
	struct td_strace_context at = {
		.tasks = &log->tasks,
		.task = task,
		.begin_line = begin_line,
		.end_ns = td_strace_known_ns(log),
	};
	int r;

	if (!name)
		return td_reject(imp, "unknown-call");
	if (begin_line == imp->line_no && said->dur_ns != TD_NULL && at.end_ns != TD_NULL)
		at.end_ns += said->dur_ns;
	if (said->tampered)
		td_note(imp, "tampered-call", NULL);
	/* what is resumed ends now, however long it took */
	if (begin_line != imp->line_no && said->dur_ns == TD_NULL && at.end_ns != TD_NULL)
		td_import_seen(imp, at.end_ns);
	r = td_strace_call(imp, &log->calls, &at, name, said, row);
	if (log->stamp == TD_STRACE_STAMP_NONE && said->dur_ns != TD_NULL)
		advance(log, said->dur_ns);
	return r < 0 ? r : TD_LINE_ROW;
}

/* The thread does something else: the call that it was in will not be resumed. */
static int drop_begun(struct td_import *imp, struct td_strace_task *task)
{
	struct td_strace_log *log = imp->state;

	td_strace_task_set_cloner(&log->tasks, task, false);
	return td_strace_put_begun(imp, &log->tasks, task, false);
}

int td_strace_begin_call(struct td_import *imp, struct td_strace_task *task, int64_t start_ns,
			 uint64_t begin_line, const struct td_strace_said *said)
{
	struct td_strace_log *log = imp->state;
	const struct td_strace_name *name = td_strace_name(imp, &log->calls, said->name);
	struct td_strace_context at = { .tasks = &log->tasks, .task = task };
	struct td_strace_about about = { .fd = INT32_MIN };
	struct td_strace_begun *b;
	bool clones;

	if (!name)
		return td_reject(imp, "unknown-call");
	b = td_strace_begin(&log->tasks, task);
	if (!b)
		return -ENOMEM;
	b->grown = false;
	b->line_no = begin_line;
	b->spec = name->spec;
	b->row = (struct td_call)TD_CALL_INIT;
	b->row.start_ns = start_ns;
	b->row.op_id = name->op_id;
	td_strbuf_add(&b->text, said->text, said->text_len);
	if (td_strbuf_error(&b->text) < 0)
		return -ENOMEM;
	td_strace_call_begins(imp, &log->calls, &at, name->spec, said, &about);
	b->row.fd = about.fd;
	b->row.file_id = about.file_id;
	clones = name->spec->effect == TD_CALL_FORKS || name->spec->effect == TD_CALL_CLONES;
	td_strace_task_set_cloner(&log->tasks, task, clones);
	return TD_LINE_ROW;
}

int td_strace_call_said(struct td_import *imp, const struct td_strace_said *said,
			const struct td_strace_prefix *p, int64_t start_ns, uint64_t begin_line)
{
	struct td_strace_log *log = imp->state;
	bool here = begin_line == imp->line_no;
	struct td_call row = TD_CALL_INIT;
	struct td_strace_task *task;
	int r;

	if (here && !take_time(imp, p))
		return td_reject(imp, "other-time-stamp");
	task = td_strace_task_of(imp, p, false);
	if (!task)
		return -ENOMEM;
	row.start_ns = here ? log->now_ns : start_ns;
	r = task->begun || task->cloner ? drop_begun(imp, task) : 0;
	if (r < 0)
		return r;
	return said->begins ? td_strace_begin_call(imp, task, row.start_ns, begin_line, said)
			    : td_strace_put_call(imp, task, begin_line, said, &row);
}

int td_strace_call_text(struct td_import *imp, const struct td_strace_prefix *p, int64_t start_ns,
			uint64_t begin_line, struct td_str text)
{
	struct td_strace_log *log = imp->state;
	bool here = begin_line == imp->line_no;
	struct td_strace_atoms *w = log->calls.atoms;
	struct td_strace_said said;

	said.tid = (int32_t)p->tid;
	if (td_strace_say_call(w, text, &said) == TD_STRACE_WHOLE)
		return td_strace_call_said(imp, &said, p, start_ns, begin_line);
	if (!said.name || imp->line_unterminated || !here ||
	    !td_syscall_find(td_strace_atom_text(w, said.name)) || !take_time(imp, p))
		return TD_STRACE_NO_EVENT;
	return TD_STRACE_TORN;
}

static int spoilt(struct td_import *imp)
{
	return td_reject(imp, imp->line_unterminated ? "cut-line" : "spoilt-line");
}

/* A call of which only the end is there. What is printed cannot be told apart by its place. */
static int end_without_begin(struct td_import *imp, struct td_strace_task *task, struct td_str name,
			     struct td_str rest)
{
	struct td_strace_log *log = imp->state;
	struct td_strace_text parts = {
		.name = name,
		.all = rest, /* holds the flags of a clone */
		.ret = TD_NULL,
		.dur_ns = TD_NULL,
	};
	struct td_call row = TD_CALL_INIT;
	struct td_strace_said said;
	int r;

	if (!td_strace_find_result(rest, &parts))
		return spoilt(imp);
	r = drop_begun(imp, task);
	if (r < 0)
		return r;
	td_note(imp, "begin-not-seen", NULL);
	row.start_ns = log->now_ns;
	if (parts.dur_ns != TD_NULL)
		row.start_ns -= parts.dur_ns;
	td_strace_say_parts(log->calls.atoms, &parts, &said);
	return td_strace_put_call(imp, task, imp->line_no - 1, &said, &row);
}

/* Does the call that the task is in have this name? */
static bool is_in(const struct td_strace_begun *b, struct td_str name)
{
	return b && b->text.len > name.len && b->text.p[name.len] == '(' &&
	       memcmp(b->text.p, name.p, name.len) == 0;
}

#define TD_STRACE_CALL_MAX ((size_t)1024 * 1024) /* bytes of a call in many parts */

/* The call that the task is in ends. */
static int end_said(struct td_import *imp, struct td_strace_task *task,
		    const struct td_strace_said *said)
{
	struct td_strace_log *log = imp->state;
	struct td_strace_begun *b = td_strace_take_begun(task);
	int r;

	td_strace_task_set_cloner(&log->tasks, task, false);
	r = td_strace_put_call(imp, task, b->line_no, said, &b->row);
	td_strace_give_back(&log->tasks, b);
	return r;
}

/* The call that the task is in ends with this text. */
static int end_begun(struct td_import *imp, struct td_strace_task *task, struct td_str rest)
{
	struct td_strace_log *log = imp->state;
	const struct td_strace_begun *b = task->begun;
	struct td_strace_text parts;
	struct td_strace_said said;
	struct td_scan whole;

	td_strace_text_init(&parts);
	td_strbuf_reset(&log->whole);
	td_strbuf_add(&log->whole, b->text.p, b->text.len);
	td_strbuf_add(&log->whole, rest.p, rest.len);
	if (td_strbuf_error(&log->whole) < 0)
		return -ENOMEM;
	whole = td_scan_of(log->whole.p, log->whole.len);
	(void)td_arg_scan_call_name(&whole, &parts.name);
	if (td_strace_scan_call(&whole, &parts) != TD_STRACE_WHOLE &&
	    !td_strace_find_result(rest, &parts))
		return TD_STRACE_NO_EVENT;
	td_strace_say_parts(log->calls.atoms, &parts, &said);
	return end_said(imp, task, &said);
}

int td_strace_bare_end(struct td_import *imp, struct td_str line)
{
	struct td_strace_log *log = imp->state;
	struct td_strace_task *task = log->tasks.last;

	if (!task || !task->begun || task->begun->line_no + 1 != imp->line_no)
		return TD_STRACE_NO_EVENT;
	return end_begun(imp, task, line);
}

/* Without "superseded by execve" (-qqq) the end of the execve of another thread is all there is. */
static int take_over_exec(struct td_import *imp, struct td_strace_task *task, struct td_str name)
{
	struct td_strace_log *log = imp->state;

	if (!td_str_starts(name, "execve") || task->proc->pid != task->tid)
		return 0;
	for (struct td_strace_task *t = log->tasks.all; t; t = t->next_all)
		if (t != task && t->proc == task->proc && is_in(t->begun, name))
			return td_strace_task_superseded(imp, &log->tasks, task, t->tid,
							 td_strace_known_ns(log));
	return 0;
}

static int resumed_event(struct td_import *imp, const struct td_strace_line *line)
{
	struct td_scan s = td_scan_of(line->event.p, line->event.len);
	struct td_strace_begun *b;
	struct td_strace_task *task;
	struct td_str name, rest;
	int r = 0;

	if (!td_strace_scan_resumed(&s, &name))
		return TD_STRACE_NO_EVENT;
	if (!take_time(imp, &line->prefix))
		return td_reject(imp, "other-time-stamp");
	task = td_strace_task_of(imp, &line->prefix, true);
	if (!task)
		return -ENOMEM;
	b = task->begun;
	if (td_strace_is_end_of(b, line->said, imp->line_no))
		return end_said(imp, task, line->said);
	rest = td_scan_rest(&s);
	if (!is_in(b, name))
		r = take_over_exec(imp, task, name);
	if (r < 0)
		return r;
	b = task->begun;
	if (!is_in(b, name))
		return end_without_begin(imp, task, name, rest);
	if (td_strace_take_suffix(&rest, TD_STRACE_UNFINISHED)) {
		/* interrupted again: it goes on as before */
		if (b->text.len < TD_STRACE_CALL_MAX)
			td_strbuf_add(&b->text, rest.p, rest.len);
		b->grown = true;
		return td_strbuf_error(&b->text) < 0 ? -ENOMEM : TD_LINE_ROW;
	}
	r = end_begun(imp, task, rest);
	return r == TD_STRACE_NO_EVENT ? spoilt(imp) : r;
}

/* --- signals and exits --- */

static int put_mark(struct td_import *imp, struct td_strace_task *task, const char *name,
		    double value, const char *json)
{
	struct td_strace_log *log = imp->state;
	struct td_mark row = TD_MARK_INIT;
	int r = td_strace_task_by_file_name(imp, &log->tasks, task);

	if (r < 0)
		return r;
	row.ts_ns = log->now_ns;
	row.value = value;
	row.name_id = td_store_cstr(imp->store, name);
	row.process_id = task->proc->id;
	row.thread_id = task->thread_id;
	row.args_id = json ? td_store_cstr(imp->store, json) : 0;
	return td_put_mark(imp, &row);
}

/* A word of capitals, digits and '_' (SIGCHLD, CLD_EXITED, SIGRT_1), which needs no quoting in JSON.
 * Empty if it is longer than any real one. */
static struct td_str scan_word(struct td_scan *s)
{
	const char *from = s->p;

	while (s->p < s->end &&
	       ((*s->p >= 'A' && *s->p <= 'Z') || td_is_digit(*s->p) || *s->p == '_'))
		s->p++;
	return (struct td_str){ from, s->p - from <= 32 ? (size_t)(s->p - from) : 0 };
}

/*
 *     --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=12, ...} ---
 *     --- SIGSEGV (Segmentation fault) @ 0 (0) ---      old
 *     --- stopped by SIGSTOP ---
 */
static int signal_event(struct td_import *imp, const struct td_strace_prefix *p, struct td_scan *s)
{
	static const char si_code[] = "si_code=";
	struct td_scan t = *s;
	struct td_str all = td_scan_rest(s), name, code = { "", 0 };
	struct td_strace_task *task;
	const char *found;
	char json[128];
	bool stopped;
	int r;

	if (!td_scan_literal(&t, "--- ") || !td_str_ends(all, " ---"))
		return TD_STRACE_NO_EVENT;
	stopped = td_scan_literal(&t, "stopped by ");
	name = scan_word(&t);
	if (!td_str_starts(name, "SIG"))
		return TD_STRACE_NO_EVENT;
	if (!take_time(imp, p))
		return td_reject(imp, "other-time-stamp");
	task = td_strace_task_of(imp, p, false);
	if (!task)
		return -ENOMEM;
	found = td_str_find(all, si_code);
	if (found) {
		t.p = found + sizeof(si_code) - 1;
		if (t.p < t.end && *t.p >= 'A') /* -X raw prints a number */
			code = scan_word(&t);
	}
	(void)snprintf(json, sizeof(json),
		       code.len ? "{\"signal\":\"%.*s\",\"code\":\"%.*s\"}"
				: "{\"signal\":\"%.*s\"}",
		       (int)name.len, name.p, (int)code.len, code.p);
	r = put_mark(imp, task, stopped ? "stop" : "signal", NAN, json);
	return r < 0 ? r : TD_LINE_ROW;
}

/* The end of a thread; of the process, if the thread carries its id or is its last. Of a file for
 * each thread (-ff) every one is. */
static int end_task(struct td_import *imp, struct td_strace_task *task, int64_t status,
		    const char *json)
{
	struct td_strace_log *log = imp->state;
	int r = td_strace_task_by_file_name(imp, &log->tasks, task);
	bool process =
		task->proc->pid == task->tid || (task->proc->ntasks == 1 && log->tasks.pid_seen);

	if (r >= 0)
		r = put_mark(imp, task, process ? "exit" : "thread-exit", (double)status, json);
	if (r >= 0)
		r = td_strace_task_end(imp, &log->tasks, task, status, td_strace_known_ns(log));
	return r < 0 ? r : TD_LINE_ROW;
}

/*
 *     +++ exited with 0 +++
 *     +++ killed by SIGSEGV (core dumped) +++
 *     +++ superseded by execve in pid 1684 +++
 */
static int exit_event(struct td_import *imp, const struct td_strace_prefix *p, struct td_scan *s)
{
	enum { EXITED, KILLED, SUPERSEDED } how;
	struct td_strace_log *log = imp->state;
	struct td_scan t = *s;
	struct td_str name = { "", 0 };
	struct td_strace_task *task;
	uint64_t number = 0;
	char json[64];
	int r;

	if (!td_scan_literal(&t, "+++ ") || !td_str_ends(td_scan_rest(s), " +++"))
		return TD_STRACE_NO_EVENT;
	if (td_scan_literal(&t, "exited with ") && td_scan_u64(&t, &number))
		how = EXITED;
	else if (td_scan_literal(&t, "killed by ") && (name = scan_word(&t)).len)
		how = KILLED;
	else if (td_scan_literal(&t, "superseded by execve in pid ") && td_scan_u64(&t, &number))
		how = SUPERSEDED;
	else
		return TD_STRACE_NO_EVENT;
	if (number > INT32_MAX)
		return TD_STRACE_NO_EVENT;
	if (!take_time(imp, p))
		return td_reject(imp, "other-time-stamp");
	task = td_strace_task_of(imp, p, false);
	if (!task)
		return -ENOMEM;
	switch (how) {
	case EXITED:
		return end_task(imp, task, (int64_t)number, NULL);
	case KILLED:
		(void)snprintf(json, sizeof(json), "{\"killed\":\"%.*s\"}", (int)name.len, name.p);
		return end_task(imp, task, -(int64_t)td_signal_number(name), json);
	default:
		r = td_strace_task_superseded(imp, &log->tasks, task, (int64_t)number,
					      td_strace_known_ns(log));
		return r < 0 ? r : TD_LINE_ROW;
	}
}

int td_strace_event(struct td_import *imp, const struct td_strace_line *line)
{
	const struct td_strace_prefix *p = &line->prefix;
	struct td_scan s = td_scan_of(line->event.p, line->event.len);

	if (line->said->what == TD_STRACE_CALL)
		return td_strace_call_said(imp, line->said, p, 0, imp->line_no);
	if (td_scan_done(&s))
		return TD_STRACE_NO_EVENT;
	switch (*s.p) {
	case '<':
		return resumed_event(imp, line);
	case '+':
		return exit_event(imp, p, &s);
	case '-':
		return signal_event(imp, p, &s);
	default:
		return td_strace_call_text(imp, p, 0, imp->line_no, line->event);
	}
}
