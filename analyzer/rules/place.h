/* SPDX-License-Identifier: MIT */
#pragma once

#include "analyzer/rules/findings.h"

/* Where on the timeline a finding shows, UTC ns. 1; 0: it is about the whole run; or -errno with a text. */
int td_finding_place(sqlite3 *db, const struct td_finding *finding, int64_t *ret_start_ns,
		     int64_t *ret_end_ns, struct td_err *err);
