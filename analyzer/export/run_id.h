/* SPDX-License-Identifier: MIT */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

#include "common/err.h"

#define TD_RUN_ID_BUF 64

/* What tells a run from others where there are many, fit for the name of a file: its name and eight
 * hexadecimal digits that follow from what was imported, so that it is the same each time. 0 or
 * -errno with a text. */
int td_run_id(sqlite3 *db, char ret[TD_RUN_ID_BUF], struct td_err *err);

/* Can it be part of a path and of a name like run=ID: letters, digits, '.', '_', '-', not a dot
 * first, shorter than TD_RUN_ID_BUF? */
bool td_run_id_is_valid(const char *id);
