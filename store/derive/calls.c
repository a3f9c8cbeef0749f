/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include "store/derive/calls_private.h"
#include "common/apart.h"
#include "common/array.h"
#include "schema/db.h"

#define BLOCK_CALLS 1024
/* For so few threads all that is collected is one step: a stretch of calls is in the first-level cache then. */
#define TOGETHER_THREADS 2

const struct td_sums td_sums_none = {
	.done_bytes = TD_NULL,
	.min_ns = INT64_MAX,
	.max_ns = INT64_MIN,
	.min_bytes = TD_NULL,
	.max_bytes = TD_NULL,
	.first_ns = INT64_MAX,
	.last_ns = INT64_MIN,
};

int td_calls_new(const char *spill_path, struct td_calls **ret)
{
	struct td_calls *c = td_calloc_apart(sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->spill_path = spill_path;
	*ret = c;
	return 0;
}

void td_calls_set_budget(struct td_calls *c, size_t budget)
{
	c->budget = budget;
	c->has_budget = true;
}

void td_calls_free(struct td_calls *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < TD_FAMILIES_MAX; i++)
		td_family_done(&c->families[i]);
	free(c->verb_ids);
	free(c->traits);
	td_positions_done(&c->positions);
	td_threads_done(&c->threads_of);
	td_class_bins_done(&c->class_bins);
	td_late_bytes_done(&c->late_bytes);
	free(c->latencies);
	free(c->blocks);
	free(c);
}

int td_calls_begin(struct td_calls *c, struct td_store *st)
{
	const struct td_contents *in = td_store_contents(st);
	int r;

	c->st = st;
	c->in = in;
	c->bin_width_ns = td_bins_width(st);
	c->latencies = calloc(in->nops + 1, sizeof(*c->latencies));
	c->verb_ids = calloc(in->nops + 1, sizeof(*c->verb_ids));
	if (!c->latencies || !c->verb_ids)
		return -ENOMEM;
	/* these become keys of file_stat, and strings are written before it */
	for (unsigned i = 0; i < TD_NCLASSES; i++)
		(void)td_store_cstr(st, td_class_names[i]);
	for (size_t i = 0; i < in->nops; i++)
		c->verb_ids[i + 1] = td_store_cstr(st, in->ops[i].info->verb);
	if (td_store_error(st) < 0)
		return td_store_error(st);
	r = td_budget_choose(c);
	td_threads_begin(c);
	if (r >= 0)
		r = td_class_bins_begin(c);
	return r < 0 ? r : td_late_bytes_begin(c);
}

/* --- sums --- */

void td_sums_add(struct td_sums *to, const struct td_family *f, uint32_t combo)
{
	const struct td_combo_calls *k = &f->calls[combo];
	const struct td_combo_seldom *seldom = &f->seldom[combo];
	const struct td_combo_times *times = &f->times[combo];
	const struct td_combo_transfers *moved = &f->transfers[combo];

	to->calls += k->calls;
	to->errors += k->errors;
	to->timed += times->timed;
	to->unfinished += seldom->unfinished;
	to->done_bytes = td_plus_known(to->done_bytes, seldom->done_bytes);
	to->total_ns = td_plus(to->total_ns, k->total_ns);
	to->min_ns = TD_MIN(to->min_ns, times->min_ns);
	to->max_ns = TD_MAX(to->max_ns, times->max_ns);
	to->squares += times->squares;
	if (moved->max_bytes != TD_NULL)
		to->min_bytes = to->max_bytes == TD_NULL ? moved->min_bytes
							 : TD_MIN(to->min_bytes, moved->min_bytes);
	to->max_bytes = TD_MAX(to->max_bytes, moved->max_bytes); /* TD_NULL is the smallest */
	to->sequential += moved->sequential;
	to->random += moved->random;
	to->first_ns = TD_MIN(to->first_ns, seldom->first_ns);
	to->last_ns = TD_MAX(to->last_ns, k->last_ns);
}

/* --- rows --- */

/* Calls that begin at the same time are in the same block: then those from a time on begin in the last
 * block that begins before it, or with the next one. */
static int go_to_block(struct td_calls *c, int64_t id, int64_t start_ns)
{
	int r;

	if (c->nblocks &&
	    (id - c->blocks[c->nblocks - 1].first_id < BLOCK_CALLS || start_ns == c->last_start_ns))
		return 0;
	r = td_grow(&c->blocks, &c->blocks_cap, c->nblocks);
	if (r < 0)
		return r;
	assert(c->blocks);
	c->blocks[c->nblocks++] = (struct td_block_row){
		.start_ns = start_ns, .first_id = id, .end_ns = TD_NULL, .max_ns = TD_NULL
	};
	return 0;
}

/* Of all n calls. */
static void add_to_block(struct td_block_row *to, int64_t id, const struct td_call *calls, size_t n)
{
	struct td_block_row b = *to;

	for (size_t i = 0; i < n; i++) {
		int64_t dur_ns = calls[i].dur_ns;

		if (calls[i].nested)
			continue;
		b.calls++;
		if (dur_ns > b.max_ns || !b.max_id) {
			b.max_ns = dur_ns;
			b.max_id = id + (int64_t)i;
		}
		if (dur_ns != TD_NULL)
			b.end_ns = TD_MAX(b.end_ns, td_plus(calls[i].start_ns, dur_ns));
	}
	b.last_id = id + (int64_t)n - 1;
	*to = b;
}

/* How many of n calls are the last block's without a look at when they begin. */
static size_t room_in_block(const struct td_calls *c, int64_t id, size_t n)
{
	int64_t room = c->nblocks ? c->blocks[c->nblocks - 1].first_id + BLOCK_CALLS - id : 0;

	return room > 0 ? TD_MIN((size_t)room, n) : 0;
}

static int add_to_blocks(struct td_calls *c, int64_t id, const struct td_call *calls, size_t n)
{
	for (size_t i = 0, some; i < n; i += some) {
		int r = go_to_block(c, id + (int64_t)i, calls[i].start_ns);

		if (r < 0)
			return r;
		some = TD_MAX(room_in_block(c, id + (int64_t)i, n - i), (size_t)1);
		add_to_block(&c->blocks[c->nblocks - 1], id + (int64_t)i, &calls[i], some);
		c->last_start_ns = calls[i + some - 1].start_ns;
	}
	return 0;
}

/* The numbers of their combos in a family, which the steps leave for each other. */
static uint32_t *combos_of(const struct td_row_batch *b, size_t family)
{
	return (uint32_t *)b->notes + family * TD_BATCH_ROWS;
}

/* Likewise which transfers go on where the one before ended, behind them: enum td_step. */
static uint8_t *steps_of(const struct td_row_batch *b)
{
	return (uint8_t *)combos_of(b, TD_FAMILIES_MAX);
}

/* What is done with n calls from i on. Each of these on any thread, but in order. */
typedef int collect_fn(struct td_calls *c, const struct td_row_batch *b, size_t i, size_t n);

static const struct td_call *calls_of(const struct td_row_batch *b)
{
	return b->records;
}

static int find(struct td_calls *c, const struct td_row_batch *b, size_t i, size_t n)
{
	int r = 0;

	for (size_t f = 0; f < c->nfamilies && r >= 0; f++)
		r = td_family_find(&c->families[f], calls_of(b) + i, combos_of(b, f) + i, n);
	return r;
}

static int count(struct td_calls *c, const struct td_row_batch *b, size_t i, size_t n)
{
	int r = add_to_blocks(c, b->id + (int64_t)i, calls_of(b) + i, n);

	for (size_t f = 0; f < c->nfamilies && r >= 0; f++)
		r = td_family_count(&c->families[f], calls_of(b) + i, combos_of(b, f) + i, n);
	return r;
}

static int take_times(struct td_calls *c, const struct td_row_batch *b, size_t i, size_t n)
{
	int r = 0;

	for (size_t f = 0; f < c->nfamilies && r >= 0; f++)
		r = td_family_time(&c->families[f], calls_of(b) + i, combos_of(b, f) + i, n);
	return r;
}

static int count_threads(struct td_calls *c, const struct td_row_batch *b, size_t i, size_t n)
{
	return td_threads_count(c, calls_of(b) + i, combos_of(b, 0) + i, n);
}

static int take_late(struct td_calls *c, const struct td_row_batch *b, size_t i, size_t n)
{
	td_late_bytes_add(c, calls_of(b) + i, n);
	return 0;
}

static int follow(struct td_calls *c, const struct td_row_batch *b, size_t i, size_t n)
{
	return td_positions_follow(c, calls_of(b) + i, steps_of(b) + i, n);
}

static int take_transfers(struct td_calls *c, const struct td_row_batch *b, size_t i, size_t n)
{
	int r = 0;

	for (size_t f = 0; f < c->nfamilies && r >= 0; f++)
		r = td_family_transfer(&c->families[f], calls_of(b) + i, combos_of(b, f) + i,
				       steps_of(b) + i, n);
	return r;
}

/* Several of them, a stretch after the other. */
static int collect(struct td_calls *c, const struct td_row_batch *b, collect_fn *const *fns,
		   size_t nfns)
{
	int r = 0;

	for (size_t i = 0; i < b->n; i += TD_CALLS_AT_ONCE)
		for (size_t k = 0; k < nfns && r >= 0; k++)
			r = fns[k](c, b, i, TD_MIN(b->n - i, (size_t)TD_CALLS_AT_ONCE));
	return r;
}

static int find_step(void *ud, struct td_row_batch *b)
{
	return collect(ud, b, (collect_fn *const[]){ find }, 1);
}

static int count_step(void *ud, struct td_row_batch *b)
{
	return collect(ud, b, (collect_fn *const[]){ count }, 1);
}

static int threads_step(void *ud, struct td_row_batch *b)
{
	return collect(ud, b, (collect_fn *const[]){ count_threads, take_late }, 2);
}

static int times_step(void *ud, struct td_row_batch *b)
{
	return collect(ud, b, (collect_fn *const[]){ take_times }, 1);
}

static int follow_step(void *ud, struct td_row_batch *b)
{
	return collect(ud, b, (collect_fn *const[]){ follow }, 1);
}

static int transfers_step(void *ud, struct td_row_batch *b)
{
	return collect(ud, b, (collect_fn *const[]){ take_transfers }, 1);
}

static int all_step(void *ud, struct td_row_batch *b)
{
	return collect(ud, b,
		       (collect_fn *const[]){ find, count, count_threads, take_late, take_times,
					      follow, take_transfers },
		       7);
}

void td_calls_add_steps(struct td_calls *c, struct td_row_work *to, unsigned after)
{
	unsigned found, followed;

	c->threads = to->threads;
	to->note_size = TD_FAMILIES_MAX * sizeof(uint32_t) + sizeof(uint8_t);
	if (to->threads <= TOGETHER_THREADS) {
		(void)td_row_work_add(to, all_step, c, true, after);
		return;
	}
	found = td_row_work_add(to, find_step, c, true, after);
	(void)td_row_work_add(to, count_step, c, true, found);
	(void)td_row_work_add(to, threads_step, c, true, found);
	(void)td_row_work_add(to, times_step, c, true, found);
	followed = td_row_work_add(to, follow_step, c, true, after);
	(void)td_row_work_add(to, transfers_step, c, true, found | followed);
}

int td_calls_write(struct td_calls *c, const struct td_target *target, struct td_err *err)
{
	if (td_bins_are_kept(&c->families[0]))
		c->bin_width_ns = (int64_t)c->families[0].bin_width_ns;
	return td_groups_write(c, target, err);
}

int td_calls_write_width(const struct td_calls *c, sqlite3 *db, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, "UPDATE run SET bin_ns = ?1", -1, &stmt, NULL);

	if (rc == SQLITE_OK) {
		(void)sqlite3_bind_int64(stmt, 1, c->bin_width_ns);
		rc = sqlite3_step(stmt);
	}
	return rc == SQLITE_DONE ? 0
				 : td_db_error(db, rc, err, "cannot write the width of the bins");
}
