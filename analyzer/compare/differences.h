/* SPDX-License-Identifier: MIT */
/* Why two runs may not be alike, apart from what they did: they were recorded in other ways, or on other machines. */
#pragma once

#include <sqlite3.h>

#include "common/err.h"
#include "common/strbuf.h"

/* What is known of a run that has to be the same in another one, and why it is not fit to be
 * compared with any: events that were lost, calls that were not recorded, clocks that are not known
 * well enough. */
struct td_facts {
	char **items; /* owned */
	size_t n;
	struct td_strbuf doubts; /* lines */
};

void td_facts_done(struct td_facts *f);

/* 0 or -errno. */
int td_facts_of(sqlite3 *db, struct td_facts *ret, struct td_err *err);

/* Adds a line for each fact in which the runs differ. A failure is td_strbuf_error()'s. */
void td_facts_differ(const struct td_facts *a, const struct td_facts *b, struct td_strbuf *notes);

/* Adds a line 'NAME: ...' for each doubt about the run. A failure is td_strbuf_error()'s. */
void td_facts_doubt(const struct td_facts *f, const char *name, struct td_strbuf *notes);
