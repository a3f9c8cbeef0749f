/* SPDX-License-Identifier: MIT */
/* Running reports: the built-in ones and those of folders of the user's. */
#pragma once

#include <sqlite3.h>

#include "analyzer/args.h"
#include "analyzer/format/format.h"
#include "analyzer/report_file.h"
#include "common/strbuf.h"
#include "schema/sql.h"

extern const struct td_sql td_queries[]; /* the files of queries/ */
extern const struct td_sql td_rules[]; /* of queries/rules/ */
extern const struct td_sql td_measures[]; /* and of queries/compare/ */

struct td_reports {
	struct td_named_report {
		const char *name; /* borrowed: of rep, or built in */
		const char *text; /* built in */
		struct td_report *rep; /* NULL: nobody has asked for it */
	} * items; /* sorted by name; owned */
	size_t n, cap;
};

/* The built-in reports or rules and the *.sql of the folders; of several with one name the last is taken, so
 * that a user can replace a built-in one. -errno, with a message for a file that is no report. A built-in one
 * is parsed when it is asked for: most programs run one report and end. */
int td_reports_load(struct td_reports *set, const struct td_sql *builtin, const char *const *dirs,
		    size_t ndirs, struct td_err *err);
void td_reports_done(struct td_reports *set);

/* The next two parse: one thread at a time for a set. 0 or -errno. */
int td_reports_get(const struct td_reports *set, size_t i, const struct td_report **ret,
		   struct td_err *err);

/* *ret: NULL if there is none of that name. */
int td_reports_find(const struct td_reports *set, const char *name, const struct td_report **ret,
		    struct td_err *err);

/* Is there one of that name? */
bool td_reports_has(const struct td_reports *set, const char *name);

/* All of them, in order; the caller frees the array, whose reports belong to the set. 0 or -errno. */
int td_reports_all(const struct td_reports *set, const struct td_report ***ret, struct td_err *err);

/* Does the report declare the parameter, and can it have that value? 0, or -EINVAL with a message. */
int td_report_check_arg(const struct td_report *rep, const struct td_arg *arg, struct td_err *err);

/* Prepares the report's statement and checks that the header tells the truth about it: one statement
 * that only reads, the columns and parameters as declared. -EINVAL with a message if not. */
int td_report_prepare(sqlite3 *db, const struct td_report *rep, sqlite3_stmt **ret,
		      struct td_err *err);

/* Writes the report's statement with the arguments in place of its parameters, and NULL for those
 * that are not given, so that any shell or library of SQLite runs it as it is. */
int td_report_sql(sqlite3 *db, const struct td_report *rep, const struct td_arg *args, size_t nargs,
		  FILE *out, struct td_err *err);

#define TD_REPORT_MISSING 1

/* Runs the report and writes it as one table. An argument that the report does not declare is an
 * error. notes: lines are added that a reader has to know about the data (lost events, clocks).
 * 0; TD_REPORT_MISSING: the database lacks what the report needs, which missing then says in words
 * (the table was written without rows); -errno. */
int td_report_run(sqlite3 *db, const struct td_report *rep, const struct td_arg *args, size_t nargs,
		  struct td_writer *w, struct td_strbuf *missing, struct td_strbuf *notes,
		  struct td_err *err);
