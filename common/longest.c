/* SPDX-License-Identifier: MIT */
#include "common/longest.h"
#include "common/array.h"

int td_longest_order(const void *a, const void *b)
{
	const struct td_long *x = a, *y = b;

	if (x->dur_ns != y->dur_ns)
		return x->dur_ns > y->dur_ns ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Puts an item at i of a heap or, where one of those below comes behind it, further down. */
static void sift_down(const struct td_longest *heap, size_t i, struct td_long item)
{
	for (size_t below; (below = 2 * i + 1) < heap->n; i = below) {
		if (below + 1 < heap->n &&
		    td_longest_order(&heap->items[below + 1], &heap->items[below]) > 0)
			below++;
		if (td_longest_order(&heap->items[below], &item) < 0)
			break;
		heap->items[i] = heap->items[below];
	}
	heap->items[i] = item;
}

int td_longest_add(struct td_longest *l, size_t top, struct td_long item)
{
	if (l->n == top) {
		sift_down(l, 0, item);
		return 0;
	}
	if (td_grow(&l->items, &l->cap, l->n) < 0)
		return -ENOMEM;
	l->items[l->n++] = item;
	for (size_t i = l->n == top ? top / 2 : 0; i > 0; i--)
		sift_down(l, i - 1, l->items[i - 1]);
	return 0;
}
