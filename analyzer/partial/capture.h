/* SPDX-License-Identifier: MIT */
/* From a database to its partial. */
#pragma once

#include "analyzer/args.h"
#include "analyzer/partial/partial.h"
#include "analyzer/report.h"

/* path: of the database, as people call it. reports: those of the head, in its order; args: as its. 0; -EOPNOTSUPP with a message: its
 * clocks do not allow it; or -errno with one. */
int td_partial_capture(const char *path, const struct td_partial_head *head,
		       const struct td_report *const *reports, const struct td_arg *args,
		       size_t nargs, struct td_partial **ret, struct td_err *err);
