/* SPDX-License-Identifier: MIT */
#include "analyzer/compare/of_partial.h"
#include "analyzer/format/format.h"
#include "analyzer/needs.h"
#include "analyzer/partial/answer.h"
#include "analyzer/partial/capture.h"
#include "analyzer/partial/file.h"
#include "analyzer/partial/plan.h"
#include "common/array.h"
#include "common/cleanup.h"

/* The format of a report's result: it keeps what it is told. */
struct state {
	struct td_measured *all;
	const struct td_report *report;
};

/* Numbers that say what is meant, not how much. */
static bool is_key(const struct td_report_column *c)
{
	return c->unit == TD_UNIT_TEXT || strcmp(c->name, "gpu") == 0;
}

/* Texts that say how it is known. */
static bool is_remark(const struct td_report_column *c)
{
	return strcmp(c->name, "basis") == 0 || strcmp(c->name, "narrow") == 0;
}

static bool is_value(const struct td_report_column *c)
{
	return !is_key(c) && c->unit != TD_UNIT_INTEGER && c->unit != TD_UNIT_TS_NS;
}

static void add_subject(const struct td_report *rep, const struct td_cell *values,
			struct td_strbuf *b)
{
	for (size_t i = 0; i < rep->ncolumns; i++) {
		const struct td_cell *v = &values[i];

		if (!is_key(&rep->columns[i]) || is_remark(&rep->columns[i]) ||
		    v->type == TD_VALUE_NULL)
			continue;
		td_strbuf_adds(b, b->len ? ", " : "");
		if (v->type == TD_VALUE_TEXT)
			td_strbuf_add(b, v->text.p, v->text.len);
		else
			td_strbuf_addf(b, "%s %lld", rep->columns[i].name, (long long)v->i);
	}
	if (b->len == 0)
		td_strbuf_adds(b, rep->name);
}

static int add_value(struct state *s, const struct td_report_column *column, const char *subject,
		     double value)
{
	struct td_series one = { .measure = s->report, .column = column, .share = 1 };
	size_t cap = 0;

	if (td_grow(&s->all->items, &s->all->cap, s->all->n) < 0)
		return -ENOMEM;
	one.subject = strdup(subject);
	if (!one.subject || td_grow(&one.samples, &cap, 0) < 0) {
		free(one.subject);
		return -ENOMEM;
	}
	one.samples[0] = (struct td_sample){ NULL, value };
	one.n = 1;
	one.cap = cap;
	s->all->items[s->all->n++] = one;
	return 0;
}

static int keep_row(struct td_writer *w, const struct td_cell *values)
{
	_cleanup_(td_strbuf_done) struct td_strbuf subject = TD_STRBUF_INIT;
	struct state *s = w->state;
	const struct td_report *rep = s->report;
	int r;

	add_subject(rep, values, &subject);
	r = td_strbuf_error(&subject);
	for (size_t i = 0; i < rep->ncolumns && r == 0; i++) {
		const struct td_cell *v = &values[i];

		if (is_value(&rep->columns[i]) && v->type == TD_VALUE_INT)
			r = add_value(s, &rep->columns[i], td_strbuf_str(&subject), (double)v->i);
		else if (is_value(&rep->columns[i]) && v->type == TD_VALUE_REAL)
			r = add_value(s, &rep->columns[i], td_strbuf_str(&subject), v->d);
	}
	return r;
}

static const struct td_format keeper = {
	.name = "values",
	.desc = "",
	.state_size = sizeof(struct state),
	.row = keep_row,
};

/* Rows of one subject, as of several processes of one name, are one: their sum where they add up, else the last one. */
static void join_rows(struct td_measured *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		struct td_series *last = n ? &m->items[n - 1] : NULL, *one = &m->items[i];

		if (!last || td_series_order(last, one) != 0) {
			m->items[n++] = *one;
			continue;
		}
		last->samples[0].value += one->samples[0].value;
		free(one->samples);
		free(one->subject);
	}
	m->n = n;
}

static int order(const void *a, const void *b)
{
	return td_series_order(a, b);
}

static int find_report(const struct td_reports *set, const struct td_partial_head *h, size_t i,
		       const struct td_report **ret, struct td_err *err)
{
	char hex[17];
	int r = td_reports_find(set, h->reports[i], ret, err);

	if (r < 0)
		return r;
	if (*ret)
		td_partial_hash((*ret)->sql, hex);
	return *ret && strcmp(hex, h->texts[i]) == 0
		       ? 0
		       : td_err_set(
				 err, -EPROTONOSUPPORT,
				 "there is no report '%s' as the partials are of: make them again",
				 h->reports[i]);
}

/* The arguments that the partial was made with. Names and values are borrowed. */
static int args_of(const struct td_partial_head *h, struct td_arg **ret)
{
	struct td_arg *args = calloc(h->nargs + 1, sizeof(*args));

	if (!args)
		return -ENOMEM;
	for (size_t i = 0; i < h->nargs; i++)
		args[i] = (struct td_arg){ h->args[2 * i], h->args[2 * i + 1] };
	*ret = args;
	return 0;
}

static int run_report(struct td_partial_answer *answer, const struct td_report *rep,
		      const struct td_arg *args, size_t nargs, struct td_measured *m,
		      struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT, notes = TD_STRBUF_INIT;
	_cleanup_(td_writer_freep) struct td_writer *w = NULL;
	struct td_writer_options shape = { 0 };
	sqlite3 *db = td_partial_answer_db(answer);
	size_t first = m->n;
	double lost = 0;
	int r = td_writer_new(&keeper, NULL, &shape, &w);

	if (r < 0)
		return r;
	*(struct state *)w->state = (struct state){ m, rep };
	r = td_report_run(db, rep, args, nargs, w, &missing, &notes, err);
	if (r == 0)
		r = td_needs_lost(db, rep, &lost, err);
	for (size_t i = first; i < m->n; i++)
		m->items[i].lost = lost;
	return r < 0 ? r : 0;
}

int td_measured_of_partial(struct td_measured *m, const struct td_partial *p,
			   const struct td_reports *set, struct td_err *err)
{
	_cleanup_(td_partial_freep) struct td_partial *sorted = NULL;
	_cleanup_(td_partial_blank_freep) struct td_partial_blank *blank = NULL;
	_cleanup_(td_partial_answer_freep) struct td_partial_answer *answer = NULL;
	_cleanup_free_ struct td_arg *given = NULL, *args = NULL;
	int r = td_partial_sorted(p, &sorted);

	if (r == 0)
		r = args_of(&p->head, &given);
	if (r == 0)
		r = td_partial_args(given, p->head.nargs, &args);
	if (r == 0)
		r = td_partial_blank_new(&blank, err);
	if (r == 0)
		r = td_partial_answer_new(sorted, args, p->head.nargs, blank, &answer, err);
	for (size_t i = 0; i < p->head.nreports && r == 0; i++) {
		const struct td_report *rep;

		r = find_report(set, &p->head, i, &rep, err);
		if (r == 0)
			r = run_report(answer, rep, args, p->head.nargs, m, err);
	}
	if (m->n)
		qsort(m->items, m->n, sizeof(*m->items), order);
	join_rows(m);
	return r;
}

static int capture(const char *path, const struct td_partial_head *head,
		   const struct td_reports *set, struct td_partial **ret, struct td_err *err)
{
	_cleanup_free_ const struct td_report **reports =
		calloc(head->nreports + 1, sizeof(struct td_report *));
	_cleanup_free_ struct td_arg *args = NULL;
	_cleanup_(td_db_series_freep) struct td_db_series *series = NULL;
	_cleanup_(td_partial_freep) struct td_partial *p = NULL;
	int r = reports ? args_of(head, &args) : -ENOMEM;

	for (size_t i = 0; i < head->nreports && r == 0; i++)
		r = find_report(set, head, i, &reports[i], err);
	if (r == 0)
		r = td_partial_series(&series);
	if (r == 0)
		r = td_partial_new(head, &p);
	if (r == 0)
		r = td_partial_capture(&(struct td_partial_source){ .series = series,
								    .head = head,
								    .reports = reports,
								    .args = args,
								    .nargs = head->nargs },
				       path, p, err);
	if (r == 0)
		*ret = TAKE_PTR(p);
	return r;
}

int td_partial_of_run(const char *path, const struct td_partial_head *head,
		      const struct td_reports *set, struct td_partial **ret, struct td_err *err)
{
	struct td_err why = { 0 };
	int r;

	if (!td_partial_is(path))
		return capture(path, head, set, ret, err);
	r = td_partial_read(path, ret, &why);
	if (r < 0)
		return td_err_set(err, r, "%s: %s", path, why.msg);
	if (strcmp((*ret)->head.text, head->text) == 0)
		return 0;
	td_partial_free(*ret);
	*ret = NULL;
	return td_err_set(err, -EINVAL,
			  "'%s' is of another report, or of other options, than the other partials",
			  path);
}
