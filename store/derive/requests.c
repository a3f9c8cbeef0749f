/* SPDX-License-Identifier: MIT */
/*
 * How many requests disks had, how long these took and how far apart they were: block_request_stat.
 * Requests are told apart by disk, direction and process, of which the other groupings but that by
 * distance are unions.
 */
#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/keys.h"
#include "schema/stat_math.h"
#include "store/derive/derivation.h"
#include "store/derive/durations.h"
#include "store/write/row_builder.h"

/* Combos may be one for so many requests, but always so many, and never more than that. */
#define REQUESTS_EACH 512
#define BUDGET_MIN ((size_t)1000)
#define BUDGET_MAX ((size_t)1 << 15)

#define NOPS (TD_BLOCK_OTHER + 1)

struct sums {
	int64_t requests, timed, queued;
	int64_t bytes, queue_ns; /* TD_NULL: none is known */
	int64_t total_ns, min_ns, max_ns, first_ns, last_ns;
	int64_t sequential, forward, backward;
};

static const struct sums no_sums = {
	.bytes = TD_NULL,
	.queue_ns = TD_NULL,
	.min_ns = INT64_MAX,
	.max_ns = INT64_MIN,
	.first_ns = INT64_MAX,
	.last_ns = INT64_MIN,
};

/* What tells combos apart, as bits of a key. */
struct combo {
	uint32_t device_id, process_id;
	uint8_t op;
};

struct disk {
	int64_t end; /* sector behind its last request; TD_NULL: none yet */
	struct sums seeks[NOPS][1 + TD_SIZE_BUCKETS]; /* the first one: it is not known how far */
};

struct td_requests {
	size_t budget;
	struct td_keys keys; /* combos; runs parallel to sums and lists */
	struct sums *sums; /* owned */
	struct td_duration_list *lists; /* owned */
	size_t n, sums_cap, lists_cap;
	struct td_durations *durations;
	struct disk **disks; /* owned, as what they point to; by device */
	size_t ndevices;
	bool given_up; /* there were too many combos */
};

static int make(const char *spill_path, void **ret)
{
	struct td_requests *q = calloc(1, sizeof(*q));

	if (!q || td_durations_new(spill_path, &q->durations) < 0) {
		free(q);
		return -ENOMEM;
	}
	*ret = q;
	return 0;
}

static void give_back(struct td_requests *q)
{
	td_durations_free(TAKE_PTR(q->durations));
	td_keys_done(&q->keys);
	free(TAKE_PTR(q->sums));
	free(TAKE_PTR(q->lists));
	for (size_t i = 0; q->disks && i < q->ndevices; i++)
		free(q->disks[i]);
	free(TAKE_PTR(q->disks));
}

static void free_all(void *ud)
{
	struct td_requests *q = ud;

	if (!q)
		return;
	give_back(q);
	free(q);
}

/* Combinations of disk, direction and process that are told apart at most; without it, it is a
 * share of the requests. */
static void set_budget(void *ud, size_t budget)
{
	struct td_requests *q = ud;

	q->budget = budget;
}

static int begin(void *ud, struct td_store *st)
{
	struct td_requests *q = ud;
	uint64_t requests = td_stage_count(td_store_stage(st, TD_KIND_BLOCK));

	if (!q->budget)
		q->budget = TD_MAX(TD_MIN(requests / REQUESTS_EACH, BUDGET_MAX), BUDGET_MIN);
	q->ndevices = td_store_contents(st)->ndevices + 1;
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
	q->disks = calloc(q->ndevices, sizeof(*q->disks));
	return q->disks ? 0 : -ENOMEM;
}

/* --- requests go by --- */

static struct td_key key_of(const struct td_block *b)
{
	return (struct td_key){ (uint64_t)b->device_id << 32 | b->process_id, b->op };
}

static struct combo combo_of(struct td_key key)
{
	return (struct combo){ (uint32_t)(key.lo >> 32), (uint32_t)key.lo, (uint8_t)key.hi };
}

/* step: to where it begins from the end of the one before, in sectors; TD_NULL: it is not known. */
static void add_to_sums(struct sums *s, const struct td_block *b, int64_t step)
{
	s->requests++;
	s->bytes = td_plus_known(s->bytes, b->bytes);
	s->queued += b->queue_ns != TD_NULL;
	s->queue_ns = td_plus_known(s->queue_ns, b->queue_ns);
	s->first_ns = TD_MIN(s->first_ns, b->start_ns);
	s->last_ns = TD_MAX(s->last_ns, b->start_ns);
	if (step != TD_NULL) {
		s->sequential += step == 0;
		s->forward += step > 0;
		s->backward += step < 0;
	}
	if (b->dur_ns == TD_NULL)
		return;
	s->timed++;
	s->total_ns = td_plus(s->total_ns, b->dur_ns);
	s->min_ns = TD_MIN(s->min_ns, b->dur_ns);
	s->max_ns = TD_MAX(s->max_ns, b->dur_ns);
}

static void close_lists(struct td_requests *q)
{
	for (size_t i = 0; i < q->n; i++)
		td_durations_close(q->durations, &q->lists[i]);
}

/* before: so many came of the combo. */
static int keep_duration(struct td_requests *q, uint32_t at, uint64_t before, int64_t dur_ns)
{
	int r = td_durations_add(q->durations, at, &q->lists[at], before, dur_ns);

	if (r <= 0)
		return r;
	close_lists(q);
	r = td_durations_spill(q->durations);
	return r < 0 ? r : td_durations_add(q->durations, at, &q->lists[at], before, dur_ns);
}

/* The sums of a combo that is new. 0, -ENOMEM, or 1: there are too many. */
static int add_combo(struct td_requests *q)
{
	if (q->n == q->budget)
		return 1;
	if (td_grow(&q->sums, &q->sums_cap, q->n) < 0 ||
	    td_grow(&q->lists, &q->lists_cap, q->n) < 0)
		return -ENOMEM;
	q->sums[q->n] = no_sums;
	q->lists[q->n++] = (struct td_duration_list){ 0 };
	return 0;
}

static int add_to_combo(struct td_requests *q, const struct td_block *b, int64_t step)
{
	uint64_t before;
	uint32_t at;
	int r = td_keys_reserve(&q->keys, 1);

	if (r < 0)
		return r;
	at = td_keys_add(&q->keys, key_of(b));
	r = at == q->n ? add_combo(q) : 0;
	if (r != 0) {
		q->given_up = r > 0;
		return TD_MIN(r, 0);
	}
	before = (uint64_t)q->sums[at].timed;
	add_to_sums(&q->sums[at], b, step);
	return b->dur_ns == TD_NULL ? 0 : keep_duration(q, at, before, b->dur_ns);
}

static struct disk *disk_of(struct td_requests *q, uint32_t device_id)
{
	struct disk **at = &q->disks[device_id];
	struct sums *first;

	if (*at)
		return *at;
	*at = malloc(sizeof(**at));
	if (!*at)
		return NULL;
	(*at)->end = TD_NULL;
	first = &(*at)->seeks[0][0];
	for (size_t i = 0; i < sizeof((*at)->seeks) / sizeof(*first); i++)
		first[i] = no_sums;
	return *at;
}

static int add_request(struct td_requests *q, const struct td_block *b)
{
	struct disk *disk = disk_of(q, b->device_id);
	int64_t step = TD_NULL;
	unsigned bucket = 0;

	if (!disk)
		return -ENOMEM;
	if (b->sector >= 0 && b->bytes > 0) { /* TD_NULL is the smallest number */
		step = td_seek_sectors(disk->end, b->sector);
		disk->end = td_plus(b->sector, b->bytes / 512);
	}
	if (step != TD_NULL)
		bucket = 1 + td_size_bucket(td_seek_bytes(step));
	add_to_sums(&disk->seeks[b->op][bucket], b, step);
	return add_to_combo(q, b, step);
}

static int add_step(void *ud, struct td_row_batch *batch)
{
	struct td_requests *q = ud;
	const struct td_block *requests = batch->records;
	int r = 0;

	for (size_t i = 0; i < batch->n && r >= 0 && !q->given_up; i++)
		r = add_request(q, &requests[i]);
	return r;
}

static void add_steps(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after)
{
	if (kind == TD_KIND_BLOCK)
		(void)td_row_work_add(to, add_step, ud, true, after);
}

/* --- rows --- */

/* What a grouping tells apart beside disks. */
enum { BY_OP = 1, BY_PROCESS = 2 };

static const struct grouping {
	const char *by;
	unsigned tells;
} groupings[] = {
	{ "device", 0 },
	{ "device,direction", BY_OP },
	{ "device,direction,process", BY_OP | BY_PROCESS },
};

struct member {
	struct combo combo;
	uint32_t at;
};

struct percentiles {
	double p50;
	int64_t p95, p99;
};

static const struct percentiles no_percentiles = { NAN, TD_NULL, TD_NULL };

struct writing {
	struct td_requests *q;
	struct td_row_builder rows;
	struct member *members; /* owned; all combos by disk, direction and process */
	uint32_t *sets; /* owned; room for all combos */
};

static void writing_done(struct writing *w)
{
	td_row_builder_done(&w->rows);
	free(w->members);
	free(w->sets);
}

static int compare(const struct combo *a, const struct combo *b, unsigned tells)
{
	if (a->device_id != b->device_id)
		return a->device_id < b->device_id ? -1 : 1;
	if (tells & BY_OP && a->op != b->op)
		return a->op < b->op ? -1 : 1;
	if (tells & BY_PROCESS && a->process_id != b->process_id)
		return a->process_id < b->process_id ? -1 : 1;
	return 0;
}

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return compare(&x->combo, &y->combo, BY_OP | BY_PROCESS);
}

static void sum_up(struct sums *to, const struct sums *s)
{
	to->requests += s->requests;
	to->timed += s->timed;
	to->queued += s->queued;
	to->bytes = td_plus_known(to->bytes, s->bytes);
	to->queue_ns = td_plus_known(to->queue_ns, s->queue_ns);
	to->total_ns = td_plus(to->total_ns, s->total_ns);
	to->min_ns = TD_MIN(to->min_ns, s->min_ns);
	to->max_ns = TD_MAX(to->max_ns, s->max_ns);
	to->first_ns = TD_MIN(to->first_ns, s->first_ns);
	to->last_ns = TD_MAX(to->last_ns, s->last_ns);
	to->sequential += s->sequential;
	to->forward += s->forward;
	to->backward += s->backward;
}

static int find_percentiles(const struct writing *w, const struct member *members, size_t n,
			    uint64_t timed, struct percentiles *ret)
{
	int64_t found[4];
	size_t nsets = 0;
	int r;

	*ret = no_percentiles;
	if (!timed)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (w->q->sums[members[i].at].timed)
			w->sets[nsets++] = members[i].at;
	r = td_durations_ranks(w->q->durations, w->sets, nsets,
			       (const uint64_t[]){ (timed + 1) / 2, timed / 2 + 1,
						   td_nearest_rank(timed, 95),
						   td_nearest_rank(timed, 99) },
			       found, TD_ARRAY_SIZE(found));
	if (r >= 0)
		*ret = (struct percentiles){ ((double)found[0] + (double)found[1]) / 2, found[2],
					     found[3] };
	return r;
}

/* op: enum td_block_op; -1: any. seek_bytes: TD_NULL where it is not told apart. */
static int write_group(struct writing *w, const char *by, const struct combo *of, int op,
		       int64_t seek_bytes, const struct sums *s, const struct percentiles *p)
{
	static const char *const directions[NOPS] = { "read", "write", "other" };
	bool steps = s->sequential + s->forward + s->backward;

	td_row_text(&w->rows, by);
	td_row_key(&w->rows, of->device_id);
	td_row_text(&w->rows, op < 0 ? NULL : directions[op]);
	td_row_key(&w->rows, of->process_id);
	td_row_i64(&w->rows, seek_bytes);
	td_row_i64(&w->rows, s->requests);
	td_row_i64(&w->rows, s->timed);
	td_row_i64(&w->rows, s->bytes);
	td_row_i64(&w->rows, s->timed ? s->total_ns : TD_NULL);
	td_row_i64(&w->rows, s->timed ? s->min_ns : TD_NULL);
	td_row_i64(&w->rows, s->timed ? s->max_ns : TD_NULL);
	td_row_f64(&w->rows, p->p50);
	td_row_i64(&w->rows, p->p95);
	td_row_i64(&w->rows, p->p99);
	td_row_i64(&w->rows, s->queued);
	td_row_i64(&w->rows, s->queue_ns);
	td_row_i64(&w->rows, steps ? s->sequential : TD_NULL);
	td_row_i64(&w->rows, steps ? s->forward : TD_NULL);
	td_row_i64(&w->rows, steps ? s->backward : TD_NULL);
	td_row_i64(&w->rows, s->first_ns);
	td_row_i64(&w->rows, s->last_ns);
	return td_row_builder_end_row(&w->rows);
}

static int write_grouping(struct writing *w, const struct grouping *g)
{
	int r = 0;

	for (size_t i = 0, j; i < w->q->n && r >= 0; i = j) {
		struct combo of = w->members[i].combo;
		struct sums sums = no_sums;
		struct percentiles p;

		for (j = i; j < w->q->n && compare(&w->members[j].combo, &of, g->tells) == 0; j++)
			sum_up(&sums, &w->q->sums[w->members[j].at]);
		r = find_percentiles(w, &w->members[i], j - i, (uint64_t)sums.timed, &p);
		if (!(g->tells & BY_PROCESS))
			of.process_id = 0;
		if (r >= 0)
			r = write_group(w, g->by, &of, g->tells & BY_OP ? of.op : -1, TD_NULL,
					&sums, &p);
	}
	return r;
}

static int write_seeks(struct writing *w, uint32_t device_id)
{
	const struct disk *disk = w->q->disks[device_id];
	int r = 0;

	for (int op = 0; op < NOPS; op++)
		for (unsigned b = 0; b <= TD_SIZE_BUCKETS && r >= 0; b++)
			if (disk->seeks[op][b].requests)
				r = write_group(w, "device,direction,seek",
						&(struct combo){ .device_id = device_id }, op,
						b ? td_size_low(b - 1) : TD_NULL,
						&disk->seeks[op][b], &no_percentiles);
	return r;
}

/* The combos in their order, and the durations of each in theirs. */
static int sort_all(struct writing *w)
{
	struct td_requests *q = w->q;
	_cleanup_free_ uint64_t *counts = calloc(q->n + 1, sizeof(*counts));

	w->members = calloc(q->n + 1, sizeof(*w->members));
	w->sets = calloc(q->n + 1, sizeof(*w->sets));
	if (!counts || !w->members || !w->sets)
		return -ENOMEM;
	close_lists(q);
	for (uint32_t i = 0; i < q->n; i++) {
		w->members[i] = (struct member){ combo_of(q->keys.items[i]), i };
		counts[i] = (uint64_t)q->sums[i].timed;
	}
	if (q->n)
		qsort(w->members, q->n, sizeof(*w->members), compare_members);
	return td_durations_sort(q->durations, counts, q->n);
}

static int write_tables(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_requests *q = ud;
	_cleanup_(writing_done) struct writing w = { .q = q };
	int r = td_row_builder_open(&w.rows, target, "block_request_stat", err);

	if (r >= 0 && !q->given_up && q->n) {
		r = sort_all(&w);
		for (size_t i = 0; i < TD_ARRAY_SIZE(groupings) && r >= 0; i++)
			r = write_grouping(&w, &groupings[i]);
		for (uint32_t i = 0; i < q->ndevices && r >= 0; i++)
			if (q->disks[i])
				r = write_seeks(&w, i);
	}
	give_back(q);
	return r;
}

const struct td_derivation td_requests_derivation = {
	.make = make,
	.free = free_all,
	.set_budget = set_budget,
	.begin = begin,
	.add_steps = add_steps,
	.write = write_tables,
};
