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

/* MAP_OTHERS: what stands for the others of a class of files, by its text; at OTHER_PROCESSES for
 * those that are processes. */
enum { MAP_FILE, MAP_STRING, MAP_PROCESS, MAP_OP, MAP_OTHERS, NMAPS };
#define OTHER_PROCESSES 0

/* Groups of a question that are added once all of the database has been read. */
struct staged {
	size_t question;
	struct td_stat *stat; /* what adds up of them; owned where it is the last that needs it */
	bool last;
	bool *folded; /* owned; which of them only count as nested */
	int64_t *keys; /* owned; a cell for each dim of the question */
};

struct capture {
	struct td_db_series *series;
	sqlite3 *db;
	bool is_own; /* the connection is not of the series */
	const struct td_partial_head
		*head; /* that was planned: with whose files questions are of */
	struct td_partial
		*p; /* borrowed; nothing but texts is added to it before all has been read */
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
	int64_t *rows; /* owned; to add: the table and the cells of each */
	size_t nrows, rows_cap; /* numbers in it */
	struct staged *staged; /* owned */
	size_t nstaged, staged_cap;
};

/* td_db_error() that names the database. */
int td_capture_fail(const struct capture *c, int rc, struct td_err *err);

/* The value of an argument of the reports; NULL: it is not given. */
const char *td_capture_arg(const struct capture *c, const char *name);

/* What stands for the row of that id, in a map; 0: it is not known. */
uint32_t td_capture_known(const struct capture *c, int map, int64_t id);

/* From now on it does. 0; -EBADMSG: there is no such id; -ENOMEM. */
int td_capture_know(struct capture *c, int map, int64_t id, uint32_t text);

/* The text in column i of the row that the statement is at, as a cell. 0 or -ENOMEM. */
int td_capture_text(struct td_partial *p, sqlite3_stmt *stmt, int i, int64_t *ret);

/* The text that stands for a row of a map (MAP_FILE, ...), which by_id reads where it is not known
 * yet; by_id: NULL: all are. 0 in *ret where there is none. 0, or -errno with a message. */
int td_capture_row_text(struct capture *c, int map, sqlite3_stmt *by_id, int64_t id, uint32_t *ret,
			struct td_err *err);

/* The files of which wanted[id] is set, id below n, by one look at all of them: where most are
 * wanted that takes less than one by one. */
int td_capture_files(struct capture *c, const bool *wanted, size_t n, struct td_err *err);

/* Adds a row, as td_partial_add(), at the end. 0 or -ENOMEM. */
int td_capture_add(struct capture *c, enum td_partial_table table, const int64_t *cells);

/* Reads the groups of all questions. 0, or -errno with a message. */
int td_capture_groups(struct capture *c, struct td_err *err);

/* Adds them. 0 or -ENOMEM. */
int td_capture_add_groups(struct capture *c);
void td_capture_groups_done(struct capture *c);
