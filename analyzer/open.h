/* SPDX-License-Identifier: MIT */
#pragma once

#include <sqlite3.h>

#include "common/err.h"

/* Opens a database to ask it: as td_db_open_ro() does, and with a call_stat and io_stat that answer any grouping and filter
 * (analyzer/scan/stat_table.h). */
int td_analyzer_open(const char *path, sqlite3 **ret, struct td_err *err);
