/* SPDX-License-Identifier: MIT */
/* What the file holds of the whole run as it adds up: operations, with histograms of their durations. */
#pragma once

#include "analyzer/scan/stat.h"
#include "common/err.h"

/* Measures of nested calls apart that it can tell: 1 << enum td_measure. */
extern const unsigned td_held_of_nested;

/* td_stat_scan() without looking at the calls. 1: *ret is what that would have found, but for the
 * order of the groups; 0: the file does not hold it. -errno with a message. req->measures are of
 * calls that are not nested; of_nested, which td_held_of_nested has, of those that are where they
 * have groups of their own. */
int td_held_stat(sqlite3 *db, const struct td_stat_request *req, unsigned of_nested,
		 struct td_stat *ret, struct td_err *err);

/* The same by buckets of durations or sizes. */
int td_held_buckets(sqlite3 *db, const struct td_stat_request *req, struct td_stat *ret,
		    struct td_err *err);

/* The same of files and processes: sums by what io_stat holds, and call_stat by process and
 * operation, with distributions of files. */
int td_held_rows(sqlite3 *db, const struct td_stat_request *req, struct td_stat *ret,
		 struct td_err *err);
