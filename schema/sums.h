/* SPDX-License-Identifier: MIT */
/*
 * sum() of SQLite ends a statement where integers come to more than 64 bits hold, and with it a report: numbers that
 * cannot be are for the database to show, not a reason to show nothing. This one stops at the largest number there is
 * and tells.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Takes the place of sum() on this connection, also over windows. An SQLite result code. */
int td_sums_use(sqlite3 *db);

/* Has a sum been too large since then? False where td_sums_use() was not called. */
bool td_sums_overflowed(sqlite3 *db);

/* Has td_sums_overflowed() tell of a sum that was made elsewhere, if it is the largest number, at which td_plus() stops. */
void td_sums_reached(sqlite3 *db, int64_t sum);
