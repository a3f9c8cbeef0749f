/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "analyzer/format/bound.h"

const char *const td_bound_names[TD_NBOUNDS] = {
	[TD_BOUND_NONE] = "none",
	[TD_BOUND_LOWER] = "lower",
	[TD_BOUND_UPPER] = "upper",
	[TD_BOUND_EITHER] = "either",
};

enum td_bound td_bound_find(const char *name)
{
	enum td_bound l = TD_BOUND_NONE;

	while (l < TD_NBOUNDS && strcmp(td_bound_names[l], name) != 0)
		l++;
	return l;
}

enum td_bound td_bound_default(enum td_unit unit)
{
	static const enum td_bound defaults[TD_NUNITS] = {
		[TD_UNIT_REAL] = TD_BOUND_EITHER,        [TD_UNIT_COUNT] = TD_BOUND_LOWER,
		[TD_UNIT_BYTES] = TD_BOUND_LOWER,        [TD_UNIT_DUR_NS] = TD_BOUND_LOWER,
		[TD_UNIT_RATIO] = TD_BOUND_EITHER,       [TD_UNIT_PERCENT] = TD_BOUND_EITHER,
		[TD_UNIT_BYTES_PER_S] = TD_BOUND_EITHER,
	};

	return defaults[unit];
}

const char *td_bound_mark(enum td_bound loss, enum td_unit unit, unsigned damage)
{
	static const char *const missing[TD_NBOUNDS] = { "", ">=", "<=", "~" };
	static const char *const twice[TD_NBOUNDS] = { "", "<=", ">=", "~" };
	static const char *const both[TD_NBOUNDS] = { "", "~", "~", "~" };
	bool time = unit == TD_UNIT_DUR_NS || unit == TD_UNIT_PERCENT || unit == TD_UNIT_RATIO ||
		    unit == TD_UNIT_BYTES_PER_S;
	bool lacks = damage & TD_DAMAGE_EVENTS || (damage & TD_DAMAGE_WRAPS && time);

	if (damage & TD_DAMAGE_TWICE)
		return lacks ? both[loss] : twice[loss];
	return lacks ? missing[loss] : "";
}
