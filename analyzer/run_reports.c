/* SPDX-License-Identifier: MIT */
#include "common/log.h"
#include "common/strbuf.h"
#include "analyzer/format/compat_nsys.h"
#include "analyzer/exist.h"
#include "analyzer/needs.h"
#include "analyzer/notes.h"
#include "analyzer/open.h"
#include "analyzer/query.h"
#include "analyzer/rules/run_rules.h"
#include "analyzer/run_reports.h"
#include "analyzer/sandbox.h"
#include "analyzer/side_by_side.h"
#include "schema/db.h"
#include "schema/sums.h"

/* One database: what its reports had to say besides. */
struct remarks {
	struct td_strbuf notes; /* lines, each once */
	size_t nanswered; /* reports that found what they need */
};

static void remarks_done(struct remarks *r)
{
	td_strbuf_done(&r->notes);
}

/* Is it one that is left out where it has nothing to show? 1, 0, or -errno. */
static int is_left_out(const struct td_run_reports *run, sqlite3 *db, size_t i, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT;

	return i + run->noptional < run->nreports
		       ? 0
		       : td_needs_check(db, run->reports[i], &missing, err);
}

static int run_one(const struct td_run_reports *run, sqlite3 *db, const char *path,
		   const struct td_report *rep, struct td_output *out, struct remarks *remarks,
		   struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT, notes = TD_STRBUF_INIT;
	int r;

	if (run->sql) {
		remarks->nanswered++;
		return td_report_sql(db, rep, run->args, run->nargs, out->w->out, err);
	}
	r = td_report_run(db, rep, run->args, run->nargs, out->w, &missing, &notes, err);
	if (r < 0)
		return r;
	if (r == TD_REPORT_MISSING && !out->w->format->prose) /* else it stands in the result */
		td_log_warning("%s: nothing for report '%s': %s", path, rep->name,
			       td_strbuf_str(&missing));
	remarks->nanswered += r == 0;
	r = r == 0 && rep->nfindings && out->w->format->prose && !run->findings
		    ? td_rules_worst(db, rep->nfindings, &remarks->notes, err)
		    : 0;
	if (r < 0)
		return r;
	td_notes_add(&remarks->notes, td_strbuf_str(&notes));
	if (td_sums_overflowed(db))
		td_notes_add(&remarks->notes, TD_NOTE_OVERFLOWED);
	return td_strbuf_error(&remarks->notes);
}

static int run_db(const struct td_run_reports *run, sqlite3 *db, const char *path,
		  struct td_output *out, size_t *nanswered, struct td_err *err)
{
	_cleanup_(remarks_done) struct remarks remarks = { 0 };
	int r = td_writer_db(out->w, path);

	if (r == 0 && run->compat_nsys)
		r = td_compat_nsys_db(out->w, db, err);
	for (size_t i = 0; i < run->nreports && r == 0; i++) {
		int left_out = is_left_out(run, db, i, err);

		r = left_out < 0 ? left_out : 0;
		if (left_out == 0)
			r = run_one(run, db, path, run->reports[i], out, &remarks, err);
		if (r == 0 && i == 0 && run->findings)
			r = td_rules_put(db, out->w, err);
	}
	if (r == 0)
		r = td_notes_put(out, path, td_strbuf_str(&remarks.notes));
	*nanswered += remarks.nanswered;
	return r;
}

/* The database that is looked at. Where there is only one it stays open, since opening it takes as
 * long as many a report. */
struct current {
	sqlite3 *db;
	const char *path;
	struct td_strbuf asking; /* the SQL of all reports */
	bool any; /* rules ask, too */
	const struct td_deadline *deadline;
};

static void current_done(struct current *c)
{
	td_db_closep(&c->db);
	td_strbuf_done(&c->asking);
}

static int current_init(struct current *c, const struct td_run_reports *run,
			const struct td_deadline *deadline)
{
	c->deadline = deadline;
	c->any = run->findings;
	for (size_t i = 0; i < run->nreports; i++) {
		td_strbuf_adds(&c->asking, run->reports[i]->sql);
		c->any = c->any || run->reports[i]->nfindings;
	}
	return td_strbuf_error(&c->asking);
}

static int look_at(struct current *c, const char *path, struct td_err *err)
{
	if (c->db && strcmp(c->path, path) == 0)
		return 0;
	td_db_closep(&c->db);
	c->db = NULL;
	c->path = path;
	return td_analyzer_open_asking(path, c->any ? NULL : td_strbuf_str(&c->asking), c->deadline,
				       &c->db, err);
}

/* What no database has is a mistake of the user's; what some have not is told. */
static int check_exists(const struct td_run_reports *run, struct current *c, size_t arg,
			struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf all = TD_STRBUF_INIT;
	size_t nmissing = 0;

	for (size_t i = 0; i < run->ndbs; i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT;
		int r = look_at(c, run->dbs[i], err);

		if (r == 0) /* positive: it has */
			r = td_exist(c->db, run->args, run->nargs, arg, &missing, err);
		if (r < 0)
			return r;
		if (r > 0)
			continue;
		if (run->ndbs == 1)
			return td_err_set(err, -EINVAL, "%s", td_strbuf_str(&missing));
		td_strbuf_addf(&all, "%s: %s\n", run->dbs[i], td_strbuf_str(&missing));
		nmissing++;
	}
	if (td_strbuf_error(&all) < 0)
		return -ENOMEM;
	for (const char *line = td_strbuf_str(&all), *end; (end = strchr(line, '\n'));
	     line = end + 1)
		td_log_warning("%.*s", (int)(end - line), line);
	if (nmissing == run->ndbs)
		return td_err_set(err, -EINVAL, "none of the databases has what is asked for");
	return 0;
}

/* A time of a clock that all have is not one that each must have something at. */
static bool is_aligned(const struct td_run_reports *run, const char *name)
{
	const struct td_report_param *param =
		run->align && run->nreports ? td_report_param(run->reports[0], name) : NULL;

	return param && param->type == TD_UNIT_TS_NS;
}

static int check_args(const struct td_run_reports *run, struct current *c, struct td_err *err)
{
	int r = 0;

	for (size_t i = 0; i < run->nargs && r == 0; i++) {
		for (size_t k = 0; k < run->nreports && r == 0; k++)
			r = td_report_check_arg(run->reports[k], &run->args[i], err);
		if (r == 0 && td_exist_asked(run->args[i].name) &&
		    !is_aligned(run, run->args[i].name))
			r = check_exists(run, c, i, err);
	}
	return r;
}

int td_run_reports(const struct td_run_reports *run, size_t *ret_nanswered, struct td_err *err)
{
	_cleanup_(td_output_done) struct td_output out = { 0 };
	struct td_writer_options shape = { .many_dbs = run->ndbs > 1 && !run->side_by_side,
					   .many_tables = run->nreports + run->findings > 1,
					   .named = true };
	struct td_deadline deadline = td_deadline_in(run->timeout_ns);
	_cleanup_(current_done) struct current current = { .asking = TD_STRBUF_INIT };
	size_t nanswered = 0;
	int r = current_init(&current, run, &deadline);

	if (r == 0)
		r = check_args(run, &current, err);
	if (r == 0)
		r = td_output_open(run->output, &shape, &out, err);
	if (r == 0 && run->side_by_side)
		r = td_side_by_side(run, &deadline, &out, &nanswered, err);
	for (size_t i = 0; i < run->ndbs && r == 0 && !run->side_by_side; i++) {
		r = look_at(&current, run->dbs[i], err);
		if (r == 0)
			r = run_db(run, current.db, run->dbs[i], &out, &nanswered, err);
	}
	if (r == 0)
		r = td_output_close(&out, err);
	if (r == 0)
		*ret_nanswered = nanswered;
	return r;
}
