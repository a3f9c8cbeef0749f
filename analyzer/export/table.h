/* SPDX-License-Identifier: MIT */
/* Tables of a database as they are exported: their own columns, and behind them the names of what
 * their keys refer to. */
#pragma once

#include <sqlite3.h>

#include "analyzer/parquet/parquet.h"
#include "analyzer/scan/table_rows.h"
#include "common/err.h"
#include "common/intern.h"

/* What a key means, for all rows of the table that it refers to. */
struct td_lookup {
	const struct td_lookup_kind *kind;
	uint32_t *
		codes; /* [ncodes] by key: number of the value, 0: NULL. Owned, as are the next ones */
	size_t ncodes;
	struct td_parquet_values values;
	int64_t *numbers;
	struct td_intern texts;
};

/* Those that were needed so far; they are loaded once. */
struct td_lookups {
	struct td_lookup **items; /* owned, as are they */
	size_t n, cap;
};
void td_lookups_done(struct td_lookups *l);

struct td_export_table {
	char *name;
	struct td_table_layout layout; /* of the table's own columns */
	bool is_text[TD_TABLE_COLUMNS_MAX]; /* ..., blobs, too */
	bool has_text, has_rowid;
	struct td_parquet_column columns[2 * TD_TABLE_COLUMNS_MAX]; /* own ones, then names */
	size_t ncolumns;
	/* Of the columns behind the own ones: */
	const struct td_lookup *lookups[2 * TD_TABLE_COLUMNS_MAX]; /* borrowed */
	size_t keys[2 * TD_TABLE_COLUMNS_MAX]; /* the own column that has the key */
};

/* Describes a table; lookups NULL: its own columns only. 0; -EOPNOTSUPP: it has columns of any type
 * (it is not STRICT) or too many, or names that are no words; -errno with a text. */
int td_export_table_load(sqlite3 *db, const char *name, struct td_lookups *lookups,
			 struct td_export_table *ret, struct td_err *err);
void td_export_table_done(struct td_export_table *t);

/* What the keys of a table mean by one of its columns ('file', 'file_class'; 'string', 'string'),
 * loaded once. *ret is all's. 0, -ENOENT or another -errno with a text. */
int td_lookup_get(sqlite3 *db, const char *table, const char *name, struct td_lookups *all,
		  const struct td_lookup **ret, struct td_err *err);

/* Number of the value for a key; 0: NULL. */
static inline uint32_t td_lookup_code(const struct td_lookup *l, int64_t key)
{
	return key >= 0 && (uint64_t)key < l->ncodes ? l->codes[key] : 0;
}
