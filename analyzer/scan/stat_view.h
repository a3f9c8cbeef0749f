/* SPDX-License-Identifier: MIT */
/* Rows of the views of the relations, which show what the file holds. */
#pragma once

#include "analyzer/scan/stat_columns.h"

struct td_stat_view {
	sqlite3 *db;
	const struct td_relation *relation;
	const struct td_stat_columns *columns;
	sqlite3_value *const *args; /* of enum td_param; NULL: not given */
	unsigned dims; /* what is grouped by: 1 << enum td_dim */
};

/* By what the rows of the view are grouped that answer the question: 1 << enum td_dim. 0: it has
 * none, or not all that is wanted (1 << enum td_measure). The rows of one process are those of the
 * grouping that tells processes apart. */
unsigned td_stat_view_dims(const struct td_stat_view *v, unsigned wanted);

/* Whether a name is asked for, and whoever made calls has it: then they are those of the whole run, and
 * so are their exact percentiles. Only where derived tables tell. */
bool td_stat_view_is_of_all(const struct td_stat_view *v);

/* by 0: all rows of the view. used: a bit for each column that is looked at; the others are NULL.
 * *ret is the caller's. An SQLite result code. */
int td_stat_view_open(const struct td_stat_view *v, unsigned by, uint64_t used, sqlite3_stmt **ret);
