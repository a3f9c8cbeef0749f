/* SPDX-License-Identifier: MIT */
#include "analyzer/clocks.h"
#include "analyzer/several.h"
#include "common/cleanup.h"
#include "schema/db.h"
#include "schema/sql.h"
#include "schema/table.h"

extern const struct td_sql td_clocks[]; /* one statement */

/* Columns of it. */
enum { RUN, RANK, BY, EVENTS, AHEAD_MIN, AHEAD_MAX };

static int failed(sqlite3 *db, int rc, const char *path, struct td_err *err)
{
	return td_db_error(db, rc, err, "cannot compare the clock of '%s'", path);
}

/* Does each source say that it is of the same machine? */
static int are_of_one_machine(sqlite3 *db, const char *path, bool *ret, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(
		db, "SELECT count(DISTINCT host) = 1 AND count(host) = count(*) FROM source", -1,
		&s, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc != SQLITE_ROW)
		return failed(db, rc, path, err);
	*ret = sqlite3_column_int(s, 0);
	return 0;
}

/* The middle of the range by which a clock is ahead. second: it is that of the second database, else of the first. */
static void take_range(sqlite3_stmt *s, bool second, struct td_clock_shift *ret)
{
	int64_t least = sqlite3_column_int64(s, AHEAD_MIN),
		most = sqlite3_column_int64(s, AHEAD_MAX), width;

	if (sqlite3_column_type(s, AHEAD_MIN) == SQLITE_NULL ||
	    sqlite3_column_type(s, AHEAD_MAX) == SQLITE_NULL ||
	    __builtin_sub_overflow(most, least, &width))
		return;
	ret->error_ns = (width + 1) / 2;
	ret->ns = second ? -(least + width / 2) : least + width / 2;
}

static int find_range(sqlite3 *db, const struct td_run_label *first, const char *path,
		      struct td_clock_shift *ret, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, td_clocks[0].text, -1, &s, NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		const char *run = (const char *)sqlite3_column_text(s, RUN);
		const char *by = (const char *)sqlite3_column_text(s, BY);

		if (run && by && strcmp(by, "(all)") == 0)
			take_range(s, strcmp(run, first->run) != 0, ret);
		rc = SQLITE_OK;
	}
	return rc == SQLITE_DONE ? 0 : failed(db, rc, path, err);
}

static int shift_of(char *const pair[2], const struct td_deadline *deadline,
		    struct td_clock_shift *ret, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	struct td_run_label *labels = NULL;
	bool one_machine = false;
	int r = td_run_labels(pair, 2, &labels, err);

	if (r == 0)
		r = td_several_open(pair, 2, NULL, &db, err);
	if (r == 0) {
		td_query_deadline(db, deadline);
		r = are_of_one_machine(db, pair[1], &one_machine, err);
	}
	if (r == 0 && one_machine)
		*ret = (struct td_clock_shift){ 0 };
	else if (r == 0)
		r = find_range(db, &labels[0], pair[1], ret, err);
	td_run_labels_free(labels, 2);
	return r;
}

int td_clock_shifts(char *const *paths, size_t n, const struct td_deadline *deadline,
		    struct td_clock_shift *ret, struct td_err *err)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		ret[i] = (struct td_clock_shift){ .ns = i ? TD_NULL : 0 };
		if (i)
			r = shift_of((char *const[]){ paths[0], paths[i] }, deadline, &ret[i], err);
	}
	return r;
}

void td_clock_shift_note(const struct td_clock_shift *shift, const char *run, const char *first,
			 struct td_strbuf *b)
{
	if (shift->ns == TD_NULL)
		td_strbuf_addf(b,
			       "%s: clock: its own; it has nothing in common with %s that tells "
			       "how far that is off\n",
			       run, first);
	else if (shift->ns || shift->error_ns)
		td_strbuf_addf(
			b,
			"%s: clock: times are moved by %+.6f s, to the clock of %s, known to "
			"%.6f s\n",
			run, (double)shift->ns / 1e9, first, (double)shift->error_ns / 1e9);
}
