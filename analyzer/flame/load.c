/* SPDX-License-Identifier: MIT */
/* What a request asks for, and where the database has it. */
#include "analyzer/args.h"
#include "analyzer/exist.h"
#include "analyzer/flame/ask.h"
#include "analyzer/open.h"
#include "analyzer/sandbox.h"
#include "analyzer/timeline/timeline.h"
#include "common/cleanup.h"
#include "common/suggest.h"
#include "schema/db.h"

#include <inttypes.h>

/* --- what is asked for --- */

#define SAMPLES(kind)                                                                              \
	TD_FLAME_PERIOD                                                                            \
	"SELECT a.stack_id, w.name, "                                                              \
	"CASE WHEN ?6 THEN count(*) ELSE coalesce(sum(a.dur_ns), 0) END, count(*), "               \
	"CASE WHEN ?6 THEN 0 ELSE sum(a.dur_ns IS NULL) END "                                      \
	"FROM stack_sample AS a " TD_FLAME_ASKED                                                   \
	"AND a." TD_FLAME_OF_KIND(kind) "GROUP BY a.stack_id, a.process_id ORDER BY 1, 2"
/* Spans that stand within those of their thread: what is not of the CPU's time, or of no thread's, does not. */
#define NESTED                                                                                     \
	"thread_id IS NOT NULL AND dur_ns > 0 AND kind_id NOT IN (SELECT id FROM string "          \
	"WHERE text IN ('phase', 'gpu-annotation', 'tool', 'overhead', 'profiler', "               \
	"'unrecorded')) "
/* What reaches into the time that is asked for counts with the part that does. */
#define SPANS                                                                                      \
	TD_FLAME_PERIOD                                                                            \
	"SELECT max(s.start_ns, p.start_ns) AS start_ns, "                                         \
	"min(s.start_ns + s.dur_ns, p.end_ns) AS end_ns, n.text, s.process_id, s.thread_id, "      \
	"w.name FROM (SELECT * FROM span WHERE " NESTED ") AS s "                                  \
	"JOIN string AS n ON n.id = s.name_id "                                                    \
	"JOIN period AS p ON s.start_ns < p.end_ns AND s.start_ns + s.dur_ns > p.start_ns "        \
	"LEFT JOIN who AS w ON w.id = s.process_id LEFT JOIN string AS g ON g.id = s.args_id "     \
	"WHERE coalesce(instr(g.text, '\"style\":\"StartEnd\"'), 0) = 0 "                          \
	"AND (?4 IS NULL AND ?5 IS NULL OR w.id IS NOT NULL) "                                     \
	"ORDER BY 1, 2 DESC, s.id"
/* Maps of several names stand beside each other. */
#define TOTALS                                                                                     \
	"SELECT stack_id, CASE WHEN (SELECT count(DISTINCT name) FROM stack_total) > 1 THEN name " \
	"END, sum(value), count(*), 0 FROM stack_total GROUP BY stack_id, name ORDER BY 1, 2"

static const char *const has_sql[TD_NFLAMES] = {
	[TD_FLAME_CPU] = "SELECT 1 FROM stack_sample WHERE " TD_FLAME_OF_KIND("cpu") "LIMIT 1",
	[TD_FLAME_CALLS] = "SELECT 1 FROM stack_sample WHERE " TD_FLAME_OF_KIND("call") "LIMIT 1",
	[TD_FLAME_SPANS] = "SELECT 1 FROM span WHERE " NESTED "LIMIT 1",
	[TD_FLAME_TOTALS] = "SELECT 1 FROM stack_total LIMIT 1",
};

static const char *const rows_sql[TD_NFLAMES] = {
	[TD_FLAME_CPU] = SAMPLES("cpu"),
	[TD_FLAME_CALLS] = SAMPLES("call"),
	[TD_FLAME_SPANS] = SPANS,
	[TD_FLAME_TOTALS] = TOTALS,
};

int td_flame_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret, struct td_err *err)
{
	int rc = sqlite3_prepare_v2(db, sql, -1, ret, NULL);

	return rc == SQLITE_OK ? 0 : td_db_error(db, rc, err, "cannot ask for stacks");
}

int td_flame_bind(sqlite3_stmt *s, const struct td_flame_request *req, struct td_err *err)
{
	const struct {
		enum td_unit unit;
		struct td_arg arg;
	} args[] = {
		{ TD_UNIT_TS_NS, { "start_ns", req->from } },
		{ TD_UNIT_TS_NS, { "end_ns", req->to } },
		{ TD_UNIT_TEXT, { "phase", req->phase } },
		{ TD_UNIT_INTEGER, { "pid", req->pid } },
		{ TD_UNIT_TEXT, { "process", req->process } },
	};
	int r = 0;

	for (int i = 0; i < (int)TD_ARRAY_SIZE(args) && r == 0; i++)
		if (args[i].arg.value)
			r = td_arg_bind(s, i + 1, args[i].unit, &args[i].arg, err);
	(void)sqlite3_bind_int(s, 6, req->count);
	return r;
}

/* A phase or process that is asked for and is not there is a mistake. */
static int check_exist(sqlite3 *db, const struct td_flame_request *req, struct td_err *err)
{
	const struct td_arg all[] = { { "start_ns", req->from },
				      { "end_ns", req->to },
				      { "phase", req->phase },
				      { "pid", req->pid },
				      { "process", req->process } };
	struct td_arg args[TD_ARRAY_SIZE(all)];
	size_t n = 0;
	int r = 1;

	for (size_t i = 0; i < TD_ARRAY_SIZE(all); i++)
		if (all[i].value)
			args[n++] = all[i];
	for (size_t i = 0; i < n && r == 1; i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT;

		r = td_exist(db, args, n, i, &missing, err);
		if (r == 0)
			return td_err_set(err, -EINVAL, "%s: %s", req->path,
					  td_strbuf_str(&missing));
	}
	return r < 0 ? r : 0;
}

/* 1, 0 or -errno. */
static int has(sqlite3 *db, enum td_flame_what what, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int r = td_flame_prepare(db, has_sql[what], &s, err), rc;

	if (r < 0)
		return r;
	rc = sqlite3_step(s);
	if (rc == SQLITE_ROW || rc == SQLITE_DONE)
		return rc == SQLITE_ROW;
	return td_db_error(db, rc, err, "cannot ask for stacks");
}

static int unknown_what(const char *name, struct td_err *err)
{
	struct td_suggest near = { .wanted = name };

	for (size_t i = 0; i < TD_NFLAMES; i++)
		td_suggest_offer(&near, td_flames[i].name);
	return td_err_set(err, -EINVAL,
			  near.best ? "there are no stacks '%s'; did you mean '%s'?"
				    : "there are no stacks '%s'; --help lists them",
			  name, near.best);
}

/* What there could be, and what is there instead. */
static int no_stacks(const struct td_flame_request *req, enum td_flame_what what,
		     const struct td_strbuf *others, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	for (unsigned i = 0; i < TD_NFLAMES; i++)
		if (what == TD_NFLAMES || what == i)
			td_strbuf_addf(&b, "%s%s (%s)", b.len ? "; " : "", td_flames[i].name,
				       td_flames[i].how);
	if (others->len)
		td_strbuf_addf(&b, "; %.*s", (int)others->len - 1, td_strbuf_str(others));
	if (td_strbuf_error(&b) < 0)
		return -ENOMEM;
	return td_err_set(err, -ENODATA,
			  what == TD_NFLAMES ? "%s: no stacks in it; import some: %s"
					     : "%s: no such stacks in it; import some: %s",
			  req->path, td_strbuf_str(&b));
}

/* What is shown: what is asked for, else the first that there is. The others are named. */
static int choose(sqlite3 *db, const struct td_flame_request *req, enum td_flame_what *ret,
		  struct td_strbuf *notes, struct td_err *err)
{
	enum td_flame_what what = TD_NFLAMES;
	bool found = false;

	for (unsigned i = 0; i < TD_NFLAMES && req->what; i++)
		if (strcmp(td_flames[i].name, req->what) == 0)
			what = i;
	if (req->what && what == TD_NFLAMES)
		return unknown_what(req->what, err);
	for (unsigned i = 0; i < TD_NFLAMES; i++) {
		int r = has(db, i, err);

		if (r < 0)
			return r;
		if (r && what == TD_NFLAMES)
			what = i;
		found |= r && what == i;
		if (r && what != i)
			td_strbuf_addf(notes, "%s%s",
				       notes->len ? ", " : "there are other stacks: --what ",
				       td_flames[i].name);
	}
	if (notes->len)
		td_strbuf_addc(notes, '\n');
	if (!found)
		return no_stacks(req, what, notes, err);
	*ret = what;
	return 0;
}

/* --- all of it --- */

/* The text of the first row, "" for NULL or none. NULL with a message: it cannot be asked. */
static char *ask_text(sqlite3 *db, const char *sql, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc, r = td_flame_prepare(db, sql, &s, err);

	if (r < 0)
		return NULL;
	rc = sqlite3_step(s);
	if (rc != SQLITE_ROW || sqlite3_column_type(s, 0) == SQLITE_NULL)
		return strdup("");
	return td_timeline_name((const char *)sqlite3_column_text(s, 0),
				(size_t)sqlite3_column_bytes(s, 0));
}

/* What values are of. Calls of which no duration is known are counted. */
static int set_unit(sqlite3 *db, struct td_flame_request *req, struct td_flame *f,
		    struct td_err *err)
{
	static const char timed_sql[] =
		"SELECT 't' WHERE EXISTS (SELECT 1 FROM stack_sample WHERE dur_ns IS NOT NULL)";
	static const char unit_sql[] =
		"SELECT CASE WHEN min(coalesce(unit, '')) = max(coalesce(unit, '')) THEN "
		"min(coalesce(unit, '')) ELSE '' END FROM stack_total";
	const char *sql = f->what == TD_FLAME_CALLS ? timed_sql : unit_sql;

	f->tool_unit = ask_text(db, sql, err);
	if (!f->tool_unit)
		return -ENOMEM;
	if (f->what == TD_FLAME_CPU || (f->what == TD_FLAME_CALLS && !*f->tool_unit))
		req->count = true;
	f->unit = f->what == TD_FLAME_TOTALS ? f->tool_unit : req->count ? "count" : "ns";
	return 0;
}

static int add_rows(sqlite3 *db, const struct td_flame_request *req, struct td_flame *f,
		    struct td_strbuf *notes, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int64_t apart = 0;
	int r = td_flame_prepare(db, rows_sql[f->what], &s, err);

	if (r == 0 && f->what != TD_FLAME_TOTALS)
		r = td_flame_bind(s, req, err);
	if (r < 0)
		return r;
	if (f->what == TD_FLAME_SPANS) {
		r = td_flame_add_spans(f, s, req->count, &apart, err);
		if (apart)
			td_strbuf_addf(
				notes,
				"spans that end after what they are within, cut there: %" PRId64
				"\n",
				apart);
		return r;
	}
	r = td_flame_add_stacks(f, s, &apart, err);
	if (apart)
		td_strbuf_addf(notes, "calls of unknown duration, which add nothing: %" PRId64 "\n",
			       apart);
	return r;
}

static int load(sqlite3 *db, struct td_flame_request *req, struct td_flame *f,
		struct td_strbuf *notes, struct td_err *err)
{
	int r = check_exist(db, req, err);

	if (r == 0)
		r = choose(db, req, &f->what, notes, err);
	if (r == 0 && f->what == TD_FLAME_TOTALS &&
	    (req->from || req->to || req->phase || req->pid || req->process))
		return td_err_set(err, -EINVAL,
				  "when and in which process what a tool counted itself was is not "
				  "known: --what totals has no filters");
	if (r == 0)
		r = set_unit(db, req, f, err);
	if (r == 0) {
		f->title = ask_text(db, "SELECT name FROM run", err);
		r = f->title ? add_rows(db, req, f, notes, err) : -ENOMEM;
	}
	if (r == 0 && f->n == 1)
		return td_err_set(err, -ENODATA, "%s: there are no stacks in what is asked for",
				  req->path);
	return r;
}

int td_flame_load(const struct td_flame_request *req, struct td_flame *ret, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf notes = TD_STRBUF_INIT;
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	struct td_deadline deadline = td_deadline_in(req->timeout_ns);
	struct td_flame_request asked = *req;
	struct td_flame f = { 0 };
	int r = td_flame_begin(&f);

	if (r == 0)
		r = td_analyzer_open_boxed(req->path, &deadline, &db, err);
	if (r == 0)
		r = load(db, &asked, &f, &notes, err);
	if (r == 0)
		r = td_flame_finish(&f);
	if (r == 0)
		r = td_flame_basis(db, &asked, &f, &notes, err);
	if (r == 0) {
		f.notes = strdup(td_strbuf_str(&notes));
		r = f.notes && td_strbuf_error(&notes) == 0 ? 0 : -ENOMEM;
	}
	if (r < 0)
		td_flame_done(&f);
	else
		*ret = f;
	return r;
}
