/* SPDX-License-Identifier: MIT */
/* What the values of a column or parameter are. */
#pragma once

enum td_unit {
	TD_UNIT_ANY, /* not said: text or number as it comes */
	TD_UNIT_TEXT,
	TD_UNIT_INTEGER, /* a number that is not counted: pid, fd, line */
	TD_UNIT_REAL,
	TD_UNIT_COUNT,
	TD_UNIT_BYTES,
	TD_UNIT_BYTES_PER_S,
	TD_UNIT_DUR_NS, /* duration in nanoseconds */
	TD_UNIT_TS_NS, /* nanoseconds since the epoch, UTC; people see it from the begin of the run */
	TD_UNIT_UTC_NS, /* the same; people see the date */
	TD_UNIT_RATIO, /* share of 1 */
	TD_UNIT_PERCENT, /* share of 100 */
	TD_UNIT_JSON, /* text that is JSON: a value, not a string, in json; no report can declare it */
	TD_NUNITS,
};

/* As in report files; TD_UNIT_ANY has none (NULL). */
extern const char *const td_unit_names[TD_NUNITS];

/* The unit of that name, TD_UNIT_ANY if there is none. */
enum td_unit td_unit_find(const char *name);

/* What the name of a column says about its unit, for queries that do not declare it: 'dur_ns',
 * 'total_ns' and other *_ns are durations, but 'start_ns', 'end_ns', 'ts_ns', 'first_ns', 'last_ns'
 * and 'bin_ns' times; 'bytes' and *_bytes sizes, *_bytes_per_s speeds, *_percent, *_pct and *_ratio shares. */
enum td_unit td_unit_guess(const char *column);
