/* SPDX-License-Identifier: MIT */
/* Stacks that -k prints below a call. */
#pragma once

#include "importers/core/frames.h"
#include "importers/strace/tasks.h"

#define TD_STRACE_FRAME " > " /* begins the line of one */

struct td_strace_stack {
	struct td_frames frames;
	bool of_call; /* the lines are below one */
};

void td_strace_stack_done(struct td_strace_stack *s);

/* A line below an event: a frame, or what the call transferred. TD_LINE_ROW of a frame of a call, else
 * TD_LINE_SKIPPED, or -errno. */
int td_strace_stack_line(struct td_import *imp, struct td_strace_stack *s,
			 struct td_strace_tasks *tasks, struct td_str line);

/* The stack ends here, if there is one. 0 or -errno. */
int td_strace_stack_end(struct td_import *imp, struct td_strace_stack *s,
			struct td_strace_tasks *tasks);
