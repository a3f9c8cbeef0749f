/* SPDX-License-Identifier: MIT */
/*
 * How often and how long GPUs worked on what: gpu_op_stat. Work is told apart by GPU, process, kind and name, and such that moves
 * bytes by its size, too; any grouping is a union of these.
 */
#pragma once

#include "store/store.h"
#include "store/write/row_steps.h"
#include "store/write/target.h"

struct td_gpu_stat;

/* spill_path: a temporary file, borrowed. 0 or -ENOMEM. */
int td_gpu_stat_new(const char *spill_path, struct td_gpu_stat **ret);
void td_gpu_stat_free(struct td_gpu_stat *g);

/* Combinations of GPU, process, kind and name, and of a GPU, kind, name and size, that are told apart at most; without it, it is
 * a share of the work. */
void td_gpu_stat_set_budget(struct td_gpu_stat *g, size_t budget);

void td_gpu_stat_begin(struct td_gpu_stat *g, struct td_store *st);

/* Looks at work on GPUs when the steps of after are done with it, on any thread. */
void td_gpu_stat_add_steps(struct td_gpu_stat *g, struct td_row_work *to, unsigned after);

/* Writes gpu_op_stat, and gives its memory back. 0 or -errno. */
int td_gpu_stat_write(struct td_gpu_stat *g, const struct td_target *target, struct td_err *err);
