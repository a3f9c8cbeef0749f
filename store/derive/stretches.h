/* SPDX-License-Identifier: MIT */
/* The longest stretches of time in which a GPU idled for one cause (gpu_idle_stretch). */
#pragma once

#include "store/derive/gpu.h"
#include "store/write/target.h"

struct td_stretches;

/* gpu: borrowed, td_gpu_cut() has been called. ngpus: ids of devices are at most that. 0 or -ENOMEM. */
int td_stretches_new(const struct td_gpu *gpu, size_t ngpus, struct td_stretches **ret);
void td_stretches_free(struct td_stretches *s);

/* A stretch that is put down to one cause, or to TD_CAUSE_NONE, for the GPUs of a party (parties.h). */
void td_stretches_add(struct td_stretches *s, unsigned party, const struct td_work *piece);

/* 0 or -errno. */
int td_stretches_write(struct td_stretches *s, const struct td_target *target, struct td_err *err);
