/* SPDX-License-Identifier: MIT */
/* Loads stacks and draws them: what 'flame' does. */
#pragma once

#include "analyzer/flame/render.h"

struct td_run_flame {
	struct td_flame_request request;
	const char *output; /* NULL or "-": stdout, as a tree */
	size_t limit; /* frames of the tree; 0: the usual number */
};

/* Notes about the data are logged where they do not stand in what is written. 0; -EINVAL with a
 * message for what cannot be asked; or another -errno. */
int td_run_flame(const struct td_run_flame *run, struct td_err *err);
