/* SPDX-License-Identifier: MIT */
/*
 * strace, versions 4 to 6, text output of any options. One event per line:
 *
 *     [prefix] event
 *     prefix   2254  08:54:49.574775 [  59] [00007fce23c96ad7]      pid (-f -o), time, -n, -i
 *              [pid  2254] 1795164892.478485 (+     0.000441107)    pid (-f on a terminal), time, -r
 *              2001<python3> 0.000434                               --decode-pids=comm, -r
 *     event    openat(AT_FDCWD, "/etc/x", O_RDONLY) = 3</etc/x> <0.000033>
 *              read(3,  <unfinished ...>
 *              <... read resumed>"abc", 4096) = 3 <0.000040>        old: <... read resumed> "abc", ...
 *              --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, ...} ---
 *              +++ exited with 0 +++   +++ killed by SIGKILL +++   +++ superseded by execve in pid 7 +++
 *     others   strace: Process 12 attached     > lib(sym+0x1) [0x2]     tables of -c (strace/summary.c)
 *
 * A call becomes a row of 'call' (layer syscall): start from the line it began in, dur_ns from -T
 * only; ret with -errno (also -512 and its like for 'ERESTARTSYS', which strace
 * counts as failed), NULL for a mere '?'; the rest by the table in schema/calls.c. Signals and exits
 * become marks 'signal', 'exit' (of a process) and 'thread-exit'. An unfinished call is stored when it is
 * resumed, or without duration when its thread ends or the log does; both of its lines count as rows.
 * The stack below a call (-k) becomes a stack_sample of kind 'call', with the call's start, duration and thread.
 * A call that was never seen to begin starts at its end minus its duration.
 *
 * Clocks: -ttt is UTC, -t and -tt are local times of day, -r is relative and adds up. Without time stamps
 * the clock is relative too: each call starts where the durations so far add up to, plus 1 ns per line
 * that keeps the order.
 *
 * On a terminal the traced program writes between strace's characters. A call whose line is torn by
 * strace's own messages is put together again; one torn by foreign text is stored with what can be read
 * ('torn-line'), and the foreign lines are issues ('foreign-text').
 */
#include "common/cleanup.h"
#include "importers/core/importers.h"
#include "importers/strace/events.h"
#include "importers/strace/later.h"

/* --- torn lines --- */

/* Cuts "strace: Process 12 attached" (older: without "strace: ") off the end of a torn line, with the
 * "^C" that a terminal echoes before it. *ret_tid: the thread that was attached, if that is it. */
static bool take_message(struct td_str *s, int64_t *ret_tid)
{
	static const char process[] = "Process ";
	const char *p = NULL, *end = s->p + s->len;
	bool attached = td_str_ends(*s, " attached");
	struct td_scan t;
	uint64_t tid;

	if (!attached && !td_str_ends(*s, " detached"))
		return false;
	for (const char *q = s->p; (q = td_find(q, (size_t)(end - q), process, 8)); q++)
		p = q;
	if (!p)
		return false;
	t = td_scan_of(p + 8, (size_t)(end - p - 8));
	if (!td_scan_u64(&t, &tid) || tid > INT32_MAX)
		return false;
	s->len = (size_t)(p - s->p);
	if (td_str_ends(*s, "strace: "))
		s->len -= strlen("strace: ");
	if (td_str_ends(*s, "^C"))
		s->len -= 2;
	*ret_tid = attached ? (int64_t)tid : TD_STRACE_NO_TID;
	return true;
}

/* Where the last argument ends foreign text begins, and nobody knows where: it is dropped. */
static void scan_torn_args(const struct td_strace_torn *torn, struct td_strace_text *parts)
{
	struct td_scan s = td_scan_of(torn->text.p, torn->text.len);
	struct td_strace_text head = { 0 };

	(void)td_arg_scan_call_name(&s, &head.name);
	(void)td_strace_scan_call(&s, &head);
	parts->name = head.name;
	parts->nargs = head.nargs - (head.nargs > 0);
	memcpy(parts->args, head.args, sizeof(parts->args));
	parts->all = (struct td_str){ head.all.p, 0 };
	if (parts->nargs) {
		struct td_str last = parts->args[parts->nargs - 1];

		parts->all.len = (size_t)(last.p + last.len - head.all.p);
	}
}

/* Stores the torn call with the result that was found, or with none. */
static int put_torn(struct td_import *imp, struct td_strace_text *parts)
{
	struct td_strace_log *log = imp->state;
	struct td_strace_torn *torn = &log->torn;
	struct td_strace_task *task = td_strace_task_of(imp, &torn->prefix, false);
	struct td_call row = TD_CALL_INIT;
	struct td_strace_said said;

	torn->active = false;
	if (!task)
		return -ENOMEM;
	scan_torn_args(torn, parts);
	row.start_ns = torn->start_ns;
	td_strace_say_parts(log->calls.atoms, parts, &said);
	return td_strace_put_call(imp, task, torn->line_no, &said, &row);
}

/* Something else has begun: the rest of the torn call will not come. */
static int give_up_torn(struct td_import *imp)
{
	struct td_strace_log *log = imp->state;
	struct td_strace_text parts = { .ret = TD_NULL, .dur_ns = TD_NULL };
	int r = log->torn.active ? put_torn(imp, &parts) : 0;

	return r < 0 ? r : 0;
}

/* A call's line that ends in the middle of its arguments: the rest may follow on another line. text:
 * from the name on. */
static int tear(struct td_import *imp, const struct td_strace_prefix *p, struct td_str text)
{
	struct td_strace_log *log = imp->state;
	struct td_strace_torn *torn = &log->torn;
	int64_t attached = TD_STRACE_NO_TID;
	int r = 0;

	*torn = (struct td_strace_torn){
		.active = true,
		.clean = take_message(&text, &attached),
		.prefix = *p,
		.text = torn->text,
		.line_no = imp->line_no,
	};
	torn->prefix.comm = (struct td_str){ NULL, 0 };
	td_strbuf_reset(&torn->text);
	td_strbuf_add(&torn->text, text.p, text.len);
	if (td_strbuf_error(&torn->text) < 0 || !td_strace_task_of(imp, p, false))
		return -ENOMEM;
	torn->start_ns = log->now_ns; /* the clock may have been set */
	if (!torn->clean)
		td_repair(imp, "torn-line");
	if (attached != TD_STRACE_NO_TID)
		r = td_strace_task_attached(imp, &log->tasks, attached, td_strace_known_ns(log));
	return r < 0 ? r : TD_LINE_ROW;
}

/* The next part of a torn call. TD_STRACE_NO_EVENT: nothing is torn, or the line is no part of it. */
static int torn_part(struct td_import *imp, struct td_str line)
{
	struct td_strace_log *log = imp->state;
	struct td_strace_torn *torn = &log->torn;
	struct td_strace_text parts = { .ret = TD_NULL, .dur_ns = TD_NULL };
	bool clean = torn->clean;
	int r = TD_STRACE_NO_EVENT, e;

	if (!torn->active)
		return TD_STRACE_NO_EVENT;
	torn->clean = false;
	if (clean || td_str_ends(line, TD_STRACE_UNFINISHED) ||
	    td_str_ends(line, TD_STRACE_DETACHED)) {
		td_strbuf_reset(&log->whole);
		td_strbuf_add(&log->whole, torn->text.p, torn->text.len);
		td_strbuf_add(&log->whole, line.p, line.len);
		if (td_strbuf_error(&log->whole) < 0)
			return -ENOMEM;
		r = td_strace_call_text(imp, &torn->prefix, torn->start_ns, torn->line_no,
					(struct td_str){ log->whole.p, log->whole.len });
	}
	if (r != TD_STRACE_NO_EVENT) {
		torn->active = false;
		return r;
	}
	if (!clean && td_str_ends(line, " ...>")) {
		e = give_up_torn(imp);
		return e < 0 ? e : TD_STRACE_NO_EVENT;
	}
	return td_strace_find_result(line, &parts) ? put_torn(imp, &parts) : TD_STRACE_NO_EVENT;
}

/* --- lines that are no events --- */

/* Lines that belong to the call above: its stack (-k) and what it transferred (-e read, -e write): of a
 * vector of buffers one by one, of several messages vector by vector. */
static bool is_detail(struct td_str line)
{
	return td_str_starts(line, TD_STRACE_FRAME) || td_str_starts(line, " | ") ||
	       (td_str_starts(line, " * ") && td_str_find(line, " bytes in buffer ")) ||
	       (td_str_starts(line, " = ") && td_str_find(line, " buffers in vector "));
}

/* Lines of strace itself that carry no data. */
static bool is_message(struct td_str line)
{
	static const char *const begins[] = {
		"strace: ",       "Process ",
		"^Cstrace: ",     "^CProcess ",
		"[ Process PID=", " <detached ...>",
		"<detached ...>", "System call usage summary for ",
	};

	if (is_detail(line))
		return true;

	for (size_t i = 0; i < TD_ARRAY_SIZE(begins); i++)
		if (td_str_starts(line, begins[i]))
			return true;
	return false;
}

static int message(struct td_import *imp, struct td_str line)
{
	struct td_strace_log *log = imp->state;
	int64_t tid = TD_STRACE_NO_TID;
	int r = 0;

	if (take_message(&line, &tid) && tid != TD_STRACE_NO_TID)
		r = td_strace_task_attached(imp, &log->tasks, tid, td_strace_known_ns(log));
	return r < 0 ? r : TD_LINE_SKIPPED;
}

static int other(struct td_import *imp, struct td_str line)
{
	struct td_strace_log *log = imp->state;
	bool strace = is_message(line);
	int r;

	if (!strace || td_str_ends(line, TD_STRACE_DETACHED)) {
		r = torn_part(imp, line);
		if (r != TD_STRACE_NO_EVENT)
			return r;
	}
	if (is_detail(line))
		return td_strace_stack_line(imp, &log->stack, &log->tasks, line);
	if (strace)
		return message(imp, line);
	if (td_strace_summary_header(&log->summary, line))
		return TD_LINE_SKIPPED;
	r = td_strace_bare_end(imp, line);
	if (r != TD_STRACE_NO_EVENT)
		return r;
	return td_reject(imp, imp->line_unterminated ? "cut-line" : "foreign-text");
}

/* --- the importer --- */

/* A line that only strace prints: an event of a known system call, a signal, an exit, a message. */
static bool is_strace(struct td_str line)
{
	static const char *const sure[] = {
		"+++ exited with ",
		"+++ killed by ",
		"--- SIG",
		"strace: Process ",
	};
	struct td_strace_prefix prefix;
	struct td_strace_text text = { 0 };
	struct td_scan s = td_scan_of(line.p, line.len);
	struct td_str body;

	td_strace_scan_prefix(&s, &prefix);
	for (size_t i = 0; i < TD_ARRAY_SIZE(sure); i++)
		if (td_str_starts(td_scan_rest(&s), sure[i]))
			return true;
	if (td_str_ends(line, TD_STRACE_DETACHED))
		return true;
	if (td_strace_scan_resumed(&s, &body))
		return td_syscall_find(body) != NULL;
	body = td_scan_rest(&s);
	if (td_strace_take_suffix(&body, TD_STRACE_UNFINISHED))
		return td_arg_scan_call_name(&s, &text.name) && td_syscall_find(text.name);
	return td_arg_scan_call_name(&s, &text.name) && td_syscall_find(text.name) &&
	       td_strace_scan_call(&s, &text) == TD_STRACE_WHOLE;
}

/* Has the text any of what is_strace() knows a line by, but for calls, which have a bracket? */
static bool has_marks(struct td_str text)
{
	return td_str_find(text, "+++ ") || td_str_find(text, "--- SIG") ||
	       td_str_find(text, "strace: ");
}

/* The traced program's own text may be in between: a third of the lines is enough. Only whole lines count; a small
 * file may end in one without newline. */
static int strace_sniff(const char *head, size_t len)
{
	struct td_scan s = td_scan_of(head, len);
	struct td_strace_summary summary;
	bool marks = has_marks((struct td_str){ head, len });
	unsigned lines = 0, hits = 0;
	struct td_str line;

	while (lines < 200 && td_scan_line(&s, len < 65536, &line)) {
		if (td_str_is_blank(line) || is_detail(line))
			continue;
		if (td_strace_summary_header(&summary, line))
			return 90;
		lines++;
		/* most lines of other texts have none of these, and to take one apart is dear */
		if (marks || memchr(line.p, '(', line.len) || memchr(line.p, '<', line.len))
			hits += is_strace(line);
	}
	return hits > 0 && hits * 3 >= lines ? 90 : 0;
}

/* Takes out the colours that a pager or an editor left. strace itself prints ESC as \33. */
static size_t strip_colours(char *line, size_t len)
{
	size_t to = 0;

	for (size_t i = 0; i < len; i++) {
		if (line[i] != '\033')
			line[to++] = line[i];
		else if (i + 1 < len && line[i + 1] == '[')
			for (i += 2; i < len && !(line[i] >= '@' && line[i] <= '~');)
				i++;
	}
	return to;
}

/* By far the most lines were taken apart ahead and are a call's, with nothing left over that they may belong to. */
static bool is_usual(const struct td_import *imp)
{
	const struct td_strace_log *log = imp->state;
	const struct td_strace_said *said = imp->preparsed_line;

	return said && said->what == TD_STRACE_CALL && !log->torn.active && !log->summary.active;
}

static int usual_line(struct td_import *imp)
{
	struct td_strace_log *log = imp->state;
	const struct td_strace_said *said = imp->preparsed_line;
	struct td_strace_part *part = imp->preparsed_part;
	struct td_strace_prefix prefix = td_strace_said_prefix(&part->atoms, said);
	int r;

	log->calls.atoms = &part->atoms;
	r = td_strace_call_said(imp, said, &prefix, 0, imp->line_no);
	return part->atoms.failed ? -ENOMEM : r;
}

/* What the line says, with the atoms that it refers to. */
static int say(struct td_import *imp, char *line, size_t len, struct td_strace_said *buf,
	       struct td_strace_line *ret)
{
	struct td_strace_log *log = imp->state;
	const struct td_strace_said *said = imp->preparsed_line;
	struct td_strace_part *part = imp->preparsed_part;
	int r = 0;

	ret->said = said;
	if (!said || said->what == TD_STRACE_COLOURED) {
		part = &log->alone;
		if (memchr(line, '\033', len))
			len = strip_colours(line, len);
		ret->said = buf;
		r = td_strace_part_begin(part, line, len);
		if (r >= 0)
			r = td_strace_part_line(part, line, len, buf);
	}
	log->calls.atoms = &part->atoms;
	ret->text = (struct td_str){ line, len };
	td_strace_strip(&ret->text);
	return r;
}

static int any_line(struct td_import *imp, char *p, size_t len)
{
	struct td_strace_log *log = imp->state;
	uint64_t torn_line = log->torn.active ? log->torn.line_no : 0;
	struct td_strace_line line;
	struct td_strace_said buf;
	int r = say(imp, p, len, &buf, &line), e = 0;

	if (r < 0)
		return r;
	if (line.said->what == TD_STRACE_BLANK)
		return TD_LINE_SKIPPED;
	if (log->summary.active) {
		r = td_strace_summary_line(imp, &log->summary, line.text);
		if (r != TD_STRACE_NO_TABLE)
			return r;
	}
	line.prefix = td_strace_said_prefix(log->calls.atoms, line.said);
	line.event = (struct td_str){ line.text.p + line.said->event_at,
				      line.text.len - line.said->event_at };
	r = td_strace_event(imp, &line);
	if (r == TD_STRACE_NO_EVENT)
		return other(imp, line.text);
	log->summary.active = false;
	if (torn_line)
		e = give_up_torn(imp);
	if (r == TD_STRACE_TORN && e >= 0)
		r = tear(imp, &line.prefix, line.event);
	return e < 0 ? e : log->calls.atoms->failed ? -ENOMEM : r;
}

static int strace_line(struct td_import *imp, char *p, size_t len)
{
	struct td_strace_log *log = imp->state;
	int r;

	if (log->stack.frames.n && !td_str_starts((struct td_str){ p, len }, TD_STRACE_FRAME)) {
		r = td_strace_stack_end(imp, &log->stack, &log->tasks);
		if (r < 0)
			return r;
	}
	return is_usual(imp) ? usual_line(imp) : any_line(imp, p, len);
}

static int strace_end(struct td_import *imp)
{
	struct td_strace_log *log = imp->state;
	int r, e, k;

	k = td_strace_stack_end(imp, &log->stack, &log->tasks);
	td_strace_stack_done(&log->stack);
	/* the atoms of the last part are gone */
	log->calls.atoms = &log->alone.atoms;
	td_strace_atoms_clear(&log->alone.atoms);
	r = give_up_torn(imp);
	e = td_strace_tasks_end(imp, &log->tasks);
	td_strace_calls_done(&log->calls);
	td_strace_part_done(&log->alone);
	td_strbuf_done(&log->whole);
	td_strbuf_done(&log->torn.text);
	if (log->stamp == TD_STRACE_STAMP_NONE)
		td_note(imp, "no-time-stamps", "no -t, -r: only the order of the calls is known");
	else if (log->in_seconds)
		td_import_note_seconds(imp);
	else
		td_import_has_fractions(imp);
	return k < 0 ? k : r < 0 ? r : e;
}

/* Nothing follows a duration ("<0.000004>"), a signal, an exit and what strace prints for a missing end. */
static bool strace_takes_tail(const char *tail, size_t len)
{
	static const char *const ends[] = { " +++", " ---", TD_STRACE_UNFINISHED,
					    TD_STRACE_DETACHED };
	struct td_str text = { tail, len };
	const char *open = td_str_rchr(text, '<');
	struct td_scan s = { open, tail + len };
	int64_t dur_ns;

	for (size_t i = 0; i < TD_ARRAY_SIZE(ends); i++)
		if (td_str_ends(text, ends[i]))
			return true;
	return open && td_scan_char(&s, '<') && td_scan_fixed9(&s, &dur_ns) &&
	       td_scan_char(&s, '>') && td_scan_done(&s);
}

/* --- out of turn --- */

static int preparse_begin(void *part, const char *text, size_t len)
{
	return td_strace_part_begin(part, text, len);
}

static int preparse_line(void *part, const char *line, size_t len, void *ret)
{
	return td_strace_part_line(part, line, len, ret);
}

static ssize_t preparse_settle(struct td_import *imp, void *part, const void *lines, size_t n)
{
	return td_strace_settle(imp, part, lines, n);
}

static void preparse_row(const void *part, size_t i, struct td_call *ret)
{
	td_strace_later_row(part, i, ret);
}

static void preparse_done(void *part)
{
	td_strace_part_done(part);
}

static const struct td_importer_preparse preparse = {
	.part_size = sizeof(struct td_strace_part),
	.line_size = sizeof(struct td_strace_said),
	.begin = preparse_begin,
	.line = preparse_line,
	.settle = preparse_settle,
	.row = preparse_row,
	.done = preparse_done,
};

const struct td_importer td_importer_strace = {
	.name = "strace",
	.desc = "strace: system calls of any options, signals, exits; tables of -c",
	.clock = TD_CLOCK_NONE,
	.state_size = sizeof(struct td_strace_log),
	.sniff = strace_sniff,
	.surest = 90,
	.line = strace_line,
	.takes_tail = strace_takes_tail,
	.preparse = &preparse,
	.end = strace_end,
};
