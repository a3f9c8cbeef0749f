/* SPDX-License-Identifier: MIT */
/* Idle time of GPUs between two pieces of their work: the long ones, gpu_long_gap. */
#pragma once

#include "store/store.h"
#include "store/write/row_steps.h"
#include "store/write/target.h"

struct td_long_gaps;

int td_long_gaps_new(struct td_long_gaps **ret);
void td_long_gaps_free(struct td_long_gaps *g);

/* Gaps at most; if there are more the table stays empty. Without it, it is a share of the work. */
void td_long_gaps_set_budget(struct td_long_gaps *g, size_t budget);

/* 0 or -ENOMEM. */
int td_long_gaps_begin(struct td_long_gaps *g, struct td_store *st);

/* Looks at work on GPUs when the steps of after are done with it, on any thread. */
void td_long_gaps_add_steps(struct td_long_gaps *g, struct td_row_work *to, unsigned after);

/* 0 or -errno. */
int td_long_gaps_write(const struct td_long_gaps *g, const struct td_target *target,
		       struct td_err *err);
