/* SPDX-License-Identifier: MIT */
/* What took longest: longest. */
#include <stdlib.h>
#include <string.h>

#include "common/longest.h"
#include "store/derive/derivation.h"
#include "store/derive/op_verbs.h"
#include "store/write/row_builder.h"

#define TOP ((size_t)100) /* of each; queries/slowest.sql and schema/derived.sql say so, too */

struct td_longest_rows {
	struct td_store *st; /* borrowed */
	struct td_op_verbs verbs; /* is_io: and not on sockets, which wait for somebody */
	bool *waiting; /* owned; by file: its calls wait for somebody */
	struct td_longest
		*calls; /* owned; by verb, those that are I/O on files and those that wait apart */
	struct td_longest requests[TD_BLOCK_OTHER + 1], kernels;
};

static int make(const char *spill_path, void **ret)
{
	*ret = calloc(1, sizeof(struct td_longest_rows));
	return *ret ? 0 : -ENOMEM;
}

static void free_all(void *ud)
{
	struct td_longest_rows *l = ud;

	if (!l)
		return;
	for (size_t i = 0; l->calls && i < 2 * l->verbs.n; i++)
		free(l->calls[i].items);
	for (size_t i = 0; i < TD_ARRAY_SIZE(l->requests); i++)
		free(l->requests[i].items);
	free(l->kernels.items);
	free(l->calls);
	free(l->waiting);
	td_op_verbs_done(&l->verbs);
	free(l);
}

static int begin(void *ud, struct td_store *st)
{
	struct td_longest_rows *l = ud;
	const struct td_contents *in = td_store_contents(st);
	int r = td_op_verbs_load(in, &l->verbs);

	l->st = st;
	l->waiting = calloc(in->nfiles + 1, sizeof(*l->waiting));
	l->calls = calloc(2 * l->verbs.n + 1, sizeof(*l->calls));
	if (r < 0 || !l->waiting || !l->calls)
		return -ENOMEM;
	for (size_t i = 0; i < in->nfiles; i++)
		l->waiting[i + 1] = td_class_waits(in->files[i].class);
	for (size_t op = 1; op <= in->nops; op++)
		l->verbs.ops[op].is_io &=
			strcmp(l->verbs.names[l->verbs.ops[op].verb], "socket") != 0;
	return 0;
}

static int add(struct td_longest *to, int64_t id, int64_t dur_ns, int64_t of)
{
	return td_longest_add(to, TOP, (struct td_long){ id, dur_ns, of });
}

static int add_call(struct td_longest_rows *l, int64_t id, const struct td_call *c)
{
	const struct td_op_verb *op = &l->verbs.ops[c->op_id];
	struct td_longest *to = &l->calls[2 * op->verb + (!op->is_io || l->waiting[c->file_id])];

	/* TD_NULL is the smallest number */
	return c->dur_ns > td_longest_least(to, TOP) && !c->nested
		       ? add(to, id, c->dur_ns, c->op_id)
		       : 0;
}

static int add_calls(void *ud, struct td_row_batch *b)
{
	const struct td_call *calls = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r == 0; i++)
		r = add_call(ud, b->id + (int64_t)i, &calls[i]);
	return r;
}

static int add_requests(void *ud, struct td_row_batch *b)
{
	struct td_longest_rows *l = ud;
	const struct td_block *blocks = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r == 0; i++) {
		struct td_longest *to = &l->requests[TD_MIN(blocks[i].op, TD_BLOCK_OTHER)];

		if (blocks[i].dur_ns > td_longest_least(to, TOP))
			r = add(to, b->id + (int64_t)i, blocks[i].dur_ns, 0);
	}
	return r;
}

static int add_work(void *ud, struct td_row_batch *b)
{
	struct td_longest_rows *l = ud;
	const struct td_gpu_op *ops = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r == 0; i++)
		if (ops[i].dur_ns > td_longest_least(&l->kernels, TOP) &&
		    !td_str_eq(td_store_text(l->st, ops[i].kind_id), "sync"))
			r = add(&l->kernels, b->id + (int64_t)i, ops[i].dur_ns, 0);
	return r;
}

static void add_steps(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after)
{
	struct td_longest_rows *l = ud;

	if (kind == TD_KIND_CALL)
		(void)td_row_work_add(to, add_calls, l, true, after);
	if (kind == TD_KIND_BLOCK)
		(void)td_row_work_add(to, add_requests, l, true, after);
	if (kind == TD_KIND_GPU_OP)
		(void)td_row_work_add(to, add_work, l, true, after);
}

/* waits: TD_NULL: of no call. */
static int write_rows(struct td_row_builder *rows, const char *what, int64_t waits,
		      struct td_longest *l)
{
	int r = 0;

	if (l->n)
		qsort(l->items, l->n, sizeof(*l->items), td_longest_order);
	for (size_t i = 0; i < l->n && r >= 0; i++) {
		td_row_text(rows, what);
		td_row_i64(rows, l->items[i].id);
		td_row_i64(rows, l->items[i].dur_ns);
		td_row_key(rows, (uint32_t)l->items[i].of);
		td_row_i64(rows, waits);
		r = td_row_builder_end_row(rows);
	}
	return r;
}

static int write_tables(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_longest_rows *l = ud;
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "longest", err);

	for (size_t i = 0; i < 2 * l->verbs.n && r >= 0; i++)
		r = write_rows(&rows, "call", (int64_t)(i % 2), &l->calls[i]);
	for (size_t i = 0; i < TD_ARRAY_SIZE(l->requests) && r >= 0; i++)
		r = write_rows(&rows, "request", TD_NULL, &l->requests[i]);
	return r < 0 ? r : write_rows(&rows, "kernel", TD_NULL, &l->kernels);
}

const struct td_derivation td_longest_derivation = {
	.make = make,
	.free = free_all,
	.begin = begin,
	.add_steps = add_steps,
	.write = write_tables,
};
