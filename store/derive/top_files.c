/* SPDX-License-Identifier: MIT */
/* On which files most time was spent: top_file. */
#include <stdlib.h>

#include "common/longest.h"
#include "schema/stat_math.h"
#include "store/derive/derivation.h"
#include "store/derive/op_verbs.h"
#include "store/write/row_builder.h"

#define TOP ((size_t)100) /* of each; schema/derived.sql says so, too */
/* What is known of a file is asked for so many calls ahead. */
#define AHEAD 16

struct td_top_files {
	const struct td_contents *in; /* borrowed */
	struct td_op_verbs verbs;
	int64_t *times; /* owned; by file: sum of durations; TD_NULL: no call had one */
};

static int make(const char *spill_path, void **ret)
{
	*ret = calloc(1, sizeof(struct td_top_files));
	return *ret ? 0 : -ENOMEM;
}

static void free_all(void *ud)
{
	struct td_top_files *t = ud;

	if (!t)
		return;
	td_op_verbs_done(&t->verbs);
	free(t->times);
	free(t);
}

static int begin(void *ud, struct td_store *st)
{
	struct td_top_files *t = ud;

	t->in = td_store_contents(st);
	t->times = malloc((t->in->nfiles + 1) * sizeof(*t->times));
	if (td_op_verbs_load(t->in, &t->verbs) < 0 || !t->times)
		return -ENOMEM;
	for (size_t i = 0; i <= t->in->nfiles; i++)
		t->times[i] = TD_NULL;
	return 0;
}

static int add_calls(void *ud, struct td_row_batch *b)
{
	struct td_top_files *t = ud;
	const struct td_call *calls = b->records;

	for (size_t i = 0; i < b->n; i++) {
		const struct td_call *c = &calls[i];

		if (i + AHEAD < b->n)
			__builtin_prefetch(&t->times[calls[i + AHEAD].file_id], 1);
		if (!c->nested && t->verbs.ops[c->op_id].is_io)
			t->times[c->file_id] = td_plus_known(t->times[c->file_id], c->dur_ns);
	}
	return 0;
}

static void add_steps(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after)
{
	if (kind == TD_KIND_CALL)
		(void)td_row_work_add(to, add_calls, ud, true, after);
}

/* Files whose calls wait for somebody, or the others; the place 0 is that of calls on no file. */
static int find_top(const struct td_top_files *t, bool waits, struct td_longest *ret)
{
	int r = 0;

	for (size_t id = 1; id <= t->in->nfiles && r >= 0; id++) {
		int64_t ns = t->times[id];

		/* even those that took no time, while there is room */
		if (ns != TD_NULL && (ret->n < TOP || ns > td_longest_least(ret, TOP)) &&
		    td_class_waits(t->in->files[id - 1].class) == waits)
			r = td_longest_add(ret, TOP, (struct td_long){ (int64_t)id, ns, 0 });
	}
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), td_longest_order);
	return r;
}

static int write_top(struct td_row_builder *rows, const struct td_top_files *t, bool waits)
{
	struct td_longest top = { 0 };
	int r = find_top(t, waits, &top);

	for (size_t i = 0; i < top.n && r >= 0; i++) {
		td_row_i64(rows, waits);
		td_row_i64(rows, top.items[i].id);
		td_row_i64(rows, top.items[i].dur_ns);
		r = td_row_builder_end_row(rows);
	}
	free(top.items);
	return r;
}

static int write_tables(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_top_files *t = ud;
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "top_file", err);

	for (int waits = 0; waits <= 1 && r >= 0; waits++)
		r = write_top(&rows, t, waits);
	/* eight bytes a file, and the table of files takes memory next */
	free(TAKE_PTR(t->times));
	return r;
}

const struct td_derivation td_top_files_derivation = {
	.make = make,
	.free = free_all,
	.begin = begin,
	.add_steps = add_steps,
	.write = write_tables,
};
