/* SPDX-License-Identifier: MIT */
/*
 * How busy each GPU was (gpu_segment, gpu_phase): exactly where its kernels were traced, else as far as the best
 * sampler that looked can say.
 */
#pragma once

#include "store/derive/overlap.h"
#include "store/derive/parties.h"
#include "store/derive/phases.h"
#include "store/write/row_builder.h"

struct td_gpu;

int td_gpu_new(struct td_gpu **ret);
void td_gpu_free(struct td_gpu *g);
int td_gpu_begin(struct td_gpu *g, struct td_store *st);

/* Samples and work in order of time; samples of other tracks than 'gpu.sm' are passed over. 0 or -ENOMEM. */
int td_gpu_sample(struct td_gpu *g, const struct td_sample *sample);
int td_gpu_op(struct td_gpu *g, const struct td_gpu_op *op);

/* A span: of those in which work was not recorded no kernels tell. 0 or -ENOMEM. */
int td_gpu_span(struct td_gpu *g, const struct td_span *span);

/* When the GPU had work of a length that is known and not 0; the GPUs'. */
const struct td_busy *td_gpu_busy(const struct td_gpu *g, uint32_t device_id);

/* Adds the times at which what is known of a GPU changes. Nothing may be added after that. */
int td_gpu_times(struct td_gpu *g, struct td_times *times);

/* The timeline is cut there: n times, borrowed. 0 or -ENOMEM. */
int td_gpu_cut(struct td_gpu *g, const int64_t *cuts, size_t n);

/* Who works on which. After td_gpu_cut(); the GPUs'. */
const struct td_parties *td_gpu_parties(const struct td_gpu *g);

/* Is anything known of this GPU? After td_gpu_cut(). */
bool td_gpu_told(const struct td_gpu *g, uint32_t device_id);

/* Is anything known of any? After td_gpu_cut(). */
bool td_gpu_any(const struct td_gpu *g);

/* The next part of an interval of which somebody tells throughout, as long as it is; rest becomes
 * what is behind it. False: there is none. After td_gpu_cut(). */
bool td_gpu_next_told(const struct td_gpu *g, uint32_t device_id, struct td_interval *rest,
		      struct td_interval *part);

/* How long the GPU idled in the interval, as far as somebody told of it. Where it was sampled that
 * is a range, and any time before td_gpu_finish(). After td_gpu_cut(). */
struct td_range td_gpu_idle_in(const struct td_gpu *g, uint32_t device_id, struct td_interval of);

/* File I/O calls or block requests were in progress, whosever. Intervals of one layer come in order
 * and do not overlap. */
void td_gpu_io(struct td_gpu *g, enum td_io_layer layer, int64_t start_ns, int64_t end_ns);

/* Something of that was recorded. */
void td_gpu_know_io(struct td_gpu *g, enum td_io_layer layer);

/* The time is put down to the cause, or to TD_CAUSE_ANY, for GPUs of the party: the same. */
void td_gpu_cause(struct td_gpu *g, unsigned party, enum td_cause cause, int64_t start_ns,
		  int64_t end_ns);
void td_gpu_know_cause(struct td_gpu *g, unsigned party, enum td_cause cause);

/* All I/O has gone by. 0 or -ENOMEM. */
int td_gpu_finish(struct td_gpu *g);

/* Writes gpu_sampler, gpu_segment, gpu_phase, gpu_idle_part and gpu_idle_segment. 0 or -errno. */
int td_gpu_write_samplers(struct td_gpu *g, struct td_row_builder *rows);
int td_gpu_write_segments(struct td_gpu *g, struct td_row_builder *rows);
int td_gpu_write_phases(struct td_gpu *g, const struct td_phases *phases,
			struct td_row_builder *rows);
int td_gpu_write_idle(struct td_gpu *g, const struct td_phases *phases,
		      struct td_row_builder *rows);
/* Before td_gpu_write_segments(): they are looked at once. */
int td_gpu_write_idle_segments(struct td_gpu *g, struct td_row_builder *rows);
