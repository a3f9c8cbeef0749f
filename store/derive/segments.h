/* SPDX-License-Identifier: MIT */
/*
 * The timeline cut into segments (segment, gpu_segment, gpu_phase, gpu_idle_part, phase_interval):
 * at every begin and end of a phase, at every GPU sample, and where the tracing of a GPU began and
 * ended, so that within a segment the phases do not change and one source tells about each GPU.
 */
#pragma once

#include "store/store.h"
#include "store/write/target.h"

struct td_gpu;
struct td_segments;

int td_segments_new(struct td_segments **ret);
void td_segments_free(struct td_segments *s);
int td_segments_begin(struct td_segments *s, struct td_store *st);

/* Rows in the order of TD_WRITE_ORDER, each kind in order of time. 0 or -ENOMEM. */
int td_segments_span(struct td_segments *s, const struct td_span *span);
int td_segments_sample(struct td_segments *s, const struct td_sample *sample);
int td_segments_gpu_op(struct td_segments *s, const struct td_gpu_op *op);
int td_segments_sched(struct td_segments *s, const struct td_sched *slice);
int td_segments_block(struct td_segments *s, const struct td_block *block);
int td_segments_calls(struct td_segments *s, const struct td_call *calls, size_t n);

/* What is known of the GPUs; its. */
const struct td_gpu *td_segments_gpu(const struct td_segments *s);

int td_segments_write(struct td_segments *s, const struct td_target *target, struct td_err *err);

/* gpu_segment, which is no rowid table. */
int td_segments_write_gpu(struct td_segments *s, const struct td_target *target,
			  struct td_err *err);
