/* SPDX-License-Identifier: MIT */
/* How often and how long NVTX ranges of a name were on: range_stat. */
#pragma once

#include "store/store.h"
#include "store/write/row_steps.h"
#include "store/write/target.h"

struct td_ranges;

/* spill_path: a temporary file, borrowed. 0 or -ENOMEM. */
int td_ranges_new(const char *spill_path, struct td_ranges **ret);
void td_ranges_free(struct td_ranges *r);

/* Rows at most, and ranges without an end; if there are more the table stays empty. Without it, it is a share of the spans. */
void td_ranges_set_budget(struct td_ranges *r, size_t budget);

/* 0 or -ENOMEM. */
int td_ranges_begin(struct td_ranges *r, struct td_store *st);

/* Looks at spans when the steps of after are done with them, on any thread. */
void td_ranges_add_steps(struct td_ranges *r, struct td_row_work *to, unsigned after);

/* Writes range_stat, and gives its memory back. 0 or -errno. */
int td_ranges_write(struct td_ranges *r, const struct td_target *target, struct td_err *err);
