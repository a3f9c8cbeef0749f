/* SPDX-License-Identifier: MIT */
/* On which files processes spent most time: busiest_file. */
#pragma once

#include "store/derive/groups_private.h"

/* Nothing where the budget does not tell each file of each process apart. 0 or -errno. */
int td_busiest_files_write(struct td_grouper *g, const struct td_target *target,
			   struct td_err *err);
