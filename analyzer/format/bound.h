/* SPDX-License-Identifier: MIT */
/* What missing events do to a number, and how that is printed. */
#pragma once

#include <stdbool.h>

#include "analyzer/format/unit.h"

/* What is wrong with the data. */
enum td_damage {
	TD_DAMAGE_EVENTS =
		1, /* events: the tracer lost them, or their lines were spoilt or cut off */
	TD_DAMAGE_WRAPS = 2, /* 2^32 ns here and there: durations that were printed in 32 bits */
	TD_DAMAGE_TWICE = 8, /* nothing, but has calls twice, which two sources tell of */
	TD_DAMAGE_CLOCKS =
		4, /* clocks that can be compared: moves no number that is printed, but what follows */
};

/* Where the number would be without what is missing; without what is there twice it would be on the other side. */
enum td_bound {
	TD_BOUND_NONE, /* the same */
	TD_BOUND_LOWER, /* the same or more: what is there is a lower bound */
	TD_BOUND_UPPER, /* the same or less */
	TD_BOUND_EITHER, /* anywhere: what is there bounds nothing */
	TD_NBOUNDS,
};

/* As in report files: none, lower, upper, either. */
extern const char *const td_bound_names[TD_NBOUNDS];

/* The one of that name, TD_NBOUNDS if there is none. */
enum td_bound td_bound_find(const char *name);

/* What holds for most columns of a unit: counts, sizes and durations are sums, shares and means are not. */
enum td_bound td_bound_default(enum td_unit unit);

/* What stands in front of a number with this damage (of enum td_damage, together): ">=", "<=", "~", or
 * nothing. */
const char *td_bound_mark(enum td_bound loss, enum td_unit unit, unsigned damage);
