/* SPDX-License-Identifier: MIT */
/* What SQL that others wrote may do on a connection of td_db_open_ro(): read, and compute. */
#pragma once

#include <sqlite3.h>

#include "common/err.h"

/* From now on the connection runs SELECT, EXPLAIN and PRAGMAs that only ask, with functions of SQLite that
 * compute something; it refuses everything else when it is prepared: writing, ATTACH, transactions,
 * load_extension() and other functions that act, other PRAGMAs. */
int td_query_sandbox(sqlite3 *db, struct td_err *err);
