/* SPDX-License-Identifier: MIT */
#include "analyzer/needs.h"
#include "analyzer/phase.h"
#include "common/cleanup.h"
#include "common/units.h"
#include "schema/db.h"

/* ?1: the phase; ?2, ?3: whether events and samples matter. */
#define DOUBT                                                                                      \
	"SELECT error_ns, dur_ns FROM clock_doubt,"                                                \
	" (SELECT max(end_ns - start_ns) AS dur_ns FROM phase_interval"                            \
	" WHERE label = ?1 COLLATE NOCASE)"                                                        \
	" WHERE against = 'phases' AND (kind = 'events' AND ?2 OR kind = 'samples' AND ?3)"        \
	" AND error_ns > dur_ns ORDER BY error_ns DESC"

#define RUNS                                                                                       \
	"SELECT group_concat(run_number, ', ') FROM (SELECT DISTINCT run_number"                   \
	" FROM phase_interval WHERE label = ?1 COLLATE NOCASE ORDER BY run_number)"                \
	" HAVING count(*) > 1"

static int prepare(sqlite3 *db, const char *sql, const char *phase, sqlite3_stmt **ret,
		   struct td_err *err)
{
	int rc = sqlite3_prepare_v2(db, sql, -1, ret, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(*ret, 1, phase, -1, SQLITE_STATIC);
	return rc == SQLITE_OK ? 0 : td_db_error(db, rc, err, "cannot see what phases there are");
}

int td_phase_check(sqlite3 *db, const struct td_report *rep, const char *phase,
		   struct td_strbuf *missing, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	unsigned clocks = td_needs_clocks(rep);
	char known[TD_UNITS_BUF], length[TD_UNITS_BUF];
	int r, rc;

	if (strstr(rep->sql, "clock_doubt"))
		return 0;
	r = prepare(db, DOUBT, phase, &stmt, err);
	if (r < 0)
		return r;
	(void)sqlite3_bind_int(stmt, 2, (clocks & TD_CLOCKS_EVENTS) != 0);
	(void)sqlite3_bind_int(stmt, 3, (clocks & TD_CLOCKS_SAMPLES) != 0);
	rc = sqlite3_step(stmt);
	if (rc == SQLITE_DONE)
		return 0;
	if (rc != SQLITE_ROW)
		return td_db_error(db, rc, err, "cannot see how well the clocks are known");
	td_format_dur(length, sizeof(length), sqlite3_column_int64(stmt, 1));
	td_format_dur(known, sizeof(known), sqlite3_column_int64(stmt, 0));
	td_strbuf_addf(missing,
		       "phase '%s' lasts %s, and the clock of the sources is known to +-%s only: "
		       "import with --tz, --date or --clock",
		       phase, length, known);
	return td_strbuf_error(missing) < 0 ? -ENOMEM : 1;
}

int td_phase_note(sqlite3 *db, const char *phase, struct td_strbuf *notes, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int r = prepare(db, RUNS, phase, &stmt, err), rc;

	if (r < 0)
		return r;
	rc = sqlite3_step(stmt);
	if (rc == SQLITE_DONE)
		return 0;
	if (rc != SQLITE_ROW)
		return td_db_error(db, rc, err, "cannot see what runs there are");
	td_strbuf_addf(notes, "runs: there is a phase '%s' in runs %s: all of them are meant\n",
		       phase, (const char *)sqlite3_column_text(stmt, 0));
	return td_strbuf_error(notes);
}
