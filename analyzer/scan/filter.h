/* SPDX-License-Identifier: MIT */
/* Which calls count: where they lie, and whose and on what they are. */
#pragma once

#include "analyzer/scan/calls.h"
#include "analyzer/scan/dims.h"

/* Calls that begin at start_ns or later, but before end_ns, and have these ids. */
struct td_filter_range {
	int64_t start_ns, end_ns;
	int64_t first_id, last_id;
};

/* Calls of one of these operations, processes or files. */
struct td_filter_condition {
	enum td_call_column column;
	struct td_key_map ids; /* owned; key 1: counts */
};

struct td_filter {
	struct td_filter_range *ranges; /* owned; in order, none overlaps another */
	size_t nranges, cap;
	struct td_filter_condition conditions[3]; /* all must hold */
	size_t nconditions;
};

/* 0, or -errno with a message. */
int td_filter_load(sqlite3 *db, const struct td_stat_request *req, struct td_filter *ret,
		   struct td_err *err);
void td_filter_done(struct td_filter *f);

/* Columns of the calls that tell whether they count: 1 << enum td_call_column. */
unsigned td_filter_columns(const struct td_filter *f);
