/* SPDX-License-Identifier: MIT */
/* What SQL that others wrote may do on a connection of td_db_open_ro(): read, and compute. */
#pragma once

#include <sqlite3.h>
#include <stdint.h>

#include "common/err.h"

/* From now on the connection runs SELECT, EXPLAIN and PRAGMAs that only ask, with functions of SQLite that
 * compute something; it refuses everything else when it is prepared: writing, ATTACH, transactions,
 * load_extension() and other functions that act, other PRAGMAs. */
int td_query_sandbox(sqlite3 *db, struct td_err *err);

/* When something that begins now has to be done. timeout_ns 0: never. */
struct td_deadline {
	int64_t at_ns; /* CLOCK_MONOTONIC; 0: never */
};
struct td_deadline td_deadline_in(int64_t timeout_ns);

/* SQL on the connection fails with SQLITE_INTERRUPT after the deadline, which is borrowed as long as the connection. */
void td_query_deadline(sqlite3 *db, const struct td_deadline *deadline);
