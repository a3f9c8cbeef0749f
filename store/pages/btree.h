/* SPDX-License-Identifier: MIT */
/*
 * Rows laid down as b-tree pages, without sqlite3_step(): the fast way to fill the big tables of a
 * database that nobody else has open yet. SQLite makes the schema and everything small, closes the
 * file, the b-tree writer fills empty tables, and from then on it is a SQLite file like any other.
 *
 *     r = td_btree_open(path, &btree, &err);
 *     r = td_btree_table(btree, &td_call_table, rootpage, &calls);       one for each table
 *     r = td_btree_encode(&cells, rowid, records, n);                   on any thread
 *     r = td_btree_add_cells(calls, &cells);                            rowids ascend per table
 *     r = td_btree_table(btree, NULL, rootpage, &files);                 or a table of any values
 *     r = td_btree_add_values(files, rowid, values, 3);
 *     r = td_btree_table_finish(TAKE_PTR(calls));
 *     r = td_btree_close(TAKE_PTR(btree));
 *
 * Tables may be filled one after the other or interleaved, by one thread. Any failure to write
 * spoils the whole file: it is remembered, td_btree_table_finish() and td_btree_close() return it too,
 * and the header is never updated. The caller deletes such a file.
 */
#pragma once

#include <stdint.h>

#include "common/cleanup.h"
#include "common/err.h"
#include "schema/table.h"
#include "schema/value.h"

struct td_btree;
struct td_btree_table;
struct td_btree_record;

/* Rows as they will be in pages, but for where in which page. */
struct td_btree_cells {
	const struct td_table *table; /* borrowed */
	uint8_t *buf; /* owned */
	uint8_t *end; /* the first cell ends here, and so on downwards, as in a page */
	uint16_t *sizes; /* owned; of each cell */
	size_t n, max;
	int64_t rowid; /* of the first one; the others follow */
};

/* path: a database as SQLite (schema format 4, the default) leaves it when its last connection
 * closes: in UTF-8, neither WAL mode nor auto_vacuum. Returns 0, -EINVAL if it is not such a file, -ENOMEM or
 * the errno of open() and read(); err says more. */
int td_btree_open(const char *path, struct td_btree **ret, struct td_err *err);

/* rootpage: sqlite_schema.rootpage of an empty rowid table that has no index yet. NOT NULL, CHECK and
 * REFERENCES are not looked at: the rows must satisfy them. table: whose cells td_btree_add_cells() takes, for SQL
 * columns that are the INTEGER PRIMARY KEY, then table->columns in order. NULL: there is only
 * td_btree_add_values(). Returns 0, -EINVAL if the page is not the root of an empty table, -E2BIG if
 * records of table could be too large for a page of this file, -ENOMEM or the errno of read(). */
int td_btree_table(struct td_btree *b, const struct td_table *table, uint32_t rootpage,
		   struct td_btree_table **ret);

/* Room for max rows, records of table, of at most TD_CELL_COLUMNS_MAX columns. 0, or -ENOMEM, and c
 * can be done with. */
int td_btree_cells_init(struct td_btree_cells *c, const struct td_table *table, size_t max);
void td_btree_cells_done(struct td_btree_cells *c);

/* n rows, at most c->max, in place of those that c has: with the rowids from rowid up; records:
 * structs of table->record_size bytes one after the other, not kept. Needs no td_btree, so that
 * several threads can encode rows of a table. 0, -EINVAL if there are no rowids so large. */
int td_btree_encode(struct td_btree_cells *c, int64_t rowid, const void *records, size_t n);

/* Adds the rows. Returns 0, -EINVAL if their rowids are not above the one before, -ENOMEM,
 * -EFBIG when SQLite's limit of pages is reached, or the errno of write(). */
int td_btree_add_cells(struct td_btree_table *t, const struct td_btree_cells *c);

/* Writes what is ready to be written, on any thread, while rows are added on another one, which
 * writes it itself where nobody else does. 0 or what spoilt the file. */
int td_btree_write_full(struct td_btree *b);

/* Adds one row of any size; the values are those of its first n columns, n > 0, the others get their
 * default. They must be what SQLite stores in such columns, which it stores as they are in STRICT
 * tables; a column of type ANY takes no TD_VALUE_REAL. NULL stands for an INTEGER PRIMARY KEY. Not
 * kept. Returns as td_btree_add_cells(), -E2BIG if the row is larger than SQLite reads: 10^9 bytes. */
int td_btree_add_values(struct td_btree_table *t, int64_t rowid, const struct td_value *values,
			size_t n);

/* Rows of any values, encoded ahead. All zero to begin with. */
struct td_btree_rows {
	struct td_btree_record *record; /* owned */
	uint8_t *p; /* owned; the rows as they are stored, one behind the other */
	size_t size, cap;
	struct td_btree_row {
		int64_t rowid;
		size_t end; /* in p */
	} * rows; /* owned */
	size_t n, rows_cap;
};

/* Adds a row to rows, on any thread; as td_btree_add_values(). 0, -E2BIG, -ENOMEM. */
int td_btree_rows_add(struct td_btree_rows *rows, int64_t rowid, const struct td_value *values,
		      size_t n);
/* Takes all rows out, keeps the memory. */
void td_btree_rows_clear(struct td_btree_rows *rows);
void td_btree_rows_done(struct td_btree_rows *rows);

/* Adds them to the table, as td_btree_add_values() one after the other. */
int td_btree_add_rows(struct td_btree_table *t, const struct td_btree_rows *rows);

/* Completes the table's b-tree and frees t, also on failure. Returns as td_btree_add_cells(). */
int td_btree_table_finish(struct td_btree_table *t);

/* Frees a table that is not to be completed; the file is spoilt then (-ECANCELED). */
void td_btree_table_abort(struct td_btree_table *t);

/* Writes what is buffered and the database header, and frees b, also on failure. Its tables must be
 * finished. Nothing is synced. Returns 0, what spoilt the file, or the errno of read() or write(). */
int td_btree_close(struct td_btree *b);

/* Frees b and leaves the file as it is: to be deleted. Its tables must be finished or aborted. */
void td_btree_abort(struct td_btree *b);

TD_DEFINE_CLEANUP(struct td_btree *, td_btree_abort)
TD_DEFINE_CLEANUP(struct td_btree_table *, td_btree_table_abort)
