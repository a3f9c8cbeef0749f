/* SPDX-License-Identifier: MIT */
/*
 * What a partial of a report has to hold. That must not depend on the database, so it is found
 * without one: the report is run on a made-up database, where call_stat and io_stat note what they
 * are asked and have a few rows of everything.
 */
#pragma once

#include "analyzer/args.h"
#include "analyzer/partial/blank.h"
#include "analyzer/partial/partial.h"
#include "analyzer/report.h"

/* Times in place of those of the user where a report is run on a partial, which holds nothing but
 * what was asked for; what there is lies between. */
#define TD_PARTIAL_AXIS_NS INT64_C(2000000000000000000)
#define TD_PARTIAL_START "1000000000000000000"
#define TD_PARTIAL_END "9000000000000000000"

/* The arguments with these times: *ret, which the caller frees, borrows from args. 0 or -ENOMEM. */
int td_partial_args(const struct td_arg *args, size_t nargs, struct td_arg **ret);

/* Fills in all but top. blank: an empty database to try the reports on, which is empty afterwards.
 * 0; -EOPNOTSUPP with a message: the report asks for what partials do not hold; -errno. */
int td_partial_plan(const struct td_report *const *reports, size_t nreports,
		    const struct td_arg *args, size_t nargs, size_t top,
		    struct td_partial_blank *blank, struct td_partial_head *ret,
		    struct td_err *err);

/* The question of the head that is asked, as nquestions: there is none. Its values must be those of
 * args. 0, or -EOPNOTSUPP with a message. */
struct td_stat_asked;
int td_partial_asked(const struct td_stat_asked *asked, const struct td_arg *args, size_t nargs,
		     struct td_partial_question *ret, struct td_err *err);
bool td_partial_same_question(const struct td_partial_question *a,
			      const struct td_partial_question *b);
