/* SPDX-License-Identifier: MIT */
/* What files have in common, of the whole run: sums that the database holds of each, put together
 * by class, directory or storage, or by class and bin of time. */
#pragma once

#include "analyzer/scan/stat.h"

/* Rows of the grouping files_by of file_stat (TD_DIM_FILE, TD_DIM_VERB and perhaps TD_DIM_PROCESS),
 * or, if that has TD_DIM_BIN, of bin_stat, by the dims of the request, of which pid, process and
 * measures count: COUNT, ERRORS, BYTES, TOTAL_NS, and of file_stat MAX_NS and TD_MEASURES_FILES. As
 * td_stat_scan(). */
int td_stat_common(sqlite3 *db, const struct td_stat_request *req, unsigned files_by,
		   struct td_stat *ret, struct td_err *err);
