/* SPDX-License-Identifier: MIT */
/* What is shown of a group, as the result of a function or column of SQLite. NULL: unknown. */
#pragma once

#include <sqlite3.h>

#include "analyzer/scan/stat.h"

/* What it is grouped by; not TD_DIM_PHASE, which a scan knows nothing of. */
void td_stat_dim_result(const struct td_stat *s, size_t group, enum td_dim dim,
			sqlite3_context *ctx);

void td_stat_measure_result(const struct td_stat *s, size_t group, enum td_measure measure,
			    sqlite3_context *ctx);

/* One of TD_MEASURES_FILES. */
void td_stat_file_result(const struct td_busiest_file *of, enum td_measure measure,
			 sqlite3_context *ctx);

/* The value of a measure, other than quantiles and those. */
void td_stat_sum_result(const struct td_group_sums *sums, size_t group, enum td_measure measure,
			sqlite3_context *ctx);
