/* SPDX-License-Identifier: MIT */
/*
 * One line on stderr that says how far a long job is, when stderr is a terminal:
 *     importing bpf.txt: 45% of 2.71 GB, 2,012,345 rows/s, 12 s left
 *     reading: 45% of 1,000 databases, 12 s left
 * It appears after half a second, changes at most ten times per second and is erased at the end. For
 * one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_progress {
	bool on; /* else nothing is shown */
	unsigned calls; /* since the clock was read */
	int64_t bytes; /* done, when the clock was read */
	int64_t total_bytes;
	int64_t start_ns, next_ns; /* monotonic */
	const char *things; /* what is counted in place of bytes, and no rows; NULL: bytes */
	char label[32]; /* short, so that the figures fit into 80 columns */
};

/* Bytes or calls of td_progress_update() between two readings of the clock. */
#define TD_PROGRESS_BYTES INT64_C(1048576)
#define TD_PROGRESS_CALLS 256

/* total_bytes is -1 if unknown. Nothing is ever shown if quiet, without a terminal or on a dumb one. */
void td_progress_init(struct td_progress *p, const char *label, int64_t total_bytes, bool quiet);

/* What is being done from now on; copied, cut to the size of label. */
void td_progress_label(struct td_progress *p, const char *label);

void td_progress_show(struct td_progress *p, int64_t bytes, int64_t rows);

/* Bytes and rows done since the beginning. Cheap enough for every line of input. */
static inline void td_progress_update(struct td_progress *p, int64_t bytes, int64_t rows)
{
	if (p->on && (++p->calls >= TD_PROGRESS_CALLS || bytes - p->bytes >= TD_PROGRESS_BYTES))
		td_progress_show(p, bytes, rows);
}

/* Of things that take long, each: done, when another one is. */
static inline void td_progress_step(struct td_progress *p, int64_t done)
{
	if (p->on)
		td_progress_show(p, done, 0);
}

/* Erases the line. */
void td_progress_done(struct td_progress *p);

/* The line's text; elapsed_ns > 0. Returns buf. */
char *td_progress_format(char *buf, size_t size, const struct td_progress *p, int64_t bytes,
			 int64_t rows, int64_t elapsed_ns);
