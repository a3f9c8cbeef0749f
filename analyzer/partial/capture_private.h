/* SPDX-License-Identifier: MIT */
/* What capture.c and capture_groups.c share: a database from which a partial is made. */
#pragma once

#include "analyzer/partial/capture.h"
#include "analyzer/partial/identity.h"
#include "analyzer/run_kind.h"
#include "schema/series.h"

/* Texts of rows by their ids in the database. */
struct id_map {
	uint32_t *texts; /* owned; by id; 0: not known yet */
	size_t n;
};

enum { MAP_FILE, MAP_STRING, MAP_PROCESS, MAP_OP, NMAPS };

struct capture {
	struct td_db_series *series;
	sqlite3 *db;
	bool is_own; /* the connection is not of the series */
	const struct td_partial_head
		*head; /* that was planned: with whose files questions are of */
	struct td_partial *p;
	const struct td_arg *args;
	size_t nargs;
	const char *name; /* of the database */
	struct td_identity id;
	char *host; /* owned */
	struct td_run_kind kind;
	int64_t since_ns, until_ns, pid; /* TD_NULL: not asked for */
	int64_t shift_ns; /* as of td_partial_source */
	bool has_data;
	struct id_map maps[NMAPS];
	sqlite3_stmt *file, *string, *class; /* one row by its id */
	struct td_strbuf file_key; /* memory for it */
};

/* td_db_error() that names the database. */
int td_capture_fail(const struct capture *c, int rc, struct td_err *err);

/* The value of an argument of the reports; NULL: it is not given. */
const char *td_capture_arg(const struct capture *c, const char *name);

/* The text in column i of the row that the statement is at, as a cell. 0 or -ENOMEM. */
int td_capture_text(struct td_partial *p, sqlite3_stmt *stmt, int i, int64_t *ret);

/* The text that stands for a row of a map (MAP_FILE, ...), which by_id reads where it is not known
 * yet; by_id: NULL: all are. 0 in *ret where there is none. 0, or -errno with a message. */
int td_capture_row_text(struct capture *c, int map, sqlite3_stmt *by_id, int64_t id, uint32_t *ret,
			struct td_err *err);

/* The files of which wanted[id] is set, id below n, by one look at all of them: where most are
 * wanted that takes less than one by one. */
int td_capture_files(struct capture *c, const bool *wanted, size_t n, struct td_err *err);

/* The groups of all questions. 0, or -errno with a message. */
int td_capture_groups(struct capture *c, struct td_err *err);
