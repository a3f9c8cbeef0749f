/* SPDX-License-Identifier: MIT */
/* System calls as perf prints them, which perf script and perf trace share: "fd: 4, count: 832". */
#pragma once

#include "common/intern.h"
#include "common/strbuf.h"
#include "importers/core/import.h"
#include "schema/calls.h"

struct td_perf_task {
	int64_t tid;
	uint32_t process_id, thread_id;
	/* the call it is in */
	bool open;
	struct td_call row;
	struct td_call
		to; /* descriptor, file and offset of the side that it writes to, if it copies */
	const struct td_syscall *spec;
	bool clones; /* flags of a clone are printed ... */
	bool clones_thread; /* ... and tell that it makes a thread */
	/* for the scheduler */
	int64_t off_ns; /* when it left the CPU; TD_NULL: not seen */
	uint32_t off_state; /* string */
};

struct td_perf {
	struct td_intern tids;
	struct td_perf_task *tasks; /* by number in tids */
	size_t ntasks, cap;
};

/* The begin of an event whose names have newlines in them: perf prints them as they are. */
struct td_perf_held {
	struct td_strbuf text;
	unsigned nlines;
};

/* The line goes on in the next one. TD_LINE_OPEN; an issue if there are too many; -ENOMEM. */
int td_perf_hold(struct td_import *imp, struct td_perf_held *held, struct td_str line);

/* What is held is no event: its lines are issues. */
void td_perf_held_drop(struct td_import *imp, struct td_perf_held *held);

/* It was an event, and is read. */
void td_perf_held_done(struct td_import *imp, struct td_perf_held *held);

/* Stores the calls that never ended, without a duration, and frees everything. 0 or -errno. */
int td_perf_done(struct td_import *imp, struct td_perf *p);

/* The task with that tid, or (TD_NULL) the one that perf does not name, which has no process and no
 * thread; valid until the next one is asked for. pid -1: not printed; the process is then the one
 * that another source knows the thread of, or will tell; else one of its own. NULL: out of
 * memory. */
struct td_perf_task *td_perf_task(struct td_import *imp, struct td_perf *p, int64_t tid,
				  int64_t pid, struct td_str comm);

/* A call begins. One that the task was in before is stored without its end. 0 or -errno. */
int td_perf_begin(struct td_import *imp, struct td_perf_task *t, struct td_str name,
		  struct td_str args, int64_t start_ns);

/* Does the call return twice, the second time in the process or thread that it made? That one has no begin. */
bool td_perf_returns_twice(struct td_str name);

/* The call of the task ends. ret and dur_ns may be TD_NULL. 0 or -errno. */
int td_perf_end(struct td_import *imp, struct td_perf_task *t, int64_t ret, int64_t dur_ns);
