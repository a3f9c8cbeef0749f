/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include "store/derive/phases.h"
#include "common/array.h"
#include "store/write/row_builder.h"

/* A span. */
struct phase {
	uint32_t name_id;
	int64_t number; /* TD_NULL: none, or all numbers together */
	int64_t run_number; /* TD_NULL: none */
	struct td_interval on;
};

struct td_phases {
	struct td_store *st;
	struct phase *items;
	size_t n, cap;
	struct td_run_times *runs;
	size_t nruns; /* 0: there are not several */
	struct td_phase *labels;
	size_t nlabels, labels_cap;
};

int td_times_add(struct td_times *t, int64_t ns)
{
	int r = td_grow(&t->ns, &t->cap, t->n);

	if (r < 0)
		return r;
	t->ns[t->n++] = ns;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Where the times that are in order as they stand, from that one on, end. */
static size_t run_end(const int64_t *ns, size_t at, size_t n)
{
	while (at + 1 < n && ns[at] <= ns[at + 1])
		at++;
	return TD_MIN(at + 1, n);
}

/* One run of two that follow each other, what both have once: how many times that is. */
static size_t merge(const int64_t *a, const int64_t *middle, const int64_t *end, int64_t *to)
{
	const int64_t *b = middle;
	size_t n = 0;

	while (a < middle && b < end) {
		if (*a == *b)
			b++;
		else
			to[n++] = *a < *b ? *a++ : *b++;
	}
	while (a < middle)
		to[n++] = *a++;
	while (b < end)
		to[n++] = *b++;
	return n;
}

/* What is cut at is added as lists that are in order, most of which have the same times. So runs are merged, until there
 * is one. 0 or -ENOMEM: they are as they were. */
static int merge_runs(struct td_times *t)
{
	int64_t *to = calloc(t->cap + 1, sizeof(*to)), *from;
	size_t n;

	if (!to)
		return -ENOMEM;
	while (run_end(t->ns, 0, t->n) < t->n) {
		n = 0;
		for (size_t i = 0, end; i < t->n; i = end) {
			size_t middle = run_end(t->ns, i, t->n);

			end = run_end(t->ns, middle, t->n);
			n += merge(t->ns + i, t->ns + middle, t->ns + end, to + n);
		}
		from = t->ns;
		t->ns = to;
		t->n = n;
		to = from;
	}
	free(to);
	return 0;
}

void td_times_sort(struct td_times *t)
{
	size_t n = 0;

	if (merge_runs(t) < 0 && t->n)
		qsort(t->ns, t->n, sizeof(*t->ns), by_time);
	for (size_t i = 0; i < t->n; i++)
		if (n == 0 || t->ns[i] != t->ns[n - 1])
			t->ns[n++] = t->ns[i];
	t->n = n;
}

void td_times_done(struct td_times *t)
{
	free(t->ns);
	t->ns = NULL;
}

int td_phases_new(struct td_phases **ret)
{
	struct td_phases *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	*ret = p;
	return 0;
}

void td_phases_free(struct td_phases *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nlabels; i++) {
		free(p->labels[i].label);
		free(p->labels[i].intervals);
	}
	free(p->labels);
	free(p->runs);
	free(p->items);
	free(p);
}

int td_phases_begin(struct td_phases *p, struct td_store *st)
{
	size_t known = 0;
	int r;

	p->st = st;
	r = td_store_run_times(st, &p->runs, &p->nruns);
	if (r < 0)
		return r;
	for (size_t i = 0; i < p->nruns; i++)
		known += p->runs[i].from_ns <= p->runs[i].to_ns;
	p->nruns = known > 1 ? p->nruns : 0;
	return 0;
}

static int add(struct td_phases *p, const struct td_span *span, int64_t number)
{
	int64_t end_ns = span->start_ns + span->dur_ns;
	int r = td_grow(&p->items, &p->cap, p->n);

	if (r < 0)
		return r;
	p->items[p->n++] = (struct phase){
		.name_id = span->name_id,
		.number = number,
		.run_number = span->run_number == INT32_MIN ? TD_NULL : span->run_number,
		.on = { span->start_ns, end_ns },
	};
	return 0;
}

int td_phases_add(struct td_phases *p, const struct td_span *span)
{
	int r;

	if (span->dur_ns == TD_NULL || !td_str_eq(td_store_text(p->st, span->kind_id), "phase"))
		return 0;
	r = add(p, span, TD_NULL);
	return r < 0 || span->number == TD_NULL ? r : add(p, span, span->number);
}

/* When the run with the number i + 1 is on; empty: nothing tells. */
static struct td_interval run_at(const struct td_phases *p, size_t i)
{
	const struct td_run_times *t = &p->runs[i];

	if (t->from_ns > t->to_ns)
		return (struct td_interval){ 0 };
	return (struct td_interval){ t->from_ns, TD_MAX(t->to_ns, t->from_ns + 1) };
}

static int add_times(const struct td_interval *on, struct td_times *times)
{
	int r = td_times_add(times, on->start_ns);

	return r < 0 ? r : td_times_add(times, on->end_ns);
}

int td_phases_times(const struct td_phases *p, struct td_times *times)
{
	int r = 0;

	for (size_t i = 0; i < p->n && r >= 0; i++)
		r = add_times(&p->items[i].on, times);
	for (size_t i = 0; i < p->nruns && r >= 0; i++) {
		struct td_interval run = run_at(p, i);

		if (run.start_ns < run.end_ns)
			r = add_times(&run, times);
	}
	return r;
}

/* --- labels --- */

static int compare(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

static int by_label_and_time(const void *a, const void *b)
{
	const struct phase *x = a, *y = b;

	if (x->name_id != y->name_id)
		return x->name_id < y->name_id ? -1 : 1;
	if (x->number != y->number)
		return compare(x->number, y->number);
	if (x->on.start_ns != y->on.start_ns)
		return compare(x->on.start_ns, y->on.start_ns);
	return compare(x->on.end_ns, y->on.end_ns);
}

static int by_run(const void *a, const void *b)
{
	const struct phase *x = a, *y = b;

	return x->run_number != y->run_number ? compare(x->run_number, y->run_number)
					      : by_label_and_time(a, b);
}

static bool is_same(const struct phase *x, const struct phase *y)
{
	return x->name_id == y->name_id && x->number == y->number;
}

/* A phase without intervals, behind those that are there. label is taken over. */
static int add_label(struct td_phases *p, char *label, int64_t run_number, struct td_phase **ret)
{
	int r = label ? td_grow(&p->labels, &p->labels_cap, p->nlabels) : -ENOMEM;

	if (r < 0) {
		free(label);
		return r;
	}
	*ret = &p->labels[p->nlabels++];
	**ret = (struct td_phase){ .label = label, .run_number = run_number };
	return 0;
}

static char *label_of(const struct td_phases *p, const struct phase *of)
{
	struct td_str name = td_store_text(p->st, of->name_id);
	char *text;
	int r;

	if (of->number == TD_NULL)
		r = asprintf(&text, "%.*s", (int)name.len, name.p);
	else
		r = asprintf(&text, "%.*s %lld", (int)name.len, name.p, (long long)of->number);
	return r < 0 ? NULL : text;
}

/* Spans that touch stay apart only if something lies between them. */
static int add_interval(struct td_phase *l, const struct td_interval *on)
{
	struct td_interval *last = l->n ? &l->intervals[l->n - 1] : NULL;
	int r;

	if (last && on->start_ns <= last->end_ns) {
		last->end_ns = TD_MAX(last->end_ns, on->end_ns);
		return 0;
	}
	r = td_grow(&l->intervals, &l->cap, l->n);
	if (r < 0)
		return r;
	assert(l->intervals); /* clang's analyzer does not see it */
	l->intervals[l->n++] = *on;
	return 0;
}

/* The phases of all runs together, or, if there are several, those of each. Items are in order. */
static int join(struct td_phases *p, bool by_run_too)
{
	struct td_phase *l = NULL;
	int r = 0;

	for (size_t i = 0; i < p->n && r >= 0; i++) {
		const struct phase *of = &p->items[i];

		if (!i || !is_same(of, of - 1) ||
		    (by_run_too && of->run_number != of[-1].run_number)) {
			r = add_label(p, label_of(p, of), of->run_number, &l);
			if (r < 0)
				return r;
			l->all_runs = !by_run_too;
			l->one_run = by_run_too || !p->nruns;
		}
		r = add_interval(l, &of->on);
	}
	return r;
}

/* Each run as a whole. */
static int join_runs(struct td_phases *p)
{
	struct td_phase *l = NULL;
	int r = 0;

	for (size_t i = 0; i < p->nruns && r >= 0; i++) {
		struct td_interval run = run_at(p, i);

		if (run.start_ns == run.end_ns)
			continue;
		r = add_label(p, strdup("(run)"), (int64_t)i + 1, &l);
		if (r < 0)
			return r;
		l->one_run = true;
		r = add_interval(l, &run);
	}
	return r;
}

int td_phases_join(struct td_phases *p)
{
	int r;

	if (p->n)
		qsort(p->items, p->n, sizeof(*p->items), by_label_and_time);
	r = join(p, false);
	if (r < 0 || !p->nruns)
		return r;
	for (size_t i = 0; i < p->nlabels; i++)
		p->labels[i].run_number = TD_NULL;
	if (p->n)
		qsort(p->items, p->n, sizeof(*p->items), by_run);
	r = join(p, true);
	return r < 0 ? r : join_runs(p);
}

const struct td_phase *td_phases_next(const struct td_phases *p, size_t *at)
{
	return *at < p->nlabels ? &p->labels[(*at)++] : NULL;
}

static int write_intervals(const struct td_phase *l, struct td_row_builder *rows)
{
	int r = 0;

	for (size_t i = 0; i < l->n && r >= 0; i++) {
		td_row_text(rows, l->label);
		td_row_i64(rows, l->intervals[i].start_ns);
		td_row_i64(rows, l->intervals[i].end_ns);
		td_row_i64(rows, l->run_number);
		r = td_row_builder_end_row(rows);
	}
	return r;
}

int td_phases_write(const struct td_phases *p, const struct td_target *target, struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	const struct td_phase *l;
	size_t at = 0;
	int r;

	r = td_row_builder_open(&rows, target, "phase_interval", err);
	while (r >= 0 && (l = td_phases_next(p, &at)) != NULL)
		if (l->one_run)
			r = write_intervals(l, &rows);
	return r;
}
