/* SPDX-License-Identifier: MIT */
/* Databases of several machines on the clock of the first one. */
#include "analyzer/open.h"
#include "analyzer/partial/run_partials.h"
#include "analyzer/several.h"
#include "common/cleanup.h"
#include "schema/db.h"

void td_partial_clocks_done(struct td_partial_clocks *c)
{
	free(c->shifts);
	td_strbuf_done(&c->notes);
}

static bool is_time(const struct td_report *rep, const struct td_arg *arg)
{
	const struct td_report_param *param = td_report_param(rep, arg->name);

	return param && param->type == TD_UNIT_TS_NS;
}

/* Does a report show a time, or is one asked for? */
static bool has_times(const struct td_report *const *reports, size_t nreports,
		      const struct td_arg *args, size_t nargs)
{
	for (size_t i = 0; i < nreports; i++) {
		for (size_t c = 0; c < reports[i]->ncolumns; c++)
			if (reports[i]->columns[c].unit == TD_UNIT_TS_NS)
				return true;
		for (size_t a = 0; a < nargs; a++)
			if (is_time(reports[i], &args[a]))
				return true;
	}
	return false;
}

/* What the user's times are by the first clock. */
static int read_times(const char *path, const struct td_arg *args, size_t nargs,
		      struct td_partial_clocks *ret, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	int r = td_analyzer_open(path, &db, err);

	for (size_t i = 0; i < nargs && r == 0; i++) {
		if (strcmp(args[i].name, "start_ns") == 0)
			r = td_arg_time(db, &args[i], &ret->since_ns, err);
		else if (strcmp(args[i].name, "end_ns") == 0)
			r = td_arg_time(db, &args[i], &ret->until_ns, err);
	}
	return r;
}

/* Of one of the others. What cannot be read is said, or left out, when its turn comes. */
static int find_shift(const struct td_partial_run *run, size_t i, struct td_clock_shift *ret,
		      struct td_err *err)
{
	const struct td_deadline none = { 0 };
	struct td_clock_shift both[2];
	struct td_err why = { 0 };
	int r = td_clock_shifts((char *const[]){ run->paths[0], run->paths[i] }, 2, &none, both,
				&why);

	*ret = r == 0 ? both[1] : (struct td_clock_shift){ .ns = TD_NULL };
	if (r == 0 || (run->keep_going && r != -ENOMEM))
		return 0;
	*err = why;
	return r;
}

int td_partials_align(const struct td_partial_run *run, const struct td_report *const *reports,
		      size_t nreports, const struct td_arg *args, size_t nargs,
		      struct td_partial_clocks *ret, struct td_err *err)
{
	int r;

	*ret = (struct td_partial_clocks){ .since_ns = TD_NULL, .until_ns = TD_NULL };
	if (!has_times(reports, nreports, args, nargs))
		return td_err_set(err, -EINVAL,
				  "--align would change nothing: report '%s' shows no times, and "
				  "none is asked "
				  "for (--filter-time)",
				  reports[0]->name);
	ret->shifts = calloc(run->npaths + 1, sizeof(*ret->shifts));
	r = ret->shifts ? read_times(run->paths[0], args, nargs, ret, err) : -ENOMEM;
	for (size_t i = 1; i < run->npaths && r == 0; i++) {
		r = find_shift(run, i, &ret->shifts[i], err);
		if (r == 0)
			td_clock_shift_note(&ret->shifts[i], run->paths[i], run->paths[0],
					    &ret->notes);
	}
	return r < 0 ? r : td_strbuf_error(&ret->notes);
}
