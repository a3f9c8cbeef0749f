/* SPDX-License-Identifier: MIT */
/* Groups of a partial by less than these are by: what is asked of the files of a group is told by
 * groups that have these apart. */
#pragma once

#include "analyzer/partial/partial.h"
#include "analyzer/scan/busiest.h"

struct td_partial_folded {
	struct td_partial_groups groups;
	struct td_busiest_file *files; /* owned; by group */
};

/* The groups of a question, whose dims have TD_DIM_FILE, by these dims, which are among them. 0 or -ENOMEM. */
int td_partial_fold(const struct td_partial *p, size_t question, unsigned dims,
		    struct td_partial_folded *ret);
void td_partial_folded_done(struct td_partial_folded *f);
