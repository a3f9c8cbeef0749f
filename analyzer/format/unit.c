/* SPDX-License-Identifier: MIT */
#include <stdbool.h>

#include "common/cleanup.h"
#include "common/scan.h"
#include "analyzer/format/unit.h"

const char *const td_unit_names[TD_NUNITS] = {
	[TD_UNIT_TEXT] = "TEXT",
	[TD_UNIT_INTEGER] = "INTEGER",
	[TD_UNIT_REAL] = "REAL",
	[TD_UNIT_COUNT] = "count",
	[TD_UNIT_BYTES] = "bytes",
	[TD_UNIT_DUR_NS] = "dur_ns",
	[TD_UNIT_TS_NS] = "ts_ns",
	[TD_UNIT_UTC_NS] = "utc_ns",
	[TD_UNIT_RATIO] = "ratio",
	[TD_UNIT_PERCENT] = "percent",
	[TD_UNIT_BYTES_PER_S] = "bytes_per_s",
};

enum td_unit td_unit_find(const char *name)
{
	for (enum td_unit u = TD_UNIT_ANY + 1; u < TD_NUNITS; u++)
		if (td_unit_names[u] && strcmp(td_unit_names[u], name) == 0)
			return u;
	return TD_UNIT_ANY;
}

enum td_unit td_unit_guess(const char *column)
{
	/* The first row that fits the name counts. */
	static const struct {
		const char *name;
		bool whole; /* the whole name, or its end */
		enum td_unit unit;
	} guesses[] = {
		{ "start_ns", true, TD_UNIT_TS_NS },
		{ "end_ns", true, TD_UNIT_TS_NS },
		{ "ts_ns", true, TD_UNIT_TS_NS },
		{ "first_ns", true, TD_UNIT_TS_NS },
		{ "last_ns", true, TD_UNIT_TS_NS },
		{ "bin_ns", true, TD_UNIT_TS_NS },
		{ "_ns", false, TD_UNIT_DUR_NS },
		{ "bytes", true, TD_UNIT_BYTES },
		{ "_bytes", false, TD_UNIT_BYTES },
		{ "_percent", false, TD_UNIT_PERCENT },
		{ "_pct", false, TD_UNIT_PERCENT },
		{ "_ratio", false, TD_UNIT_RATIO },
		{ "bytes_per_s", false, TD_UNIT_BYTES_PER_S },
	};
	struct td_str name = { column, strlen(column) };

	for (size_t i = 0; i < TD_ARRAY_SIZE(guesses); i++)
		if (guesses[i].whole ? td_str_eq(name, guesses[i].name)
				     : td_str_ends(name, guesses[i].name))
			return guesses[i].unit;
	return TD_UNIT_ANY;
}
