/* SPDX-License-Identifier: MIT */
/* The columns of a relation: by, what is grouped by, measures, and parameters. Those of the views
 * are in the same order. */
#pragma once

#include <sqlite3.h>

#include "analyzer/scan/relation.h"

#define TD_STAT_COLUMNS_MAX 63 /* colUsed has a bit for each */

enum td_stat_column_kind { TD_COLUMN_BY, TD_COLUMN_DIM, TD_COLUMN_MEASURE, TD_COLUMN_PARAM };
struct td_stat_column {
	enum td_stat_column_kind what;
	unsigned which; /* enum td_dim, td_measure, td_param */
	const char *name; /* borrowed from the relation, or static */
};

struct td_stat_columns {
	struct td_stat_column items[TD_STAT_COLUMNS_MAX];
	int n, nbefore_params;
};

void td_stat_columns_list(const struct td_relation *r, struct td_stat_columns *t);

/* Declares them as those of the virtual table that is being made. An SQLite result code. */
int td_stat_columns_declare(const struct td_stat_columns *t, sqlite3 *db);
