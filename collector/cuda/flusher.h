/* SPDX-License-Identifier: MIT */
/*
 * A thread that asks CUPTI for what it has, again and again. CUPTI hands over full buffers by
 * itself; one that is not full stays with it until it is asked, also with
 * cuptiActivityFlushPeriod(): seen with CUDA 13.0, where a program of 50 kernels a second that was
 * killed after 11 s left nothing. What is not complete (a kernel that runs) stays with CUPTI.
 */
#pragma once

#include <stdint.h>

#define TD_FLUSH_MS 200

/* From now on flush(0), cuptiActivityFlushAll(), is called every TD_FLUSH_MS by a thread without
 * signals. Once. 0, or a negative errno. */
int td_flusher_begin(int (*flush)(uint32_t flags));

/* Not any more. Waits until the thread is gone, a second at most. Nothing if there is none. */
void td_flusher_end(void);
