/* SPDX-License-Identifier: MIT */
/* Shared by derive/grouper.c, which makes groups of combos, and derive/groups.c, which says what
 * they are made by and writes them. */
#pragma once

#include "store/derive/calls_private.h"
#include "store/write/row_builder.h"
#include "store/write/row_steps.h"

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

struct td_grouping;

struct td_call_group {
	const struct td_grouping *grouping;
	size_t first, end; /* its members */
	struct td_group_member of; /* the first one */
	struct td_sums sums;
	uint64_t sizes[TD_SIZE_BUCKETS]; /* transfers by size */
	struct td_group_percentiles percentiles;
	uint64_t others; /* calls of the group that are nested, or are not */
	struct td_strbuf *durations; /* of the grouping, as they are packed; NULL: not wanted */
};

/* What groups are made by, of what calls, and what they become. */
struct td_grouping {
	struct td_calls *c;
	const struct td_family *f; /* whose combos are grouped */
	const char *by; /* how rows name it */
	bool nested; /* the calls that are looked at */
	bool percentiles; /* are wanted */
	bool of_files; /* the table is file_stat, which has no p95_ns */
	struct td_row_builder *rows; /* of the table; borrowed */
	struct td_row_builder *hists; /* of file_hist or op_hist; NULL: not wanted. Borrowed */
	/* On any thread, one group after the other; one without such calls is left out. 0 or -errno. */
	int (*write)(const struct td_grouping *g, const struct td_call_group *group);
	void *arg; /* of write; borrowed */

	struct td_group_member *members; /* owned: room for all combos of f, n in use */
	size_t n;
	uint32_t *sets; /* owned; of each member's place: room for the combos of its group */
	struct td_strbuf
		*durations; /* owned; of each member's place: the group's that begins there */
};

/* Groupings at work at the same time. */
#define TD_GROUPINGS_MAX 16

struct td_grouper {
	struct td_calls *c;
	struct td_row_steps *steps; /* NULL: none is at work */
	struct td_grouping groupings[TD_GROUPINGS_MAX]; /* that are at work */
	size_t n;
	size_t nmembers; /* of all of them */
	struct td_row_builder stmt; /* of the table being written */
};

void td_grouper_done(struct td_grouper *g);

/* A copy of what says how, with room for members: whose are to be filled in, before
 * td_grouper_group(). 0 or -ENOMEM. */
int td_grouper_begin(struct td_grouper *g, const struct td_grouping *how, struct td_grouping **ret);

/* Puts the members in order; threads sum up the groups, and one after the other is written, until
 * td_grouper_end() at the latest. What writing needs must stay as it is until then. 0 or -errno of
 * whatever was written till now. */
int td_grouper_group(struct td_grouper *g, struct td_grouping *by);

/* Waits until all groups are written. 0 or -errno. */
int td_grouper_end(struct td_grouper *g);
