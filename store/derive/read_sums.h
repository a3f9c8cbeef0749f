/* SPDX-License-Identifier: MIT */
/* What reads of files got from the page cache, and how far they reached: read_sum. */
#pragma once

#include "store/derive/groups_private.h"

/* As far as the budget tells files, and each file of each process, apart. 0 or -errno. */
int td_read_sums_write(struct td_grouper *g, const struct td_target *target, struct td_err *err);
