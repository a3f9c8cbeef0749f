/* SPDX-License-Identifier: MIT */
/* How far a flame graph can be trusted, in the words of reports. */
#include <math.h>

#include "analyzer/flame/ask.h"
#include "analyzer/needs.h"
#include "common/cleanup.h"
#include "common/units.h"
#include "schema/db.h"

/* The first row of what is asked for: 1; 0: there is none; or -errno. */
static int first_row(sqlite3 *db, const char *sql, const struct td_flame_request *req,
		     sqlite3_stmt **ret, struct td_err *err)
{
	int r = td_flame_prepare(db, sql, ret, err), rc;

	if (r == 0)
		r = td_flame_bind(*ret, req, err);
	if (r < 0)
		return r;
	rc = sqlite3_step(*ret);
	if (rc == SQLITE_ROW || rc == SQLITE_DONE)
		return rc == SQLITE_ROW;
	return td_db_error(db, rc, err, "cannot ask how far stacks can be trusted");
}

/* --- samples --- */

/* A sampler looks at a thread once in a period, as long as it executes: where it waits, the distance is longer. */
static const char period_sql[] = TD_FLAME_PERIOD
	", gap AS MATERIALIZED (SELECT * FROM (SELECT a.start_ns - lag(a.start_ns) OVER "
	"(PARTITION BY a.source_id, a.thread_id ORDER BY a.start_ns) AS ns "
	"FROM stack_sample AS a " TD_FLAME_ASKED "AND a.thread_id IS NOT NULL "
	"AND a." TD_FLAME_OF_KIND("cpu") ") WHERE ns > 0) "
					 "SELECT ns FROM gap ORDER BY ns LIMIT 1 OFFSET (SELECT "
					 "(count(*) - 1) / 2 FROM gap)";

/* Hoeffding, J. Am. Stat. Assoc. 58 (1963): of n independent samples a share is off by more than
 * sqrt(ln(2 / 0.05) / 2n) in at most 5 of 100 cases, whatever it is. Percent. */
static double off_by(int64_t n)
{
	return fmin(100.0, 100.0 * sqrt(log(2 / 0.05) / (2.0 * (double)n)));
}

static int about_samples(sqlite3 *db, const struct td_flame_request *req, const struct td_flame *f,
			 struct td_strbuf *notes, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	char n[TD_UNITS_BUF], period[TD_UNITS_BUF];
	int64_t samples = f->nodes[0].total;
	int r = first_row(db, period_sql, req, &s, err);

	if (r < 0)
		return r;
	td_strbuf_addf(notes, "estimate: samples: %s", td_format_count(n, sizeof(n), samples));
	if (r)
		td_strbuf_addf(notes, ", one each %s that a thread executes (the median)",
			       td_format_dur(period, sizeof(period), sqlite3_column_int64(s, 0)));
	td_strbuf_addf(notes,
		       "; in 95 of 100 cases a share is off by at most %.1f %% of all, unless the "
		       "load goes in step with the sampler\n",
		       off_by(samples));
	return 0;
}

/* --- calls --- */

/* Number and time of calls with a stack, and of all. */
static const char calls_sql[] = TD_FLAME_PERIOD
	"SELECT * FROM (SELECT count(*), coalesce(sum(a.dur_ns), 0) "
	"FROM stack_sample AS a " TD_FLAME_ASKED "AND a." TD_FLAME_OF_KIND(
		"call") "), (SELECT count(*), coalesce(sum(a.dur_ns), 0) FROM call AS "
			"a " TD_FLAME_ASKED ")";

static void add_part(struct td_strbuf *b, int64_t part, int64_t all,
		     char *(*format)(char *, size_t, int64_t))
{
	char have[TD_UNITS_BUF], whole[TD_UNITS_BUF];

	td_strbuf_addf(b, "%s of %s", format(have, sizeof(have), part),
		       format(whole, sizeof(whole), all));
	if (all > 0)
		td_strbuf_addf(b, " (%.1f %%)", 100.0 * (double)part / (double)all);
}

static int about_calls(sqlite3 *db, const struct td_flame_request *req, const struct td_flame *f,
		       struct td_strbuf *notes, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int r = first_row(db, calls_sql, req, &s, err);

	(void)f;
	if (r < 0)
		return r;
	td_strbuf_adds(notes, "calls that have a stack: ");
	add_part(notes, sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 2), td_format_count);
	td_strbuf_adds(notes, ", of their time ");
	add_part(notes, sqlite3_column_int64(s, 1), sqlite3_column_int64(s, 3), td_format_dur);
	td_strbuf_addc(notes, '\n');
	return 0;
}

/* --- all of it --- */

static const struct {
	unsigned events; /* enum td_events */
	unsigned clocks; /* enum td_clocks */
	int (*add)(sqlite3 *db, const struct td_flame_request *req, const struct td_flame *f,
		   struct td_strbuf *notes, struct td_err *err); /* NULL: nothing to say */
} kinds[TD_NFLAMES] = {
	[TD_FLAME_CPU] = { TD_EVENTS_OTHER, TD_CLOCKS_EVENTS, about_samples },
	[TD_FLAME_CALLS] = { TD_EVENTS_CALLS, TD_CLOCKS_EVENTS, about_calls },
	[TD_FLAME_SPANS] = { TD_EVENTS_OTHER, TD_CLOCKS_EVENTS, NULL },
	[TD_FLAME_TOTALS] = { TD_EVENTS_ALL, 0, NULL },
};

int td_flame_basis(sqlite3 *db, const struct td_flame_request *req, struct td_flame *f,
		   struct td_strbuf *notes, struct td_err *err)
{
	unsigned clocks = kinds[f->what].clocks | (req->phase ? TD_CLOCKS_SPANS : 0);
	int r = kinds[f->what].add ? kinds[f->what].add(db, req, f, notes, err) : 0;

	return r < 0 ? r
		     : td_needs_notes_of(db, kinds[f->what].events, clocks, notes, &f->damage, err);
}
