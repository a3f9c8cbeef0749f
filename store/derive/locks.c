/* SPDX-License-Identifier: MIT */
/* Calls that lock, by what they are given: lock_stat. */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/intern.h"
#include "schema/ops.h"
#include "schema/stat_math.h"
#include "store/derive/derivation.h"
#include "store/write/row_builder.h"

/* One group for so many calls, but always so many, and never more than that. */
#define CALLS_EACH 64
#define BUDGET_MIN ((size_t)1000)
#define BUDGET_MAX ((size_t)1 << 15)

struct key {
	uint32_t process_id, thread_id, op_id, args_id;
};

struct sums {
	int64_t calls, failed, timed;
	int64_t total_ns, max_ns, max_start_ns; /* TD_NULL: no call has a duration */
};

struct td_locks {
	bool *locks; /* owned; by operation */
	bool any; /* of them is true */
	struct td_intern keys; /* runs parallel to sums */
	struct sums *sums; /* owned */
	size_t n, cap, budget;
	bool given_up; /* there were too many */
};

static int make(const char *spill_path, void **ret)
{
	*ret = calloc(1, sizeof(struct td_locks));
	return *ret ? 0 : -ENOMEM;
}

static void free_all(void *ud)
{
	struct td_locks *l = ud;

	if (!l)
		return;
	td_intern_done(&l->keys);
	free(l->locks);
	free(l->sums);
	free(l);
}

/* Groups that there are at most; without it, it is a share of the calls. */
static void set_budget(void *ud, size_t budget)
{
	struct td_locks *l = ud;

	l->budget = budget;
}

static int begin(void *ud, struct td_store *st)
{
	struct td_locks *l = ud;
	const struct td_contents *in = td_store_contents(st);
	uint64_t calls = td_stage_count(td_store_stage(st, TD_KIND_CALL));

	l->locks = calloc(in->nops + 1, sizeof(*l->locks));
	if (!l->locks)
		return -ENOMEM;
	for (size_t op = 0; op < in->nops; op++) {
		l->locks[op + 1] = strcmp(in->ops[op].info->kind, "lock") == 0 &&
				   in->ops[op].layer != TD_LAYER_CUDA;
		l->any |= l->locks[op + 1];
	}
	if (!l->budget)
		l->budget = TD_MAX(TD_MIN(calls / CALLS_EACH, BUDGET_MAX), BUDGET_MIN);
	return 0;
}

static void add(struct sums *to, const struct td_call *c)
{
	to->calls++;
	to->failed += c->ret != TD_NULL && c->ret < 0;
	if (c->dur_ns == TD_NULL)
		return;
	to->timed++;
	to->total_ns = td_plus_known(to->total_ns, c->dur_ns);
	/* TD_NULL is the smallest number; calls come in the order of their begin */
	if (c->dur_ns > to->max_ns) {
		to->max_ns = c->dur_ns;
		to->max_start_ns = c->start_ns;
	}
}

static int add_call(struct td_locks *l, const struct td_call *c)
{
	const struct key key = { c->process_id, c->thread_id, c->op_id, c->args_id };
	uint32_t at = td_intern_add(&l->keys, (const char *)&key, sizeof(key));

	if (!at)
		return -ENOMEM;
	if (at > l->n) {
		l->given_up = l->n == l->budget;
		if (l->given_up)
			return 0;
		if (td_grow(&l->sums, &l->cap, l->n) < 0)
			return -ENOMEM;
		l->sums[l->n++] = (struct sums){ .total_ns = TD_NULL,
						 .max_ns = TD_NULL,
						 .max_start_ns = TD_NULL };
	}
	add(&l->sums[at - 1], c);
	return 0;
}

static int add_calls(void *ud, struct td_row_batch *b)
{
	struct td_locks *l = ud;
	const struct td_call *calls = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r == 0 && !l->given_up; i++)
		if (l->locks[calls[i].op_id] && !calls[i].nested)
			r = add_call(l, &calls[i]);
	return r;
}

static void add_steps(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after)
{
	struct td_locks *l = ud;

	if (kind == TD_KIND_CALL && l->any)
		(void)td_row_work_add(to, add_calls, l, true, after);
}

static int write_tables(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_locks *l = ud;
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "lock_stat", err);

	for (size_t i = 0; i < l->n && r >= 0 && !l->given_up; i++) {
		const struct sums *s = &l->sums[i];
		struct key key;

		memcpy(&key, td_intern_get(&l->keys, (uint32_t)i + 1).p, sizeof(key));
		td_row_key(&rows, key.process_id);
		td_row_key(&rows, key.thread_id);
		td_row_key(&rows, key.op_id);
		td_row_key(&rows, key.args_id);
		td_row_i64(&rows, s->calls);
		td_row_i64(&rows, s->failed);
		td_row_i64(&rows, s->timed);
		td_row_i64(&rows, s->total_ns);
		td_row_i64(&rows, s->max_ns);
		td_row_i64(&rows, s->max_start_ns);
		r = td_row_builder_end_row(&rows);
	}
	return r;
}

const struct td_derivation td_locks_derivation = {
	.make = make,
	.free = free_all,
	.set_budget = set_budget,
	.begin = begin,
	.add_steps = add_steps,
	.write = write_tables,
};
