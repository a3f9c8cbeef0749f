/* SPDX-License-Identifier: MIT */
#include "store/derive/phases.h"
#include "common/array.h"
#include "store/write/row_builder.h"

struct phase {
	uint32_t name_id;
	int64_t number; /* TD_NULL: none, or all numbers together */
	int64_t start_ns, end_ns;
};

struct td_phases {
	struct td_store *st;
	struct phase *items;
	size_t n, cap;
};

int td_times_add(struct td_times *t, int64_t ns)
{
	int r = td_grow(&t->ns, &t->cap, t->n);

	if (r < 0)
		return r;
	t->ns[t->n++] = ns;
	return 0;
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

static int write_interval(struct td_phases *p, struct td_row_builder *stmt, const struct phase *i)
{
	struct td_str name = td_store_text(p->st, i->name_id);
	_cleanup_free_ char *label = NULL;

	if (i->number == TD_NULL) {
		td_row_str(stmt, name);
	} else {
		if (asprintf(&label, "%s %lld", name.p, (long long)i->number) < 0)
			return -ENOMEM;
		td_row_text(stmt, label);
	}
	td_row_i64(stmt, i->start_ns);
	td_row_i64(stmt, i->end_ns);
	return td_row_builder_end_row(stmt);
}

int td_phases_write(struct td_phases *p, const struct td_target *target, struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder stmt = { 0 };
	int r;

	r = td_row_builder_open(&stmt, target, "phase_interval", err);
	if (p->n)
		qsort(p->items, p->n, sizeof(*p->items), by_label_and_time);
	for (size_t i = 0, j; i < p->n && r >= 0; i = j) {
		struct phase sum = p->items[i];

		/* spans that touch stay apart only if something lies between them */
		for (j = i + 1;
		     j < p->n && p->items[j].name_id == sum.name_id &&
		     p->items[j].number == sum.number && p->items[j].start_ns <= sum.end_ns;
		     j++)
			sum.end_ns = TD_MAX(sum.end_ns, p->items[j].end_ns);
		r = write_interval(p, &stmt, &sum);
	}
	return r;
}
