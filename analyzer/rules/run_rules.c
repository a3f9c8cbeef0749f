/* SPDX-License-Identifier: MIT */
#include "analyzer/needs.h"
#include "analyzer/notes.h"
#include "analyzer/open.h"
#include "analyzer/rules/run_rules.h"
#include "analyzer/rules/text.h"
#include "analyzer/sandbox.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/text.h"
#include "schema/db.h"

#define TEXT_WIDTH                                                                                 \
	((size_t)100) /* where the output is no terminal; wider ones are hard to read, too */

/* Rules that had nothing to look at for the same reason. */
struct blind {
	struct td_strbuf rules; /* their names */
	char *why; /* owned */
	size_t n;
};

/* One database. */
struct look {
	struct td_findings findings;
	struct td_strbuf notes;
	struct blind *blind; /* owned; by reason */
	size_t nreasons, cap;
	size_t nlooked, nblind;
};

static void look_done(struct look *l)
{
	td_findings_done(&l->findings);
	td_strbuf_done(&l->notes);
	for (size_t i = 0; i < l->nreasons; i++) {
		td_strbuf_done(&l->blind[i].rules);
		free(l->blind[i].why);
	}
	free(l->blind);
}

/* The arguments that are the rule's. ret: room for all of them. */
static size_t args_of(const struct td_run_rules *run, const struct td_report *rule,
		      struct td_arg *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < run->nargs; i++)
		if (strcmp(run->args[i].rule, rule->name) == 0)
			ret[n++] = run->args[i].arg;
	return n;
}

/* 0 or -ENOMEM. */
static int add_blind(struct look *l, const struct td_report *rule, const char *why)
{
	size_t i = 0;

	while (i < l->nreasons && strcmp(l->blind[i].why, why) != 0)
		i++;
	if (i == l->nreasons) {
		if (td_grow(&l->blind, &l->cap, i) < 0)
			return -ENOMEM;
		l->blind[i] = (struct blind){ .rules = TD_STRBUF_INIT, .why = strdup(why) };
		if (!l->blind[i].why)
			return -ENOMEM;
		l->nreasons++;
	}
	td_strbuf_addf(&l->blind[i].rules, "%s%s", l->blind[i].n++ ? ", " : "", rule->name);
	l->nblind++;
	return td_strbuf_error(&l->blind[i].rules);
}

static int look_with(const struct td_run_rules *run, sqlite3 *db, const struct td_report *rule,
		     struct look *l, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT, notes = TD_STRBUF_INIT;
	_cleanup_free_ struct td_arg *args = calloc(run->nargs + 1, sizeof(*args));
	size_t before = l->findings.n;
	int r;

	if (!args)
		return -ENOMEM;
	r = td_findings_look(&l->findings, db, rule, args, args_of(run, rule, args), &missing,
			     &notes, err);
	if (r < 0)
		return r;
	if (r == TD_REPORT_MISSING)
		r = add_blind(l, rule, td_strbuf_str(&missing));
	else
		l->nlooked++;
	if (r < 0)
		return r;
	if (l->findings.n >
	    before) /* what is wrong with data that shows nothing is no reader's matter */
		td_notes_add(&l->notes, td_strbuf_str(&notes));
	return td_strbuf_error(&l->notes);
}

static int look(const struct td_run_rules *run, const char *path,
		const struct td_deadline *deadline, struct look *l, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	int r = td_analyzer_open_boxed(path, deadline, &db, err);

	for (size_t i = 0; i < run->nrules && r == 0; i++)
		r = look_with(run, db, run->rules[i], l, err);
	td_findings_sort(&l->findings);
	return r;
}

/* --- writing --- */

static struct td_cell text_cell(const char *text)
{
	return (struct td_cell){ .type = text ? TD_VALUE_TEXT : TD_VALUE_NULL,
				 .text = { text, text ? strlen(text) : 0 } };
}

static int write_row(struct td_writer *w, const struct td_finding *f)
{
	_cleanup_(td_strbuf_done) struct td_strbuf doubts = TD_STRBUF_INIT;
	bool saves = f->saves_ns != INT64_MIN;

	td_doubts_add(&doubts, f->doubts);
	if (td_strbuf_error(&doubts) < 0)
		return -ENOMEM;
	return td_writer_row(
		w, (struct td_cell[]){
			   text_cell(f->rule->name),
			   text_cell(td_level_names[f->level]),
			   text_cell(td_confidence_names[td_confidence_of(f->doubts)]),
			   text_cell(f->doubts ? td_strbuf_str(&doubts) : NULL),
			   text_cell(f->rule->title),
			   text_cell(f->text),
			   { .type = saves ? TD_VALUE_INT : TD_VALUE_NULL, .i = f->saves_ns },
			   text_cell(f->advice),
			   text_cell(f->unless),
			   text_cell(f->evidence),
		   });
}

static int write_rows(struct td_writer *w, const struct td_findings *f)
{
	static const struct td_report_column columns[] = {
		{ "rule", "", TD_UNIT_TEXT, TD_BOUND_NONE },
		{ "level", "", TD_UNIT_TEXT, TD_BOUND_NONE },
		{ "confidence", "", TD_UNIT_TEXT, TD_BOUND_NONE },
		{ "doubts", "", TD_UNIT_TEXT, TD_BOUND_NONE },
		{ "title", "", TD_UNIT_TEXT, TD_BOUND_NONE },
		{ "finding", "", TD_UNIT_TEXT, TD_BOUND_NONE },
		{ "saves_ns", "", TD_UNIT_DUR_NS, TD_BOUND_NONE },
		{ "advice", "", TD_UNIT_TEXT, TD_BOUND_NONE },
		{ "unless", "", TD_UNIT_TEXT, TD_BOUND_NONE },
		{ "evidence", "", TD_UNIT_JSON, TD_BOUND_NONE },
	};
	struct td_table_head head = { .name = "findings",
				      .title = "Findings",
				      .columns = columns,
				      .ncolumns = TD_ARRAY_SIZE(columns) };
	int r = td_writer_table(w, &head);

	for (size_t i = 0; i < f->n && r == 0; i++)
		r = write_row(w, &f->items[i]);
	return r < 0 ? r : td_writer_table_end(w);
}

/* "5 findings; 14 rules looked, 6 could not:" and why they could not, a line for each reason. 0 or -ENOMEM. */
static int print_scope(const struct look *l, size_t width, FILE *out)
{
	fprintf(out, "%s%zu finding%s; %zu rule%s looked", l->findings.n ? "\n" : "", l->findings.n,
		l->findings.n == 1 ? "" : "s", l->nlooked, l->nlooked == 1 ? "" : "s");
	if (!l->nblind) {
		(void)fputs("\n", out);
		return 0;
	}
	fprintf(out, ", %zu could not:\n", l->nblind);
	for (size_t i = 0; i < l->nreasons; i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf line = TD_STRBUF_INIT;

		td_strbuf_addf(&line, "%s: %s", td_strbuf_str(&l->blind[i].rules), l->blind[i].why);
		if (td_strbuf_error(&line) < 0)
			return -ENOMEM;
		td_text_wrap(out, td_strbuf_str(&line), (size_t)fprintf(out, "   "), 5, width);
	}
	return 0;
}

static int print_text(const struct td_run_rules *run, const char *path, const struct look *l,
		      struct td_output *out)
{
	size_t width =
		out->w->options.width ? TD_MIN(out->w->options.width, TEXT_WIDTH) : TEXT_WIDTH;
	int r;

	if (run->ndbs > 1)
		fprintf(out->f, "%s%s\n\n", path == run->dbs[0] ? "" : "\n", path);
	r = td_findings_print(&l->findings, width, out->f);
	if (r == 0)
		r = print_scope(l, width, out->f);
	return r < 0 || !l->notes.len ? r : td_writer_note(out->w, td_strbuf_str(&l->notes));
}

static int put(const struct td_run_rules *run, const char *path, const struct look *l,
	       struct td_output *out)
{
	int r;

	if (out->w->format == td_formats[0])
		return print_text(run, path, l, out);
	r = td_writer_db(out->w, path);
	if (r == 0)
		r = write_rows(out->w, &l->findings);
	return r < 0 ? r : td_notes_put(out, path, td_strbuf_str(&l->notes));
}

static void count(struct td_rules_result *all, const struct look *l)
{
	all->nlooked += l->nlooked;
	for (size_t i = 0; i < l->findings.n; i++)
		all->found[l->findings.items[i].level]++;
}

int td_run_rules(const struct td_run_rules *run, struct td_rules_result *ret, struct td_err *err)
{
	_cleanup_(td_output_done) struct td_output out = { 0 };
	struct td_writer_options shape = { .many_dbs = run->ndbs > 1, .named = true };
	struct td_deadline deadline = td_deadline_in(run->timeout_ns);
	struct td_rules_result all = { 0 };
	int r = td_output_open(run->output, &shape, &out, err);

	for (size_t i = 0; i < run->ndbs && r == 0; i++) {
		_cleanup_(look_done) struct look l = { 0 };

		r = look(run, run->dbs[i], &deadline, &l, err);
		if (r == 0)
			r = put(run, run->dbs[i], &l, &out);
		if (r == 0)
			count(&all, &l);
	}
	if (r == 0)
		r = td_output_close(&out, err);
	if (r == 0)
		*ret = all;
	return r;
}

/* Is it the first of its rule? */
static bool is_news(const struct td_findings *f, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (f->items[i].rule == f->items[at].rule)
			return false;
	return true;
}

static void add_worst(const struct td_findings *f, size_t max, struct td_strbuf *notes)
{
	size_t n = 0;

	td_strbuf_addf(notes, "findings: %zu; 'tracedb analyze' has all, with advice. The worst:\n",
		       f->n);
	for (size_t i = 0; i < f->n && n < max; i++)
		if (is_news(f, i))
			td_strbuf_addf(notes, "%zu. %s (%s, confidence %s): %s\n", ++n,
				       td_level_names[f->items[i].level], f->items[i].rule->name,
				       td_confidence_names[td_confidence_of(f->items[i].doubts)],
				       f->items[i].text);
}

/* What all built-in rules find; the rules, which it borrows from, have to live as long. */
static int find_all(sqlite3 *db, struct td_reports *rules, struct td_findings *f,
		    struct td_err *err)
{
	int r = td_reports_load(rules, td_rules, NULL, 0, err);

	for (size_t i = 0; i < rules->n && r >= 0; i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT,
							   about_data = TD_STRBUF_INIT;
		const struct td_report *rule;

		r = td_reports_get(rules, i, &rule, err);
		if (r == 0) /* to prepare it takes longer than to see that there are no data */
			r = td_needs_check(db, rule, &missing, err);
		if (r == 0)
			r = td_findings_look(f, db, rule, NULL, 0, &missing, &about_data, err);
	}
	td_findings_sort(f);
	return TD_MIN(r, 0);
}

int td_rules_worst(sqlite3 *db, size_t max, struct td_strbuf *notes, struct td_err *err)
{
	_cleanup_(td_reports_done) struct td_reports rules = { 0 };
	_cleanup_(td_findings_done) struct td_findings f = { 0 };
	int r = find_all(db, &rules, &f, err);

	if (r < 0)
		return r;
	if (f.n)
		add_worst(&f, max, notes);
	return td_strbuf_error(notes);
}

int td_rules_put(sqlite3 *db, struct td_writer *w, struct td_err *err)
{
	_cleanup_(td_reports_done) struct td_reports rules = { 0 };
	_cleanup_(td_findings_done) struct td_findings f = { 0 };
	int r = find_all(db, &rules, &f, err);

	return r < 0 ? r : write_rows(w, &f);
}
