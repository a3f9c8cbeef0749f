/* SPDX-License-Identifier: MIT */
/*
 * Memory for SQLite that threads take side by side. SQLite's own way counts it under one mutex, for
 * which the threads of 'report --merged' wait longer than they work. And small blocks come from
 * chunks that a thread has for itself and that are kept, up to 1 MiB: by malloc() they would be a
 * third of what a short report does, for the schema of its file.
 */
#pragma once

#include <stddef.h>

/* From now on, in all of the process, SQLite has at most so many bytes, all connections together,
 * as by sqlite3_hard_heap_limit64(). To be called before anything else of SQLite is; later it has
 * no effect. */
void td_sqlite_heap_use(size_t max);
