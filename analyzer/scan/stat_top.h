/* SPDX-License-Identifier: MIT */
/* The groups of a few files (processes, ...) of hundreds of thousands: those that took most time. */
#pragma once

#include "analyzer/scan/stat.h"

/* As td_stat_scan(), but only of the groups whose first dimension is among the top ones with most
 * time, of those with the same TD_DIM_WAITS where they are grouped by it; what ties with the last
 * of them is among them. Files, processes and the like are ranked first, so that the others need no
 * percentiles; req->also does not count for that. What is left out has a TD_SUM_CALLS of 0. */
int td_stat_scan_top(sqlite3 *db, const struct td_stat_request *req, size_t top,
		     struct td_stat *ret, struct td_err *err);
