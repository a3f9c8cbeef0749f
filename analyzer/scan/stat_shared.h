/* SPDX-License-Identifier: MIT */
/*
 * Reports ask for sums by verb, and for the files of the same groups whatever the verb. Where a
 * statement asks for files at all, a scan by verb finds these beside, and keeps them for who asks
 * next: else all rows would be looked at twice.
 */
#pragma once

#include "analyzer/scan/stat.h"

struct td_stat_shared {
	bool wanted; /* a statement that has been prepared asks for files */
	unsigned nusers; /* open cursors */
	bool kept;
	int nchanges; /* that the connection had made by then */
	struct td_stat_request req; /* what was asked; its texts are owned */
	struct td_stat stat; /* what was found: groups without verb, of which the files are known */
};

/* Cursors come and go; what is kept goes with the last one. */
void td_stat_shared_enter(struct td_stat_shared *s);
void td_stat_shared_leave(struct td_stat_shared *s);

/* As td_stat_scan(), or what is kept, if it is that. */
int td_stat_shared_scan(sqlite3 *db, struct td_stat_shared *s, const struct td_stat_request *req,
			struct td_stat *ret, struct td_err *err);
