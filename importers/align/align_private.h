/* SPDX-License-Identifier: MIT */
/* Between align.c, which begins and ends, places.c, which finds zone and dates, and offsets.c,
 * which writes what was found to the sources. */
#pragma once

#include "importers/align/align.h"
#include "importers/align/boots.h"

enum td_place_basis { TD_PLACE_NONE, TD_PLACE_GIVEN, TD_PLACE_SOURCES, TD_PLACE_ASSUMED };

/* A zone (seconds) or a date (days), and how it is known. */
struct td_place {
	enum td_place_basis basis;
	int64_t value,
		error; /* how far the true one may be off; TD_NULL: the sources overlap in none */
};

struct td_aligner {
	struct td_store *st;
	const struct td_clock_options *options;
	struct td_boots boots;
	struct td_boot given; /* what the user says of the boot; wall is TD_CLOCK_NONE: nothing */
	struct td_ranges utc; /* of all UTC sources */
	bool is_open; /* nothing with a certain date */
	bool *in_seconds; /* by source id: its times are whole seconds */
	struct td_place zone; /* TD_PLACE_NONE: no source needs it */
};

static inline bool td_aligner_timed(const struct td_source *s)
{
	return s->first_native_ns != TD_NULL;
}

static inline struct td_range td_aligner_native(const struct td_source *s)
{
	return td_range_shift((struct td_range){ s->first_native_ns, s->last_native_ns },
			      s->date_shift_ns);
}

/* What the user says of the boot is of all sources, unless there are several boots. */
static inline bool td_aligner_all_given(const struct td_aligner *al)
{
	return al->given.wall != TD_CLOCK_NONE && al->boots.n <= 1;
}

static inline uint16_t td_aligner_source_id(const struct td_aligner *al, const struct td_source *s)
{
	return (uint16_t)(s - td_store_contents(al->st)->sources + 1);
}

/* The boot that a source counts from; NULL: it does not, or nothing tells. */
static inline const struct td_boot *td_aligner_boot_of(const struct td_aligner *al,
						       const struct td_source *s)
{
	uint32_t number = al->boots.of[td_aligner_source_id(al, s)];

	if (s->clock != TD_CLOCK_BOOT)
		return NULL;
	if (number && !td_aligner_all_given(al))
		return &al->boots.items[number - 1];
	return al->given.wall != TD_CLOCK_NONE ? &al->given : NULL;
}

/* --- places.c: zone and dates --- */

/* What is in UTC (al->utc). 0 or -ENOMEM, as all of these. */
int td_places_utc(struct td_aligner *al);

/* Reads each date that can be read two ways in the way that fits the sources whose dates are certain. */
int td_places_dates(struct td_aligner *al);

/* The zone (al->zone), by what is in UTC. */
int td_places_zone(struct td_aligner *al);

/* The ranges that undated sources are laid over, in local time: of the UTC sources, or in their place those of the
 * sources with a local date there. If there are none, of those whose date may be one of two: the sources then lie
 * right to each other at least (al->is_open). */
int td_places_references(struct td_aligner *al, struct td_ranges *ret);

/* The day of the midnight that times of day count from. folder_of: source in whose folder all are that do; 0: none. */
struct td_place td_places_day(const struct td_aligner *al, const struct td_ranges *tod,
			      uint16_t folder_of, const struct td_ranges *refs);

/* The same by boot, for those that only a time of day was read beside. */
int td_places_boot_days(const struct td_aligner *al, const struct td_ranges *refs,
			struct td_place *days);

/* --- offsets.c: results --- */

/* Offset, error bar and reason of every source. 0 or -ENOMEM. */
int td_offsets_set(struct td_aligner *al);
