/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/busiest.h"
#include "common/cleanup.h"
#include "schema/stat_math.h"

#define ITEMS_MIN 4

int td_busiest_init(struct td_busiest *b, uint64_t last_file, bool of_one)
{
	size_t n = last_file + 1;

	*b = (struct td_busiest){ .last_file = last_file };
	if (!of_one) {
		b->places = calloc(n, sizeof(*b->places));
		return b->places ? 0 : -ENOMEM;
	}
	b->sums = malloc(n * sizeof(*b->sums));
	b->groups = calloc(n, sizeof(*b->groups));
	return b->sums && b->groups ? 0 : -ENOMEM;
}

void td_busiest_done(struct td_busiest *b)
{
	for (size_t i = 0; i < b->n && b->lists; i++)
		free(b->lists[i].items);
	free(b->lists);
	free(b->places);
	free(b->sums);
	free(b->groups);
	*b = (struct td_busiest){ 0 };
}

int td_busiest_resize(struct td_busiest *b, size_t ngroups)
{
	if (b->sums) {
		b->n = ngroups;
		return 0;
	}
	if (ngroups > b->cap) {
		size_t cap = TD_MAX(ngroups, b->cap * 2);
		struct td_file_times *lists = realloc(b->lists, cap * sizeof(*lists));

		if (!lists)
			return -ENOMEM;
		b->lists = lists;
		b->cap = cap;
	}
	for (; b->n < ngroups; b->n++)
		b->lists[b->n] = (struct td_file_times){ 0 };
	return 0;
}

/* Leaves one item for each file. Keys of a hash would have to be compared, and lie apart: groups
 * are put together one by one. */
static void put_together(struct td_busiest *b, struct td_file_times *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct td_file_time item = l->items[i];
		uint32_t *place = &b->places[item.file];

		if (*place) {
			int64_t *ns = &l->items[*place - 1].ns;

			*ns = td_plus_known(*ns, item.ns);
		} else {
			l->items[n++] = item;
			*place = (uint32_t)n;
		}
	}
	for (size_t i = 0; i < n; i++)
		b->places[l->items[i].file] = 0;
	l->n = n;
}

/* Room for one more. */
static int make_room(struct td_busiest *b, struct td_file_times *l)
{
	size_t cap = TD_MAX(l->cap * 2, (size_t)ITEMS_MIN);
	struct td_file_time *items;

	put_together(b, l);
	if (l->n < l->cap / 2)
		return 0;
	if (cap > UINT32_MAX)
		return -ENOMEM;
	items = realloc(l->items, cap * sizeof(*items));
	if (!items)
		return -ENOMEM;
	l->items = items;
	l->cap = cap;
	return 0;
}

static void add_to_file(struct td_busiest *b, size_t group, struct td_file_time item)
{
	int64_t *ns = &b->sums[item.file];

	*ns = b->groups[item.file] ? td_plus_known(*ns, item.ns) : item.ns;
	b->groups[item.file] = (uint32_t)group + 1;
}

/* A file is mostly opened, read and closed by one process before it goes on to the next one. */
static int add(struct td_busiest *b, size_t group, struct td_file_time item)
{
	struct td_file_times *l;

	if (b->sums) {
		add_to_file(b, group, item);
		return 0;
	}
	l = &b->lists[group];
	if (l->n && l->items[l->n - 1].file == item.file) {
		int64_t *ns = &l->items[l->n - 1].ns;

		*ns = td_plus_known(*ns, item.ns);
		return 0;
	}
	if (l->n == l->cap && make_room(b, l) < 0)
		return -ENOMEM;
	l->items[l->n++] = item;
	return 0;
}

int td_busiest_add(struct td_busiest *b, const struct td_row_batch *batch, const uint16_t *rows,
		   const uint32_t *groups, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		int64_t file = batch->columns[TD_ROW_OBJECT][rows[i]];

		if (file > 0 && (uint64_t)file <= b->last_file)
			r = add(b, groups[i],
				(struct td_file_time){ batch->columns[TD_ROW_DUR][rows[i]],
						       (uint32_t)file });
	}
	return r;
}

int td_busiest_merge(struct td_busiest *b, const struct td_busiest *from, const uint32_t *groups)
{
	int r = 0;

	for (uint64_t f = 1; from->sums && f <= from->last_file; f++)
		if (from->groups[f])
			add_to_file(b, groups[from->groups[f] - 1],
				    (struct td_file_time){ from->sums[f], (uint32_t)f });
	for (size_t g = 0; g < from->n && from->lists; g++)
		for (size_t i = 0; i < from->lists[g].n && r == 0; i++)
			r = add(b, groups[g], from->lists[g].items[i]);
	return r;
}

void td_busiest_file_add(struct td_busiest_file *to, int64_t file, int64_t ns)
{
	to->files++;
	if (to->file == TD_NULL || ns > to->ns || (ns == to->ns && file < to->file)) {
		to->file = file;
		to->ns = ns;
	}
}

struct td_busiest_file *td_busiest_of_all(struct td_busiest *b)
{
	struct td_busiest_file *all = calloc(b->n + 1, sizeof(*all));

	for (size_t g = 0; g < b->n && all; g++)
		all[g] = (struct td_busiest_file){ 0, TD_NULL, TD_NULL };
	for (uint64_t f = 1; all && b->sums && f <= b->last_file; f++)
		if (b->groups[f])
			td_busiest_file_add(&all[b->groups[f] - 1], (int64_t)f, b->sums[f]);
	for (size_t g = 0; g < b->n && all && b->lists; g++) {
		struct td_file_times *l = &b->lists[g];

		put_together(b, l);
		for (size_t i = 0; i < l->n; i++)
			td_busiest_file_add(&all[g], l->items[i].file, l->items[i].ns);
	}
	return all;
}
