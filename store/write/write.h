/* SPDX-License-Identifier: MIT */
/*
 * From the store to a database. The rows go by in order of time on their way to the file; whoever
 * derives tables from them looks on (struct td_row_watcher) and adds his tables at the end, so that
 * nothing has to be read a second time.
 */
#pragma once

#include "store/store.h"
#include "store/write/row_steps.h"
#include "store/write/target.h"

/* The kinds come one after the other in this order: what calls are set against comes before them. */
#define TD_WRITE_ORDER                                                                             \
	{                                                                                          \
		TD_KIND_SPAN, TD_KIND_MARK, TD_KIND_STACK, TD_KIND_SAMPLE, TD_KIND_GPU_OP,         \
			TD_KIND_SCHED, TD_KIND_BLOCK, TD_KIND_CALL                                 \
	}

struct td_row_watcher {
	void *ud;
	/* Before the first row. 0 or -errno. */
	int (*begin)(void *ud, struct td_store *st);
	/* On any thread, one stretch after the other: the next n rows, their times in UTC and their
	 * keys final; they may be changed. id: rowid of the first one, from 1 up. */
	int (*rows)(void *ud, enum td_kind kind, int64_t id, void *records, size_t n);
	/* Adds steps that rows of the kind take, beside their way into the file, when those of
	 * after are done: rows() has seen them. At most 8. May be NULL. */
	void (*add_steps)(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after);
	/* After the last row: the derived tables, as far as they are rowid tables (td_row_builder_open()). May
	 * be NULL. */
	int (*tables)(void *ud, const struct td_target *target, struct td_err *err);
	/* All these tables are complete and SQLite has the file: what needs it. */
	int (*end)(void *ud, const struct td_target *target, struct td_err *err);
};

struct td_write_options {
	const char *run_name;
	int64_t utc_offset_s; /* TD_NULL: none needed */
	const char *utc_offset_basis;
	enum td_row_writer writer;
	unsigned threads; /* at most; 0: as many as there are CPUs, up to 8 */
	bool keep_rows; /* in the store, for whom writes it more than once; else their memory is free for the rest, and that
			 * of what files are found by */
};

/* Writes everything to a new database at path, which must not exist. The sources' clocks must be
 * fitted. The rows are not in the store any more then, unless kept. On failure the file is to be
 * removed. watcher may be NULL. 0, -errno (-ENOSPC). */
int td_store_write(struct td_store *st, const char *path, const struct td_write_options *options,
		   const struct td_row_watcher *watcher, struct td_err *err);
