/* SPDX-License-Identifier: MIT */
#include "store/derive/derive.h"
#include "store/derive/buckets.h"
#include "store/derive/calls.h"
#include "store/derive/collectives.h"
#include "store/derive/duplicate_calls.h"
#include "store/derive/gpu.h"
#include "store/derive/gpu_stat.h"
#include "store/derive/locks.h"
#include "store/derive/long_gaps.h"
#include "store/derive/longest.h"
#include "store/derive/nesting.h"
#include "store/derive/operators.h"
#include "store/derive/ranges.h"
#include "store/derive/roles.h"
#include "store/derive/segments.h"
#include "store/derive/tellers.h"
#include "store/derive/waits.h"

struct td_derive {
	struct td_buckets *buckets;
	struct td_calls *calls;
	struct td_collecting *collectives;
	struct td_gpu_stat *gpu_stat;
	struct td_locks *locks;
	struct td_long_gaps *long_gaps;
	struct td_ranges *ranges;
	struct td_operators *operators;
	struct td_waits *waits;
	struct td_longest_rows *longest;
	struct td_nesting *nesting;
	struct td_duplicates *duplicates;
	struct td_store *st; /* borrowed, from begin() on */
	struct td_segments *segments;
	struct td_tellers *tellers;
	bool segments_apart; /* in a step of their own */
};

/* For so few threads all that looks at calls one after the other is one step. */
#define TOGETHER_THREADS 2

int td_derive_new(const char *spill_path, struct td_derive **ret)
{
	_cleanup_(td_derive_freep) struct td_derive *d = calloc(1, sizeof(*d));
	int r;

	if (!d)
		return -ENOMEM;
	r = td_buckets_new(&d->buckets);
	if (r < 0)
		return r;
	r = td_calls_new(spill_path, &d->calls);
	if (r < 0)
		return r;
	r = td_collecting_new(&d->collectives);
	if (r < 0)
		return r;
	r = td_gpu_stat_new(spill_path, &d->gpu_stat);
	if (r < 0)
		return r;
	r = td_long_gaps_new(&d->long_gaps);
	if (r < 0)
		return r;
	r = td_ranges_new(spill_path, &d->ranges);
	if (r < 0)
		return r;
	r = td_operators_new(&d->operators);
	if (r < 0)
		return r;
	r = td_waits_new(&d->waits);
	if (r < 0)
		return r;
	r = td_locks_new(&d->locks);
	if (r < 0)
		return r;
	r = td_longest_rows_new(&d->longest);
	if (r < 0)
		return r;
	r = td_nesting_new(&d->nesting);
	if (r < 0)
		return r;
	r = td_duplicates_new(&d->duplicates);
	if (r < 0)
		return r;
	r = td_segments_new(&d->segments);
	if (r < 0)
		return r;
	r = td_tellers_new(&d->tellers);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(d);
	return 0;
}

void td_derive_free(struct td_derive *d)
{
	if (!d)
		return;
	td_buckets_free(d->buckets);
	td_calls_free(d->calls);
	td_collecting_free(d->collectives);
	td_gpu_stat_free(d->gpu_stat);
	td_locks_free(d->locks);
	td_long_gaps_free(d->long_gaps);
	td_ranges_free(d->ranges);
	td_operators_free(d->operators);
	td_waits_free(d->waits);
	td_longest_rows_free(d->longest);
	td_nesting_free(d->nesting);
	td_duplicates_free(d->duplicates);
	td_segments_free(d->segments);
	td_tellers_free(d->tellers);
	free(d);
}

void td_derive_set_budget(struct td_derive *d, size_t budget)
{
	td_calls_set_budget(d->calls, budget);
	td_collecting_set_budget(d->collectives, budget);
	td_gpu_stat_set_budget(d->gpu_stat, budget);
	td_locks_set_budget(d->locks, budget);
	td_long_gaps_set_budget(d->long_gaps, budget);
	td_ranges_set_budget(d->ranges, budget);
	td_operators_set_budget(d->operators, budget);
	td_waits_set_budget(d->waits, budget);
}

static int begin(void *ud, struct td_store *st)
{
	struct td_derive *d = ud;
	int r;

	d->st = st;
	td_gpu_stat_begin(d->gpu_stat, st);
	r = td_collecting_begin(d->collectives, st);
	if (r < 0)
		return r;
	r = td_long_gaps_begin(d->long_gaps, st);
	if (r < 0)
		return r;
	r = td_ranges_begin(d->ranges, st);
	if (r < 0)
		return r;
	r = td_operators_begin(d->operators, st);
	if (r < 0)
		return r;
	r = td_waits_begin(d->waits, st);
	if (r < 0)
		return r;
	r = td_locks_begin(d->locks, st);
	if (r < 0)
		return r;
	r = td_longest_rows_begin(d->longest, st);
	if (r < 0)
		return r;
	r = td_buckets_begin(d->buckets, st);
	if (r < 0)
		return r;
	r = td_calls_begin(d->calls, st);
	if (r < 0)
		return r;
	r = td_nesting_begin(d->nesting, st);
	if (r < 0)
		return r;
	r = td_tellers_begin(d->tellers, st);
	return r < 0 ? r : td_segments_begin(d->segments, st);
}

static int see_calls(struct td_derive *d, struct td_call *calls, size_t n)
{
	int r = td_duplicates_look(d->duplicates, calls, n);

	for (size_t i = 0; i < n && r >= 0; i++)
		r = td_nesting_mark(d->nesting, &calls[i]);
	return r < 0 || d->segments_apart ? r : td_segments_calls(d->segments, calls, n);
}

static int segments_step(void *ud, struct td_row_batch *b)
{
	struct td_derive *d = ud;

	return td_segments_calls(d->segments, b->records, b->n);
}

static int rows(void *ud, enum td_kind kind, int64_t id, void *records, size_t n)
{
	struct td_derive *d = ud;
	const struct td_span *spans = records;
	const struct td_sample *samples = records;
	const struct td_gpu_op *ops = records;
	const struct td_sched *slices = records;
	const struct td_block *blocks = records;
	int r = 0;

	switch (kind) {
	case TD_KIND_SPAN:
		for (size_t i = 0; i < n && r >= 0; i++)
			r = td_segments_span(d->segments, &spans[i]);
		break;
	case TD_KIND_SAMPLE:
		for (size_t i = 0; i < n && r >= 0; i++)
			r = td_segments_sample(d->segments, &samples[i]);
		break;
	case TD_KIND_BLOCK:
		for (size_t i = 0; i < n && r >= 0; i++)
			r = td_segments_block(d->segments, &blocks[i]);
		break;
	case TD_KIND_CALL:
		return see_calls(d, records, n);
	case TD_KIND_GPU_OP:
		for (size_t i = 0; i < n && r >= 0; i++)
			r = td_segments_gpu_op(d->segments, &ops[i]);
		break;
	case TD_KIND_SCHED:
		for (size_t i = 0; i < n && r >= 0; i++)
			r = td_segments_sched(d->segments, &slices[i]);
		break;
	case TD_KIND_MARK:
	case TD_KIND_STACK:
	case TD_NKINDS:
		break;
	}
	return r;
}

static void add_steps(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after)
{
	struct td_derive *d = ud;

	td_collecting_add_steps(d->collectives, kind, to, after);
	td_tellers_add_steps(d->tellers, kind, to, after);
	td_operators_add_steps(d->operators, kind, to, after);
	if (kind == TD_KIND_SPAN)
		td_ranges_add_steps(d->ranges, to, after);
	td_longest_rows_add_steps(d->longest, kind, to, after);
	if (kind == TD_KIND_GPU_OP) {
		td_gpu_stat_add_steps(d->gpu_stat, to, after);
		td_long_gaps_add_steps(d->long_gaps, to, after);
		td_waits_add_work_steps(d->waits, to, after);
	}
	if (kind != TD_KIND_CALL)
		return;
	td_locks_add_steps(d->locks, to, after);
	td_buckets_add_steps(d->buckets, to, after);
	td_calls_add_steps(d->calls, to, after);
	td_waits_add_call_steps(d->waits, to, after);
	d->segments_apart = to->threads > TOGETHER_THREADS;
	if (d->segments_apart)
		(void)td_row_work_add(to, segments_step, d, true, after);
}

static const struct td_interval *busy_of(const void *ud, uint32_t device_id, size_t *ret_n)
{
	return td_gpu_busy(td_segments_gpu(ud), device_id, ret_n);
}

static int tables(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_derive *d = ud;
	int r = td_gpu_stat_write(d->gpu_stat, target, err);

	if (r >= 0)
		r = td_long_gaps_write(d->long_gaps, target, err);
	if (r >= 0)
		r = td_collecting_write(d->collectives, target, err);
	if (r >= 0)
		r = td_tellers_write(d->tellers, target, err);
	if (r >= 0)
		r = td_ranges_write(d->ranges, target, err);
	if (r >= 0)
		r = td_operators_write(d->operators, target, err);
	if (r >= 0)
		r = td_longest_rows_write(d->longest, target, err);
	if (r >= 0)
		r = td_locks_write(d->locks, target, err);
	if (r >= 0)
		r = td_calls_write(d->calls, target, err);
	if (r >= 0)
		r = td_buckets_write(d->buckets, target, err);
	if (r >= 0)
		r = td_waits_write(d->waits, busy_of, d->segments, target, err);
	td_duplicates_say(d->duplicates, d->st);
	return r < 0 ? r : td_segments_write(d->segments, target, err);
}

static int end(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_derive *d = ud;
	int r;

	r = td_segments_write_gpu(d->segments, target, err);
	if (r >= 0)
		r = td_calls_write_width(d->calls, td_target_db(target), err);
	return r < 0 ? r : td_derive_roles(td_target_db(target), err);
}

struct td_row_watcher td_derive_watcher(struct td_derive *d)
{
	return (struct td_row_watcher){
		.ud = d,
		.begin = begin,
		.rows = rows,
		.add_steps = add_steps,
		.tables = tables,
		.end = end,
	};
}
