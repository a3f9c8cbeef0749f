/* SPDX-License-Identifier: MIT */
/* What operations do, as small numbers. */
#pragma once

#include "store/store.h"

struct td_op_verb {
	uint8_t verb; /* number, from 0 */
	bool is_io; /* op.kind 'io' */
};

struct td_op_verbs {
	struct td_op_verb *ops; /* owned; by id */
	const char **names; /* owned; by number of the verb */
	size_t n; /* verbs */
};

/* 0 or -ENOMEM; td_op_verbs_done() in either case. */
int td_op_verbs_load(const struct td_contents *in, struct td_op_verbs *ret);
void td_op_verbs_done(struct td_op_verbs *v);
