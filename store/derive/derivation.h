/* SPDX-License-Identifier: MIT */
/* What makes derived tables of rows that go by, each in a file of its own. derive.c has the list. */
#pragma once

#include "schema/kinds.h"
#include "store/store.h"
#include "store/write/row_steps.h"
#include "store/write/target.h"

struct td_derivation {
	/* spill_path: a temporary file, borrowed. *ret: what the others are given, to be freed by
	 * free(). 0 or -ENOMEM. */
	int (*make)(const char *spill_path, void **ret);
	void (*free)(void *ud); /* NULL is fine */
	/* Instead of a share of the rows, in units of its own; NULL: nothing is held to a budget. */
	void (*set_budget)(void *ud, size_t budget);
	/* Before the first row; st is borrowed until the end. 0 or -ENOMEM. */
	int (*begin)(void *ud, struct td_store *st);
	/* Adds steps that look at the rows of a kind when those of after are done with them (calls:
	 * nesting marked), on any thread; none for a kind that it does not want. NULL: it wants no
	 * rows. */
	void (*add_steps)(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after);
	/* When all rows went by. 0 or -errno. */
	int (*write)(void *ud, const struct td_target *target, struct td_err *err);
};

extern const struct td_derivation td_buckets_derivation, td_collectives_derivation,
	td_file_kinds_derivation, td_gpu_stat_derivation, td_launches_derivation,
	td_locks_derivation, td_long_gaps_derivation, td_longest_derivation,
	td_operators_derivation, td_ranges_derivation, td_requests_derivation, td_shm_derivation,
	td_slices_derivation, td_tellers_derivation, td_top_files_derivation;
