/* SPDX-License-Identifier: MIT */
/* Which rows count: where they lie, and whose and on what they are. */
#pragma once

#include "analyzer/scan/source.h"
#include "analyzer/scan/dims.h"

/* Rows that begin at start_ns or later, but before end_ns, and have these ids. */
struct td_filter_range {
	int64_t start_ns, end_ns;
	int64_t first_id, last_id;
};

/* Rows of one of these operations, processes or files. */
struct td_filter_condition {
	enum td_row_column column;
	bool none; /* rows that have none of them count, too */
	struct td_key_map ids; /* owned; key 1: counts */
};

#define TD_FILTER_ALSO_MAX 4 /* conditions of a request */

struct td_filter {
	struct td_filter_range *ranges; /* owned; in order, none overlaps another */
	size_t nranges, cap;
	struct td_filter_condition conditions
		[3 + TD_FILTER_ALSO_MAX]; /* all must hold; the ids from nowned on are borrowed */
	size_t nconditions, nowned;
	bool late; /* rows that do not meet the conditions are read, too: others depend on them */
};

/* 0, or -errno with a message. */
int td_filter_load(sqlite3 *db, const struct td_stat_request *req, struct td_filter *ret,
		   struct td_err *err);
void td_filter_done(struct td_filter *f);

/* Whether a row meets all conditions. */
static inline bool td_filter_meets(const struct td_filter *f, const struct td_row_batch *b,
				   size_t row)
{
	for (size_t i = 0; i < f->nconditions; i++) {
		const struct td_filter_condition *c = &f->conditions[i];
		int64_t id = b->columns[c->column][row];

		if (!td_key_map_get(&c->ids, id) && !(c->none && id <= 0))
			return false;
	}
	return true;
}

/* Whether rows that do not meet a condition on the column can be left out: where a read begins is
 * compared with where the last one of its process, file and verb ended, whoever made it and by
 * whichever call. */
static inline bool td_filter_keeps_pattern(enum td_row_column column, unsigned measures)
{
	return !(measures & TD_MEASURES_PATTERN) || column == TD_ROW_OBJECT ||
	       column == TD_ROW_PROCESS;
}

/* Columns of the rows that tell whether they count: 1 << enum td_row_column. */
unsigned td_filter_columns(const struct td_filter *f);
