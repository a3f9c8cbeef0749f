/* SPDX-License-Identifier: MIT */
/* What took longest: longest. */
#pragma once

#include "store/store.h"
#include "store/write/row_steps.h"
#include "store/write/target.h"

struct td_longest_rows;

/* 0 or -ENOMEM; to be freed by td_longest_rows_free(). */
int td_longest_rows_new(struct td_longest_rows **ret);
void td_longest_rows_free(struct td_longest_rows *l);

/* 0 or -ENOMEM. */
int td_longest_rows_begin(struct td_longest_rows *l, struct td_store *st);

/* Adds a step that sees the rows of a kind, nesting marked; none of a kind that has none. */
void td_longest_rows_add_steps(struct td_longest_rows *l, enum td_kind kind, struct td_row_work *to,
			       unsigned after);

/* 0 or -errno. */
int td_longest_rows_write(struct td_longest_rows *l, const struct td_target *target,
			  struct td_err *err);
