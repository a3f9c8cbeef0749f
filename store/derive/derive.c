/* SPDX-License-Identifier: MIT */
#include "store/derive/derive.h"
#include "store/derive/calls.h"
#include "store/derive/derivation.h"
#include "store/derive/duplicate_calls.h"
#include "store/derive/gpu.h"
#include "store/derive/nesting.h"
#include "store/derive/roles.h"
#include "store/derive/segments.h"
#include "store/derive/waits.h"

/* Tables are written in this order. */
static const struct td_derivation *const derivations[] = {
	&td_gpu_stat_derivation,  &td_long_gaps_derivation,  &td_collectives_derivation,
	&td_tellers_derivation,   &td_ranges_derivation,     &td_operators_derivation,
	&td_longest_derivation,   &td_locks_derivation,      &td_buckets_derivation,
	&td_requests_derivation,  &td_slices_derivation,     &td_launches_derivation,
	&td_top_files_derivation, &td_file_kinds_derivation, &td_shm_derivation,
};

#define NDERIVATIONS TD_ARRAY_SIZE(derivations)

struct td_derive {
	void *uds[NDERIVATIONS]; /* of the derivations, owned */
	/* these need one another */
	struct td_calls *calls;
	struct td_waits *waits;
	struct td_nesting *nesting;
	struct td_duplicates *duplicates;
	struct td_segments *segments;
	struct td_store *st; /* borrowed, from begin() on */
	bool segments_apart; /* in a step of their own */
};

/* For so few threads all that looks at calls one after the other is one step. */
#define TOGETHER_THREADS 2

int td_derive_new(const char *spill_path, struct td_derive **ret)
{
	_cleanup_(td_derive_freep) struct td_derive *d = calloc(1, sizeof(*d));
	int r = d ? 0 : -ENOMEM;

	for (size_t i = 0; i < NDERIVATIONS && r >= 0; i++)
		r = derivations[i]->make(spill_path, &d->uds[i]);
	if (r >= 0)
		r = td_calls_new(spill_path, &d->calls);
	if (r >= 0)
		r = td_waits_new(&d->waits);
	if (r >= 0)
		r = td_nesting_new(&d->nesting);
	if (r >= 0)
		r = td_duplicates_new(&d->duplicates);
	if (r >= 0)
		r = td_segments_new(&d->segments);
	if (r >= 0)
		*ret = TAKE_PTR(d);
	return r;
}

void td_derive_free(struct td_derive *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < NDERIVATIONS; i++)
		derivations[i]->free(d->uds[i]);
	td_calls_free(d->calls);
	td_waits_free(d->waits);
	td_nesting_free(d->nesting);
	td_duplicates_free(d->duplicates);
	td_segments_free(d->segments);
	free(d);
}

void td_derive_set_budget(struct td_derive *d, size_t budget)
{
	for (size_t i = 0; i < NDERIVATIONS; i++)
		if (derivations[i]->set_budget)
			derivations[i]->set_budget(d->uds[i], budget);
	td_calls_set_budget(d->calls, budget);
	td_waits_set_budget(d->waits, budget);
}

static int begin(void *ud, struct td_store *st)
{
	struct td_derive *d = ud;
	int r = 0;

	d->st = st;
	for (size_t i = 0; i < NDERIVATIONS && r >= 0; i++)
		r = derivations[i]->begin(d->uds[i], st);
	if (r >= 0)
		r = td_calls_begin(d->calls, st);
	if (r >= 0)
		r = td_waits_begin(d->waits, st);
	if (r >= 0)
		r = td_nesting_begin(d->nesting, st);
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

	for (size_t i = 0; i < NDERIVATIONS; i++)
		if (derivations[i]->add_steps)
			derivations[i]->add_steps(d->uds[i], kind, to, after);
	if (kind == TD_KIND_GPU_OP)
		td_waits_add_work_steps(d->waits, to, after);
	if (kind != TD_KIND_CALL)
		return;
	td_calls_add_steps(d->calls, to, after);
	td_waits_add_call_steps(d->waits, to, after);
	d->segments_apart = to->threads > TOGETHER_THREADS;
	if (d->segments_apart)
		(void)td_row_work_add(to, segments_step, d, true, after);
}

static const struct td_busy *busy_of(const void *ud, uint32_t device_id)
{
	return td_gpu_busy(td_segments_gpu(ud), device_id);
}

static int tables(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_derive *d = ud;
	int r = 0;

	for (size_t i = 0; i < NDERIVATIONS && r >= 0; i++)
		r = derivations[i]->write(d->uds[i], target, err);
	if (r >= 0)
		r = td_calls_write(d->calls, target, err);
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
	if (r >= 0 && td_store_contents(d->st)->nprocesses)
		r = td_derive_roles(td_target_db(target), err);
	return r;
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
