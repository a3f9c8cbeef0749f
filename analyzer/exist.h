/* SPDX-License-Identifier: MIT */
/* Whether a database has what the user asks a report for: "(no rows)" would not tell a phase without
 * I/O from one that is misspelt. */
#pragma once

#include <sqlite3.h>

#include "analyzer/args.h"
#include "common/strbuf.h"

/* Is it a parameter that is looked up: phase, pid, process, start_ns, end_ns? */
bool td_exist_asked(const char *param);

/* Looks args[which] up. 1: the database has it, or it is no such parameter; 0: it has not, and words
 * that say so and name what there is are added to missing; -EINVAL: the value is none of its type;
 * or another -errno. */
int td_exist(sqlite3 *db, const struct td_arg *args, size_t nargs, size_t which,
	     struct td_strbuf *missing, struct td_err *err);
