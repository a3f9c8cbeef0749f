/* SPDX-License-Identifier: MIT */
/* Statistics of calls: op_stat, nested_stat, op_hist, file_stat, file_hist, busiest_file, size_stat,
 * latency_stat, bin_stat, write_stat, class_bin_stat, thread_stat, call_block, stat_omitted. */
#pragma once

#include "store/store.h"
#include "store/write/row_steps.h"
#include "store/write/target.h"

struct td_calls;

int td_calls_new(const char *spill_path, struct td_calls **ret);
void td_calls_free(struct td_calls *c);
/* So many combos instead of a share of the calls, before td_calls_begin(): a test's. */
void td_calls_set_budget(struct td_calls *c, size_t budget);
int td_calls_begin(struct td_calls *c, struct td_store *st);

/* Adds the steps that collect, of calls whose nesting is marked when the steps of after are done. */
void td_calls_add_steps(struct td_calls *c, struct td_row_work *to, unsigned after);

int td_calls_write(struct td_calls *c, const struct td_target *target, struct td_err *err);

/* How wide the bins are, into run. */
int td_calls_write_width(const struct td_calls *c, sqlite3 *db, struct td_err *err);
