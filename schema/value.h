/* SPDX-License-Identifier: MIT */
/* A value of a row. It has the type of its column, or is NULL: nothing is converted. */
#pragma once

#include "common/scan.h"

enum td_value_type { TD_VALUE_NULL, TD_VALUE_INTEGER, TD_VALUE_REAL, TD_VALUE_TEXT, TD_VALUE_BLOB };

struct td_value {
	enum td_value_type type;
	union {
		int64_t i;
		double d; /* NaN is NULL, too */
		struct td_str s; /* borrowed; p may be NULL if it is empty */
	};
};
