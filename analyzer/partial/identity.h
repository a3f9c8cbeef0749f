/* SPDX-License-Identifier: MIT */
/* What a database is told from others by, wherever it lies and whatever it is called. */
#pragma once

#include <sqlite3.h>

#include "common/err.h"

struct td_identity {
	char db[33]; /* of what was imported: the same logs imported twice are one */
	char run[33]; /* where pids are unique */
};

#define TD_COUNTED_ONCE "'%s' has nothing new, what it is of is there already: counted once"

/* path is for messages. 0 or -errno with one. */
int td_identify(sqlite3 *db, const char *path, struct td_identity *ret, struct td_err *err);
