/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/cleanup.h"
#include "importers/align/ticks.h"

/* How many units lie before the unit or are it. */
static size_t place_of(const struct td_ticks *t, int64_t unit)
{
	size_t low = 0, high = t->n;

	/* events are nearly in order of time, so the place is the end */
	if (t->n && t->items[t->n - 1].unit <= unit)
		return t->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->items[mid].unit <= unit)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int td_ticks_add(struct td_ticks *t, int64_t native_ns, int64_t unit)
{
	size_t at = place_of(t, unit);
	int r;

	if (at > 0 && t->items[at - 1].unit == unit) {
		t->last = at - 1;
		td_ticks_again(t, native_ns);
		return 0;
	}
	r = td_grow(&t->items, &t->cap, t->n);
	if (r < 0)
		return r;
	memmove(t->items + at + 1, t->items + at, (t->n - at) * sizeof(*t->items));
	t->items[at] = (struct td_tick){ unit, native_ns, native_ns };
	t->n++;
	t->last = at;
	return 0;
}

/* The wall clock read 'unit' at first_ns, so it had ticked by then; it still read 'unit' at last_ns, so
 * it cannot have ticked earlier than one unit before that, nor before the last event of the unit
 * before. */
static struct td_anchor anchor_of(const struct td_ticks *t, size_t i)
{
	const struct td_tick *k = &t->items[i];
	int64_t before = k->last_ns - t->resolution_ns;

	if (i > 0 && t->items[i - 1].unit == k->unit - 1)
		before = TD_MAX(before, t->items[i - 1].last_ns);
	return (struct td_anchor){
		.wall = t->wall,
		.before_ns = before,
		.after_ns = k->first_ns,
		.wall_ns = k->unit * t->resolution_ns,
	};
}

/* How well the anchor is known; a late reading puts its two times in the wrong order. */
static int64_t width(const struct td_anchor *a)
{
	return llabs(a->after_ns - a->before_ns);
}

int td_ticks_anchors(const struct td_ticks *t, struct td_store *st, uint16_t source_id)
{
	size_t stretch = t->n / TD_TICKS_ANCHORS + 1;

	for (size_t from = 0; from < t->n; from += stretch) {
		struct td_anchor best = anchor_of(t, from);

		for (size_t i = from + 1; i < t->n && i < from + stretch; i++) {
			struct td_anchor a = anchor_of(t, i);

			if (width(&a) < width(&best))
				best = a;
		}
		best.source_id = source_id;
		td_store_anchor(st, &best);
	}
	return td_store_error(st);
}

void td_ticks_done(struct td_ticks *t)
{
	free(t->items);
	t->items = NULL;
}
