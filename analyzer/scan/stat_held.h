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

/* Of a grouping by what files have in common: that by file whose rows it is made of. 0: it is none of these. */
unsigned td_stat_common_of(const struct td_relation *of, unsigned by);
