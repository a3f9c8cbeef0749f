/* SPDX-License-Identifier: MIT */
/* Several databases as one, for questions of one's own: each is a run, often a rank of one job. */
#pragma once

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/clocks.h"
#include "common/err.h"

/* What a database is called beside others. */
struct td_run_label {
	char *run; /* the run's name; its path where two have one name. Owned */
	int64_t rank; /* the only one that its sources tell; TD_NULL: none, or several */
};

/* Of each of the databases, in their order; free them with td_run_labels_free(). 0; -errno with a
 * text that names the one which cannot be read, and says what to do. */
int td_run_labels(char *const *paths, size_t n, struct td_run_label **ret, struct td_err *err);
void td_run_labels_free(struct td_run_label *labels, size_t n);

/* Opens a connection on which each table and view of the schema has the rows of all of them, with
 * the columns 'run' and 'rank' before the others; where rows have a rank of their own it takes the
 * place of the run's. Rows are told apart by run: ids are those of their database. Nothing can be
 * written. shifts: of each, what its times are moved by, and a table rank_clock says so (run, rank,
 * moved_ns, error_ns; NULL where that is not known and nothing is moved); NULL: none. -E2BIG:
 * SQLite does not open so many at once. */
int td_several_open(char *const *paths, size_t n, const struct td_clock_shift *shifts,
		    sqlite3 **ret, struct td_err *err);
