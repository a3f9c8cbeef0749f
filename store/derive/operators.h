/* SPDX-License-Identifier: MIT */
/*
 * What operators and annotations of profiles took, by themselves and with what is within them, and the work of GPUs that was
 * launched in them: operator_sum. Spans wait for the calls, which come last, and of the work what each call launched.
 */
#pragma once

#include "store/store.h"
#include "store/write/row_steps.h"
#include "store/write/target.h"

struct td_operators;

int td_operators_new(struct td_operators **ret);
void td_operators_free(struct td_operators *o);

/* Rows at most; if there are more the table stays empty. Without it, it is a share of the spans. */
void td_operators_set_budget(struct td_operators *o, size_t budget);

/* 0 or -ENOMEM. */
int td_operators_begin(struct td_operators *o, struct td_store *st);

/* Looks at spans, work on GPUs and calls, a kind at a time in this order, when the steps of after are done with them, on any
 * thread. */
void td_operators_add_steps(struct td_operators *o, enum td_kind kind, struct td_row_work *to,
			    unsigned after);

/* Writes operator_sum, and gives its memory back. 0 or -errno. */
int td_operators_write(struct td_operators *o, const struct td_target *target, struct td_err *err);
