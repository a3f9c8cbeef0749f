/* SPDX-License-Identifier: MIT */
/* Shared by load.c, which reads the small tables of a database, and load_rows.c, which reads the big ones. */
#pragma once

#include <math.h>

#include "schema/db.h"
#include "store/dim_tables.h"
#include "store/store_private.h"

/* What an id of the database is in the store. */
struct idmap {
	uint32_t *to; /* by the database's id; 0: none */
	size_t n;
	uint64_t rows; /* that were remembered */
};

struct td_loader {
	struct td_store *st;
	sqlite3 *db;
	struct td_err *err;
	struct idmap maps[TD_NDIMS];
	int64_t id; /* of the row of a small table */
	bool *unmatched; /* owned; for each file of the database, whether unmatch() found calls that it has by its name */
	size_t nfiles;
	/* A row refers to one that is not there, has a negative size, or lacks what every row has. */
	bool contradiction;
};

/* What the id in the column is in the store; 0 for NULL, and for one that is not there, which is a contradiction. */
uint32_t td_load_mapped(struct td_loader *l, enum td_dim dim, sqlite3_stmt *s, int column);

/* A number from 0 to max; else it is a contradiction. */
uint64_t td_load_count(struct td_loader *l, sqlite3_stmt *s, int at, uint64_t max);

/* The time by the clock of the source; TD_NULL for a contradiction. */
int64_t td_load_native(struct td_loader *l, uint16_t source_id, int64_t utc_ns);

/* After each row: 0, -EUCLEAN with a message for a contradiction, or what became of the store. */
int td_load_check_row(const struct td_loader *l, const char *table);

/* All rows of a kind. 0 or -errno with a message. */
int td_load_rows(struct td_loader *l, enum td_kind kind);

static inline double td_load_f64(sqlite3_stmt *s, int column)
{
	return sqlite3_column_type(s, column) == SQLITE_NULL ? NAN
							     : sqlite3_column_double(s, column);
}
