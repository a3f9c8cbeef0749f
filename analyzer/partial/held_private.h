/* SPDX-License-Identifier: MIT */
/* What held.c, held_rows.c and held_buckets.c share: reading derived tables. */
#pragma once

#include "analyzer/scan/dims.h"
#include "schema/stat_math.h"

static inline int64_t td_held_known(sqlite3_stmt *s, int column)
{
	sqlite3_value *v = sqlite3_column_value(s, column); /* to look for it once */

	return sqlite3_value_type(v) == SQLITE_NULL ? TD_NULL : sqlite3_value_int64(v);
}

/* The number of a text among the few that there are, from 1; 0: it is NULL. -ENOMEM. */
int64_t td_held_label(struct td_labels *l, const char *text, size_t len);

/* Calls that are not nested, of I/O alone or all, as op_stat has them: any grouping is of so many. *ret is -1: it has none. 0, or -errno with a
 * message. */
int td_held_calls(sqlite3 *db, bool io_only, int64_t *ret, struct td_err *err);
