/* SPDX-License-Identifier: MIT */
/*
 * A database in memory with the schema of any other and nothing in it: reports are tried on one to
 * see what they ask, and run on one to answer from a partial. Making the schema takes longer than
 * most of what is done with it, so both can use the same, one after the other.
 */
#pragma once

#include "analyzer/scan/stat_table.h"
#include "common/cleanup.h"

struct td_partial_blank {
	sqlite3 *db; /* owned */
	struct td_stat_provider
		provider; /* of call_stat and io_stat: who uses the database sets it */
	const char *pattern; /* that GLOB says of any text that it is like; NULL: none. Borrowed */
};

/* Views that a partial answers are tables in it. 0 or -errno with a message. */
int td_partial_blank_new(struct td_partial_blank **ret, struct td_err *err);
void td_partial_blank_free(struct td_partial_blank *b);
TD_DEFINE_CLEANUP(struct td_partial_blank *, td_partial_blank_free)
