/* SPDX-License-Identifier: MIT */
/* What is added up for each group: a row of numbers, as many as the measures that are wanted need. */
#pragma once

#include "analyzer/scan/source.h"
#include "analyzer/scan/request.h"

enum td_sum {
	TD_SUM_CALLS,
	TD_SUM_ERRORS,
	TD_SUM_TIMED,
	TD_SUM_UNFINISHED,
	TD_SUM_NESTED,
	TD_SUM_BYTES, /* TD_NULL: no call had a byte count */
	TD_SUM_TOTAL, /* TD_NULL: none had a duration; likewise the next two */
	TD_SUM_MIN,
	TD_SUM_MAX,
	TD_SUM_SQUARES, /* two places, so that it is exact */
	TD_SUM_SQUARES_HIGH,
	TD_SUM_MIN_BYTES, /* TD_NULL: none */
	TD_SUM_MAX_BYTES,
	TD_SUM_FIRST,
	TD_SUM_LAST,
	TD_SUM_SEQUENTIAL,
	TD_SUM_RANDOM,
	TD_SUM_QUEUED,
	TD_SUM_QUEUE, /* TD_NULL: of none it is known */
	TD_SUM_FOLLOWING, /* TD_NULL: of none it is known, likewise the next two */
	TD_SUM_FORWARD,
	TD_SUM_BACKWARD,
	TD_SUM_DURING_CALLS,
	TD_SUM_DURING, /* TD_NULL: none had a duration */
	TD_NSUMS,
};

struct td_group_sums {
	int8_t place[TD_NSUMS]; /* in the row of a group; -1: not wanted */
	size_t nplaces;
	int64_t nothing[TD_NSUMS]; /* a row while there is nothing */
	int64_t *rows; /* owned */
	size_t n, cap;
};

/* Chooses what the measures need. */
void td_group_sums_init(struct td_group_sums *s, unsigned measures);
void td_group_sums_done(struct td_group_sums *s);

/* Columns of the calls that are needed: 1 << enum td_row_column. */
unsigned td_group_sums_columns(unsigned measures);

/* From now on there are so many groups. 0 or -ENOMEM. */
int td_group_sums_resize(struct td_group_sums *s, size_t ngroups);

/* Adds rows of a batch, each to its group. The first ncounted of them count, the others are nested only. */
void td_group_sums_add(struct td_group_sums *s, const struct td_row_batch *b, const uint16_t *rows,
		       const uint32_t *groups, size_t ncounted, size_t n);

/* Adds the groups of another, which has at least what this one wants: groups[i] is what its group i
 * is here, or TD_NO_GROUP. */
#define TD_NO_GROUP UINT32_MAX
void td_group_sums_merge(struct td_group_sums *s, const struct td_group_sums *from,
			 const uint32_t *groups);

/* TD_NULL also for what was not wanted. */
static inline int64_t td_group_sums_get(const struct td_group_sums *s, size_t group,
					enum td_sum sum)
{
	return s->place[sum] < 0 ? TD_NULL : s->rows[group * s->nplaces + (size_t)s->place[sum]];
}

/* Adds to a sum that is counted beside the batches: TD_SUM_SEQUENTIAL, TD_SUM_RANDOM. */
static inline void td_group_sums_count(struct td_group_sums *s, size_t group, enum td_sum sum,
				       int64_t n)
{
	s->rows[group * s->nplaces + (size_t)s->place[sum]] += n;
}

/* The group is as one without calls from now on. */
static inline void td_group_sums_drop(struct td_group_sums *s, size_t group)
{
	s->rows[group * s->nplaces + (size_t)s->place[TD_SUM_CALLS]] = 0;
}

/* Adds what lies in the intervals of rows of a batch. hint: as of td_during_of(). */
void td_group_sums_during(struct td_group_sums *s, const struct td_during *during, size_t *hint,
			  const struct td_row_batch *b, const uint16_t *rows,
			  const uint32_t *groups, size_t n);

unsigned __int128 td_group_sums_squares(const struct td_group_sums *s, size_t group);
