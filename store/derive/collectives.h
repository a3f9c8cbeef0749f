/* SPDX-License-Identifier: MIT */
/* Kernels of NCCL: collective_name and collective_sum; and machine_clock_held, which follows from them and from epochs. */
#pragma once

#include "schema/kinds.h"
#include "store/store.h"
#include "store/write/row_steps.h"
#include "store/write/target.h"

struct td_collecting;

int td_collecting_new(struct td_collecting **ret);
void td_collecting_free(struct td_collecting *c);

/* Kernels at most that are matched; if there are more, collective_sum stays empty. Without it, many. */
void td_collecting_set_budget(struct td_collecting *c, size_t budget);

/* 0 or -ENOMEM. */
int td_collecting_begin(struct td_collecting *c, struct td_store *st);

/* Looks at work on GPUs and, of several machines, at spans, when the steps of after are done with them, on any thread. */
void td_collecting_add_steps(struct td_collecting *c, enum td_kind kind, struct td_row_work *to,
			     unsigned after);

/* 0 or -errno. */
int td_collecting_write(struct td_collecting *c, const struct td_target *target,
			struct td_err *err);
