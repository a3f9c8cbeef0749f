/* SPDX-License-Identifier: MIT */
/*
 * Which ids are asked for: of 'file_id IN (SELECT ...)' the scan is told, so that groups of other
 * files are not made in the first place. SQLite compares again.
 */
#pragma once

#include "analyzer/scan/filter.h"
#include "analyzer/scan/stat_columns.h"
#include "common/strbuf.h"

struct td_stat_ids {
	struct td_filter_condition items[TD_FILTER_ALSO_MAX]; /* their ids are owned */
	size_t n;
};

/* Asks SQLite for the lists of ids among the constraints, as arguments behind the first nargs, and
 * adds ",COLUMN" for each of them, in hexadecimal digits, to the text. How many there are. */
size_t td_stat_ids_choose(const struct td_stat_columns *columns, sqlite3_index_info *info,
			  int nargs, struct td_strbuf *to);

/* Is one of the lists that were chosen empty, so that there is no row to be found? Arguments as of
 * td_stat_ids_take(). */
bool td_stat_ids_nothing(const char *chosen, int argc, sqlite3_value **argv);

/* Reads the lists that were chosen: the text says which they are, the last ones of the arguments
 * have them. A list that would change what the measures (1 << enum td_measure) say of other rows is
 * left out. 0 or -errno. */
int td_stat_ids_take(const struct td_stat_columns *columns, const char *chosen, unsigned measures,
		     int argc, sqlite3_value **argv, struct td_stat_ids *ret);

void td_stat_ids_done(struct td_stat_ids *ids);
