/* SPDX-License-Identifier: MIT */
/*
 * What is recorded just now, for the line on a terminal (common/status_line.h):
 *     recording 1m05s: 12,345 events/s, none lost, GPU 87 %, busiest file /data/train.h5
 * The file is the one with the most bytes read and written since the line before, of those that are
 * known: of the last TD_LIVE_FILES that were opened, and of the first TD_LIVE_LOOK_BYTES of each
 * buffer of records, so that a flood of calls is not slowed down by it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_LIVE_FILES 4096
#define TD_LIVE_LOOK_BYTES ((size_t)64 * 1024)
#define TD_LIVE_GPUS 64

struct td_live_file {
	uint32_t file; /* number on the wire; 0: none */
	char *path; /* owned */
	uint64_t bytes, old_bytes; /* since the last line, and before it */
};

struct td_live {
	struct td_live_file
		*files; /* by number modulo TD_LIVE_FILES; owned; NULL: nothing is shown */
	uint32_t gpus[TD_LIVE_GPUS]; /* the tracks of the GPUs' utilisation */
	unsigned ngpus;
	double gpu_sum; /* of the samples since the last line */
	unsigned gpu_samples;
	uint64_t time_ns, events; /* of the last line; 0: there was none */
};

/* Shows nothing if not on, if stderr is no terminal, or without memory. */
void td_live_init(struct td_live *l, bool on);
void td_live_done(struct td_live *l);

/* Looks at complete records of schema/wire.h. */
void td_live_look(struct td_live *l, const void *records, size_t size);

/* The line at now_ns of a window that was opened at begin_ns, and begins to count for the next one.
 * events and lost: up to now, of the whole recording. The text is cut to size. */
void td_live_format(struct td_live *l, char *buf, size_t size, uint64_t begin_ns, uint64_t now_ns,
		    uint64_t events, uint64_t lost);

/* Shows it. */
void td_live_show(struct td_live *l, uint64_t begin_ns, uint64_t now_ns, uint64_t events,
		  uint64_t lost);
