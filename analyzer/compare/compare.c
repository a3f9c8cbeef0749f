/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>

#include "analyzer/compare/compare.h"
#include "analyzer/compare/history.h"
#include "common/array.h"
#include "common/cleanup.h"

#define LEAST_SHARE 0.01 /* of a measure's weight */
#define LEAST_PAIRS 10 /* with less, the samples of both runs together tell more than their pairs */
/* The lengths of phases are asked about first, and are few: they have half of the chance to be
 * wrong, all else the other half. */
#define FIRST_MEASURE "phases"

void td_comparison_done(struct td_comparison *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->items[i].id);
	free(c->items);
	*c = (struct td_comparison){ 0 };
}

double td_compared_pct(const struct td_compared *line, double x)
{
	if (line->column->unit == TD_UNIT_PERCENT)
		return x;
	return line->na && fabs(line->a) > 0 ? 100 * x / fabs(line->a) : NAN;
}

const char *td_verdict_name(const struct td_compared *line)
{
	static const char *const words[TD_NBETTERS][2] = {
		[TD_BETTER_NONE] = { "less", "more" },
		[TD_BETTER_SHORTER] = { "faster", "slower" },
		[TD_BETTER_LOWER] = { "better", "worse" },
		[TD_BETTER_HIGHER] = { "worse", "better" },
	};
	static const char *const others[] = {
		[TD_VERDICT_EQUAL] = "equal",          [TD_VERDICT_NO_EVIDENCE] = "no evidence",
		[TD_VERDICT_LOST] = "events lost",     [TD_VERDICT_TOO_FEW] = "too few samples",
		[TD_VERDICT_ONE_SIDE] = "not in both", [TD_VERDICT_UNLIKE] = "not alike",
	};

	return line->verdict > TD_VERDICT_MORE ? others[line->verdict]
					       : words[line->column->better][line->verdict];
}

/* "read of {}.npz" and total_ns are "read_of_npz_total_ns". */
static char *id_of(const struct td_series *key)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	bool gap = false;

	for (const char *c = key->subject; *c; c++) {
		if (isalnum((unsigned char)*c)) {
			if (gap && b.len)
				td_strbuf_addc(&b, '_');
			td_strbuf_addc(&b, (char)tolower((unsigned char)*c));
		}
		gap = !isalnum((unsigned char)*c);
	}
	td_strbuf_addf(&b, "_%s", key->column->name);
	return td_strbuf_error(&b) < 0 ? NULL : strdup(td_strbuf_str(&b));
}

/* --- samples --- */

/* One side of a line. */
struct samples {
	const struct td_series *series; /* the only run's; NULL: of several */
	double *values; /* owned */
	size_t n;
};

static void samples_done(struct samples *s)
{
	free(s->values);
}

static int values_of(const struct td_series *s, double **ret)
{
	double *v = calloc(s->n + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		v[i] = s->samples[i].value;
	*ret = v;
	return 0;
}

/* The line of that key, NULL if the run has none. */
static const struct td_series *find(const struct td_measured *m, const struct td_series *key)
{
	size_t low = 0, high = m->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = td_series_order(&m->items[middle], key);

		if (order == 0)
			return &m->items[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* by_rounds: the only run's samples are its rounds. */
static int collect(const struct td_measured *runs, size_t nruns, const struct td_series *key,
		   bool by_rounds, struct samples *ret)
{
	if (by_rounds) {
		ret->series = find(runs, key);
		if (!ret->series)
			return 0;
		ret->n = ret->series->n;
		return values_of(ret->series, &ret->values);
	}
	ret->values = calloc(nruns, sizeof(*ret->values));
	if (!ret->values)
		return -ENOMEM;
	for (size_t i = 0; i < nruns; i++) {
		const struct td_series *s = find(&runs[i], key);
		_cleanup_free_ double *v = NULL;
		int r = s && s->n ? values_of(s, &v) : 0;

		if (r < 0)
			return r;
		if (v)
			ret->values[ret->n++] = td_shift_median(v, s->n);
	}
	return 0;
}

/* --- pairs of rounds --- */

static int by_label(const void *a, const void *b)
{
	const struct td_sample *const *x = a, *const *y = b;
	int by = strcmp((*x)->label, (*y)->label);

	return by != 0 ? by : (*x > *y) - (*x < *y);
}

/* The samples that have a label, in its order. */
static int sorted(const struct td_series *s, const struct td_sample ***ret, size_t *n)
{
	const struct td_sample **list = calloc(s->n + 1, sizeof(struct td_sample *));

	if (!list)
		return -ENOMEM;
	*n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->samples[i].label)
			list[(*n)++] = &s->samples[i];
	qsort(list, *n, sizeof(struct td_sample *), by_label);
	*ret = list;
	return 0;
}

/* Puts samples of rounds with one name to the same place in both; the others are dropped. *ret: how many there are. */
static int pair(const struct samples *a, const struct samples *b, double *va, double *vb,
		size_t *ret)
{
	_cleanup_free_ const struct td_sample **x = NULL, **y = NULL;
	size_t nx = 0, ny = 0, i = 0, k = 0;
	int r = sorted(a->series, &x, &nx);

	if (r == 0)
		r = sorted(b->series, &y, &ny);
	*ret = 0;
	while (r == 0 && i < nx && k < ny) {
		int by = strcmp(x[i]->label, y[k]->label);

		if (by == 0) {
			va[*ret] = x[i]->value;
			vb[(*ret)++] = y[k]->value;
		}
		i += by <= 0;
		k += by >= 0;
	}
	return r;
}

/* --- a line --- */

static bool all_equal(const struct td_compared *line, const struct samples *a,
		      const struct samples *b)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->values[i] < line->a || a->values[i] > line->a)
			return false;
	for (size_t i = 0; i < b->n; i++)
		if (b->values[i] < line->a || b->values[i] > line->a)
			return false;
	return true;
}

static bool is_negative(const struct samples *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->values[i] < 0)
			return true;
	return false;
}

/* Nothing gets less by more than it was: the middle of the differences of pairs can be beyond the median of A, where some pairs
 * differ by far more than most. What is shown beside both medians is then their difference. */
static void bound_shift(struct td_compared *line, const struct samples *a, const struct samples *b)
{
	struct td_shift *s = &line->shift;

	if (is_negative(a) || is_negative(b))
		return;
	if (s->shift < -line->a)
		s->shift = line->b - line->a;
	s->low = isfinite(s->low) ? TD_MIN(TD_MAX(s->low, -line->a), s->shift) : s->low;
	s->high = TD_MAX(s->high, s->shift);
}

/* The difference, by pairs where there are enough of them. Whether there are does not depend on what the values are. */
static int shift(struct td_compared *line, const struct samples *a, const struct samples *b)
{
	_cleanup_free_ double *va = calloc(a->n, sizeof(*va)), *vb = calloc(b->n, sizeof(*vb));
	size_t npairs = 0;
	int r = 0;

	if (!va || !vb)
		return -ENOMEM;
	if (a->series && b->series)
		r = pair(a, b, va, vb, &npairs);
	if (r < 0)
		return r;
	line->paired = npairs >= LEAST_PAIRS;
	if (!line->paired)
		return td_shift_unpaired(a->values, a->n, b->values, b->n, &line->shift);
	r = td_shift_paired(va, vb, npairs, &line->shift);
	line->na = line->nb = npairs;
	line->a = td_shift_median(va, npairs);
	line->b = td_shift_median(vb, npairs);
	return r;
}

/* Is it one that can be told? */
static bool is_tested(const struct td_compared *line)
{
	return line->verdict == TD_VERDICT_NO_EVIDENCE;
}

/* Are its samples of rounds? Of several runs they are medians, which are of either. */
static bool has_rounds(const struct samples *s)
{
	return s->series && s->n && s->series->samples[0].label;
}

static bool is_unlike(const struct samples *a, const struct samples *b)
{
	return a->series && b->series && has_rounds(a) != has_rounds(b);
}

static int compare_line(const struct td_series *key, const struct samples *a,
			const struct samples *b, struct td_compared *ret)
{
	struct td_compared line = {
		.id = id_of(key),
		.measure = key->measure,
		.column = key->column,
		.subject = key->subject,
		.a = a->n ? td_shift_median(a->values, a->n) : NAN,
		.b = b->n ? td_shift_median(b->values, b->n) : NAN,
		.na = a->n,
		.nb = b->n,
		.p = 1,
		.verdict = TD_VERDICT_NO_EVIDENCE,
	};
	int r = line.id ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	if (!a->n || !b->n) {
		line.verdict = TD_VERDICT_ONE_SIDE;
	} else if (is_unlike(a, b)) {
		line.verdict = TD_VERDICT_UNLIKE;
	} else {
		r = shift(&line, a, b);
		if (r == 0)
			bound_shift(&line, a, b);
		if (line.shift.least_p > TD_COMPARE_ALPHA / 2)
			line.verdict = TD_VERDICT_TOO_FEW;
	}
	if (r < 0)
		free(line.id);
	else
		*ret = line;
	return r;
}

/* --- all lines --- */

static double largest(const struct td_measured *runs, size_t n, const struct td_series *key,
		      bool of_lost)
{
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		const struct td_series *s = find(&runs[i], key);

		if (s)
			most = TD_MAX(most, of_lost ? s->lost : s->share);
	}
	return most;
}

struct sides {
	const struct td_measured *a, *b;
	size_t na, nb;
};

static bool by_rounds(const struct sides *all)
{
	return all->na == 1 && all->nb == 1;
}

static int add_line(struct td_comparison *c, const struct sides *all, const struct td_series *key)
{
	_cleanup_(samples_done) struct samples a = { 0 }, b = { 0 };
	struct td_compared *line;
	int r = collect(all->a, all->na, key, by_rounds(all), &a);

	if (r == 0)
		r = collect(all->b, all->nb, key, by_rounds(all), &b);
	if (r < 0 || (!a.n && !b.n))
		return r;
	if (TD_MAX(largest(all->a, all->na, key, false), largest(all->b, all->nb, key, false)) <
	    LEAST_SHARE) {
		c->nsmall++;
		return 0;
	}
	if (td_grow(&c->items, &c->cap, c->n) < 0)
		return -ENOMEM;
	line = &c->items[c->n];
	r = compare_line(key, &a, &b, line);
	if (r < 0)
		return r;
	/* what is the same everywhere needs no test, and takes nothing from the others */
	if (line->verdict < TD_VERDICT_ONE_SIDE && all_equal(line, &a, &b))
		line->verdict = TD_VERDICT_EQUAL;
	if (key->column->loss != TD_BOUND_NONE)
		line->lost =
			largest(all->a, all->na, key, true) + largest(all->b, all->nb, key, true);
	c->n++;
	return 0;
}

static const struct td_measured *run_at(const struct sides *all, size_t i)
{
	return i < all->na ? &all->a[i] : &all->b[i - all->na];
}

/* Of the lines that a run has, those that no run before it has. */
static int add_lines(struct td_comparison *c, const struct sides *all, size_t at)
{
	const struct td_measured *run = run_at(all, at);
	int r = 0;

	for (size_t i = 0; i < run->n && r == 0; i++) {
		bool seen = false;

		for (size_t k = 0; k < at && !seen; k++)
			seen = find(run_at(all, k), &run->items[i]);
		if (!seen)
			r = add_line(c, all, &run->items[i]);
	}
	return r;
}

static bool is_first(const struct td_compared *line)
{
	return strcmp(line->measure->name, FIRST_MEASURE) == 0;
}

static bool counts(const struct td_compared *line, bool first)
{
	return is_tested(line) && is_first(line) == first;
}

/* p of each for all of one half. */
static int correct(struct td_comparison *c, bool first)
{
	_cleanup_free_ double *p = calloc(c->n + 1, sizeof(*p));
	size_t n = 0, others = 0;
	int r;

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < c->n; i++) {
		if (counts(&c->items[i], first))
			p[n++] = c->items[i].shift.p;
		others += counts(&c->items[i], !first);
	}
	r = td_shift_holm(p, n);
	n = 0;
	for (size_t i = 0; i < c->n && r == 0; i++)
		if (counts(&c->items[i], first)) {
			c->items[i].p = TD_MIN(1, p[n] * (others ? 2 : 1));
			n++;
		}
	return r;
}

static void judge(struct td_compared *line, double least_pct)
{
	double pct = fabs(td_compared_pct(line, line->shift.shift));

	if (!is_tested(line) || line->p > TD_COMPARE_ALPHA || pct < least_pct)
		return;
	if (line->lost > 0 && !(pct > 100 * line->lost))
		line->verdict = TD_VERDICT_LOST;
	else
		line->verdict = line->shift.shift < 0 ? TD_VERDICT_LESS : TD_VERDICT_MORE;
}

static int by_importance(const void *a, const void *b)
{
	const struct td_compared *x = a, *y = b;
	bool x_found = x->verdict <= TD_VERDICT_MORE, y_found = y->verdict <= TD_VERDICT_MORE;
	int by = 0;

	if (x_found != y_found)
		return x_found ? -1 : 1;
	if (is_first(x) != is_first(y))
		return is_first(x) ? -1 : 1;
	by = strcmp(x->measure->name, y->measure->name);
	if (by == 0)
		by = strcmp(x->subject, y->subject);
	return by != 0 ? by : (x->column > y->column) - (x->column < y->column);
}

/* --- one run and its history --- */

static bool is_history(const struct sides *all)
{
	return all->nb == 1 && all->na >= TD_HISTORY_LEAST;
}

/* The value of each run, NaN where it has none. */
static int values_by_run(const struct sides *all, const struct td_compared *line, double *ret)
{
	const struct td_series key = { .measure = line->measure,
				       .column = line->column,
				       .subject = (char *)line->subject };

	for (size_t i = 0; i < all->na + 1; i++) {
		const struct td_series *s = find(run_at(all, i), &key);
		_cleanup_free_ double *v = NULL;
		int r = s && s->n ? values_of(s, &v) : 0;

		if (r < 0)
			return r;
		ret[i] = v ? td_shift_median(v, s->n) : NAN;
	}
	return 0;
}

static void set_outlier(struct td_compared *line, const struct td_outlier *found)
{
	if (line->verdict > TD_VERDICT_TOO_FEW || line->verdict == TD_VERDICT_EQUAL)
		return;
	line->verdict = isnan(found->p) ? TD_VERDICT_TOO_FEW : TD_VERDICT_NO_EVIDENCE;
	if (isnan(found->p))
		return;
	line->a = found->expected;
	line->p = found->p;
	line->shift.p = found->p_alone;
	line->shift.shift = line->b - found->expected;
	line->shift.low = line->shift.shift - found->reach;
	if (line->a >= 0 && line->b >= 0)
		line->shift.low = TD_MAX(line->shift.low, -line->a);
	line->shift.high = line->shift.shift + found->reach;
}

/* All lines at once: what is unusual of a run depends on how unusual anything of the others is. */
static int judge_history(struct td_comparison *c, const struct sides *all)
{
	size_t n = all->na + 1;
	_cleanup_free_ double *values = calloc(c->n * n + 1, sizeof(*values));
	_cleanup_free_ struct td_outlier *found = calloc(c->n + 1, sizeof(*found));
	int r = values && found ? 0 : -ENOMEM;

	for (size_t i = 0; i < c->n && r == 0; i++)
		r = values_by_run(all, &c->items[i], values + i * n);
	if (r == 0)
		r = td_history_judge(values, c->n, n, TD_COMPARE_ALPHA, found);
	for (size_t i = 0; i < c->n && r == 0; i++)
		set_outlier(&c->items[i], &found[i]);
	return r;
}

int td_compare(const struct td_measured *a, size_t na, const struct td_measured *b, size_t nb,
	       double least_pct, struct td_comparison *ret)
{
	const struct sides all = { a, b, na, nb };
	struct td_comparison c = { 0 };
	int r = 0;

	for (size_t i = 0; i < na + nb && r == 0; i++)
		r = add_lines(&c, &all, i);
	if (r == 0 && is_history(&all))
		r = judge_history(&c, &all);
	if (r == 0 && !is_history(&all))
		r = correct(&c, true);
	if (r == 0 && !is_history(&all))
		r = correct(&c, false);
	for (size_t i = 0; i < c.n && r == 0; i++)
		judge(&c.items[i], least_pct);
	if (c.n)
		qsort(c.items, c.n, sizeof(*c.items), by_importance);
	if (r < 0)
		td_comparison_done(&c);
	*ret = c;
	return r;
}
