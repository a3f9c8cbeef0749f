/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/cleanup.h"
#include "importers/core/import.h"

static const struct td_layout_kind *kind_of(const char *text)
{
	const struct td_layout_kind *best = NULL;
	int best_score = 0;

	for (size_t i = 0; td_importers[i]; i++) {
		const struct td_layout_kind *kind = td_importers[i]->layout;
		int score = kind ? kind->claim(text) : 0;

		if (score > best_score) {
			best = kind;
			best_score = score;
		}
	}
	return best;
}

int td_import_layouts_add(struct td_import_layouts *l, const char *text, struct td_err *err)
{
	const struct td_layout_kind *kind = kind_of(text);

	if (!kind)
		return td_err_set(err, -EINVAL, "'%s' says of no format how it is laid out", text);
	return td_import_layouts_add_of(l, kind, text, err);
}

int td_import_layouts_add_of(struct td_import_layouts *l, const struct td_layout_kind *kind,
			     const char *text, struct td_err *err)
{
	void *layout;
	int r = td_grow(&l->items, &l->cap, l->n);

	if (r >= 0)
		r = kind->read(text, &layout, err);
	if (r < 0)
		return r;
	l->items[l->n++] = (struct td_import_layout){ kind, layout };
	return 0;
}

void td_import_layouts_done(struct td_import_layouts *l)
{
	for (size_t i = 0; i < l->n; i++)
		l->items[i].kind->free(l->items[i].layout);
	free(l->items);
	*l = (struct td_import_layouts){ 0 };
}

const void *td_import_layouts_next(const struct td_import_layouts *l,
				   const struct td_layout_kind *kind, size_t *at)
{
	while (l && *at < l->n) {
		const struct td_import_layout *i = &l->items[(*at)++];

		if (i->kind == kind)
			return i->layout;
	}
	return NULL;
}
