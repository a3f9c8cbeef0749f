/* SPDX-License-Identifier: MIT */
/*
 * The threads and processes of a strace log. strace prints thread ids (or none at all while there is
 * only one thread); which process a thread belongs to follows from the clone that made it. Its first
 * lines may come before that clone's result, and the id of the first process may not be known before
 * the second one appears: rows wait until it is.
 *
 * Memory: per live thread and process, and TD_STRACE_WAITING_MAX waiting rows.
 */
#pragma once

#include "common/strbuf.h"
#include "importers/core/import.h"
#include "importers/strace/fds.h"
#include "schema/calls.h"
#include "importers/strace/prefix.h"

#define TD_STRACE_WAITING_MAX 32768

/* What a stack has of its call. */
struct td_strace_stacked {
	int64_t start_ns, dur_ns;
	uint32_t process_id, thread_id;
	uint16_t op_id;
};

/* A call whose process is not known yet. */
struct td_strace_waiting {
	struct td_call call;
	uint32_t stack_id; /* 0: none */
};

struct td_strace_proc {
	unsigned ntasks;
	int64_t pid; /* TD_STRACE_NO_TID: not known yet */
	uint32_t id; /* 0: not known yet, its rows wait */
	struct td_strace_fds *fds;
	struct td_strace_waiting *waiting;
	size_t nwaiting, waiting_cap;
	uint32_t name_id, command_line_id; /* of execve, until the process is known */
	bool inherited; /* these are the parent's: another file (-ff) may know better */
	int64_t start_ns, parent_pid; /* TD_NULL: unknown */
	int64_t exit_status; /* TD_NULL: unknown */
	bool ended;
};

/* A call whose end was not seen yet. */
struct td_strace_begun {
	struct td_strace_begun *next_spare;
	bool grown; /* of more than one line */
	struct td_strbuf text; /* from the name on */
	struct td_call row; /* start, file and descriptor as they were at the start */
	uint64_t line_no;
	const struct td_syscall *spec;
};

/* There can be a million of them, few of which are in a call that another one interrupts. */
struct td_strace_task {
	int64_t tid;
	uint32_t thread_id;
	bool orphan; /* its process is not known: who made it has not been seen */
	bool cloner; /* within clone or fork */
	struct td_strace_proc *proc;
	int64_t guessed_parent; /* tid whose clone seems to have made it */
	uint64_t first_line;
	int64_t last_ns; /* of its line before; 0: there is none */
	struct td_strace_begun *begun; /* NULL: it is in no call that has begun */
	char *comm; /* last one printed (--decode-pids=comm), or NULL */
	struct td_strace_task *next_in_bucket;
	struct td_strace_task *prev_all, *next_all;
	struct td_strace_task *prev_cloner, *next_cloner; /* the others of those */
};

/* A task that ended before the clone that made it returned. */
struct td_strace_ended {
	int64_t tid; /* 0: none */
	uint64_t first_line;
	uint32_t process_id;
};

#define TD_STRACE_ENDED 16 /* clones that are that late at the same time; more have not been seen */

/* The call that was put last, for what is printed below it: no more than a stack has of its call,
 * because it is kept of every call of every log. */
struct td_strace_newest {
	uint64_t line_no; /* that it ends in; 0: none */
	struct td_strace_stacked call; /* once it is stored */
	struct td_strace_proc *waits_in; /* NULL: it is stored */
	size_t at; /* there */
};

struct td_strace_tasks {
	struct td_strace_task **buckets; /* power of two */
	size_t nbuckets, n;
	struct td_strace_task *all, *cloners; /* lists, newest first */
	struct td_strace_task *last; /* of the line before */
	struct td_strace_task *unnamed; /* the one whose lines have no pid, until it is known */
	struct td_strace_begun *spare; /* list: those of calls that are over */
	struct td_strace_ended ended[TD_STRACE_ENDED]; /* ring */
	unsigned next_ended;
	size_t nwaiting;
	struct td_strace_newest newest;
	bool pid_seen; /* some line has a pid */
};

void td_strace_tasks_done(struct td_strace_tasks *ts);

struct td_strace_task *td_strace_task_find(const struct td_strace_tasks *ts, int64_t tid);

/* The task that a line with this tid (or none) is about, made at first sight. resumed: the line ends a
 * call that began earlier. NULL: out of memory. */
struct td_strace_task *td_strace_task_of_line(struct td_import *imp, struct td_strace_tasks *ts,
					      int64_t tid, bool resumed, int64_t now_ns);

/* strace says that it traces this tid from now on. 0 or -errno. */
int td_strace_task_attached(struct td_import *imp, struct td_strace_tasks *ts, int64_t tid,
			    int64_t now_ns);

/* Parent's clone, begun in line begin_line, returned this tid. 0 or -errno. */
int td_strace_task_cloned(struct td_import *imp, struct td_strace_tasks *ts,
			  struct td_strace_task *parent, int64_t tid, bool is_thread,
			  bool shares_fds, uint64_t begin_line, int64_t now_ns);

/* The task's own id, as it was told itself: useful if it is not known yet. 0 or -errno. */
int td_strace_task_told(struct td_import *imp, struct td_strace_tasks *ts, struct td_strace_task *t,
			int64_t tid);

/* Who the task is has to be known now, a row of it cannot wait: if its lines have no pid, the name
 * of its file (-ff) may tell it. 0 or -errno. */
int td_strace_task_by_file_name(struct td_import *imp, struct td_strace_tasks *ts,
				struct td_strace_task *t);

/* Files of -ff with times of day: those of this file, whose first one is tod_ns, count from so many
 * days (in ns) behind the midnight that another file of the set counts from. 0 if none tells when
 * the file's thread was made. */
int64_t td_strace_days_behind(struct td_import *imp, int64_t tod_ns);

/* execve succeeded: command_line and name (its comm) may be empty. 0 or -errno. */
int td_strace_task_exec(struct td_import *imp, struct td_strace_task *t, struct td_str command_line,
			struct td_str name);

/* The thread's name. */
void td_strace_task_name(struct td_import *imp, struct td_strace_task *t, struct td_str name);

/* Marks the task as within clone or fork, or not any more. */
void td_strace_task_set_cloner(struct td_strace_tasks *ts, struct td_strace_task *t, bool cloner);

/* A row of the task: process and thread are filled in, now or when they are known. 0 or -errno. */
int td_strace_put(struct td_import *imp, struct td_strace_tasks *ts, struct td_strace_task *t,
		  struct td_call *row);

/* The same; what is printed below the line is about this call. */
int td_strace_put_newest(struct td_import *imp, struct td_strace_tasks *ts,
			 struct td_strace_task *t, struct td_call *row);

/* The stack of the newest call, which is there. 0 or -errno. */
int td_strace_put_stack(struct td_import *imp, struct td_strace_tasks *ts, uint32_t stack_id);

/* A call of the task begins, which is in none: all members but the text and the list are the
 * caller's. NULL: out of memory. */
struct td_strace_begun *td_strace_begin(struct td_strace_tasks *ts, struct td_strace_task *t);

/* The call that the task is in is over: the task is in none, and the caller gives it back. */
struct td_strace_begun *td_strace_take_begun(struct td_strace_task *t);
void td_strace_give_back(struct td_strace_tasks *ts, struct td_strace_begun *b);

/* Stores the call that the task is in, if any, without its end. unfinished: the thread or the log ends
 * here, else it must have returned. 0 or -errno. */
int td_strace_put_begun(struct td_import *imp, struct td_strace_tasks *ts, struct td_strace_task *t,
			bool unfinished);

/* The task is gone; exit_status as td_process.exit_status, or TD_NULL. A call that it did not return
 * from is stored without its duration. Frees t. 0 or -errno. */
int td_strace_task_end(struct td_import *imp, struct td_strace_tasks *ts, struct td_strace_task *t,
		       int64_t exit_status, int64_t now_ns);

/* 'by', a thread of the same process, called execve and goes on under t's tid. 0 or -errno. */
int td_strace_task_superseded(struct td_import *imp, struct td_strace_tasks *ts,
			      struct td_strace_task *t, int64_t by, int64_t now_ns);

/* End of the log: open calls and waiting rows are stored. 0 or -errno. */
int td_strace_tasks_end(struct td_import *imp, struct td_strace_tasks *ts);
