/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "analyzer/compare/condition.h"
#include "analyzer/compare/differences.h"
#include "analyzer/compare/history.h"
#include "analyzer/compare/of_partial.h"
#include "analyzer/compare/run_compare.h"
#include "analyzer/format/cell.h"
#include "analyzer/format/choice.h"
#include "analyzer/notes.h"
#include "analyzer/open.h"
#include "analyzer/partial/file.h"
#include "analyzer/sandbox.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "schema/db.h"

#define EXACT 9007199254740992.0 /* whole numbers below that are what they seem */

/* What a verdict means. */
#define OF_ROUNDS                                                                                  \
	"of 100 comparisons of runs that are alike 5 have a verdict at most; runs that differ "    \
	"from day to day are not: give several of them with --baseline\n"
#define OF_RUNS                                                                                    \
	"a sample is a run, the median of its rounds; of 100 comparisons of runs that are alike "  \
	"5 have a verdict at most\n"

#define OF_HISTORY                                                                                 \
	"a is what was to be expected of B, by the runs before it and their trend; of 100 "        \
	"generated runs that are like those before them 4 to 6 had a verdict on any line\n"

/* The runs of both sides. */
struct runs {
	struct td_measured *measured; /* na of A, then those of B */
	struct td_facts *facts;
	size_t n, na;
	size_t nfailed; /* of A, which are not here */
};

static void run_done(struct runs *r, size_t i)
{
	td_measured_done(&r->measured[i]);
	td_facts_done(&r->facts[i]);
	r->measured[i] = (struct td_measured){ 0 };
	r->facts[i] = (struct td_facts){ 0 };
}

static void runs_done(struct runs *r)
{
	for (size_t i = 0; i < r->n; i++)
		run_done(r, i);
	free(r->measured);
	free(r->facts);
}

static int read_run(const struct td_run_compare *run, const char *path,
		    const struct td_deadline *deadline, struct runs *all, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	size_t i = all->n++;
	int r = td_analyzer_open_boxed(path, deadline, &db, err);

	if (r == 0)
		r = td_facts_of(db, &all->facts[i], err);
	return r < 0 ? r : td_measured_add(&all->measured[i], db, run->measures, run->rounds, err);
}

/* Of the first partial on the side that there are several of, which says what all are of; NULL: there is none. */
static int read_head(const struct td_run_compare *run, struct td_partial **ret, struct td_err *err)
{
	struct td_err why = { 0 };
	int r;

	*ret = NULL;
	for (size_t i = 0; i < run->na; i++) {
		if (!td_partial_is(run->a[i]))
			continue;
		r = td_partial_read(run->a[i], ret, &why);
		if (r == 0)
			return 0;
		if (!run->keep_going)
			return td_err_set(err, r, "%s: %s", run->a[i], why.msg);
	}
	return 0;
}

static int read_partial(const struct td_run_compare *run, const char *path,
			const struct td_partial *first, struct runs *all, struct td_err *err)
{
	_cleanup_(td_partial_freep) struct td_partial *p = NULL;
	size_t i = all->n++;
	int r = td_partial_of_run(path, &first->head, run->reports, &p, err);

	return r < 0 ? r : td_measured_of_partial(&all->measured[i], p, run->reports, err);
}

/* The run that could not be read last is left out, if that is wanted and it is one of A. */
static int leave_out(const struct td_run_compare *run, size_t i, int r, struct runs *all,
		     const struct td_err *err)
{
	if (!run->keep_going || i >= run->na || r == -ENOMEM || r == -EINTR)
		return r;
	td_log_warning("left out: %s", err->msg);
	run_done(all, --all->n);
	all->na--;
	all->nfailed++;
	return 0;
}

static int read_runs(const struct td_run_compare *run, struct runs *ret, struct td_err *err)
{
	_cleanup_(td_partial_freep) struct td_partial *first = NULL;
	struct td_deadline deadline = td_deadline_in(run->timeout_ns);
	size_t n = run->na + run->nb;
	int r = read_head(run, &first, err);

	if (r < 0)
		return r;
	ret->measured = calloc(n, sizeof(*ret->measured));
	ret->facts = calloc(n, sizeof(*ret->facts));
	if (!ret->measured || !ret->facts)
		return -ENOMEM;
	ret->na = run->na;
	for (size_t i = 0; i < n && r == 0; i++) {
		const char *path = i < run->na ? run->a[i] : run->b[i - run->na];

		r = first ? read_partial(run, path, first, ret, err)
			  : read_run(run, path, &deadline, ret, err);
		if (r < 0)
			r = leave_out(run, i, r, ret, err);
	}
	return r == 0 && ret->na == 0
		       ? td_err_set(err, -ENODATA, "none of the runs of A can be read")
		       : r;
}

/* --- writing --- */

static struct td_cell text_cell(const char *text)
{
	return (struct td_cell){ .type = text ? TD_VALUE_TEXT : TD_VALUE_NULL,
				 .text = { text, text ? strlen(text) : 0 } };
}

static struct td_cell int_cell(size_t n)
{
	return (struct td_cell){ .type = TD_VALUE_INT, .i = (int64_t)n };
}

/* NaN is not known, and what is infinite has no end that is known. */
static struct td_cell real_cell(double d)
{
	return (struct td_cell){ .type = isfinite(d) ? TD_VALUE_REAL : TD_VALUE_NULL, .d = d };
}

static bool is_compared(const struct td_compared *line)
{
	return line->verdict < TD_VERDICT_ONE_SIDE;
}

/* For programs: numbers in the unit that the line's column says. */
static const struct td_report_column columns[] = {
	{ "measure", "", TD_UNIT_TEXT, TD_BOUND_NONE },
	{ "id", "", TD_UNIT_TEXT, TD_BOUND_NONE },
	{ "subject", "", TD_UNIT_TEXT, TD_BOUND_NONE },
	{ "value", "", TD_UNIT_TEXT, TD_BOUND_NONE },
	{ "unit", "", TD_UNIT_TEXT, TD_BOUND_NONE },
	{ "a", "", TD_UNIT_REAL, TD_BOUND_NONE },
	{ "b", "", TD_UNIT_REAL, TD_BOUND_NONE },
	{ "samples_a", "", TD_UNIT_COUNT, TD_BOUND_NONE },
	{ "samples_b", "", TD_UNIT_COUNT, TD_BOUND_NONE },
	{ "paired", "", TD_UNIT_INTEGER, TD_BOUND_NONE },
	{ "shift", "", TD_UNIT_REAL, TD_BOUND_NONE },
	{ "shift_low", "", TD_UNIT_REAL, TD_BOUND_NONE },
	{ "shift_high", "", TD_UNIT_REAL, TD_BOUND_NONE },
	{ "shift_pct", "", TD_UNIT_PERCENT, TD_BOUND_NONE },
	{ "effect", "", TD_UNIT_REAL, TD_BOUND_NONE },
	{ "p", "", TD_UNIT_REAL, TD_BOUND_NONE },
	{ "p_all", "", TD_UNIT_REAL, TD_BOUND_NONE },
	{ "lost_pct", "", TD_UNIT_PERCENT, TD_BOUND_NONE },
	{ "verdict", "", TD_UNIT_TEXT, TD_BOUND_NONE },
};

static int write_numbers(struct td_writer *w, const struct td_compared *line)
{
	bool both = is_compared(line);

	return td_writer_row(
		w, (struct td_cell[TD_ARRAY_SIZE(columns)]){
			   text_cell(line->measure->name),
			   text_cell(line->id),
			   text_cell(line->subject),
			   text_cell(line->column->name),
			   text_cell(td_unit_names[line->column->unit]),
			   real_cell(line->a),
			   real_cell(line->b),
			   int_cell(line->na),
			   int_cell(line->nb),
			   int_cell(line->paired),
			   real_cell(both ? line->shift.shift : NAN),
			   real_cell(both ? line->shift.low : NAN),
			   real_cell(both ? line->shift.high : NAN),
			   real_cell(both ? td_compared_pct(line, line->shift.shift) : NAN),
			   real_cell(both ? line->shift.effect : NAN),
			   real_cell(both ? line->shift.p : NAN),
			   real_cell(both ? line->p : NAN),
			   real_cell(100 * line->lost),
			   text_cell(td_verdict_name(line)),
		   });
}

/* For people. */
static const struct td_report_column people_columns[] = {
	{ "what", "", TD_UNIT_TEXT, TD_BOUND_NONE },
	{ "verdict", "", TD_UNIT_TEXT, TD_BOUND_NONE },
	{ "a", "", TD_UNIT_TEXT, TD_BOUND_NONE },
	{ "b", "", TD_UNIT_TEXT, TD_BOUND_NONE },
	{ "change", "", TD_UNIT_TEXT, TD_BOUND_NONE },
	{ "interval", "", TD_UNIT_TEXT, TD_BOUND_NONE },
	{ "samples", "", TD_UNIT_TEXT, TD_BOUND_NONE },
};

static void add_value(struct td_strbuf *b, const struct td_compared *line, double x)
{
	struct td_cell value = real_cell(x);

	if (value.type == TD_VALUE_REAL && floor(x) == x && fabs(x) < EXACT)
		value = (struct td_cell){ .type = TD_VALUE_INT, .i = (int64_t)x };

	td_cell_value(b, &value, line->column->unit, TD_TIMEUNIT_AUTO);
}

/* "+5.1%", of shares "+5.1 points"; where A has nothing of it, what it is. */
static void add_change(struct td_strbuf *b, const struct td_compared *line, double x)
{
	double pct = td_compared_pct(line, x);

	if (isnan(pct)) {
		td_strbuf_adds(b, x > 0 ? "+" : "");
		add_value(b, line, x);
	} else {
		td_strbuf_addf(b, "%+.1f%s", fabs(pct) < 0.05 ? 0 : pct, /* no -0.0 */
			       line->column->unit == TD_UNIT_PERCENT ? " points" : "%");
	}
}

static int write_words(struct td_writer *w, const struct td_compared *line)
{
	_cleanup_(td_strbuf_done) struct td_strbuf what = TD_STRBUF_INIT, a = TD_STRBUF_INIT,
						   b = TD_STRBUF_INIT, change = TD_STRBUF_INIT,
						   interval = TD_STRBUF_INIT,
						   samples = TD_STRBUF_INIT;

	td_strbuf_addf(&what, "%s: %s", line->subject, line->column->help);
	add_value(&a, line, line->a);
	add_value(&b, line, line->b);
	if (is_compared(line))
		add_change(&change, line, line->shift.shift);
	if (is_compared(line) && isfinite(line->shift.low) && isfinite(line->shift.high)) {
		add_change(&interval, line, line->shift.low);
		td_strbuf_adds(&interval, " .. ");
		add_change(&interval, line, line->shift.high);
	}
	if (line->paired)
		td_strbuf_addf(&samples, "%zu pairs", line->na);
	else
		td_strbuf_addf(&samples, "%zu and %zu", line->na, line->nb);
	if (td_strbuf_error(&what) < 0 || td_strbuf_error(&a) < 0 || td_strbuf_error(&b) < 0 ||
	    td_strbuf_error(&change) < 0 || td_strbuf_error(&interval) < 0 ||
	    td_strbuf_error(&samples) < 0)
		return -ENOMEM;
	return td_writer_row(w, (struct td_cell[TD_ARRAY_SIZE(people_columns)]){
					text_cell(td_strbuf_str(&what)),
					text_cell(td_verdict_name(line)),
					text_cell(td_strbuf_str(&a)),
					text_cell(td_strbuf_str(&b)),
					text_cell(change.len ? change.p : NULL),
					text_cell(interval.len ? interval.p : NULL),
					text_cell(td_strbuf_str(&samples)),
				});
}

static int write_lines(const struct td_comparison *c, struct td_writer *w, struct td_err *err)
{
	bool prose = w->format->prose;
	struct td_table_head head = {
		.name = "compare",
		.title = "How B differs from A",
		.columns = prose ? people_columns : columns,
		.ncolumns = prose ? TD_ARRAY_SIZE(people_columns) : TD_ARRAY_SIZE(columns),
	};
	int r = td_choice_check(w->options.columns, head.columns, head.ncolumns, err);

	if (r == 0)
		r = td_writer_table(w, &head);
	for (size_t i = 0; i < c->n && r == 0; i++)
		r = prose ? write_words(w, &c->items[i]) : write_numbers(w, &c->items[i]);
	return r < 0 ? r : td_writer_table_end(w);
}

/* --- what to know besides --- */

static void name_side(struct td_strbuf *notes, const char *name, char **paths, size_t n)
{
	td_strbuf_addf(notes, "%s: %s", name, paths[0]);
	if (n > 1)
		td_strbuf_addf(notes, " and %zu more", n - 1);
	td_strbuf_addc(notes, '\n');
}

/* Which runs those are that one is compared with. */
static void name_baseline(struct td_strbuf *notes, const struct td_baseline *b,
			  const struct runs *all, const char *path)
{
	td_strbuf_addf(notes, "A: the last %zu runs before B of its kind: %s\n", all->na, b->kind);
	td_strbuf_addf(notes,
		       "   (from %s to %s; not among them: %zu older, %zu that did not begin "
		       "before B, %zu of other kinds",
		       b->paths[0], b->paths[b->n - 1], b->nolder, b->nlater, b->nothers);
	if (b->nfailed + all->nfailed)
		td_strbuf_addf(notes, ", %zu that could not be read", b->nfailed + all->nfailed);
	td_strbuf_addf(notes, ")\nB: %s\n", path);
	if (all->na < TD_HISTORY_LEAST)
		td_strbuf_addf(notes, "it takes %d runs of A to tell that B is one of 20 (5 %%)\n",
			       TD_HISTORY_LEAST);
}

static size_t count(const struct td_comparison *c, enum td_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->items[i].verdict == verdict;
	return n;
}

/* of_both: samples are of both sides. */
static void add_scope(const struct td_comparison *c, bool of_both, struct td_strbuf *notes)
{
	const struct {
		enum td_verdict verdict;
		const char *words;
	} others[] = {
		{ TD_VERDICT_EQUAL, "are equal" },
		{ TD_VERDICT_NO_EVIDENCE, "show no evidence" },
		{ TD_VERDICT_LOST, "differ by no more than the events that were lost" },
		{ TD_VERDICT_TOO_FEW,
		  of_both ? "have too few samples to tell (it takes about 5 on each side)"
			  : "have too few samples to tell" },
		{ TD_VERDICT_ONE_SIDE, "are not in both" },
		{ TD_VERDICT_UNLIKE, "are of rounds in one and of the whole run in the other" },
	};

	td_strbuf_addf(notes, "%zu of %zu lines differ",
		       count(c, TD_VERDICT_LESS) + count(c, TD_VERDICT_MORE), c->n);
	for (size_t i = 0; i < TD_ARRAY_SIZE(others); i++) {
		size_t n = count(c, others[i].verdict);

		if (n)
			td_strbuf_addf(notes, ", %zu %s", n, others[i].words);
	}
	if (c->nsmall)
		td_strbuf_addf(notes, "; %zu of less than 1%% of their kind are left out",
			       c->nsmall);
	td_strbuf_addc(notes, '\n');
}

/* Where samples lie in two groups, the medians can differ the one way and most samples the other. */
static void add_contrary(const struct td_comparison *c, struct td_strbuf *notes)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct td_compared *line = &c->items[i];

		n += is_compared(line) && (line->b - line->a) * line->shift.shift < 0;
	}
	if (n)
		td_strbuf_addf(
			notes,
			"of %zu line%s the change goes the other way than from A to B, which are "
			"medians: it is the median of the differences of all samples\n",
			n, n > 1 ? "s" : "");
}

static int put_notes(const struct td_run_compare *run, const struct runs *all,
		     const struct td_comparison *c, struct td_output *out)
{
	_cleanup_(td_strbuf_done) struct td_strbuf notes = TD_STRBUF_INIT;

	if (out->w->format->prose) {
		if (run->baseline) {
			name_baseline(&notes, run->baseline, all, run->b[0]);
		} else {
			name_side(&notes, "A", run->a, run->na);
			name_side(&notes, "B", run->b, run->nb);
		}
		add_scope(c, !run->baseline, &notes);
		add_contrary(c, &notes);
		td_strbuf_adds(&notes, all->na == 1 && run->nb == 1 ? OF_ROUNDS
				       : run->baseline              ? OF_HISTORY
								    : OF_RUNS);
	}
	if (all->facts[0].n) { /* partials hold none */
		td_facts_doubt(&all->facts[0], "A", &notes);
		td_facts_doubt(&all->facts[all->na], "B", &notes);
		td_facts_differ(&all->facts[0], &all->facts[all->na], &notes);
	}
	return td_strbuf_error(&notes) < 0 ? -ENOMEM
					   : td_notes_put(out, run->b[0], td_strbuf_str(&notes));
}

static int check_conditions(const struct td_run_compare *run, const struct td_comparison *c,
			    size_t *ret_nmet, struct td_err *err)
{
	*ret_nmet = 0;
	for (size_t i = 0; i < run->nconditions; i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf words = TD_STRBUF_INIT;
		int r = td_condition_check(run->conditions[i], c, &words, err);

		if (r >= 0 && td_strbuf_error(&words) < 0)
			r = -ENOMEM;
		if (r < 0)
			return r;
		*ret_nmet += r == TD_CONDITION_MET;
		if (r == TD_CONDITION_MET)
			td_log_error(0, "%s", td_strbuf_str(&words));
		else if (r == TD_CONDITION_CHANCE)
			td_log_warning("%s, which can be chance", td_strbuf_str(&words));
	}
	return 0;
}

int td_run_compare(const struct td_run_compare *run, size_t *ret_nmet, size_t *ret_nfailed,
		   struct td_err *err)
{
	_cleanup_(td_output_done) struct td_output out = { 0 };
	_cleanup_(runs_done) struct runs all = { 0 };
	_cleanup_(td_comparison_done) struct td_comparison c = { 0 };
	struct td_writer_options shape = { .named = true };
	int r = read_runs(run, &all, err);

	if (r == 0)
		r = td_compare(all.measured, all.na, all.measured + all.na, run->nb, run->least_pct,
			       &c);
	*ret_nfailed = all.nfailed;
	if (r == 0)
		r = td_output_open(run->output, &shape, &out, err);
	if (r == 0)
		r = write_lines(&c, out.w, err);
	if (r == 0)
		r = put_notes(run, &all, &c, &out);
	if (r == 0)
		r = td_output_close(&out, err);
	return r < 0 ? r : check_conditions(run, &c, ret_nmet, err);
}
