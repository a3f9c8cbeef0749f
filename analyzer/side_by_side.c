/* SPDX-License-Identifier: MIT */
#include "analyzer/clocks.h"
#include "analyzer/format/choice.h"
#include "analyzer/needs.h"
#include "analyzer/notes.h"
#include "analyzer/open.h"
#include "analyzer/several.h"
#include "analyzer/side_by_side.h"
#include "common/caldate.h"
#include "common/log.h"
#include "schema/db.h"
#include "schema/stat_math.h"
#include "schema/sums.h"
#include "schema/table.h"

#define NADDED 2 /* columns: run and rank */
#define TIME_SIZE 32 /* of a date in ns */

/* One report. */
struct table {
	struct td_writer *to; /* borrowed, as are the next two */
	const struct td_report *rep;
	const struct td_run_label *label; /* of the run whose rows come */
	int64_t shift_ns; /* of its times; 0: none */
	struct td_report_column *columns;
	size_t *from; /* for each but the first two: which column of the report it is */
	size_t ncolumns;
	const struct td_report_column *own; /* the report's rank; NULL: it has none */
	struct td_cell *cells;
	struct td_table_head head;
	char *none; /* owned; what it means that a run has no rows */
	bool begun;
	unsigned damage; /* of all runs */
	struct td_strbuf notes;
};

static void table_done(struct table *t)
{
	free(t->columns);
	free(t->from);
	free(t->cells);
	free(t->none);
	td_strbuf_done(&t->notes);
}

static int table_init(struct table *t, const struct td_report *rep, struct td_err *err)
{
	size_t most = rep->ncolumns + NADDED;

	if (td_report_column(rep, "run"))
		return td_err_set(err, -EINVAL,
				  "report '%s' has a column 'run', so it has no room for that of "
				  "--side-by-side",
				  rep->name);
	t->rep = rep;
	t->columns = calloc(most, sizeof(*t->columns));
	t->from = calloc(most, sizeof(*t->from));
	t->cells = calloc(most, sizeof(*t->cells));
	if (!t->columns || !t->from || !t->cells)
		return -ENOMEM;
	t->own = td_report_column(rep, "rank");
	t->columns[0] =
		(struct td_report_column){ .name = "run", .help = "run", .unit = TD_UNIT_TEXT };
	t->columns[1] = (struct td_report_column){ .name = "rank",
						   .help = "its rank; NULL: unknown",
						   .unit = TD_UNIT_INTEGER };
	t->ncolumns = NADDED;
	for (size_t i = 0; i < rep->ncolumns; i++) {
		if (&rep->columns[i] == t->own)
			continue;
		t->from[t->ncolumns] = i;
		t->columns[t->ncolumns++] = rep->columns[i];
	}
	return 0;
}

/* --- a writer that puts the rows of each run into the one table --- */

static struct table *table_of(const struct td_writer *w)
{
	return *(struct table **)w->state;
}

/* The column of the table that is a column of the report. */
static const struct td_report_column *column_of(const struct table *t,
						const struct td_report_column *of_report)
{
	for (size_t i = NADDED; i < t->ncolumns && of_report; i++)
		if (&t->rep->columns[t->from[i]] == of_report)
			return &t->columns[i];
	return NULL;
}

static int begin_table(struct td_writer *w)
{
	struct table *t = table_of(w);

	if (t->begun)
		return 0;
	if (w->head->none && !(t->none = strdup(w->head->none)))
		return -ENOMEM;
	t->begun = true;
	t->head = *w->head;
	t->head.none = t->none;
	t->head.columns = t->columns;
	t->head.ncolumns = t->ncolumns;
	t->head.total = column_of(t, w->head->total);
	t->head.record = false;
	t->head.missing = NULL;
	t->head.damage = t->damage;
	return td_writer_table(t->to, &t->head);
}

static int put_row(struct td_writer *w, const struct td_cell *values)
{
	struct table *t = table_of(w);
	const struct td_run_label *label = t->label;

	t->cells[0] = (struct td_cell){ .type = TD_VALUE_TEXT,
					.text = { label->run, strlen(label->run) } };
	t->cells[1] =
		(struct td_cell){ .type = label->rank == TD_NULL ? TD_VALUE_NULL : TD_VALUE_INT,
				  .i = label->rank };
	if (t->own && values[t->own - t->rep->columns].type != TD_VALUE_NULL)
		t->cells[1] = values[t->own - t->rep->columns];
	for (size_t i = NADDED; i < t->ncolumns; i++) {
		t->cells[i] = values[t->from[i]];
		if (t->columns[i].unit == TD_UNIT_TS_NS && t->cells[i].type == TD_VALUE_INT)
			t->cells[i].i = td_plus(t->cells[i].i, t->shift_ns);
	}
	return td_writer_row(t->to, t->cells);
}

static const struct td_format into_table = {
	.name = "side-by-side",
	.state_size = sizeof(struct table *),
	.table = begin_table,
	.row = put_row,
};

/* --- the runs --- */

/* Each line with the run in front. */
static void add_notes(struct table *t, const char *lines)
{
	for (const char *end; (end = strchr(lines, '\n')); lines = end + 1)
		td_strbuf_addf(&t->notes, "%s: %.*s\n", t->label->run, (int)(end - lines), lines);
}

/* --- times that the user gives, of one clock --- */

/* Arguments of a run: those of the user, with dates in place of times. */
struct moved_args {
	struct td_arg *args; /* owned */
	int64_t *times; /* owned; by the clock of the first run; TD_NULL: it is no time */
	char (*dates)[TIME_SIZE]; /* owned */
};

static void moved_args_done(struct moved_args *m)
{
	free(m->args);
	free(m->times);
	free(m->dates);
}

/* What the user's times are in the first run. */
static int read_times(const struct td_run_reports *run, const struct td_report *rep,
		      const struct td_deadline *deadline, struct moved_args *ret,
		      struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	int r;

	ret->args = calloc(run->nargs + 1, sizeof(*ret->args));
	ret->times = calloc(run->nargs + 1, sizeof(*ret->times));
	ret->dates = calloc(run->nargs + 1, sizeof(*ret->dates));
	if (!ret->args || !ret->times || !ret->dates)
		return -ENOMEM;
	r = td_analyzer_open_boxed(run->dbs[0], deadline, &db, err);
	for (size_t i = 0; i < run->nargs && r == 0; i++) {
		const struct td_report_param *param = td_report_param(rep, run->args[i].name);

		ret->args[i] = run->args[i];
		ret->times[i] = TD_NULL;
		if (param && param->type == TD_UNIT_TS_NS)
			r = td_arg_time(db, &run->args[i], &ret->times[i], err);
	}
	return r;
}

/* The same moments by the clock of a run. Where nothing tells how far that is off they are what the user wrote. */
static void move_args(const struct td_run_reports *run, const struct td_clock_shift *shift,
		      struct moved_args *m)
{
	for (size_t i = 0; i < run->nargs; i++) {
		m->args[i].value = run->args[i].value;
		if (shift->ns != TD_NULL && m->times[i] != TD_NULL)
			m->args[i].value = td_format_utc(m->dates[i], TIME_SIZE,
							 td_plus(m->times[i], -shift->ns), 9);
	}
}

/* --- all of them --- */

/* What the values of all runs are marked with is to be known before the first. */
static int find_damage(const struct td_run_reports *run, const struct td_deadline *deadline,
		       struct table *t, struct td_err *err)
{
	bool by_phase = false;
	int r = 0;

	for (size_t i = 0; i < run->nargs; i++)
		by_phase |= strcmp(run->args[i].name, "phase") == 0;
	for (size_t i = 0; i < run->ndbs && r == 0; i++) {
		_cleanup_(td_db_closep) sqlite3 *db = NULL;
		_cleanup_(td_strbuf_done) struct td_strbuf notes = TD_STRBUF_INIT;
		unsigned damage = 0;

		r = td_analyzer_open_boxed(run->dbs[i], deadline, &db, err);
		if (r == 0)
			r = td_needs_notes(db, t->rep, by_phase, &notes, &damage, err);
		t->damage |= damage;
	}
	return r;
}

/* TD_REPORT_MISSING: it has nothing of what the report needs; or 0 or -errno. */
static int add_run(const struct td_run_reports *run, const struct td_arg *args,
		   const struct td_deadline *deadline, struct td_writer *w, const char *path,
		   struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT, notes = TD_STRBUF_INIT;
	struct table *t = table_of(w);
	int r = td_analyzer_open_boxed(path, deadline, &db, err);

	if (r == 0)
		r = td_report_run(db, t->rep, args, run->nargs, w, &missing, &notes, err);
	if (r < 0)
		return r;
	if (r == TD_REPORT_MISSING)
		td_strbuf_addf(&t->notes, "%s: nothing: %s\n", t->label->run,
			       td_strbuf_str(&missing));
	add_notes(t, td_strbuf_str(&notes));
	if (td_sums_overflowed(db))
		add_notes(t, TD_NOTE_OVERFLOWED);
	return r;
}

static bool has_times(const struct table *t)
{
	for (size_t i = NADDED; i < t->ncolumns; i++)
		if (t->columns[i].unit == TD_UNIT_TS_NS)
			return true;
	return false;
}

static int put_notes(struct td_output *out, const struct table *t)
{
	const char *lines = td_strbuf_str(&t->notes);

	if (td_strbuf_error(&t->notes) < 0)
		return -ENOMEM;
	if (!*lines)
		return 0;
	if (out->w->format->prose)
		return td_writer_note(out->w, lines);
	for (const char *end; (end = strchr(lines, '\n')); lines = end + 1)
		td_log_warning("%s: %.*s", t->rep->name, (int)(end - lines), lines);
	return 0;
}

static int one_report(const struct td_run_reports *run, const struct td_report *rep,
		      const struct td_run_label *labels, const struct td_clock_shift *shifts,
		      const struct td_deadline *deadline, struct td_output *out, size_t *nanswered,
		      struct td_err *err)
{
	_cleanup_(table_done) struct table t = { .to = out->w };
	_cleanup_(td_writer_freep) struct td_writer *w = NULL;
	_cleanup_(moved_args_done) struct moved_args moved = { 0 };
	struct td_writer_options options = { .named = true };
	bool answered = false;
	int r = table_init(&t, rep, err);

	if (r == 0)
		r = td_choice_check(out->w->options.columns, t.columns, t.ncolumns, err);
	if (r == 0)
		r = find_damage(run, deadline, &t, err);
	if (r == 0 && run->align)
		r = read_times(run, rep, deadline, &moved, err);
	if (r == 0)
		r = td_writer_new(&into_table, NULL, &options, &w);
	if (r < 0 || !w)
		return r;
	*(struct table **)w->state = &t;
	for (size_t i = 0; i < run->ndbs && r >= 0; i++) {
		t.label = &labels[i];
		t.shift_ns = run->align && shifts[i].ns != TD_NULL ? shifts[i].ns : 0;
		if (run->align && has_times(&t))
			td_clock_shift_note(&shifts[i], t.label->run, labels[0].run, &t.notes);
		if (run->align)
			move_args(run, &shifts[i], &moved);
		r = add_run(run, run->align ? moved.args : run->args, deadline, w, run->dbs[i],
			    err);
		*nanswered += r == 0;
		answered |= r == 0;
	}
	if (!answered)
		t.head.none = "none of them has what it needs";
	if (r >= 0)
		r = td_writer_table_end(out->w);
	return r < 0 ? r : put_notes(out, &t);
}

int td_side_by_side(const struct td_run_reports *run, const struct td_deadline *deadline,
		    struct td_output *out, size_t *ret_nanswered, struct td_err *err)
{
	_cleanup_free_ struct td_clock_shift *shifts = calloc(run->ndbs + 1, sizeof(*shifts));
	struct td_run_label *labels = NULL;
	size_t nanswered = 0;
	int r = shifts ? td_run_labels(run->dbs, run->ndbs, &labels, err) : -ENOMEM;

	if (r == 0 && run->align)
		r = td_clock_shifts(run->dbs, run->ndbs, deadline, shifts, err);
	for (size_t i = 0; i < run->nreports && r == 0; i++)
		r = one_report(run, run->reports[i], labels, shifts, deadline, out, &nanswered,
			       err);
	td_run_labels_free(labels, run->ndbs);
	if (r == 0)
		*ret_nanswered = nanswered;
	return r;
}
