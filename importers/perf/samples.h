/* SPDX-License-Identifier: MIT */
/* Samples of what CPUs executed, with the call chains that perf script prints below them. */
#pragma once

#include "importers/core/frames.h"
#include "importers/core/import.h"

struct td_perf_sample {
	struct td_stack_sample row;
	struct td_frames frames;
	bool open; /* its frames come next */
};

void td_perf_sample_done(struct td_perf_sample *s);

/* Is the event, without the colon behind it, one that is sampled by time on a CPU: "cycles:u", "cpu-clock"? */
bool td_perf_is_sample(struct td_str event);

/* A sample begins: all of the row is set but its kind and stack. args: behind the event; the frame
 * where there is no chain. 0 or -errno. */
int td_perf_sample_begin(struct td_import *imp, struct td_perf_sample *s,
			 const struct td_stack_sample *row, struct td_str args);

/* A line of a call chain, while a sample is open. TD_LINE_ROW, TD_LINE_SKIPPED (it is none) or -errno. */
int td_perf_sample_frame(struct td_import *imp, struct td_perf_sample *s, struct td_str line);

/* Stores the sample that is open, if any. 0 or -errno. */
int td_perf_sample_end(struct td_import *imp, struct td_perf_sample *s);
