/* SPDX-License-Identifier: MIT */
/* Which processes and ranks sources tell of, and spans that ranks have in common: source_process and rank_span. */
#pragma once

#include "schema/kinds.h"
#include "store/store.h"
#include "store/write/row_steps.h"
#include "store/write/target.h"

struct td_tellers;

int td_tellers_new(struct td_tellers **ret);
void td_tellers_free(struct td_tellers *t);

/* 0 or -ENOMEM. */
int td_tellers_begin(struct td_tellers *t, struct td_store *st);

/* Looks at spans and at work on GPUs when the steps of after are done with them, on any thread. */
void td_tellers_add_steps(struct td_tellers *t, enum td_kind kind, struct td_row_work *to,
			  unsigned after);

/* 0 or -errno. */
int td_tellers_write(const struct td_tellers *t, const struct td_target *target,
		     struct td_err *err);
