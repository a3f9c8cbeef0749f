/* SPDX-License-Identifier: MIT */
/*
 * Zone and date are found by laying time ranges over each other: files of one run begin and end at
 * about the same time, zones are those of tzdata and nearly always whole hours, days have 24.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zones are this far apart at least, in seconds. */
#define TD_ZONE_STEP_S 900

/* From the first to the last time of something, ns; from > to: empty. */
struct td_range {
	int64_t from, to;
};
static const struct td_range td_range_empty = { INT64_MAX, INT64_MIN };

static inline bool td_range_is_empty(struct td_range r)
{
	return r.from > r.to;
}

static inline bool td_range_overlaps(struct td_range a, struct td_range b)
{
	return a.from <= b.to && b.from <= a.to;
}

static inline struct td_range td_range_shift(struct td_range r, int64_t by)
{
	return (struct td_range){ r.from + by, r.to + by };
}

void td_range_extend(struct td_range *r, struct td_range by);

/* When there was something: ranges that lie far apart, so that what is laid over them lies over one of them or over
 * none. Zeroed: none. */
struct td_ranges {
	struct td_range *items; /* ascending, once joined */
	size_t n, cap;
};

/* Adds one, unless it is empty. 0 or -ENOMEM. */
int td_ranges_add(struct td_ranges *rs, struct td_range r);
/* Makes one of those that are less than half a day apart. */
void td_ranges_join(struct td_ranges *rs);
bool td_ranges_overlap(const struct td_ranges *rs, struct td_range r);
void td_ranges_done(struct td_ranges *rs);

/* What fits best; where several values fit equally well, the middle of them, and how far the others are
 * off. */
struct td_guess {
	size_t overlapping; /* sources that overlap a reference then */
	int64_t value, error;
	bool unsure; /* it fits several references, or none of several: value says nothing */
};

/* A source that prints local time, with its date or (times since some midnight) without. */
struct td_local_range {
	bool dated;
	struct td_range range;
};

/* The zone, local minus UTC in seconds, in which most sources overlap the UTC ones, or miss them by minutes, and of
 * these zones the one in which they begin and end closest to them. overlapping is 0 if none does in any zone. utc:
 * joined, one at least. */
struct td_guess td_find_zone(const struct td_local_range *sources, size_t n,
			     const struct td_ranges *utc);

/* The day, counted from 1970, whose midnight lays the times of day best over the references. Both are joined; one of
 * each at least. */
struct td_guess td_find_day(const struct td_ranges *tod, const struct td_ranges *references);

/* Days since 1970 (or since the midnight that times of day count from), rounded down. */
int64_t td_day_of(int64_t ns);
