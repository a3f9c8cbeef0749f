/* SPDX-License-Identifier: MIT */
/*
 * Rows handed to another thread, in order. They are put where the other thread reads them, and need not be
 * copied.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/cleanup.h"

struct td_row_pipe;

/* put(ud, records, n) is called on the other thread for some rows at a time, in order; after a failure
 * (-errno) it is not called again. 0 or -errno of making the thread. */
int td_row_pipe_open(size_t record_size, int (*put)(void *ud, const void *records, size_t n),
		     void *ud, struct td_row_pipe **ret);

/* Where the next records go: *ret_n of them at most, at least one. */
void *td_row_pipe_room(const struct td_row_pipe *p, size_t *ret_n);

/* So many are there now. 0, or what put() failed with earlier. */
int td_row_pipe_filled(struct td_row_pipe *p, size_t n);

/* Waits until all rows are put, frees p. 0 or the first failure of put(). */
int td_row_pipe_close(struct td_row_pipe *p);

/* The same when the outcome does not matter. */
static inline void td_row_pipe_abort(struct td_row_pipe *p)
{
	(void)td_row_pipe_close(p);
}
TD_DEFINE_CLEANUP(struct td_row_pipe *, td_row_pipe_abort)
