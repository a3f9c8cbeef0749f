/* SPDX-License-Identifier: MIT */
/* What is found in the command's output (record --phases-from-output), from 'tracedb record' on. */
#pragma once

#include "collector/options.h"
#include "collector/tee/tee.h"
#include "importers/core/phase_pattern.h"

struct td_record_output {
	char *path; /* of the file of what is found; owned; NULL: it was not asked for */
	struct td_tee tee;
	int64_t resized_ns; /* when the command is to be told that its terminal has another size; 0: not */
};

void td_record_output_done(struct td_record_output *o);

/* If it is asked for, the command's streams go by way of processes that look for phases; layouts
 * has the patterns. Says what cannot be. 0 or -errno with a text. */
int td_record_output_start(struct td_record_output *o, const struct td_record_args *args,
			   const struct td_import_layouts *layouts, struct td_err *err);

/* The recording is over: is there something to import, or (says so) nothing? */
bool td_record_output_collect(struct td_record_output *o, const struct td_record_args *args);

void td_record_output_remove(const struct td_record_output *o);

/* What the command has printed is there when this returns, unless one of the signals that ask for the end comes. */
void td_record_output_drain(struct td_record_output *o, int signal_fd);

/* The terminal has another size, as SIGWINCH says, of the kernel or of somebody else. */
void td_record_output_resize(struct td_record_output *o, bool by_kernel);

/* How long until the recorder is to be told of that again, which is done when it is time; -1: it is
 * not to be. pid: 0: there is none. */
int td_record_output_wait_ms(struct td_record_output *o, pid_t pid);
