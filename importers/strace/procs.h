/* SPDX-License-Identifier: MIT */
/* The processes of a strace log, and the rows that wait for one to be known. For tasks.c, which
 * knows whose threads are whose. */
#pragma once

#include "importers/strace/tasks.h"

/* fds: a reference that the new process takes, or NULL for an empty table. NULL: out of memory. */
struct td_strace_proc *td_strace_proc_new(struct td_strace_fds *fds);
void td_strace_proc_free(struct td_strace_proc *p);
TD_DEFINE_CLEANUP(struct td_strace_proc *, td_strace_proc_free)

/* What is known about it goes to the store, which has it (its id). */
void td_strace_proc_store(struct td_import *imp, struct td_strace_proc *p);

/* Of -ff a process's start is in another file than its end. Do the two, the other of which the
 * source other_id tells (0: nobody), fit? By different clocks either could be the later one, by
 * their errors. */
bool td_strace_proc_fits(struct td_import *imp, uint16_t other_id, int64_t from_ns, int64_t to_ns);

/* The waiting rows go to the store, whatever is known now. thread_id: of the rows that have none. 0 or -errno. */
int td_strace_proc_flush(struct td_import *imp, struct td_strace_tasks *ts,
			 struct td_strace_proc *p, uint32_t thread_id);

static inline struct td_strace_stacked td_strace_stacked_of(const struct td_call *c)
{
	return (struct td_strace_stacked){ .start_ns = c->start_ns,
					   .dur_ns = c->dur_ns,
					   .process_id = c->process_id,
					   .thread_id = c->thread_id,
					   .op_id = c->op_id };
}

/* The stack of the call, which is stored. 0 or -errno. */
int td_strace_stacked_put(struct td_import *imp, const struct td_strace_stacked *c,
			  uint32_t stack_id);
