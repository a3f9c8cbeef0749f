/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/stat_ids.h"
#include "common/cleanup.h"

/* The column of the rows that the ids are in; -1: they are no ids. */
static int column_of(const struct td_stat_column *c)
{
	return c->what == TD_COLUMN_DIM ? td_dim_id_column((enum td_dim)c->which) : -1;
}

size_t td_stat_ids_choose(const struct td_stat_columns *columns, sqlite3_index_info *info,
			  int nargs, struct td_strbuf *to)
{
	size_t n = 0;

	for (int i = 0; i < info->nConstraint && n < TD_FILTER_ALSO_MAX; i++) {
		const struct sqlite3_index_constraint *on = &info->aConstraint[i];

		if (!on->usable || on->op != SQLITE_INDEX_CONSTRAINT_EQ || on->iColumn < 0 ||
		    column_of(&columns->items[on->iColumn]) < 0 || !sqlite3_vtab_in(info, i, -1))
			continue;
		sqlite3_vtab_in(info, i, 1);
		info->aConstraintUsage[i].argvIndex = nargs + (int)++n;
		td_strbuf_addf(to, ",%x", (unsigned)on->iColumn);
	}
	return n;
}

/* *is_complete: all of the list are numbers, so that what has none of them is not asked for. */
static int read_list(sqlite3_value *list, struct td_key_map *ret, bool *is_complete)
{
	sqlite3_value *v;
	int rc, r = 0;

	*is_complete = true;
	for (rc = sqlite3_vtab_in_first(list, &v); rc == SQLITE_OK && r == 0;
	     rc = sqlite3_vtab_in_next(list, &v)) {
		if (sqlite3_value_type(v) == SQLITE_INTEGER)
			r = td_key_map_add(ret, sqlite3_value_int64(v), 1);
		else if (sqlite3_value_type(v) != SQLITE_NULL)
			*is_complete = false;
	}
	return r < 0 ? r : rc == SQLITE_DONE || rc == SQLITE_OK ? 0 : -EIO;
}

/* How many lists were chosen; they are the last ones of the arguments. */
static size_t count_lists(const char *chosen)
{
	size_t n = 0;

	for (const char *p = chosen; *p; p++)
		n += *p == ',';
	return n;
}

bool td_stat_ids_nothing(const char *chosen, int argc, sqlite3_value **argv)
{
	size_t n = count_lists(chosen);

	for (size_t i = 0; i < n; i++) {
		sqlite3_value *v;

		if (sqlite3_vtab_in_first(argv[argc - (int)n + (int)i], &v) == SQLITE_DONE)
			return true;
	}
	return false;
}

int td_stat_ids_take(const struct td_stat_columns *columns, const char *chosen, unsigned measures,
		     int argc, sqlite3_value **argv, struct td_stat_ids *ret)
{
	int r = 0;

	argv += argc - (int)count_lists(chosen);
	for (char *p = strchr(chosen, ','); p && *p == ',' && r == 0;) {
		size_t at = strtoul(p + 1, &p, 16);
		struct td_filter_condition *c = &ret->items[ret->n];
		bool is_complete;

		c->column = (enum td_row_column)column_of(&columns->items[at]);
		r = read_list(*argv++, &c->ids, &is_complete);
		if (is_complete && td_filter_keeps_pattern(c->column, measures))
			ret->n++;
		else
			td_key_map_done(&c->ids);
	}
	return r;
}

void td_stat_ids_done(struct td_stat_ids *ids)
{
	for (size_t i = 0; i < TD_FILTER_ALSO_MAX; i++)
		td_key_map_done(&ids->items[i].ids);
	ids->n = 0;
}
