/* SPDX-License-Identifier: MIT */
/* Rows of a table one after the other, for what follows from all that was before. */
#pragma once

#include "analyzer/scan/request.h"
#include "analyzer/scan/source.h"

/* Calls fn with each row that counts, in the order of the ids, and with where it is in the batch.
 * columns: 1 << enum td_row_column; those of the relation must have TD_ROW_ID. 0, what fn returned
 * if that is negative, or -errno with a message. */
int td_rows_in_order(sqlite3 *db, const struct td_stat_request *req, unsigned columns,
		     int (*fn)(void *arg, const struct td_row_batch *b, size_t row), void *arg,
		     struct td_err *err);
