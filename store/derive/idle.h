/* SPDX-License-Identifier: MIT */
/*
 * What was in progress on the host while the GPUs idled: finds among the rows what can be a cause
 * (causes.h), and tells the GPUs. Where there are several parties (parties.h), as ranks are, what
 * is known to be of one is a cause for its own GPUs, and TD_CAUSE_OTHERS for those of the others;
 * what is of none that is known is a cause for all.
 */
#pragma once

#include "store/derive/gpu.h"
#include "store/store.h"

struct td_idle;

int td_idle_new(struct td_idle **ret);
void td_idle_free(struct td_idle *i);
/* files: by file id, is time in calls on it file I/O? gpu: who is told. Both borrowed. 0 or -ENOMEM. */
int td_idle_begin(struct td_idle *i, struct td_store *st, const bool *files, struct td_gpu *gpu);

/* Rows that are on the clock, in the order of TD_WRITE_ORDER, each kind in order of time; ops: of
 * the store. 0 or -ENOMEM. */
int td_idle_span(struct td_idle *i, const struct td_span *span);
void td_idle_gpu_op(struct td_idle *i, const struct td_gpu_op *op);
int td_idle_sched(struct td_idle *i, const struct td_sched *slice);
int td_idle_block(struct td_idle *i, const struct td_block *block);
void td_idle_call(struct td_idle *i, const struct td_call *call, enum td_cause cause);

/* The GPUs are known, and the time begins: after the work of GPUs, before slices. Without it rows
 * are passed over, as it is where nothing is known of any GPU. 0 or -ENOMEM. */
int td_idle_start(struct td_idle *i, int64_t start_ns);

/* Everything has gone by, and the time ends: the GPUs are told which causes were ever seen. */
void td_idle_finish(struct td_idle *i, int64_t end_ns);

/* gpu_idle_stretch. 0 or -errno. */
int td_idle_write(struct td_idle *i, const struct td_target *target, struct td_err *err);

/* gpu_party: which GPU and which process is of which party. 0 or -errno. */
int td_idle_write_parties(const struct td_idle *i, struct td_row_builder *rows);
