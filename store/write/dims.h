/* SPDX-License-Identifier: MIT */
/* The small tables: run, source, string, process, file, ... Part of store/write/write.c. */
#pragma once

#include "store/write/write.h"

/* Inserts what the store knows, on so many threads at most; the rows' id is the store's id. 0 or -errno. */
int td_write_dims(struct td_store *st, const struct td_target *target,
		  const struct td_write_options *options, unsigned threads, struct td_err *err);

/* The one of them that is no rowid table: when SQLite has the file. 0 or -errno. */
int td_write_issue_counts(struct td_store *st, const struct td_target *target, struct td_err *err);
