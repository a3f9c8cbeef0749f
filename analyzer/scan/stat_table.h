/* SPDX-License-Identifier: MIT */
/*
 * call_stat and io_stat as virtual tables: the same names and columns as the views in the file
 * (schema/views.sql), which hold some groupings of the whole run; these answer any grouping,
 * window, phase, process and file.
 */
#pragma once

#include <sqlite3.h>

#include "analyzer/scan/request.h"
#include "common/err.h"

/* What a statement asks. */
struct td_stat_asked {
	const struct td_relation *relation;
	unsigned dims; /* 1 << enum td_dim */
	unsigned measures; /* 1 << enum td_measure: those that are looked at */
	sqlite3_value *args[TD_NPARAMS]; /* borrowed; NULL: not given */
};

/* Who else has the rows: with one, the tables ask it and neither views nor calls. */
struct td_stat_provider {
	/* 0 and rows, or -errno with a message. TD_PARAM_TOP is passed over, and of_top NULL: all groups come. */
	int (*ask)(void *ctx, const struct td_stat_asked *asked, void **ret_rows,
		   struct td_err *err);
	bool (*at_end)(void *rows);
	void (*next)(void *rows);
	void (*dim)(void *rows, enum td_dim dim, sqlite3_context *ctx);
	void (*measure)(void *rows, enum td_measure measure, sqlite3_context *ctx);
	void (*close)(void *rows);
	void *ctx; /* borrowed, as is the struct, until the connection is closed */
};

/* Puts them in front of the views of the database 'main' of a connection, which must be one of
 * tracedb: they are tables of the schema 'temp'. provider: NULL for the database itself. asking: as
 * of td_vtab_create(). An SQLite result code. */
int td_stat_table_use(sqlite3 *db, const struct td_stat_provider *provider, const char *asking);
