/* SPDX-License-Identifier: MIT */
/* Idle time of GPUs between two pieces of their work: the long ones, gpu_long_gap. */
#include <stdlib.h>

#include "common/array.h"
#include "schema/stat_math.h"
#include "store/derive/derivation.h"
#include "store/write/row_builder.h"

#define LONG_NS INT64_C(1000000) /* what schema/derived.sql says, and analyzer/scan/gpu_tables.c */

/* One gap for so many pieces of work, but always so many, and never more than that. */
#define OPS_EACH 32
#define BUDGET_MIN ((size_t)20000)
#define BUDGET_MAX ((size_t)1 << 17)

struct gap {
	int64_t id, start_ns, dur_ns;
	uint32_t device_id;
};

struct td_long_gaps {
	struct td_store *st; /* borrowed */
	int64_t *ends; /* by device: of all its work so far; TD_NULL: there was none */
	struct gap *items;
	size_t n, cap, budget;
	bool given_up; /* there were too many */
};

static int make(const char *spill_path, void **ret)
{
	*ret = calloc(1, sizeof(struct td_long_gaps));
	return *ret ? 0 : -ENOMEM;
}

static void free_all(void *ud)
{
	struct td_long_gaps *g = ud;

	if (!g)
		return;
	free(g->ends);
	free(g->items);
	free(g);
}

/* Gaps at most; if there are more the table stays empty. Without it, it is a share of the work. */
static void set_budget(void *ud, size_t budget)
{
	struct td_long_gaps *g = ud;

	g->budget = budget;
}

static int begin(void *ud, struct td_store *st)
{
	struct td_long_gaps *g = ud;
	size_t ngpus = td_store_contents(st)->ndevices + 1;
	uint64_t ops = td_stage_count(td_store_stage(st, TD_KIND_GPU_OP));

	g->st = st;
	g->ends = malloc(ngpus * sizeof(*g->ends));
	if (!g->ends)
		return -ENOMEM;
	for (size_t d = 0; d < ngpus; d++)
		g->ends[d] = TD_NULL;
	if (!g->budget)
		g->budget = TD_MAX(TD_MIN(ops / OPS_EACH, BUDGET_MAX), BUDGET_MIN);
	return 0;
}

static int add_gap(struct td_long_gaps *g, int64_t id, int64_t from_ns, const struct td_gpu_op *op)
{
	if (g->n == g->budget) {
		g->given_up = true;
		return 0;
	}
	if (td_grow(&g->items, &g->cap, g->n) < 0)
		return -ENOMEM;
	g->items[g->n++] = (struct gap){ id, from_ns, op->start_ns - from_ns, op->device_id };
	return 0;
}

static int add_work(struct td_long_gaps *g, int64_t id, const struct td_gpu_op *op)
{
	int64_t *end_ns = &g->ends[op->device_id], before_ns = *end_ns;

	if (op->dur_ns == TD_NULL || td_str_eq(td_store_text(g->st, op->kind_id), "sync"))
		return 0;
	*end_ns =
		TD_MAX(before_ns, td_plus(op->start_ns, op->dur_ns)); /* TD_NULL is the smallest */
	if (before_ns == TD_NULL || op->start_ns < before_ns || op->start_ns - before_ns < LONG_NS)
		return 0;
	return add_gap(g, id, before_ns, op);
}

static int add_step(void *ud, struct td_row_batch *b)
{
	struct td_long_gaps *g = ud;
	const struct td_gpu_op *ops = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r >= 0 && !g->given_up; i++)
		r = add_work(g, b->id + (int64_t)i, &ops[i]);
	return r;
}

static void add_steps(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after)
{
	struct td_long_gaps *g = ud;

	if (kind == TD_KIND_GPU_OP)
		(void)td_row_work_add(to, add_step, g, true, after);
}

static int write_tables(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_long_gaps *g = ud;
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "gpu_long_gap", err);

	for (size_t i = 0; i < g->n && r >= 0 && !g->given_up; i++) {
		td_row_i64(&rows, g->items[i].id);
		td_row_key(&rows, g->items[i].device_id);
		td_row_i64(&rows, g->items[i].start_ns);
		td_row_i64(&rows, g->items[i].dur_ns);
		r = td_row_builder_end_row(&rows);
	}
	return r;
}

const struct td_derivation td_long_gaps_derivation = {
	.make = make,
	.free = free_all,
	.set_budget = set_budget,
	.begin = begin,
	.add_steps = add_steps,
	.write = write_tables,
};
