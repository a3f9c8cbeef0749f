/* SPDX-License-Identifier: MIT */
/* How many files there are of each template and class, and which are no plain ones: file_kind and classed_file. */
#include <stdlib.h>

#include "common/array.h"
#include "common/keys.h"
#include "store/derive/derivation.h"
#include "store/write/row_builder.h"

struct td_file_kinds {
	struct td_store *st; /* borrowed */
};

/* Files by template and class. */
struct kinds {
	struct td_keys keys; /* template and class; run parallel to files */
	int64_t *files; /* owned */
	size_t cap;
};

static int make(const char *spill_path, void **ret)
{
	*ret = calloc(1, sizeof(struct td_file_kinds));
	return *ret ? 0 : -ENOMEM;
}

static void free_all(void *ud)
{
	free(ud);
}

static int begin(void *ud, struct td_store *st)
{
	struct td_file_kinds *k = ud;

	k->st = st;
	return 0;
}

static void kinds_done(struct kinds *k)
{
	td_keys_done(&k->keys);
	free(k->files);
}

static int count(struct kinds *k, struct td_key key)
{
	size_t n = k->keys.n, at;

	if (td_grow(&k->files, &k->cap, n) < 0 || td_keys_reserve(&k->keys, 1) < 0)
		return -ENOMEM;
	at = td_keys_add(&k->keys, key);
	if (at == n)
		k->files[at] = 0;
	k->files[at]++;
	return 0;
}

static int count_all(struct td_store *st, struct kinds *k)
{
	const struct td_contents *in = td_store_contents(st);
	int r = 0;

	for (uint32_t id = 1; id <= in->nfiles && r >= 0; id++)
		if (!in->files[id - 1].merged_into)
			r = count(k, (struct td_key){ .lo = td_store_file_template(st, id),
						      .hi = in->files[id - 1].class });
	return r < 0 ? r : td_store_error(st);
}

static int write_kinds(const struct kinds *k, const struct td_target *target, struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "file_kind", err);

	for (size_t i = 0; i < k->keys.n && r >= 0; i++) {
		td_row_i64(&rows, (int64_t)k->keys.items[i].lo);
		td_row_text(&rows, td_class_names[k->keys.items[i].hi]);
		td_row_i64(&rows, k->files[i]);
		r = td_row_builder_end_row(&rows);
	}
	return r;
}

static bool is_special(enum td_class class)
{
	return class != TD_CLASS_REGULAR && class != TD_CLASS_DIRECTORY &&
	       class != TD_CLASS_UNKNOWN;
}

static int write_special(const struct td_contents *in, const struct td_target *target,
			 struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "classed_file", err);

	for (size_t id = 1; id <= in->nfiles && r >= 0; id++) {
		const struct td_file *f = &in->files[id - 1];

		if (f->merged_into || !is_special(f->class))
			continue;
		td_row_i64(&rows, (int64_t)id);
		td_row_text(&rows, td_class_names[f->class]);
		r = td_row_builder_end_row(&rows);
	}
	return r;
}

static int write_tables(void *ud, const struct td_target *target, struct td_err *err)
{
	const struct td_file_kinds *k = ud;
	_cleanup_(kinds_done) struct kinds kinds = { 0 };
	int r = count_all(k->st, &kinds);

	if (r >= 0)
		r = write_kinds(&kinds, target, err);
	return r < 0 ? r : write_special(td_store_contents(k->st), target, err);
}

const struct td_derivation td_file_kinds_derivation = {
	.make = make,
	.free = free_all,
	.begin = begin,
	.write = write_tables,
};
