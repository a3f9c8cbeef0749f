/* SPDX-License-Identifier: MIT */
/*
 * Calls that are the same work: a vfs_read inside a read, a read inside an fread. The inner one is
 * marked, so that sums over all layers leave it out.
 */
#pragma once

#include "store/store.h"

struct td_nesting;

int td_nesting_new(struct td_nesting **ret);
void td_nesting_free(struct td_nesting *n);

/* Looks at the operations that occur. 0 or -ENOMEM. */
int td_nesting_begin(struct td_nesting *n, struct td_store *st);

/* Sets c->nested if a call of an outer layer, of the same family (schema/ops.h) and process (and thread,
 * where both are known) contains it. Calls must come in order of start. 0 or -ENOMEM. */
int td_nesting_mark(struct td_nesting *n, struct td_call *c);
