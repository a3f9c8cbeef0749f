/* SPDX-License-Identifier: MIT */
/* Included in front of every file of the extension: its calls of SQLite go to the SQLite that loads
 * it, which need not be the one that tracedb is linked with
 * (https://www.sqlite.org/loadext.html). */
#pragma once

#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3
