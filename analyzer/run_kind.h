/* SPDX-License-Identifier: MIT */
/* What two runs of the same job have in common, and when a run was: by this runs are chosen that
 * one is compared with. */
#pragma once

#include <sqlite3.h>
#include <stdint.h>

#include "common/err.h"
#include "common/strbuf.h"

struct td_run_kind {
	char *kind; /* owned */
	int64_t start_ns; /* UTC; TD_NULL: not known */
};

/* kind: the command line of the process that the run is about, with {} for what changes from run to
 * run, that is numbers in its paths and numbers of five digits and more; without a command line,
 * the kinds of its logs and its phases. path is for messages. 0 or -errno with one. */
int td_run_kind(sqlite3 *db, const char *path, struct td_run_kind *ret, struct td_err *err);
void td_run_kind_done(struct td_run_kind *k);

/* What a command line is known by: adds it with {} in the place of what changes. A failure is td_strbuf_error()'s. */
void td_run_kind_template(struct td_strbuf *b, const char *command_line);
