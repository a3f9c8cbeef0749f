/* SPDX-License-Identifier: MIT */
/*
 * Which transfers begin where the one before ended: of the same process, on the same file, in the
 * same direction; the first one at 0. As the derived tables have it (store/derive/calls.c), but by
 * several threads, each of which sees a stretch of the time: how its first transfer of a file goes
 * on from the stretch before shows when they are put together.
 */
#pragma once

#include "analyzer/scan/dims.h"
#include "analyzer/scan/sums.h"

struct td_stream {
	int64_t first_offset,
		end; /* of the transfers that the thread saw; end is where the last one ended */
	uint32_t group; /* of its first transfer */
};

struct td_pattern {
	struct td_keys keys; /* process, file and verb */
	struct td_stream *streams; /* owned; by key */
	size_t cap;
};

/* Counts transfers of a batch that are not nested in the sums of their groups, but for the first
 * one of each stream. verbs has the verb of each operation. 0 or -ENOMEM. */
int td_pattern_add(struct td_pattern *p, const struct td_key_map *verbs, struct td_group_sums *sums,
		   const struct td_row_batch *b, const uint16_t *rows, const uint32_t *groups,
		   size_t n);

/* Puts what the next thread saw behind, and counts its first transfers. groups[i] is what its group
 * i is in the sums. next is taken over if it is the first. 0 or -ENOMEM. */
int td_pattern_follow(struct td_pattern *p, struct td_pattern *next, const uint32_t *groups,
		      struct td_group_sums *sums);

void td_pattern_done(struct td_pattern *p);
