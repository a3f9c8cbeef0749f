/* SPDX-License-Identifier: MIT */
#include "analyzer/compare/measure.h"
#include "analyzer/format/format.h"
#include "analyzer/needs.h"
#include "common/array.h"
#include "common/cleanup.h"

void td_measured_done(struct td_measured *m)
{
	for (size_t i = 0; i < m->n; i++) {
		for (size_t k = 0; k < m->items[i].n; k++)
			free(m->items[i].samples[k].label);
		free(m->items[i].samples);
		free(m->items[i].subject);
	}
	free(m->items);
	*m = (struct td_measured){ 0 };
}

int td_series_order(const struct td_series *a, const struct td_series *b)
{
	int by = strcmp(a->measure->name, b->measure->name);

	if (by == 0)
		by = strcmp(a->subject, b->subject);
	return by != 0 ? by : (a->column > b->column) - (a->column < b->column);
}

static int compare(const void *a, const void *b)
{
	return td_series_order(a, b);
}

static bool is_value(const struct td_report_column *c)
{
	return c->unit != TD_UNIT_TEXT;
}

int td_measure_check(const struct td_report *rep, struct td_err *err)
{
	size_t nvalues = 0;

	for (size_t i = 0; i < rep->ncolumns; i++)
		nvalues += is_value(&rep->columns[i]);
	if (!td_report_column(rep, "subject") || !td_report_column(rep, "sample") || !nvalues)
		return td_err_set(
			err, -EINVAL,
			"'%s' is no measure: it has no columns 'subject', 'sample' and a number",
			rep->name);
	return 0;
}

/* --- from rows to series --- */

/* The format of a measure's result: it keeps what it is told. */
struct state {
	struct td_measured *all;
	const struct td_report *measure;
	size_t first; /* series of the measure begin here */
};

static struct state *state_of(struct td_writer *w)
{
	return w->state;
}

/* NULL: the value is not text. */
static char *text_of(const struct td_cell *value)
{
	return value->type == TD_VALUE_TEXT ? strndup(value->text.p, value->text.len) : NULL;
}

static double number_of(const struct td_cell *value)
{
	return value->type == TD_VALUE_INT ? (double)value->i : value->d;
}

/* The series of the last subject, if it is this one; else new ones, a series a column. *ret: the first. */
static int series_of(struct state *s, const struct td_cell *subject, size_t *ret)
{
	const struct td_report *m = s->measure;
	struct td_measured *all = s->all;
	size_t width = 0;

	for (size_t i = 0; i < m->ncolumns; i++)
		width += is_value(&m->columns[i]);
	*ret = all->n - width;
	if (all->n >= s->first + width && td_str_eq(subject->text, all->items[*ret].subject))
		return 0;
	*ret = all->n;
	for (size_t i = 0; i < m->ncolumns; i++) {
		char *text;

		if (!is_value(&m->columns[i]))
			continue;
		if (td_grow(&all->items, &all->cap, all->n) < 0)
			return -ENOMEM;
		text = text_of(subject);
		if (!text)
			return -ENOMEM;
		all->items[all->n++] = (struct td_series){ .measure = m,
							   .column = &m->columns[i],
							   .subject = text };
	}
	return 0;
}

static int add_sample(struct td_series *s, const struct td_cell *label, const struct td_cell *value)
{
	char *text = text_of(label);

	if ((!text && label->type == TD_VALUE_TEXT) || td_grow(&s->samples, &s->cap, s->n) < 0) {
		free(text);
		return -ENOMEM;
	}
	s->samples[s->n++] = (struct td_sample){ text, number_of(value) };
	return 0;
}

static int keep_row(struct td_writer *w, const struct td_cell *values)
{
	struct state *s = state_of(w);
	const struct td_report *m = s->measure;
	const struct td_cell *subject = &values[td_report_column(m, "subject") - m->columns];
	const struct td_cell *label = &values[td_report_column(m, "sample") - m->columns];
	size_t at;
	int r;

	if (subject->type != TD_VALUE_TEXT)
		return 0;
	r = series_of(s, subject, &at);
	for (size_t i = 0; i < m->ncolumns && r == 0; i++) {
		if (!is_value(&m->columns[i]))
			continue;
		if (values[i].type == TD_VALUE_INT || values[i].type == TD_VALUE_REAL)
			r = add_sample(&s->all->items[at], label, &values[i]);
		at++;
	}
	return r;
}

static const struct td_format keeper = {
	.name = "samples",
	.desc = "",
	.state_size = sizeof(struct state),
	.row = keep_row,
};

static double sum_of(const struct td_series *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->samples[i].value;
	return sum;
}

/* The column that weighs a subject: all of its series have its share. */
static void weigh(struct td_series *items, size_t n, const char *column)
{
	double all = 0, mine = 0;

	for (size_t i = 0; i < n; i++)
		if (strcmp(items[i].column->name, column) == 0)
			all += sum_of(&items[i]);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i; k < n && strcmp(items[k].subject, items[i].subject) == 0; k++)
			if (strcmp(items[k].column->name, column) == 0)
				mine = sum_of(&items[k]);
		for (size_t j = i; j < k; j++)
			items[j].share = !*column ? 1 : all > 0 ? mine / all : 0;
	}
}

static int measure(struct td_measured *m, sqlite3 *db, const struct td_report *rep,
		   const char *phase, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT, notes = TD_STRBUF_INIT;
	_cleanup_(td_writer_freep) struct td_writer *w = NULL;
	struct td_writer_options shape = { 0 };
	struct td_arg arg = { "rounds", phase };
	size_t first = m->n;
	double lost = 0;
	int r = td_measure_check(rep, err);

	if (r < 0)
		return r;
	r = td_writer_new(&keeper, NULL, &shape, &w);
	if (r < 0)
		return r;
	*state_of(w) = (struct state){ m, rep, first };
	r = td_report_run(db, rep, &arg, phase && td_report_param(rep, "rounds") ? 1 : 0, w,
			  &missing, &notes, err);
	if (r == 0)
		r = td_needs_lost(db, rep, &lost, err);
	if (r < 0)
		return r;
	weigh(m->items + first, m->n - first, rep->weigh);
	for (size_t i = first; i < m->n; i++)
		m->items[i].lost = lost;
	return 0;
}

int td_measured_add(struct td_measured *m, sqlite3 *db, const struct td_reports *measures,
		    const char *phase, struct td_err *err)
{
	int r = 0;

	for (size_t i = 0; i < measures->n && r == 0; i++) {
		const struct td_report *rep;

		r = td_reports_get(measures, i, &rep, err);
		if (r == 0)
			r = measure(m, db, rep, phase, err);
	}
	if (m->n)
		qsort(m->items, m->n, sizeof(*m->items), compare);
	return r;
}
