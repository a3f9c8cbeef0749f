/* SPDX-License-Identifier: MIT */
#pragma once

#include "analyzer/export/table.h"

/* Writes all rows of the table, in the order of their rowids where they have such, without the
 * footer. f is a file that is empty: what is written to it can be thrown away and begun again.
 * *ret, to be ended and freed, is the file. 0 or -errno. */
int td_parquet_rows(sqlite3 *db, const struct td_export_table *t, FILE *f,
		    struct td_parquet_file **ret, struct td_err *err);
