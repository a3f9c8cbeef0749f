/* SPDX-License-Identifier: MIT */
/* A copy of a database without the names in it: columns.h says what becomes of which column; what
 * is not in the schema is not copied. The same key makes the same names of the same texts in every
 * database. */
#pragma once

#include <sqlite3.h>

#include "analyzer/redact/names.h"

/* Writes the copy of a database, as td_db_open_ro() gives it, to path, which must not exist; should
 * it fail, what is there is rubbish.
 * key: of TD_REDACT_KEY_BYTES. 0 or -errno with a text. */
int td_redact(sqlite3 *db, const unsigned char *key, const char *path, struct td_err *err);
