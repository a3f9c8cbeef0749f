/* SPDX-License-Identifier: MIT */
/* Shared by derive/grouper.c, which makes groups of combos, and derive/groups.c, which says what they are made by and writes them. */
#pragma once

#include "store/derive/calls_private.h"
#include "store/write/row_builder.h"

/* A combo's place in a grouping: combos with equal key, process and sub form a group. */
struct td_group_member {
	uint32_t key;
	uint32_t process_id; /* 0: all processes together */
	uint32_t sub; /* operation or verb */
	uint32_t combo;
};

struct td_group_percentiles {
	double p50;
	int64_t p95, p99;
};

/* Where the members of a group are. */
struct td_group_stretch {
	size_t first, end;
};

struct td_call_group {
	struct td_group_member of; /* its first member */
	struct td_sums sums;
	uint64_t sizes[TD_SIZE_BUCKETS]; /* transfers by size */
	struct td_group_percentiles percentiles;
	uint64_t others; /* calls of the group that are nested, or are not */
	struct td_strbuf durations; /* owned; as they are packed, where that is wanted */
};

struct td_grouper {
	struct td_calls *c;
	const struct td_family *f; /* whose combos are grouped */
	struct td_row_builder stmt; /* of the table being written */
	const char *by; /* of the grouping being written */
	bool of_files; /* the table is file_stat */
	struct td_group_member *members;
	struct td_group_member *spare; /* as large, for sorting */
	uint32_t *sets; /* of each member's place: room for the combos of its group */
	struct td_group_stretch *stretches;
	size_t nstretches, stretches_cap;
	struct td_call_group *groups; /* of stretches from first_group on */
	size_t first_group;
	bool nested; /* the calls that are being looked at */
	bool percentiles; /* are wanted */
	struct td_row_builder *
		hists; /* of file_hist or op_hist, where distributions of durations are wanted, too; borrowed */
};

/* Room for the combos of any family of g->c. 0 or -ENOMEM; td_grouper_done() in both cases. */
int td_grouper_prepare(struct td_grouper *g);
void td_grouper_done(struct td_grouper *g);

/* Sorts n members and calls write() for each group with the sums of those of its calls that are nested,
 * or are not; a group without such calls is left out. percentiles: they are wanted. 0 or -errno. */
int td_grouper_each(struct td_grouper *g, size_t n, bool nested, bool percentiles,
		    int (*write)(struct td_grouper *g, const struct td_call_group *group));
