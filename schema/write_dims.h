/* SPDX-License-Identifier: MIT */
/* The small tables: run, source, string, process, file, ... Part of schema/write.c. */
#pragma once

#include <sqlite3.h>

#include "schema/write.h"

/* Inserts what the store knows; the rows' id is the store's id. 0 or -errno. */
int td_write_dims(struct td_store *st, sqlite3 *db, const struct td_write_options *options,
		  struct td_err *err);
