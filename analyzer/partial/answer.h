/* SPDX-License-Identifier: MIT */
/*
 * The database that reports are run on to answer from a partial: in memory, with the schema of any
 * other, and what the partial has in its small tables; call_stat and io_stat ask the partial
 * (struct td_stat_provider).
 */
#pragma once

#include "analyzer/args.h"
#include "analyzer/partial/blank.h"
#include "analyzer/partial/partial.h"

struct td_partial_answer;

/* p: sorted; it, args, which are td_partial_args(), and an empty database are borrowed. 0; -EBADMSG
 * with a message: what the partial says cannot be. */
int td_partial_answer_new(const struct td_partial *p, const struct td_arg *args, size_t nargs,
			  struct td_partial_blank *blank, struct td_partial_answer **ret,
			  struct td_err *err);
void td_partial_answer_free(struct td_partial_answer *a);
TD_DEFINE_CLEANUP(struct td_partial_answer *, td_partial_answer_free)

sqlite3 *td_partial_answer_db(struct td_partial_answer *a);
