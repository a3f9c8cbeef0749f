/* SPDX-License-Identifier: MIT */
#include "analyzer/needs.h"
#include "analyzer/notes.h"
#include "analyzer/partial/answer.h"
#include "analyzer/partial/capture.h"
#include "analyzer/partial/file.h"
#include "analyzer/partial/identity.h"
#include "analyzer/partial/plan.h"
#include "analyzer/partial/run_partials.h"
#include "common/log.h"
#include "common/printable.h"

#define NAMES_SHOWN 3 /* of what was left out; the others are counted */

/* --- counting --- */

static bool is_in(const struct td_partial *p, int64_t name)
{
	for (size_t i = 0; i < td_partial_nrows(p, TD_PARTIAL_DATABASE); i++) {
		int64_t cells[TD_PARTIAL_COLUMNS_MAX];

		td_partial_row(p, TD_PARTIAL_DATABASE, i, cells);
		if (cells[1] == name)
			return true;
	}
	return false;
}

/* The i-th that could not be read, and was not when it was tried again either; NULL. */
static const char *failed_name(const struct td_partial *p, size_t i)
{
	int64_t cells[TD_PARTIAL_COLUMNS_MAX];

	td_partial_row(p, TD_PARTIAL_FAILED, i, cells);
	return is_in(p, cells[0]) ? NULL : td_intern_get(&p->texts, (uint32_t)cells[0]).p;
}

int td_partials_count(const struct td_partial_run *run, const struct td_partial *p,
		      struct td_partial_totals *ret, struct td_err *err)
{
	struct td_partial_totals t = { .ndbs = td_partial_nrows(p, TD_PARTIAL_DATABASE) };

	for (size_t i = 0; i < td_partial_nrows(p, TD_PARTIAL_FAILED); i++)
		t.nfailed += failed_name(p, i) != NULL;
	if (run->expected > t.ndbs + t.nfailed)
		t.nmissing = run->expected - t.ndbs - t.nfailed;
	if (t.nmissing && !run->keep_going)
		return td_err_set(
			err, -ENODATA,
			"%zu of %zu databases are there; --keep-going goes on without the others",
			t.ndbs, run->expected);
	*ret = t;
	return 0;
}

/* --- results --- */

static void add_failed(const struct td_partial *p, struct td_strbuf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < td_partial_nrows(p, TD_PARTIAL_FAILED); i++) {
		const char *name = failed_name(p, i);

		if (name && n++ < NAMES_SHOWN) {
			td_strbuf_adds(b, n == 1 ? "; could not be read: " : ", ");
			td_printable(b, name, strlen(name));
		}
	}
	if (n > NAMES_SHOWN)
		td_strbuf_addf(b, " and %zu more", n - NAMES_SHOWN);
}

static int64_t sum_of(const struct td_partial *p, enum td_partial_table table, size_t column)
{
	int64_t sum = 0;

	for (size_t i = 0; i < td_partial_nrows(p, table); i++) {
		int64_t cells[TD_PARTIAL_COLUMNS_MAX];

		td_partial_row(p, table, i, cells);
		if (cells[column] != TD_NULL && __builtin_add_overflow(sum, cells[column], &sum))
			return INT64_MAX;
	}
	return sum;
}

/* How many databases of how many it is of, and where the others are. */
static void add_totals(const struct td_partial *p, const struct td_partial_totals *t,
		       struct td_strbuf *b)
{
	size_t all = t->ndbs + t->nfailed + t->nmissing,
	       with = (size_t)sum_of(p, TD_PARTIAL_DATABASE, 2);

	td_strbuf_addf(b, "databases: %zu of %zu", t->ndbs, all);
	if (with < t->ndbs)
		td_strbuf_addf(b, ", %zu of which have nothing for it", t->ndbs - with);
	add_failed(p, b);
	if (t->nmissing)
		td_strbuf_addf(b, "; %zu did not answer", t->nmissing);
}

int td_partials_write(const struct td_partial *p, const struct td_partial_totals *totals,
		      const char *path, struct td_err *err)
{
	_cleanup_(td_partial_freep) struct td_partial *sorted = NULL;
	_cleanup_(td_output_done) struct td_output out = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf less = TD_STRBUF_INIT;
	int r = td_partial_sorted(p, &sorted);

	if (r == 0)
		r = td_output_open_file(path, &out, err);
	if (r < 0)
		return r;
	r = td_partial_write(sorted, out.f);
	if (r < 0)
		return td_output_failed(&out, r, err);
	r = td_output_close(&out, err);
	if (r < 0 || (!totals->nfailed && !totals->nmissing))
		return r;
	add_totals(sorted, totals, &less); /* which a report says below its rows */
	if (td_strbuf_error(&less) == 0)
		td_log_warning("%s", td_strbuf_str(&less));
	return td_strbuf_error(&less);
}

/* What a reader has to know of how it came about. */
static int add_notes(const struct td_partial *p, const struct td_partial_totals *t, bool prose,
		     struct td_strbuf *b)
{
	int64_t doubtful = sum_of(p, TD_PARTIAL_DATABASE, 3);
	bool quantiles = false;

	if (prose || t->nfailed || t->nmissing) {
		add_totals(p, t, b);
		td_strbuf_addc(b, '\n');
	}
	for (size_t q = 0; q < p->head.nquestions; q++)
		quantiles |= p->groups[q].durations != NULL;
	if (quantiles && prose)
		td_strbuf_addf(b, "medians and percentiles: within %.1f %% (of histograms)\n",
			       TD_HISTOGRAM_ERROR_PCT);
	for (size_t i = 0; i < td_partial_nrows(p, TD_PARTIAL_DROPPED); i++) {
		int64_t cells[TD_PARTIAL_COLUMNS_MAX];

		td_partial_row(p, TD_PARTIAL_DROPPED, i, cells);
		td_strbuf_addf(b,
			       "of each database the %zu rows that took longest: the others, %lld "
			       "in all, are added up as (others);"
			       " a row lacks %lld ns at most\n",
			       p->head.top, (long long)cells[1], (long long)cells[2]);
	}
	if (doubtful > 0 &&
	    p->head.tables & (1u << TD_PARTIAL_GPU_PHASE | 1u << TD_PARTIAL_GPU_IDLE_PART))
		td_strbuf_addf(b,
			       "clocks: %lld phases of GPUs are left out, which are shorter than "
			       "what clocks are known to\n",
			       (long long)doubtful);
	return td_strbuf_error(b);
}

/* The report of the partial by its name. 0 or -EINVAL with a message. */
static int find_report(const struct td_partials_print *print, const struct td_partial_head *h,
		       size_t i, const struct td_report **ret, struct td_err *err)
{
	char hex[17];
	int r = td_reports_find(print->set, h->reports[i], ret, err);

	if (r < 0)
		return r;
	if (!*ret)
		return td_err_set(err, -EINVAL,
				  "there is no report '%s', which the partial is of: --report-dir?",
				  h->reports[i]);
	td_partial_hash((*ret)->sql, hex);
	if (strcmp(hex, h->texts[i]) != 0)
		return td_err_set(err, -EPROTONOSUPPORT,
				  "the partial is of another version of report '%s': make it again",
				  h->reports[i]);
	return 0;
}

static bool is_wanted(const struct td_partials_print *print, const struct td_report *rep)
{
	for (size_t i = 0; i < print->nnamed; i++)
		if (print->named[i] == rep)
			return true;
	return print->nnamed == 0;
}

static int check_named(const struct td_partials_print *print, const struct td_partial_head *h,
		       struct td_err *err)
{
	for (size_t k = 0; k < print->nnamed; k++) {
		size_t i = 0;

		while (i < h->nreports && strcmp(h->reports[i], print->named[k]->name) != 0)
			i++;
		if (i == h->nreports)
			return td_err_set(err, -EINVAL, "the partial is not of report '%s'",
					  print->named[k]->name);
	}
	return 0;
}

/* The arguments of the head, with --limit in place of its own. */
static int args_of(const struct td_partials_print *print, const struct td_partial_head *h,
		   struct td_arg **ret, size_t *ret_n)
{
	_cleanup_free_ struct td_arg *args = malloc((h->nargs + 2) * sizeof(*args));
	size_t n = 0;

	if (!args)
		return -ENOMEM;
	for (size_t i = 0; i < h->nargs; i++)
		if (!print->limit || strcmp(h->args[2 * i], "limit") != 0)
			args[n++] = (struct td_arg){ h->args[2 * i], h->args[2 * i + 1] };
	if (print->limit)
		args[n++] = (struct td_arg){ "limit", print->limit };
	*ret_n = n;
	return td_partial_args(args, n, ret);
}

static int print_one(struct td_partial_answer *answer, const struct td_report *rep,
		     const struct td_arg *args, size_t nargs, struct td_output *out,
		     struct td_strbuf *notes, size_t *nanswered, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT, own = TD_STRBUF_INIT;
	int r = td_report_run(td_partial_answer_db(answer), rep, args, nargs, out->w, &missing,
			      &own, err);

	if (r < 0)
		return r;
	if (r == TD_REPORT_MISSING && !out->w->format->prose)
		td_log_warning("nothing for report '%s': %s", rep->name, td_strbuf_str(&missing));
	*nanswered += r == 0;
	td_notes_add(notes, td_strbuf_str(&own));
	return td_strbuf_error(notes);
}

int td_partials_print(const struct td_partials_print *print, const struct td_partial *p,
		      size_t *ret_nanswered, struct td_err *err)
{
	_cleanup_(td_partial_freep) struct td_partial *sorted = NULL;
	_cleanup_free_ struct td_arg *args = NULL;
	_cleanup_(td_partial_answer_freep) struct td_partial_answer *answer = NULL;
	_cleanup_(td_output_done) struct td_output out = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf notes = TD_STRBUF_INIT;
	size_t nargs = 0, nreports = print->nnamed ? print->nnamed : p->head.nreports,
	       nanswered = 0;
	struct td_writer_options shape = { .many_tables = nreports > 1, .named = true };
	struct td_output_args output = *print->output;
	int r = check_named(print, &p->head, err);

	output.utc = true; /* there is no begin of all */
	if (r == 0)
		r = td_partial_sorted(p, &sorted);
	if (r == 0)
		r = args_of(print, &p->head, &args, &nargs);
	if (r == 0)
		r = td_partial_answer_new(sorted, args, nargs, print->blank, &answer, err);
	if (r == 0)
		r = td_output_open(&output, &shape, &out, err);
	for (size_t i = 0; i < p->head.nreports && r == 0; i++) {
		const struct td_report *rep;

		r = find_report(print, &p->head, i, &rep, err);
		if (r == 0 && is_wanted(print, rep))
			r = print_one(answer, rep, args, nargs, &out, &notes, &nanswered, err);
	}
	if (r == 0)
		r = add_notes(sorted, &print->totals, out.w->format->prose, &notes);
	if (r == 0)
		td_notes_add(&notes, print->clocks ? print->clocks : "");
	if (r == 0)
		r = td_notes_put(&out, "together", td_strbuf_str(&notes));
	if (r == 0)
		r = td_output_close(&out, err);
	if (r == 0)
		*ret_nanswered = nanswered;
	return r;
}
