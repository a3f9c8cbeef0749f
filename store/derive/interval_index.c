/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "store/derive/interval_index.h"
#include "common/array.h"
#include "common/cleanup.h"

int td_interval_index_add(struct td_interval_index *x, struct td_interval of, unsigned number)
{
	if (td_grow(&x->items, &x->cap, x->n) < 0)
		return -ENOMEM;
	x->items[x->n++] = (struct td_indexed_interval){ .of = of, .number = number };
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct td_indexed_interval *x = a, *y = b;

	return x->of.start_ns != y->of.start_ns
		       ? (x->of.start_ns > y->of.start_ns) - (x->of.start_ns < y->of.start_ns)
		       : (x->number > y->number) - (x->number < y->number);
}

/* The one in the middle stands for all from low up to, not including, high; then the middles of the two halves do. */
static int64_t set_latest(struct td_indexed_interval *items, size_t low, size_t high)
{
	size_t middle = low + (high - low) / 2;
	struct td_indexed_interval *item;
	int64_t before, behind;

	if (low == high)
		return INT64_MIN;
	item = &items[middle];
	before = set_latest(items, low, middle);
	behind = set_latest(items, middle + 1, high);
	item->latest_ns = TD_MAX(item->of.end_ns, TD_MAX(before, behind));
	return item->latest_ns;
}

void td_interval_index_sort(struct td_interval_index *x)
{
	if (!x->n)
		return;
	qsort(x->items, x->n, sizeof(*x->items), by_start);
	(void)set_latest(x->items, 0, x->n);
}

static int add_number(struct td_interval_numbers *to, unsigned number)
{
	if (td_grow(&to->items, &to->cap, to->n) < 0)
		return -ENOMEM;
	to->items[to->n++] = number;
	return 0;
}

static int find_between(const struct td_indexed_interval *items, size_t low, size_t high,
			struct td_interval asked, struct td_interval_numbers *ret)
{
	size_t middle = low + (high - low) / 2;
	const struct td_indexed_interval *item;
	int r;

	if (low == high)
		return 0;
	item = &items[middle];
	ret->looked++;
	if (item->latest_ns < asked.end_ns)
		return 0;
	r = find_between(items, low, middle, asked, ret);
	if (r < 0 || item->of.start_ns > asked.start_ns)
		return r;
	if (item->of.end_ns >= asked.end_ns)
		r = add_number(ret, item->number);
	return r < 0 ? r : find_between(items, middle + 1, high, asked, ret);
}

static int by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

int td_interval_index_find(const struct td_interval_index *x, int64_t start_max_ns,
			   int64_t end_min_ns, struct td_interval_numbers *ret)
{
	struct td_interval asked = { start_max_ns, end_min_ns };
	size_t first = ret->n;
	int r = find_between(x->items, 0, x->n, asked, ret);

	if (r >= 0 && ret->n - first > 1)
		qsort(ret->items + first, ret->n - first, sizeof(*ret->items), by_number);
	return r;
}

void td_interval_index_done(struct td_interval_index *x)
{
	free(x->items);
	*x = (struct td_interval_index){ 0 };
}

void td_interval_numbers_done(struct td_interval_numbers *numbers)
{
	free(numbers->items);
	*numbers = (struct td_interval_numbers){ 0 };
}
