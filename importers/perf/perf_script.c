/* SPDX-License-Identifier: MIT */
/*
 * perf script's text for tracepoints: command, tid (or pid/tid), CPU, time in s, event, its fields.
 *
 *     cat  2231 [000]  7002.983338: syscalls:sys_enter_read: fd: 0x00000003, buf: 0x7f54, count: 0x00000010
 *     cat  2231 [000]  7002.983341:  syscalls:sys_exit_read: 0x10
 *     dd   2232 [000]  7002.984309:  block:block_rq_insert: 254,0 WS 184320 () 171462808 + 360 [dd]
 *     dd   2232 [000]  7002.984325:   block:block_rq_issue: 254,0 WS 184320 () 171462808 + 360 [dd]
 *     sh   2226 [001]  7002.999945: block:block_rq_complete: 254,0 WS () 171462808 + 360 [0]
 *     cat  2231 [000]  7003.000000:    sched:sched_switch: prev_comm=cat prev_pid=2231 ... prev_state=S ==> ...
 *     cat  2231 [000]  7003.000100:     250000 cpu-clock:u:
 *     	       f82ad read+0xd (/lib/libc.so.6)
 *
 *     sys_enter_*, sys_exit_*     a call, layer syscall (perf/calls.h)
 *     block_rq_issue, _complete   a block request of device '254:0'; _insert adds its time in the queue
 *     sched_switch                slices: 'running' of the next task on that CPU until the next switch, and
 *                                 'runnable', 'sleeping', 'blocked' or 'other' of the previous one until it
 *                                 runs again
 *     cycles, cpu-clock, ...      a stack_sample of kind 'cpu' (perf/samples.h)
 *
 * RELATIVE: perf's clock (sched_clock) is near to the time since boot, but drifts from it.
 *
 * Names of tasks may have newlines in them: lines are put together then.
 *
 * Other events, and the call chains of tracepoints, are skipped; the first event of another kind is
 * noted (other-event). Issues:
 * no-begin (the end of a call or request whose begin was not seen), not-an-event, torn-event.
 */
#include "common/cleanup.h"
#include "importers/core/call_args.h"
#include "importers/core/importers.h"
#include "importers/perf/blocks.h"
#include "importers/perf/calls.h"
#include "importers/perf/samples.h"

#define CPUS_MAX 8192
#define COMM_WIDTH 16

struct event {
	struct td_str comm;
	int64_t pid, tid; /* pid -1: not printed */
	int32_t cpu; /* -1: not printed */
	int64_t ns;
	struct td_str name; /* "sched:sched_switch" */
	struct td_scan args;
};

/* What a CPU runs. */
struct cpu {
	int64_t tid; /* 0: idle, or nothing was seen yet */
	int64_t since_ns;
};

struct script {
	struct td_perf perf;
	struct td_perf_blocks blocks;
	struct td_perf_held held;
	struct td_perf_sample sample;
	struct cpu *cpus;
	size_t ncpus;
	bool noted_event;
};

/* --- the line --- */

static bool scan_ids(struct td_str s, struct event *ret)
{
	struct td_scan t = td_scan_of(s.p, s.len);
	uint64_t a, b;

	if (!td_scan_u64(&t, &a) || a > INT32_MAX)
		return false;
	ret->pid = -1;
	ret->tid = (int64_t)a;
	if (td_scan_char(&t, '/')) {
		if (!td_scan_u64(&t, &b) || b > INT32_MAX)
			return false;
		ret->pid = (int64_t)a;
		ret->tid = (int64_t)b;
	}
	return td_scan_done(&t);
}

static bool scan_cpu(struct td_str s, int32_t *ret)
{
	struct td_scan t = td_scan_of(s.p, s.len);
	uint64_t cpu;

	if (!td_scan_char(&t, '[') || !td_scan_u64(&t, &cpu) || cpu >= CPUS_MAX ||
	    !td_scan_char(&t, ']') || !td_scan_done(&t))
		return false;
	*ret = (int32_t)cpu;
	return true;
}

/* "7002.983338:" */
static bool scan_time(struct td_str s, int64_t *ret)
{
	struct td_scan t = td_scan_of(s.p, s.len);

	return memchr(s.p, '.', s.len) && td_scan_fixed9(&t, ret) && td_scan_char(&t, ':') &&
	       td_scan_done(&t);
}

/* The period of a sample, which stands before the event. */
static bool is_number(struct td_str s)
{
	struct td_scan t = td_scan_of(s.p, s.len);
	uint64_t n;

	return td_scan_u64(&t, &n) && td_scan_done(&t);
}

/* A '.' and digits before a ':', as in a time: few lines of other texts have that. */
static bool may_have_time(struct td_str line)
{
	const char *p = line.p, *end = line.p + line.len, *q;

	for (; p < end && (p = memchr(p, ':', (size_t)(end - p))); p++) {
		for (q = p; q > line.p && td_is_digit(q[-1]); q--)
			;
		if (q > line.p && q[-1] == '.')
			return true;
	}
	return false;
}

/* The command may have blanks in it: what stands before the ids that stand before CPU and time is it. */
static bool scan_event(struct td_str line, struct event *ret)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	struct td_str before[2] = { { NULL, 0 }, { NULL, 0 } }, token;
	const char *from;

	if (!may_have_time(line))
		return false;
	td_scan_blanks(&s);
	from = s.p;
	for (; td_scan_token(&s, &token); td_scan_blanks(&s)) {
		bool has_cpu = before[1].p && scan_cpu(before[1], &ret->cpu);
		struct td_str ids = has_cpu ? before[0] : before[1];

		if (ids.p && ids.p > from && scan_time(token, &ret->ns) && scan_ids(ids, ret)) {
			if (!has_cpu)
				ret->cpu = -1;
			ret->comm = (struct td_str){ from, (size_t)(ids.p - from) };
			while (ret->comm.len && ret->comm.p[ret->comm.len - 1] == ' ')
				ret->comm.len--;
			td_scan_blanks(&s);
			if (!td_scan_token(&s, &ret->name))
				return false;
			td_scan_blanks(&s);
			if (is_number(ret->name) && !td_scan_token(&s, &ret->name))
				return false;
			/* "PERF_RECORD_COMM exec:" of --show-task-events */
			if (!td_str_ends(ret->name, ":"))
				return td_str_starts(ret->name, "PERF_RECORD_");
			ret->name.len--;
			td_scan_blanks(&s);
			ret->args = s;
			return true;
		}
		before[0] = before[1];
		before[1] = token;
	}
	return false;
}

/* --- system calls --- */

static struct td_str behind(struct td_str s, const char *prefix)
{
	size_t n = strlen(prefix);

	return (struct td_str){ s.p + n, s.len - n };
}

static int enter_line(struct td_import *imp, struct script *sc, const struct event *e)
{
	struct td_perf_task *t = td_perf_task(imp, &sc->perf, e->tid, e->pid, e->comm);
	int r;

	if (!t)
		return -ENOMEM;
	r = td_perf_begin(imp, t, behind(e->name, "syscalls:sys_enter_"), td_scan_rest(&e->args),
			  e->ns);
	return r < 0 ? r : TD_LINE_ROW;
}

static int exit_line(struct td_import *imp, struct script *sc, const struct event *e)
{
	struct td_perf_task *t = td_perf_task(imp, &sc->perf, e->tid, e->pid, e->comm);
	struct td_str name = behind(e->name, "syscalls:sys_exit_");
	int64_t ret;
	int r;

	if (!t)
		return -ENOMEM;
	if (!td_arg_number(td_scan_rest(&e->args), &ret))
		return td_reject(imp, "not-an-event");
	if (!t->open && ret == 0 && td_perf_returns_twice(name))
		return TD_LINE_SKIPPED;
	if (!t->open || t->row.op_id != td_store_op(imp->store, name.p, name.len, TD_LAYER_SYSCALL))
		return td_reject(imp, "no-begin");
	r = td_perf_end(imp, t, ret, e->ns - t->row.start_ns);
	return r < 0 ? r : TD_LINE_ROW;
}

/* --- block requests --- */

static int block_line(struct td_import *imp, struct script *sc, const struct event *e)
{
	struct td_str what = behind(e->name, "block:block_rq_");
	enum td_perf_block kind = td_str_eq(what, "insert")  ? TD_PERF_INSERT
				  : td_str_eq(what, "issue") ? TD_PERF_ISSUE
							     : TD_PERF_COMPLETE;
	const struct td_perf_task *t = td_perf_task(imp, &sc->perf, e->tid, e->pid, e->comm);
	int r;

	if (!t)
		return -ENOMEM;
	r = td_perf_block(imp, &sc->blocks, kind, td_scan_rest(&e->args), e->ns, t->process_id);
	if (r == TD_PERF_SPOILT)
		return td_reject(imp, "not-an-event");
	if (r == TD_PERF_NO_BEGIN)
		return td_reject(imp, "no-begin");
	return r < 0 ? r : TD_LINE_ROW;
}

/* --- scheduling --- */

struct switch_args {
	struct td_str prev_comm, next_comm;
	int64_t prev_tid, next_tid;
	char state;
};

/* What stands between the two texts. */
static bool between(struct td_str s, const char *from, const char *to, struct td_str *ret)
{
	const char *a = td_str_find(s, from), *b;

	if (!a)
		return false;
	a += strlen(from);
	b = td_find(a, (size_t)(s.p + s.len - a), to, strlen(to));
	if (!b)
		return false;
	*ret = (struct td_str){ a, (size_t)(b - a) };
	return true;
}

static bool scan_tid(struct td_str s, int64_t *ret)
{
	struct td_scan t = td_scan_of(s.p, s.len);

	return td_scan_i64(&t, ret) && td_scan_done(&t) && *ret >= 0 && *ret <= INT32_MAX;
}

/* "prev_comm=cat prev_pid=2231 prev_prio=120 prev_state=S ==> next_comm=sh next_pid=7 next_prio=120" */
static bool scan_fields(struct td_str s, struct switch_args *ret)
{
	struct td_str prev, next, state;

	if (!between(s, "prev_comm=", " prev_pid=", &ret->prev_comm) ||
	    !between(s, " prev_pid=", " prev_prio=", &prev) ||
	    !between(s, " prev_state=", " ==> next_comm=", &state) ||
	    !between(s, " ==> next_comm=", " next_pid=", &ret->next_comm) ||
	    !between(s, " next_pid=", " next_prio=", &next) || !state.len)
		return false;
	ret->state = state.p[0];
	return scan_tid(prev, &ret->prev_tid) && scan_tid(next, &ret->next_tid);
}

/* "cat:2231" of "cat:2231 [120] S" */
static bool scan_short(struct td_str s, struct td_str *ret_comm, int64_t *ret_tid, char *ret_state)
{
	const char *colon, *bracket = td_str_find(s, " ["), *close = td_str_find(s, "] ");

	if (!bracket || !(colon = memrchr(s.p, ':', (size_t)(bracket - s.p))))
		return false;
	*ret_comm = (struct td_str){ s.p, (size_t)(colon - s.p) };
	*ret_state = 'R';
	if (close && close + 2 < s.p + s.len)
		*ret_state = close[2];
	return scan_tid((struct td_str){ colon + 1, (size_t)(bracket - colon - 1) }, ret_tid);
}

/* "cat:2231 [120] S ==> sh:7 [120]", as perf prints it with libtraceevent's plugins */
static bool scan_switch(struct td_str s, struct switch_args *ret)
{
	const char *arrow = td_str_find(s, " ==> ");
	char unused;

	if (scan_fields(s, ret))
		return true;
	return arrow &&
	       scan_short((struct td_str){ s.p, (size_t)(arrow - s.p) }, &ret->prev_comm,
			  &ret->prev_tid, &ret->state) &&
	       scan_short((struct td_str){ arrow + 5, (size_t)(s.p + s.len - arrow - 5) },
			  &ret->next_comm, &ret->next_tid, &unused);
}

static const char *state_name(char c)
{
	switch (c) {
	case 'R':
		return "runnable";
	case 'S':
	case 'I':
		return "sleeping";
	case 'D':
		return "blocked";
	default:
		return "other";
	}
}

static int put_slice(struct td_import *imp, const struct td_perf_task *t, uint32_t state_id,
		     int32_t cpu, int64_t from_ns, int64_t to_ns)
{
	struct td_sched row = TD_SCHED_INIT;

	row.start_ns = from_ns;
	row.dur_ns = to_ns - from_ns;
	row.thread_id = t->thread_id;
	row.state_id = state_id;
	if (cpu >= 0)
		row.cpu = cpu;
	return td_put_sched(imp, &row);
}

static struct cpu *cpu_at(struct script *sc, int32_t n)
{
	size_t want = (size_t)n + 1;
	struct cpu *p;

	if (want > sc->ncpus) {
		p = realloc(sc->cpus, want * sizeof(*p));
		if (!p)
			return NULL;
		memset(p + sc->ncpus, 0, (want - sc->ncpus) * sizeof(*p));
		sc->cpus = p;
		sc->ncpus = want;
	}
	return &sc->cpus[n];
}

static int switch_line(struct td_import *imp, struct script *sc, const struct event *e)
{
	struct cpu *cpu,
		unknown = { .tid = 0 }; /* what ran on it before is not known without its number */
	struct switch_args a;
	struct td_perf_task *t;
	int r = 0;

	if (!scan_switch(td_scan_rest(&e->args), &a))
		return TD_LINE_OPEN;
	cpu = e->cpu >= 0 ? cpu_at(sc, e->cpu) : &unknown;
	if (!cpu)
		return -ENOMEM;
	if (a.prev_tid) {
		t = td_perf_task(imp, &sc->perf, a.prev_tid, a.prev_tid == e->tid ? e->pid : -1,
				 a.prev_comm);
		if (!t)
			return -ENOMEM;
		if (cpu->tid == a.prev_tid)
			r = put_slice(imp, t, td_store_cstr(imp->store, "running"), e->cpu,
				      cpu->since_ns, e->ns);
		t->off_ns = e->ns;
		t->off_state = td_store_cstr(imp->store, state_name(a.state));
	}
	if (a.next_tid && r >= 0) {
		t = td_perf_task(imp, &sc->perf, a.next_tid, -1, a.next_comm);
		if (!t)
			return -ENOMEM;
		if (t->off_ns != TD_NULL)
			r = put_slice(imp, t, t->off_state, e->cpu, t->off_ns, e->ns);
		t->off_ns = TD_NULL;
	}
	*cpu = (struct cpu){ a.next_tid, e->ns };
	return r < 0 ? r : TD_LINE_ROW;
}

/* --- samples --- */

static int sample_line(struct td_import *imp, struct script *sc, const struct event *e)
{
	const struct td_perf_task *t = td_perf_task(imp, &sc->perf, e->tid, e->pid, e->comm);
	struct td_stack_sample row = TD_STACK_SAMPLE_INIT;
	int r;

	if (!t)
		return -ENOMEM;
	row.start_ns = e->ns;
	row.process_id = t->process_id;
	row.thread_id = t->thread_id;
	if (e->cpu >= 0)
		row.cpu = e->cpu;
	r = td_perf_sample_begin(imp, &sc->sample, &row, td_scan_rest(&e->args));
	return r < 0 ? r : TD_LINE_ROW;
}

/* --- which event --- */

static const struct {
	const char *prefix;
	int (*line)(struct td_import *imp, struct script *sc, const struct event *e);
	bool whole;
} events[] = {
	{ "syscalls:sys_enter_", enter_line, false },
	{ "syscalls:sys_exit_", exit_line, false },
	{ "block:block_rq_insert", block_line, true },
	{ "block:block_rq_issue", block_line, true },
	{ "block:block_rq_complete", block_line, true },
	{ "sched:sched_switch", switch_line, true },
};

static int event_line(struct td_import *imp, struct script *sc, const struct event *e)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(events); i++)
		if (events[i].whole ? td_str_eq(e->name, events[i].prefix)
				    : td_str_starts(e->name, events[i].prefix))
			return events[i].line(imp, sc, e);
	if (td_perf_is_sample(e->name))
		return sample_line(imp, sc, e);
	if (!sc->noted_event)
		td_note(imp, "other-event", NULL);
	sc->noted_event = true;
	return TD_LINE_SKIPPED;
}

/* perf prints the name in 16 columns, to the right: is the line the rest of the one that the held text begins? */
static bool is_rest_of_name(const struct td_perf_held *held, struct td_str line,
			    const struct event *e)
{
	return held->nlines && e->comm.p == line.p &&
	       held->text.len + 1 + e->comm.len == COMM_WIDTH;
}

/* Behind lines that did not make an event. */
static int next_line(struct td_import *imp, struct script *sc, struct td_str line)
{
	int r = td_perf_hold(imp, &sc->held, line);
	struct event e;

	if (r != TD_LINE_OPEN ||
	    !scan_event((struct td_str){ sc->held.text.p, sc->held.text.len }, &e))
		return r;
	r = event_line(imp, sc, &e);
	if (r == TD_LINE_ISSUE)
		td_perf_held_drop(imp, &sc->held);
	else if (r != TD_LINE_OPEN)
		td_perf_held_done(imp, &sc->held);
	return r;
}

/* "         my": no more than a name, as far to the right as its end in the next line leaves room for */
static bool may_be_name(struct td_str line)
{
	return line.len < COMM_WIDTH && !memchr(line.p, ':', line.len);
}

/* A line of a call chain: "	    7f31 read (/lib/x)" */
static bool is_frame(struct td_str line)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	uint64_t address;

	return td_scan_blanks(&s) && td_scan_hex(&s, &address) && td_scan_blanks(&s);
}

static int script_line(struct td_import *imp, char *text, size_t len)
{
	struct script *sc = imp->state;
	struct td_str line = { text, len };
	struct event e;
	bool is_event = scan_event(line, &e);
	int r;

	/* call chains are indented by a tab, or by blanks before an address */
	if (!is_event && sc->sample.open && (text[0] == '\t' || is_frame(line)))
		return td_perf_sample_frame(imp, &sc->sample, line);
	r = td_perf_sample_end(imp, &sc->sample);
	if (r < 0)
		return r;
	if (sc->held.nlines && (!is_event || is_rest_of_name(&sc->held, line, &e)))
		return next_line(imp, sc, line);
	if (sc->held.nlines)
		td_perf_held_drop(imp, &sc->held);
	if (strspn(text, " \t") >= len || text[0] == '\t' || text[0] == '#')
		return TD_LINE_SKIPPED;
	if (!is_event && is_frame(line))
		return TD_LINE_SKIPPED;
	if (!is_event && !may_be_name(line))
		return td_reject(imp, "not-an-event");
	r = is_event ? event_line(imp, sc, &e) : TD_LINE_OPEN;
	return r == TD_LINE_OPEN ? td_perf_hold(imp, &sc->held, line) : r;
}

static int script_end(struct td_import *imp)
{
	struct script *sc = imp->state;
	int s = td_perf_sample_end(imp, &sc->sample);
	int r = td_perf_blocks_done(imp, &sc->blocks);
	int e = td_perf_done(imp, &sc->perf);

	if (sc->held.nlines)
		td_perf_held_drop(imp, &sc->held);
	td_strbuf_done(&sc->held.text);
	td_perf_sample_done(&sc->sample);
	free(sc->cpus);
	return s < 0 ? s : r < 0 ? r : e;
}

/* Tracepoints, whose names have a colon within, and samples. */
static int script_sniff(const char *head, size_t len)
{
	const char *p = head, *nl;
	size_t hits = 0, others = 0;

	for (; (nl = memchr(p, '\n', (size_t)(head + len - p))) && hits + others < 200;
	     p = nl + 1) {
		struct td_str line = { p, (size_t)(nl - p) };
		struct event e;

		if (!line.len || p[0] == '\t' || p[0] == '#')
			continue;
		if (scan_event(line, &e) &&
		    (memchr(e.name.p, ':', e.name.len) || td_perf_is_sample(e.name)))
			hits++;
		else
			others++;
	}
	return hits && hits * 2 >= others
		       ? 86
		       : 0; /* names with newlines make two or three lines of an event */
}

const struct td_importer td_importer_perf_script = {
	.name = "perf-script",
	.desc = "perf script: tracepoints of system calls, block requests, the scheduler; samples",
	.clock = TD_CLOCK_RELATIVE,
	.state_size = sizeof(struct script),
	.sniff = script_sniff,
	.surest = 86,
	.line = script_line,
	.end = script_end,
};
