/* SPDX-License-Identifier: MIT */
/*
 * Inserting into a small table: prepare once, then bind, in the table's column order, and step.
 *     _cleanup_(td_stmt_done) struct td_stmt s = { 0 };
 *     r = td_stmt_insert(&s, db, "device", err);
 *     td_stmt_i64(&s, id); td_stmt_text(&s, name); ...
 *     r = td_stmt_step(&s);
 */
#pragma once

#include <sqlite3.h>

#include "common/err.h"
#include "common/scan.h"

struct td_stmt {
	sqlite3 *db; /* borrowed */
	sqlite3_stmt *stmt;
	struct td_err *err; /* borrowed */
	int next; /* parameter to bind next, from 1 */
	int rc; /* first failure of a bind */
};

/* INSERT INTO table VALUES (?, ?, ...) with as many values as the table has columns. */
int td_stmt_insert(struct td_stmt *s, sqlite3 *db, const char *table, struct td_err *err);

void td_stmt_i64(struct td_stmt *s, int64_t v); /* TD_NULL: NULL */
void td_stmt_key(struct td_stmt *s, uint32_t id); /* 0: NULL */
void td_stmt_f64(struct td_stmt *s, double v); /* NaN: NULL */
/* Copied; bytes that are not UTF-8 are replaced by U+FFFD, as Python and JSON cannot read them. p
 * NULL: NULL. */
void td_stmt_text(struct td_stmt *s, const char *text);
void td_stmt_str(struct td_stmt *s, struct td_str text);

/* Runs the statement and makes it ready for the next row. */
int td_stmt_step(struct td_stmt *s);

void td_stmt_done(struct td_stmt *s);
