/* SPDX-License-Identifier: MIT */
/* From a database to its partial. */
#pragma once

#include "analyzer/args.h"
#include "analyzer/partial/partial.h"
#include "analyzer/report.h"
#include "schema/series.h"

/* The clock of another database. */
struct td_partial_clock {
	int64_t shift_ns; /* what to add to times of the database */
	int64_t since_ns,
		until_ns; /* by that clock, in place of those of the arguments; TD_NULL: as these say */
};

struct td_partial_source {
	struct td_db_series *series; /* of one thread, one database at a time */
	const struct td_partial_head *head;
	const struct td_report *const *reports; /* those of the head, in its order */
	const struct td_arg *args; /* as its */
	size_t nargs;
	const struct td_partial_clock *clock; /* that all are shown by; NULL: each by its own */
	/* 1; 0: the database of that identity is read by somebody else, too; -ENOMEM. NULL: all are
	 * wanted */
	int (*claim)(void *arg, const char *identity);
	void *claim_arg;
};

/* Databases for td_partial_capture(). 0 or -errno. */
int td_partial_series(struct td_db_series **ret);

/* Adds the database to p, which is of the same head, and into which it is not merged yet. path: of it,
 * as people call it. 0; 1: it was not claimed; -EOPNOTSUPP with a message: its clocks do not allow
 * it; or -errno with one. What is negative, but for -ENOMEM, adds nothing. */
int td_partial_capture(const struct td_partial_source *from, const char *path, struct td_partial *p,
		       struct td_err *err);
