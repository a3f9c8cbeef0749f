/* SPDX-License-Identifier: MIT */
/* Calls that lock, by what they are given: lock_stat. */
#pragma once

#include "store/store.h"
#include "store/write/row_steps.h"
#include "store/write/target.h"

struct td_locks;

/* 0 or -ENOMEM; to be freed by td_locks_free(). */
int td_locks_new(struct td_locks **ret);
void td_locks_free(struct td_locks *l);

/* Groups that there are at most; without it, it is a share of the calls. */
void td_locks_set_budget(struct td_locks *l, size_t budget);

/* 0 or -ENOMEM. */
int td_locks_begin(struct td_locks *l, struct td_store *st);

/* Adds a step that sees calls, nesting marked; none where no operation locks. */
void td_locks_add_steps(struct td_locks *l, struct td_row_work *to, unsigned after);

/* 0 or -errno. */
int td_locks_write(const struct td_locks *l, const struct td_target *target, struct td_err *err);
