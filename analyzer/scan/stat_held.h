/* SPDX-License-Identifier: MIT */
/* Which groupings of the whole run the file holds: small derived tables, which the views show. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

#include "analyzer/scan/relation.h"
#include "common/strbuf.h"

/* Adds what a grouping is called in the column by. by: 1 << enum td_dim. */
void td_stat_add_by(struct td_strbuf *to, const struct td_relation *of, unsigned by);

/* Has the view of the database 'main' the grouping, with these measures (1 << enum td_measure)? */
bool td_stat_is_held(sqlite3 *db, const struct td_relation *of, unsigned dims, unsigned measures);

/* The same of what is made of rows of files, or is a row of the tables that hold several groupings, and of what has a table
 * of its own, which the view shows as it is. */
bool td_stat_has_groups(sqlite3 *db, const struct td_relation *of, unsigned dims,
			unsigned measures);
bool td_stat_has_table(sqlite3 *db, const struct td_relation *of, unsigned dims, unsigned measures);

/* Of a grouping by what files have in common: that by file whose rows it is made of. 0: it is none of these. */
unsigned td_stat_common_of(const struct td_relation *of, unsigned by);
