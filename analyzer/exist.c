/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/suggest.h"
#include "analyzer/exist.h"
#include "analyzer/needs.h"
#include "schema/db.h"

#define LIST_SHOWN 10 /* things named in a message; the others are counted */

/* In all statements a parameter has the value that the user gave to the report's parameter of that
 * name, or is NULL. */
struct kind {
	const char *param;
	enum td_unit type;
	const char *exists; /* one row: 1: there is such a thing, 0: there is not, NULL: unknown */
	const char *what; /* words in front of the value: "no phase" */
	const char *near; /* rows: what may have been meant; NULL: a guess is of no use */
	const char *list; /* rows: words for what there is */
	const char *
		need; /* what says how the database gets some (analyzer/needs.h); NULL: nothing does */
};

/* Numbers that follow each other are named as a range. */
#define PHASES                                                                                     \
	"SELECT name || CASE WHEN min(number) = max(number) THEN ' ' || min(number)"               \
	" WHEN min(number) < max(number) THEN ' ' || min(number) || ' .. ' || max(number)"         \
	" ELSE '' END"                                                                             \
	" FROM (SELECT name, number, start_ns,"                                                    \
	" number - dense_rank() OVER (PARTITION BY name ORDER BY number) AS island FROM phases)"   \
	" GROUP BY name, island ORDER BY min(start_ns), name"

/* As reports show times, and --filter-time takes them. */
#define TIMES                                                                                      \
	"SELECT CASE WHEN ns < 1000000000 THEN printf('0 .. %.3f ms', ns / 1e6)"                   \
	" WHEN ms < 60000 THEN printf('0 .. %d.%03d s', ms / 1000, ms % 1000)"                     \
	" WHEN ms < 3600000"                                                                       \
	" THEN printf('0 .. %dm%02d.%03ds', ms / 60000, ms / 1000 % 60, ms % 1000)"                \
	" ELSE printf('0 .. %dh%02dm%02ds', ms / 3600000, ms / 60000 % 60, ms / 1000 % 60) END"    \
	" || ' of the run' || CASE WHEN start_ns < 100000000000000000 THEN ''"                     \
	" ELSE strftime(', which began at %Y-%m-%dT%H:%M:%SZ', start_s, 'unixepoch') ||"           \
	" CASE WHEN utc_offset_s <> 0"                                                             \
	" THEN strftime(' (%H:%M:%S local)', start_s + utc_offset_s, 'unixepoch') ELSE '' END END" \
	" FROM (SELECT start_ns, start_ns / 1000000000 AS start_s, utc_offset_s,"                  \
	" end_ns - start_ns AS ns, (end_ns - start_ns) / 1000000 AS ms FROM run"                   \
	" WHERE start_ns IS NOT NULL)"

static const struct kind kinds[] = {
	{ "at", TD_UNIT_TS_NS, "SELECT :at BETWEEN start_ns AND end_ns FROM run", "no time", NULL,
	  TIMES },
	{ "phase", TD_UNIT_TEXT,
	  "SELECT EXISTS (SELECT 1 FROM phase_interval WHERE label = :phase COLLATE NOCASE)"
	  " OR EXISTS (SELECT 1 FROM phases WHERE :phase COLLATE NOCASE IN (name, label))",
	  "no phase", "SELECT label FROM phases", PHASES, "span" },
	{ "pid", TD_UNIT_INTEGER, "SELECT EXISTS (SELECT 1 FROM process WHERE pid = :pid)",
	  "no process with the id", NULL,
	  "SELECT pid || coalesce(' (' || name || ')', '') FROM process"
	  " WHERE pid IS NOT NULL ORDER BY id" },
	{ "process", TD_UNIT_TEXT,
	  "SELECT EXISTS (SELECT 1 FROM process WHERE :process IN (name, role))", "no process",
	  "SELECT name FROM process WHERE name <> '' UNION SELECT role FROM process"
	  " WHERE role <> ''",
	  "SELECT name FROM (SELECT name FROM process UNION ALL SELECT role FROM process)"
	  " WHERE name <> '' GROUP BY name ORDER BY count(*) DESC, name" },
	{ "gpu", TD_UNIT_INTEGER,
	  "SELECT EXISTS (SELECT 1 FROM device WHERE kind = 'gpu' AND number = :gpu)", "no GPU",
	  NULL,
	  "SELECT number FROM device WHERE kind = 'gpu' AND number IS NOT NULL"
	  " GROUP BY number ORDER BY number" },
	{ "start_ns", TD_UNIT_TS_NS, "SELECT :start_ns <= end_ns FROM run", "no time from", NULL,
	  TIMES },
	{ "end_ns", TD_UNIT_TS_NS, "SELECT :end_ns > start_ns FROM run", "no time before", NULL,
	  TIMES },
	{ "end_ns", TD_UNIT_TS_NS, "SELECT :end_ns > :start_ns",
	  "the end has to be after the begin, not", NULL, TIMES },
};

bool td_exist_asked(const char *param)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].param, param) == 0)
			return true;
	return false;
}

static enum td_unit type_of(const char *param)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].param, param) == 0)
			return kinds[i].type;
	return TD_UNIT_TEXT;
}

static int prepare(sqlite3 *db, const char *sql, const struct td_arg *args, size_t nargs,
		   sqlite3_stmt **ret, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot see what there is");
	for (size_t i = 0; i < nargs; i++)
		for (int k = 1; k <= sqlite3_bind_parameter_count(stmt); k++) {
			int r;

			if (strcmp(sqlite3_bind_parameter_name(stmt, k) + 1, args[i].name) != 0)
				continue;
			r = td_arg_bind(stmt, k, type_of(args[i].name), &args[i], err);
			if (r < 0)
				return r;
		}
	*ret = TAKE_PTR(stmt);
	return 0;
}

static int suggest(sqlite3 *db, const struct kind *kind, const char *wanted,
		   struct td_strbuf *missing, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	_cleanup_free_ char *best = NULL;
	int r = kind->near ? prepare(db, kind->near, NULL, 0, &stmt, err) : 0;

	while (r == 0 && stmt && sqlite3_step(stmt) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);
		struct td_suggest near = { .wanted = wanted };

		/* The text of a row does not outlive it, so the best one is kept here. */
		if (best)
			td_suggest_offer(&near, best);
		if (name)
			td_suggest_offer(&near, name);
		if (!near.best || near.best == best)
			continue;
		free(best);
		best = strdup(near.best);
		r = best ? 0 : -ENOMEM;
	}
	if (best) {
		td_strbuf_adds(missing, "; did you mean '");
		td_printable(missing, best, strlen(best));
		td_strbuf_adds(missing, "'?");
	}
	return r;
}

static int list(sqlite3 *db, const struct kind *kind, struct td_strbuf *missing, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int r = prepare(db, kind->list, NULL, 0, &stmt, err), rc = SQLITE_DONE;
	size_t n = 0;

	for (; r == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW; n++) {
		const char *text = (const char *)sqlite3_column_text(stmt, 0);

		if (n >= LIST_SHOWN || !text)
			continue;
		td_strbuf_adds(missing, n ? ", " : "; there are ");
		td_printable(missing, text, strlen(text));
	}
	if (r == 0 && rc != SQLITE_DONE)
		return td_db_error(db, rc, err, "cannot see what there is");
	if (r == 0 && n > LIST_SHOWN)
		td_strbuf_addf(missing, " and %zu more", n - LIST_SHOWN);
	if (r == 0 && n == 0)
		td_strbuf_addf(missing, "; there are none%s", kind->need ? ": " : "");
	if (r == 0 && n == 0 && kind->need)
		td_need_add_how(missing, db, td_need_find(kind->need));
	return r;
}

static int look_up(sqlite3 *db, const struct kind *kind, const struct td_arg *args, size_t nargs,
		   const char *value, struct td_strbuf *missing, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int r = prepare(db, kind->exists, args, nargs, &stmt, err), rc;

	if (r < 0)
		return r;
	rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return td_db_error(db, rc, err, "cannot see what there is");
	if (rc == SQLITE_DONE || sqlite3_column_type(stmt, 0) == SQLITE_NULL ||
	    sqlite3_column_int(stmt, 0))
		return 1;
	td_strbuf_addf(missing, "%s '%s'", kind->what, value);
	r = list(db, kind, missing, err);
	if (r == 0)
		r = suggest(db, kind, value, missing, err);
	return r < 0 ? r : td_strbuf_error(missing);
}

int td_exist(sqlite3 *db, const struct td_arg *args, size_t nargs, size_t which,
	     struct td_strbuf *missing, struct td_err *err)
{
	int r = 1;

	for (size_t i = 0; i < TD_ARRAY_SIZE(kinds) && r == 1; i++)
		if (strcmp(kinds[i].param, args[which].name) == 0)
			r = look_up(db, &kinds[i], args, nargs, args[which].value, missing, err);
	return r;
}
