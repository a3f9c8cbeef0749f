/* SPDX-License-Identifier: MIT */
#pragma once

#include <sqlite3.h>

#include "common/err.h"

/* Opens a database to ask it: as td_db_open_ro() does, and with a call_stat and io_stat that answer
 * any grouping and filter (analyzer/scan/stat_table.h). */
int td_analyzer_open(const char *path, sqlite3 **ret, struct td_err *err);

/* The same for SQL that others wrote: in the sandbox (analyzer/sandbox.h), and until the deadline,
 * which is borrowed as long as the connection. NULL: none. */
struct td_deadline;
int td_analyzer_open_boxed(const char *path, const struct td_deadline *deadline, sqlite3 **ret,
			   struct td_err *err);

/* The same for this SQL alone, which may be several statements: what of call_stat and its like it
 * does not name is the view of the file. To make all of these tables takes longer than a short
 * report. NULL: any may be asked for. */
int td_analyzer_open_asking(const char *path, const char *asking,
			    const struct td_deadline *deadline, sqlite3 **ret, struct td_err *err);
