/* SPDX-License-Identifier: MIT */
/*
 * Calls that wait for GPUs, and whether the GPUs of their process had work meanwhile:
 * gpu_wait_stat. When GPUs had work is kept by store/derive/kernels.h already.
 */
#pragma once

#include "store/derive/busy.h"
#include "store/store.h"
#include "store/write/row_steps.h"
#include "store/write/target.h"

struct td_waits;

int td_waits_new(struct td_waits **ret);
void td_waits_free(struct td_waits *w);

/* Stalls at most; if there are more the table stays empty. Without it, it is a share of the calls. */
void td_waits_set_budget(struct td_waits *w, size_t budget);

/* 0 or -ENOMEM. */
int td_waits_begin(struct td_waits *w, struct td_store *st);

/* Looks at work on GPUs and then at calls, nesting marked, when the steps of after are done with
 * them, on any thread. */
void td_waits_add_work_steps(struct td_waits *w, struct td_row_work *to, unsigned after);
void td_waits_add_call_steps(struct td_waits *w, struct td_row_work *to, unsigned after);

/* When a GPU had work, whosever, of a length that is known and not 0. Borrowed. */
typedef const struct td_busy *(*td_busy_fn)(const void *ud, uint32_t device_id);

/* 0 or -errno. */
int td_waits_write(struct td_waits *w, td_busy_fn busy, const void *ud,
		   const struct td_target *target, struct td_err *err);
