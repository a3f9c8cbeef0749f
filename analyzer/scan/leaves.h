/* SPDX-License-Identifier: MIT */
/*
 * The leaf pages of a table as they lie in the database file, read beside SQLite and by any number of threads.
 * Format: https://www.sqlite.org/fileformat2.html, sections 1.3 (header), 1.6 (b-tree pages).
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cleanup.h"

struct td_leaf {
	uint32_t page; /* from 1 */
	int64_t last_rowid; /* no row of it has a larger one; INT64_MAX: the last leaf */
};

struct td_leaves {
	int fd; /* SQLite's own, not to be closed: see leaves.c; -1: file */
	sqlite3_file *file; /* SQLite's own */
	uint32_t page_size;
	uint32_t usable; /* of each page */
	uint32_t npages; /* of the file */
	struct td_leaf *items; /* owned; in order of rowid */
	size_t n, cap;
	size_t ninterior; /* pages that lead to them */
	/* Owned; while it is open nobody writes to the file. NULL: the connection sees to that. */
	sqlite3_stmt *lock;
};

/* Finds the leaves of main.TABLE, whose root page is given, and keeps writers away until td_leaves_done().
 * 0; -EOPNOTSUPP where only SQLite can read the table: it is in memory, has a write-ahead log or what this connection
 * has not written yet, is behind another VFS, or its pages are not what they should be; -ENOMEM, -EIO. */
int td_leaves_open(sqlite3 *db, const char *table, uint32_t root, struct td_leaves *ret);
void td_leaves_done(struct td_leaves *l);

/* The same for the thread that uses the connection alone, which td_leaves_read() is to be called
 * by: the descriptor is not looked for. */
int td_leaves_open_here(sqlite3 *db, const char *table, uint32_t root, struct td_leaves *ret);

/* Finds the leaves below a page of a file whose descriptor and sizes are known. As td_leaves_open(). */
int td_leaves_walk(struct td_leaves *l, uint32_t root);

/* The first leaf that can have the row. */
size_t td_leaves_find(const struct td_leaves *l, int64_t rowid);

/* Reads a page of the file. 0, -EIO, or -EOPNOTSUPP where there is no such page. */
int td_leaves_read(const struct td_leaves *l, uint32_t page, uint8_t *ret);

/* Leaves that lie one behind the other in the file, or almost, which are read at once: a call for
 * each page takes longer than what is on it. */
struct td_leaf_run {
	/* owned; from the first of n leaves to the last, and what is read behind its end */
	uint8_t *pages;
	size_t first, n;
	bool backwards; /* leaves are asked for in this order */
};

/* Leaf i, below l->n, with TD_PAGE_PADDING bytes behind it; run is zeroed at first, but for its
 * order. *ret is good until the next call. As td_leaves_read(), or -ENOMEM. */
int td_leaf_run_page(const struct td_leaves *l, struct td_leaf_run *run, size_t i,
		     const uint8_t **ret);
void td_leaf_run_done(struct td_leaf_run *run);
