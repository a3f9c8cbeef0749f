/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include "store/derive/phases.h"
#include "common/array.h"
#include "store/write/row_builder.h"

struct phase {
	uint32_t name_id;
	int64_t number; /* TD_NULL: none, or all numbers together */
	int64_t start_ns, end_ns;
};

/* A name, or a name and a number: when it is on. */
struct label {
	char *text;
	struct td_interval *intervals;
	size_t n, cap;
};

struct td_phases {
	struct td_store *st;
	struct phase *items;
	size_t n, cap;
	struct label *labels;
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

void td_times_sort(struct td_times *t)
{
	size_t n = 0;

	if (t->n)
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
		free(p->labels[i].text);
		free(p->labels[i].intervals);
	}
	free(p->labels);
	free(p->items);
	free(p);
}

void td_phases_begin(struct td_phases *p, struct td_store *st)
{
	p->st = st;
}

static int add(struct td_phases *p, uint32_t name_id, int64_t number, int64_t start_ns,
	       int64_t end_ns)
{
	int r = td_grow(&p->items, &p->cap, p->n);

	if (r < 0)
		return r;
	p->items[p->n++] = (struct phase){ name_id, number, start_ns, end_ns };
	return 0;
}

int td_phases_add(struct td_phases *p, const struct td_span *span)
{
	int64_t end;
	int r;

	if (span->dur_ns == TD_NULL || !td_str_eq(td_store_text(p->st, span->kind_id), "phase"))
		return 0;
	end = span->start_ns + span->dur_ns;
	r = add(p, span->name_id, TD_NULL, span->start_ns, end);
	if (r < 0 || span->number == TD_NULL)
		return r;
	return add(p, span->name_id, span->number, span->start_ns, end);
}

int td_phases_times(const struct td_phases *p, struct td_times *times)
{
	for (size_t i = 0; i < p->n; i++) {
		int r = td_times_add(times, p->items[i].start_ns);

		if (r >= 0)
			r = td_times_add(times, p->items[i].end_ns);
		if (r < 0)
			return r;
	}
	return 0;
}

static int by_label_and_time(const void *a, const void *b)
{
	const struct phase *x = a, *y = b;

	if (x->name_id != y->name_id)
		return x->name_id < y->name_id ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

/* The label of the phase, behind those that are there. */
static int add_label(struct td_phases *p, const struct phase *of, struct label **ret)
{
	struct td_str name = td_store_text(p->st, of->name_id);
	struct label l = { 0 };
	int r = td_grow(&p->labels, &p->labels_cap, p->nlabels);

	if (r < 0)
		return r;
	if (of->number == TD_NULL)
		r = asprintf(&l.text, "%.*s", (int)name.len, name.p);
	else
		r = asprintf(&l.text, "%.*s %lld", (int)name.len, name.p, (long long)of->number);
	if (r < 0)
		return -ENOMEM;
	*ret = &p->labels[p->nlabels++];
	**ret = l;
	return 0;
}

/* Spans that touch stay apart only if something lies between them. */
static int add_interval(struct label *l, const struct phase *of)
{
	struct td_interval *last = l->n ? &l->intervals[l->n - 1] : NULL;
	int r;

	if (last && of->start_ns <= last->end_ns) {
		last->end_ns = TD_MAX(last->end_ns, of->end_ns);
		return 0;
	}
	r = td_grow(&l->intervals, &l->cap, l->n);
	if (r < 0)
		return r;
	assert(l->intervals); /* clang's analyzer does not see it */
	l->intervals[l->n++] = (struct td_interval){ of->start_ns, of->end_ns };
	return 0;
}

int td_phases_join(struct td_phases *p)
{
	struct label *l = NULL;
	int r = 0;

	if (p->n)
		qsort(p->items, p->n, sizeof(*p->items), by_label_and_time);
	for (size_t i = 0; i < p->n && r >= 0; i++) {
		const struct phase *of = &p->items[i];

		if (!i || of->name_id != of[-1].name_id || of->number != of[-1].number)
			r = add_label(p, of, &l);
		if (r >= 0)
			r = add_interval(l, of);
	}
	return r;
}

bool td_phases_next(const struct td_phases *p, size_t *at, const char **ret_label,
		    const struct td_interval **ret, size_t *ret_n)
{
	const struct label *l = &p->labels[*at];

	if (*at >= p->nlabels)
		return false;
	++*at;
	*ret_label = l->text;
	*ret = l->intervals;
	*ret_n = l->n;
	return true;
}

int td_phases_write(const struct td_phases *p, const struct td_target *target, struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder stmt = { 0 };
	const struct td_interval *of;
	const char *label;
	size_t at = 0, n;
	int r;

	r = td_row_builder_open(&stmt, target, "phase_interval", err);
	while (r >= 0 && td_phases_next(p, &at, &label, &of, &n)) {
		for (size_t i = 0; i < n && r >= 0; i++) {
			td_row_text(&stmt, label);
			td_row_i64(&stmt, of[i].start_ns);
			td_row_i64(&stmt, of[i].end_ns);
			r = td_row_builder_end_row(&stmt);
		}
	}
	return r;
}
