/* SPDX-License-Identifier: MIT */
/*
 * How busy each GPU was, from sampled utilisation. nvidia-smi says for which share of the last period
 * a kernel was running, not when: over a part of the period the busy time is a range.
 */
#pragma once

#include "store/derive/phases.h"
#include "store/write/row_builder.h"

struct td_gpu;

int td_gpu_new(struct td_gpu **ret);
void td_gpu_free(struct td_gpu *g);
int td_gpu_begin(struct td_gpu *g, struct td_store *st);

/* Samples in order of time; those of other tracks than 'gpu.sm' are passed over. */
int td_gpu_sample(struct td_gpu *g, const struct td_sample *sample);

/* Adds the begin and the end of each sampled period. No sample may come after that. */
int td_gpu_times(struct td_gpu *g, struct td_times *times);

/* Writes a gpu_segment row for each GPU of which the segment lies in a sampled period. Segments must
 * come in order of time and be cut at td_gpu_times(). */
int td_gpu_write(struct td_gpu *g, struct td_row_builder *stmt, int64_t start_ns, int64_t end_ns);
