/* SPDX-License-Identifier: MIT */
/* The events of a strace log: calls, their ends, signals, exits. And what a log being read consists of. */
#pragma once

#include "importers/strace/calls.h"
#include "importers/strace/stack.h"
#include "importers/strace/summary.h"

/* Outcomes beside enum td_verdict. */
#define TD_STRACE_NO_EVENT 100 /* the line is something else; nothing was done */
#define TD_STRACE_TORN 101 /* a call that breaks off within its arguments; its time was taken */

/* A call whose line was torn (strace.c). */
struct td_strace_torn {
	bool active;
	bool clean; /* only strace's own messages were in it: the parts fit together */
	struct td_strace_prefix prefix;
	struct td_strbuf text; /* from the name on */
	int64_t start_ns;
	uint64_t line_no;
};

/* The line being read. */
struct td_strace_line {
	struct td_str text; /* without blanks at its end */
	struct td_str event; /* of it: behind the prefix */
	struct td_strace_prefix prefix;
	const struct td_strace_said *said;
};

/* The state of the importer. */
struct td_strace_log {
	struct td_strace_tasks tasks;
	struct td_strace_calls calls;
	struct td_strace_part alone; /* of a line that was not taken apart ahead */
	struct td_strace_stack stack; /* below the call that ended last */
	struct td_strace_summary summary;
	struct td_strace_torn torn;
	struct td_strbuf whole; /* a call put together from its parts */
	enum td_strace_stamp stamp; /* how this log prints times */
	bool in_seconds; /* and these are whole seconds */
	int64_t now_ns; /* time of the newest event */
	int64_t step_ns; /* to add to time stamps: since the clock was set, of files that begin behind midnight */
};

/* When processes begin and end now; TD_NULL where nothing but the order of the lines is known. */
static inline int64_t td_strace_known_ns(const struct td_strace_log *log)
{
	return log->stamp == TD_STRACE_STAMP_NONE ? TD_NULL : log->now_ns;
}

/* The task that a line with this prefix is about. NULL: out of memory. */
struct td_strace_task *td_strace_task_of(struct td_import *imp, const struct td_strace_prefix *p,
					 bool resumed);

/* Text from the name of a call on. start_ns and begin_line: of the line in which it begins (start_ns
 * counts only if that is not this line). An enum td_verdict, one of the outcomes above, or -errno. */
int td_strace_call_text(struct td_import *imp, const struct td_strace_prefix *p, int64_t start_ns,
			uint64_t begin_line, struct td_str text);

/* The same of a call that was taken apart. */
int td_strace_call_said(struct td_import *imp, const struct td_strace_said *said,
			const struct td_strace_prefix *p, int64_t start_ns, uint64_t begin_line);

/* What a thread does is in order, whatever others do: an earlier line of it is of a clock that was set. */
static inline bool td_strace_is_clock_step(const struct td_strace_task *t, int64_t now_ns)
{
	return t->last_ns && now_ns < t->last_ns - TD_CLOCK_STEP_MIN_NS;
}

/* Is the begin of the call that the task is in (NULL: none) what the line was taken apart with? */
static inline bool td_strace_is_end_of(const struct td_strace_begun *b,
				       const struct td_strace_said *said, uint64_t line_no)
{
	return said->what == TD_STRACE_RESUMED && b && b->line_no + said->ago == line_no &&
	       !b->grown;
}

/* A call that goes on: it is kept with its thread until it is resumed. TD_LINE_ROW, TD_LINE_ISSUE or -errno. */
int td_strace_begin_call(struct td_import *imp, struct td_strace_task *task, int64_t start_ns,
			 uint64_t begin_line, const struct td_strace_said *said);

/* Stores a call. row: what is known from its beginning, at least start_ns. TD_LINE_ROW, TD_LINE_ISSUE
 * or -errno. */
int td_strace_put_call(struct td_import *imp, struct td_strace_task *task, uint64_t begin_line,
		       const struct td_strace_said *said, struct td_call *row);

/* Any event. Outcomes as td_strace_call_text(). */
int td_strace_event(struct td_import *imp, const struct td_strace_line *line);

/* A line that is no event: the end of the call that began on the line before, of which strace did not
 * print "resumed"? (-z, -Z: what came between was left out.) Outcomes as td_strace_call_text(). */
int td_strace_bare_end(struct td_import *imp, struct td_str line);
