/* SPDX-License-Identifier: MIT */
/*
 * How often and how long threads were in which state: sched_slice_stat. Slices are told apart by
 * thread, state and reason; of each such combo it is known how many were how long, and all
 * groupings are unions of combos.
 */
#include <stdlib.h>

#include "common/array.h"
#include "common/keys.h"
#include "schema/stat_math.h"
#include "store/derive/derivation.h"
#include "store/write/row_builder.h"

/* Combos, and rows of a grouping, may be one for so many slices, but always so many; combos never
 * more than that (1 kB each). */
#define SLICES_EACH 512
#define BUDGET_MIN ((size_t)1000)
#define BUDGET_MAX ((size_t)1 << 14)

struct octave {
	int64_t slices, total_ns;
};

struct sums {
	int64_t slices, timed;
	int64_t total_ns, min_ns, max_ns, first_ns, last_ns;
	struct octave octaves[TD_SIZE_BUCKETS]; /* of the timed ones, each a power of two */
};

static const struct sums no_sums = {
	.min_ns = INT64_MAX,
	.max_ns = INT64_MIN,
	.first_ns = INT64_MAX,
	.last_ns = INT64_MIN,
};

struct td_slices {
	size_t budget;
	struct td_keys keys; /* combos; runs parallel to sums */
	struct sums *sums; /* owned */
	size_t n, cap;
	bool given_up; /* there were too many combos */
};

static int make(const char *spill_path, void **ret)
{
	*ret = calloc(1, sizeof(struct td_slices));
	return *ret ? 0 : -ENOMEM;
}

static void give_back(struct td_slices *s)
{
	td_keys_done(&s->keys);
	free(TAKE_PTR(s->sums));
}

static void free_all(void *ud)
{
	struct td_slices *s = ud;

	if (!s)
		return;
	give_back(s);
	free(s);
}

/* Rows that a grouping may have, and combinations of thread, state and reason; without it, it is a
 * share of the slices. */
static void set_budget(void *ud, size_t budget)
{
	struct td_slices *s = ud;

	s->budget = budget;
}

static int begin(void *ud, struct td_store *st)
{
	struct td_slices *s = ud;
	uint64_t slices = td_stage_count(td_store_stage(st, TD_KIND_SCHED));

	if (!s->budget)
		s->budget = TD_MAX(TD_MIN(slices / SLICES_EACH, BUDGET_MAX), BUDGET_MIN);
	return 0;
}

/* --- slices go by --- */

static void add_to_sums(struct sums *to, const struct td_sched *s)
{
	struct octave *octave;

	to->slices++;
	to->first_ns = TD_MIN(to->first_ns, s->start_ns);
	to->last_ns = TD_MAX(to->last_ns, s->start_ns);
	if (s->dur_ns == TD_NULL)
		return;
	to->timed++;
	to->total_ns = td_plus(to->total_ns, s->dur_ns);
	to->min_ns = TD_MIN(to->min_ns, s->dur_ns);
	to->max_ns = TD_MAX(to->max_ns, s->dur_ns);
	octave = &to->octaves[td_size_bucket(s->dur_ns)];
	octave->slices++;
	octave->total_ns = td_plus(octave->total_ns, s->dur_ns);
}

static int add_slice(struct td_slices *s, const struct td_sched *slice)
{
	struct td_key key = { (uint64_t)slice->thread_id << 32 | slice->state_id,
			      slice->reason_id };
	uint32_t at;

	if (td_keys_reserve(&s->keys, 1) < 0)
		return -ENOMEM;
	at = td_keys_add(&s->keys, key);
	if (at == s->n) {
		if (s->n == s->budget) {
			s->given_up = true;
			give_back(s);
			return 0;
		}
		if (td_grow(&s->sums, &s->cap, s->n) < 0)
			return -ENOMEM;
		s->sums[s->n++] = no_sums;
	}
	add_to_sums(&s->sums[at], slice);
	return 0;
}

static int add_step(void *ud, struct td_row_batch *b)
{
	struct td_slices *s = ud;
	const struct td_sched *slices = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r >= 0 && !s->given_up; i++)
		r = add_slice(s, &slices[i]);
	return r;
}

static void add_steps(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after)
{
	if (kind == TD_KIND_SCHED)
		(void)td_row_work_add(to, add_step, ud, true, after);
}

/* --- rows --- */

/* A combo, as they are sorted. */
struct member {
	struct td_key key;
	uint32_t at;
};

struct writing {
	const struct td_slices *s;
	struct td_row_builder rows;
	struct member *members; /* owned; s->n of them */
};

static void writing_done(struct writing *w)
{
	td_row_builder_done(&w->rows);
	free(w->members);
}

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->key.lo != y->key.lo)
		return x->key.lo < y->key.lo ? -1 : 1;
	return x->key.hi < y->key.hi ? -1 : x->key.hi > y->key.hi;
}

static void sum_up(struct sums *to, const struct sums *s)
{
	to->slices += s->slices;
	to->timed += s->timed;
	to->total_ns = td_plus(to->total_ns, s->total_ns);
	to->min_ns = TD_MIN(to->min_ns, s->min_ns);
	to->max_ns = TD_MAX(to->max_ns, s->max_ns);
	to->first_ns = TD_MIN(to->first_ns, s->first_ns);
	to->last_ns = TD_MAX(to->last_ns, s->last_ns);
	for (unsigned b = 0; b < TD_SIZE_BUCKETS; b++) {
		to->octaves[b].slices += s->octaves[b].slices;
		to->octaves[b].total_ns = td_plus(to->octaves[b].total_ns, s->octaves[b].total_ns);
	}
}

/* Members i.. of one thread and state, with their sums; returns the one behind them. */
static size_t sum_state(const struct writing *w, size_t i, struct sums *ret)
{
	uint64_t of = w->members[i].key.lo;

	*ret = no_sums;
	for (; i < w->s->n && w->members[i].key.lo == of; i++)
		sum_up(ret, &w->s->sums[w->members[i].at]);
	return i;
}

static int write_sums(struct writing *w, const char *by, struct td_key key, const struct sums *s)
{
	td_row_text(&w->rows, by);
	td_row_key(&w->rows, (uint32_t)(key.lo >> 32));
	td_row_key(&w->rows, (uint32_t)key.lo);
	td_row_key(&w->rows, (uint32_t)key.hi);
	td_row_i64(&w->rows, TD_NULL);
	td_row_i64(&w->rows, s->slices);
	td_row_i64(&w->rows, s->timed);
	td_row_i64(&w->rows, s->timed ? s->total_ns : TD_NULL);
	td_row_i64(&w->rows, s->timed ? s->min_ns : TD_NULL);
	td_row_i64(&w->rows, s->timed ? s->max_ns : TD_NULL);
	td_row_i64(&w->rows, s->first_ns);
	td_row_i64(&w->rows, s->last_ns);
	return td_row_builder_end_row(&w->rows);
}

/* low_ns: TD_NULL for those without a length. */
static int write_octave(struct writing *w, struct td_key key, int64_t low_ns, int64_t slices,
			int64_t total_ns)
{
	td_row_text(&w->rows, "thread,state,octave");
	td_row_key(&w->rows, (uint32_t)(key.lo >> 32));
	td_row_key(&w->rows, (uint32_t)key.lo);
	td_row_key(&w->rows, 0);
	td_row_i64(&w->rows, low_ns);
	td_row_i64(&w->rows, slices);
	td_row_i64(&w->rows, low_ns == TD_NULL ? 0 : slices);
	td_row_i64(&w->rows, total_ns);
	for (int column = 0; column < 4; column++)
		td_row_i64(&w->rows, TD_NULL);
	return td_row_builder_end_row(&w->rows);
}

static int write_octaves(struct writing *w, struct td_key key, const struct sums *s)
{
	int r = 0;

	if (s->slices > s->timed)
		r = write_octave(w, key, TD_NULL, s->slices - s->timed, TD_NULL);
	for (unsigned b = 0; b < TD_SIZE_BUCKETS && r >= 0; b++)
		if (s->octaves[b].slices)
			r = write_octave(w, key, td_size_low(b), s->octaves[b].slices,
					 s->octaves[b].total_ns);
	return r;
}

static size_t count_octaves(const struct writing *w)
{
	struct sums sums;
	size_t n = 0;

	for (size_t i = 0; i < w->s->n;) {
		i = sum_state(w, i, &sums);
		n += sums.slices > sums.timed;
		for (unsigned b = 0; b < TD_SIZE_BUCKETS; b++)
			n += sums.octaves[b].slices != 0;
	}
	return n;
}

static int write_states(struct writing *w)
{
	bool octaves = count_octaves(w) <= w->s->budget;
	int r = 0;

	for (size_t i = 0; i < w->s->n && r >= 0;) {
		struct td_key key = { w->members[i].key.lo, 0 };
		struct sums sums;

		i = sum_state(w, i, &sums);
		r = write_sums(w, "thread,state", key, &sums);
		if (r >= 0 && octaves)
			r = write_octaves(w, key, &sums);
	}
	return r;
}

static int write_tables(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_slices *s = ud;
	_cleanup_(writing_done) struct writing w = { .s = s };
	int r = td_row_builder_open(&w.rows, target, "sched_slice_stat", err);

	if (r < 0 || s->given_up || !s->n)
		return r;
	w.members = calloc(s->n, sizeof(*w.members));
	if (!w.members)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n; i++)
		w.members[i] = (struct member){ s->keys.items[i], i };
	qsort(w.members, s->n, sizeof(*w.members), compare_members);
	r = write_states(&w);
	for (size_t i = 0; i < s->n && r >= 0; i++)
		r = write_sums(&w, "thread,state,reason", w.members[i].key,
			       &s->sums[w.members[i].at]);
	return r;
}

const struct td_derivation td_slices_derivation = {
	.make = make,
	.free = free_all,
	.set_budget = set_budget,
	.begin = begin,
	.add_steps = add_steps,
	.write = write_tables,
};
