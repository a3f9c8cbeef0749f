/* SPDX-License-Identifier: MIT */
/*
 * Lines of the command's output that say where the training is: those of MLPerf's logs, and those
 * that a pattern finds (common/line_pattern.h). They are written to a file for 'tracedb import'
 * (importers/mllog/output.c), a line for each, of fields with a tab between them: when the first
 * byte of the line came (seconds, UTC), then
 *
 *     line   TEXT                          one of MLPerf's, with the time that it says itself
 *     phase  NUMBER NAME START TEXT        found by a pattern, from byte START on; NUMBER is '-' if there is none
 *     end                                  the output ended
 *
 * A line ends with a newline or, as progress bars have it, with a carriage return. A phase that
 * goes on is not written again.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/line_pattern.h"

#define TD_TEE_LINES_HEAD "# tracedb output 1\n" /* with which the file begins */

/* What finds lines. */
struct td_tee_patterns {
	const regex_t *const *items; /* borrowed, as are the expressions */
	size_t n;
};

struct td_tee_lines;

/* fd: of the file, opened to append, which several of these may write to; borrowed. NULL: out of memory. */
struct td_tee_lines *td_tee_lines_new(int fd, const struct td_tee_patterns *patterns);
void td_tee_lines_free(struct td_tee_lines *l);

/* Takes what came at once, at that time (ns since the epoch). What cannot be written is given up,
 * with all that follows:
 * the command must not suffer. */
void td_tee_lines_feed(struct td_tee_lines *l, const char *bytes, size_t size, int64_t ts_ns);

/* The output ended at that time. */
void td_tee_lines_end(struct td_tee_lines *l, int64_t ts_ns);

/* Writes nothing from here on. */
void td_tee_lines_stop(struct td_tee_lines *l);
