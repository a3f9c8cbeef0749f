/* SPDX-License-Identifier: MIT */
#pragma once

#include <sqlite3.h>

#include "common/err.h"

/* -EUCLEAN, with a text that names the database path: a table or view of td_schema_sql is not there, is another kind of
 * thing or made by other SQL, or something takes the place of a function that reports use. What the user added
 * beside ours is fine. Or -errno of reading. */
int td_db_check_schema(sqlite3 *db, const char *path, struct td_err *err);
