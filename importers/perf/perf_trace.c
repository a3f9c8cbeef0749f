/* SPDX-License-Identifier: MIT */
/*
 * perf trace's text. Times are ms since the first event, or (-T) of perf's clock.
 *
 *     0.059 ( 0.019 ms): sh/2220 read(fd: 4</etc/x>, buf: 0x7ffc1e2d3a88, count: 832)   = 832
 *     0.903 ( 0.020 ms): openat(dfd: CWD, filename: "/no", flags: RDONLY) = -1 ENOENT (No such file ...)
 *     0.000 (         ): sh/2864 read(fd: 17, count: 1)                      ...        begins
 *     0.000 ( 6.868 ms): sh/2864  ... [continued]: read()) = 1                          and ends
 *    72.152 (         ): sh/2220 exit_group(error_code: 2)                 = ?          never ends
 *
 * Each becomes a call (perf/calls.h): what is printed is its begin. RELATIVE, since perf's clock is
 * neither that of the wall nor, quite, the time since boot.
 *
 * Names of tasks and files may have newlines in them: lines are put together until the call is
 * whole.
 *
 * Issues: torn-event (a call that was not); no-begin (a call of which the begin, and with it its
 * time, was not seen), not-a-call. Noted once
 * each and skipped: other-event (tracepoints, page faults) and the tables of -s (summary-table).
 */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/core/call_args.h"
#include "importers/core/error_names.h"
#include "importers/core/importers.h"
#include "importers/perf/calls.h"

#define COMM_MAX 24
#define TASK_COMM_LEN 16 /* of the kernel, with the NUL */

struct trace {
	struct td_perf perf;
	struct td_perf_held held;
	bool in_summary;
	bool noted_event, noted_summary;
};

struct event {
	bool has_time;
	int64_t start_ns, dur_ns; /* dur_ns TD_NULL: not printed */
	struct td_str comm; /* .p NULL: no task is printed */
	int64_t tid;
	struct td_scan rest; /* the call */
};

/* "12.879": ms to ns */
static bool scan_ms(struct td_scan *s, int64_t *ret)
{
	uint64_t whole;
	int64_t unit = 1000000;

	if (!td_scan_u64(s, &whole) || whole > INT64_MAX / 2000000 || !td_scan_char(s, '.'))
		return false;
	*ret = (int64_t)whole * unit;
	for (; s->p < s->end && td_is_digit(*s->p); s->p++) {
		unit /= 10;
		*ret += unit * (*s->p - '0');
	}
	return true;
}

/* "     0.059 ( 0.019 ms): ", "         ? (         ): " */
static bool scan_times(struct td_scan *s, struct event *ret)
{
	ret->dur_ns = TD_NULL;
	td_scan_blanks(s);
	ret->has_time = !td_scan_char(s, '?');
	if (ret->has_time && !scan_ms(s, &ret->start_ns))
		return false;
	if (!td_scan_blanks(s) || !td_scan_char(s, '('))
		return false;
	td_scan_blanks(s);
	if (!td_scan_done(s) && *s->p != ')' &&
	    (!scan_ms(s, &ret->dur_ns) || !td_scan_literal(s, " ms")))
		return false;
	return td_scan_literal(s, "): ");
}

/* "migration/0/18 ": the last part is the tid. Without one the text begins with the call. */
static void scan_task(struct td_scan *s, struct event *ret)
{
	const char *from = s->p;

	ret->comm = (struct td_str){ NULL, 0 };
	ret->tid = 0;
	for (const char *p = from; p < s->end && p - from <= COMM_MAX; p++) {
		struct td_scan t = { p, s->end };
		uint64_t tid;

		if (!td_scan_char(&t, '/') || !td_scan_u64(&t, &tid) || !td_scan_char(&t, ' ') ||
		    tid > INT32_MAX)
			continue;
		ret->comm = (struct td_str){ from, (size_t)(p - from) };
		if (*from == ':') /* perf does not know the name: ":2864/2864" */
			ret->comm = (struct td_str){ "", 0 };
		ret->tid = (int64_t)tid;
		s->p = t.p;
		return;
	}
}

static bool scan_event(struct td_str line, struct event *ret)
{
	ret->rest = td_scan_of(line.p, line.len);
	if (!scan_times(&ret->rest, ret))
		return false;
	scan_task(&ret->rest, ret);
	return true;
}

/* "= 832", "= 0x7f31", "= -1 ENOENT (No such file)", "= 2222 (ls)", "= 11</tmp/x>", "= ?"; "= " too, for a
 * process that is not there */
static bool scan_result(struct td_str text, int64_t *ret)
{
	struct td_scan s = td_scan_of(text.p, text.len);
	struct td_str value, name;
	const char *note;
	int error;

	td_scan_blanks(&s);
	if (!td_scan_char(&s, '='))
		return false;
	td_scan_blanks(&s);
	*ret = TD_NULL;
	if (!td_scan_token(&s, &value) || td_str_eq(value, "?"))
		return true;
	note = memchr(value.p, '<', value.len);
	if (note)
		value.len = (size_t)(note - value.p);
	if (!td_arg_number(value, ret)) /* "RDONLY|LARGEFILE" of fcntl(F_GETFL) */
		return value.len && value.p[0] >= 'A' && value.p[0] <= 'Z';
	td_scan_blanks(&s);
	if (*ret == -1 && td_scan_token(&s, &name)) {
		error = td_error_number(name);
		if (error)
			*ret = -error;
	}
	return true;
}

/* The ')' that ends the arguments: the last one with a result, or "...", behind it. */
static const char *find_end(struct td_scan s)
{
	for (const char *p = s.end; p > s.p;) {
		struct td_scan t;

		p = memrchr(s.p, ')', (size_t)(p - s.p));
		if (!p)
			break;
		t = (struct td_scan){ p + 1, s.end };
		if (td_scan_blanks(&t) && (td_scan_char(&t, '=') || td_scan_literal(&t, "...")))
			return p;
	}
	return NULL;
}

/* "my", before "name/4711 read(fd: 3)   = 4" in the next line, or a call without its end */
static bool goes_on(struct td_scan s)
{
	struct td_str name;

	return (size_t)(s.end - s.p) < TASK_COMM_LEN || td_arg_scan_call_name(&s, &name);
}

static int call_line(struct td_import *imp, struct trace *tr, struct event *e)
{
	struct td_scan s = e->rest;
	bool continued = td_scan_blanks(&s) > 0 && td_scan_literal(&s, "... [continued]: ");
	struct td_str name, args, tail;
	struct td_perf_task *t;
	const char *end;
	int64_t ret = TD_NULL;
	bool unfinished;
	int r = 0;

	if (!continued)
		s = e->rest;
	if (!td_arg_scan_call_name(&s, &name) || !(end = find_end(s)))
		return goes_on(e->rest) ? TD_LINE_OPEN : td_reject(imp, "not-a-call");
	args = (struct td_str){ s.p, (size_t)(end - s.p) };
	tail = (struct td_str){ end + 1, (size_t)(s.end - end - 1) };
	unfinished = td_str_ends(tail, "...");
	if (!unfinished && !scan_result(tail, &ret))
		return td_reject(imp, "not-a-call");
	if (!e->has_time && td_perf_returns_twice(name))
		return TD_LINE_SKIPPED;
	if (!e->has_time)
		return td_reject(imp, "no-begin");
	/* perf names no task if there is only one: it is not known which */
	t = td_perf_task(imp, &tr->perf, e->comm.p ? e->tid : TD_NULL, -1, e->comm);
	if (!t)
		return -ENOMEM;
	if (!continued || !t->open)
		r = td_perf_begin(imp, t, name, continued ? (struct td_str){ "", 0 } : args,
				  e->start_ns);
	if (r >= 0 && !unfinished) {
		t->row.unfinished = ret == TD_NULL && e->dur_ns == TD_NULL;
		r = td_perf_end(imp, t, ret, e->dur_ns);
	}
	return r < 0 ? r : TD_LINE_ROW;
}

static int note_once(struct td_import *imp, bool *noted, const char *kind)
{
	if (!*noted)
		td_note(imp, kind, NULL);
	*noted = true;
	return TD_LINE_SKIPPED;
}

/* "( 0.000 ms): sh/2870 minfault [elf_load+0x28a] => ..." */
static bool is_fault(struct td_scan s)
{
	return td_scan_literal(&s, "minfault ") || td_scan_literal(&s, "majfault ");
}

/* "0.028 rcu_preempt/15 sched:sched_switch(prev_comm: ...)": without a duration */
static bool is_tracepoint(struct td_str line)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	const char *open = td_str_find(line, "("), *colon = td_str_find(line, ":");
	int64_t ns;

	td_scan_blanks(&s);
	return scan_ms(&s, &ns) && td_scan_blanks(&s) && open && colon && colon < open;
}

/* " sh (2220), 230 events, 17.9%" and " Summary of events:" begin what is no event */
static bool is_summary(struct td_str line)
{
	return td_str_starts(line, " Summary of events") ||
	       (td_str_starts(line, " ") && td_str_find(line, "), ") &&
		td_str_find(line, " events, "));
}

/* A line of a stack (--call-graph): "                    brk (/lib/ld.so)", further to the right than any
 * event. */
static bool is_frame(struct td_str line)
{
	size_t n = 0;

	while (n < line.len && line.p[n] == ' ')
		n++;
	return n >= 30 && td_str_ends(line, ")");
}

static int whole_line(struct td_import *imp, struct trace *tr, struct td_str line)
{
	struct event e;

	if (scan_event(line, &e)) {
		tr->in_summary = false;
		return is_fault(e.rest) ? note_once(imp, &tr->noted_event, "other-event")
					: call_line(imp, tr, &e);
	}
	if (is_tracepoint(line))
		return note_once(imp, &tr->noted_event, "other-event");
	tr->in_summary |= is_summary(line);
	if (tr->in_summary)
		return note_once(imp, &tr->noted_summary, "summary-table");
	return td_reject(imp, "not-a-call");
}

/* Behind lines that did not make an event. */
static int next_line(struct td_import *imp, struct trace *tr, struct td_str line)
{
	int r = td_perf_hold(imp, &tr->held, line);
	struct event e;

	if (r != TD_LINE_OPEN)
		return r;
	if (!scan_event((struct td_str){ tr->held.text.p, tr->held.text.len }, &e))
		return r;
	r = call_line(imp, tr, &e);
	if (r == TD_LINE_ISSUE)
		td_perf_held_drop(imp, &tr->held);
	else if (r != TD_LINE_OPEN)
		td_perf_held_done(imp, &tr->held);
	return r;
}

static int trace_line(struct td_import *imp, char *text, size_t len)
{
	struct trace *tr = imp->state;
	struct td_str line;
	struct event e;
	int r;

	while (len && text[len - 1] == ' ') /* copied from a terminal */
		len--;
	line = (struct td_str){ text, len };

	if (tr->held.nlines && !scan_event(line, &e))
		return next_line(imp, tr, line);
	if (tr->held.nlines)
		td_perf_held_drop(imp, &tr->held);
	if (strspn(text, " \t") >= len || text[0] == '#' || is_frame(line))
		return TD_LINE_SKIPPED;
	r = whole_line(imp, tr, line);
	return r == TD_LINE_OPEN ? td_perf_hold(imp, &tr->held, line) : r;
}

static int trace_end(struct td_import *imp)
{
	struct trace *tr = imp->state;

	if (tr->held.nlines)
		td_perf_held_drop(imp, &tr->held);
	td_strbuf_done(&tr->held.text);
	return td_perf_done(imp, &tr->perf);
}

static int trace_sniff(const char *head, size_t len)
{
	const char *p = head, *nl;

	for (; (nl = memchr(p, '\n', (size_t)(head + len - p))); p = nl + 1) {
		struct event e;
		struct td_str name;

		if (!scan_event((struct td_str){ p, (size_t)(nl - p) }, &e))
			continue;
		(void)td_scan_literal(&e.rest, " ... [continued]: ");
		if (td_arg_scan_call_name(&e.rest, &name) && find_end(e.rest))
			return 87;
	}
	return 0;
}

const struct td_importer td_importer_perf_trace = {
	.name = "perf-trace",
	.desc = "perf trace: system calls",
	.clock = TD_CLOCK_RELATIVE,
	.state_size = sizeof(struct trace),
	.sniff = trace_sniff,
	.surest = 87,
	.line = trace_line,
	.end = trace_end,
};
