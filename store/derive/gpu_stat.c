/* SPDX-License-Identifier: MIT */
/*
 * How often and how long GPUs worked on what: gpu_op_stat. Work is told apart by GPU, process, kind
 * and name, and such that moves bytes by its size, too; any grouping is a union of these.
 */
#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/intern.h"
#include "schema/stat_math.h"
#include "store/derive/durations.h"
#include "store/derive/derivation.h"
#include "store/write/row_builder.h"

/* Combos may be one for so many pieces of work, but always so many, and never more than that (they
 * take some 200 bytes each). */
#define OPS_EACH 32
#define BUDGET_MIN ((size_t)20000)
#define BUDGET_MAX ((size_t)1 << 17)

/* What tells combos apart. */
struct key {
	uint32_t device_id, process_id, kind_id, name_id;
	int64_t bytes; /* of the sized ones the size; of all others 0, or 1: they are among the sized ones, too */
};

struct sums {
	int64_t ops, timed;
	int64_t bytes; /* TD_NULL: none is known */
	int64_t total_ns, min_ns, max_ns, first_ns, last_ns;
	unsigned __int128 squares; /* of durations */
};

static const struct sums no_sums = {
	.bytes = TD_NULL,
	.min_ns = INT64_MAX,
	.max_ns = INT64_MIN,
	.first_ns = INT64_MAX,
	.last_ns = INT64_MIN,
};

struct combos {
	struct td_intern keys; /* runs parallel to sums */
	struct sums *sums;
	size_t n, cap;
	bool given_up; /* there were too many */
};

/* How many of a kind took how long. */
struct kind {
	uint32_t kind_id;
	int64_t ops[1 + TD_LATENCY_BUCKETS]; /* the first one: it is not known */
};

struct td_gpu_stat {
	size_t budget;
	struct combos all; /* by GPU, process, kind and name */
	struct combos sized; /* by GPU, kind, name and size */
	struct td_duration_list *lists; /* of all */
	size_t nlists, lists_cap;
	struct td_durations *durations;
	struct kind *kinds; /* few: a linear search */
	size_t nkinds, kinds_cap;
};

static int make(const char *spill_path, void **ret)
{
	struct td_gpu_stat *g = calloc(1, sizeof(*g));

	if (!g || td_durations_new(spill_path, &g->durations) < 0) {
		free(g);
		return -ENOMEM;
	}
	*ret = g;
	return 0;
}

static void combos_done(struct combos *c)
{
	td_intern_done(&c->keys);
	free(c->sums);
	*c = (struct combos){ .given_up = c->given_up };
}

static void give_back(struct td_gpu_stat *g)
{
	combos_done(&g->all);
	combos_done(&g->sized);
	td_durations_free(TAKE_PTR(g->durations));
	free(TAKE_PTR(g->lists));
	free(TAKE_PTR(g->kinds));
}

static void free_all(void *ud)
{
	struct td_gpu_stat *g = ud;

	if (!g)
		return;
	give_back(g);
	free(g);
}

/* Combinations of GPU, process, kind and name, and of a GPU, kind, name and size, that are told
 * apart at most; without it, it is a share of the work. */
static void set_budget(void *ud, size_t budget)
{
	struct td_gpu_stat *g = ud;

	g->budget = budget;
}

static int begin(void *ud, struct td_store *st)
{
	struct td_gpu_stat *g = ud;
	uint64_t ops = td_stage_count(td_store_stage(st, TD_KIND_GPU_OP));

	if (!g->budget)
		g->budget = TD_MAX(TD_MIN(ops / OPS_EACH, BUDGET_MAX), BUDGET_MIN);
	return 0;
}

/* --- work goes by --- */

static void add_to_sums(struct sums *s, const struct td_gpu_op *op)
{
	s->ops++;
	s->bytes = td_plus_known(s->bytes, op->bytes);
	s->first_ns = TD_MIN(s->first_ns, op->start_ns);
	s->last_ns = TD_MAX(s->last_ns, op->start_ns);
	if (op->dur_ns == TD_NULL)
		return;
	s->timed++;
	s->total_ns = td_plus(s->total_ns, op->dur_ns);
	s->min_ns = TD_MIN(s->min_ns, op->dur_ns);
	s->max_ns = TD_MAX(s->max_ns, op->dur_ns);
	s->squares += (unsigned __int128)op->dur_ns * (uint64_t)op->dur_ns;
}

/* *ret: its number from 1; 0: there are too many. */
static int find_combo(const struct td_gpu_stat *g, struct combos *c, const struct key *key,
		      uint32_t *ret)
{
	*ret = td_intern_add(&c->keys, (const char *)key, sizeof(*key));
	if (!*ret || td_grow(&c->sums, &c->cap, c->n) < 0)
		return -ENOMEM;
	if (*ret <= c->n)
		return 0;
	if (c->n == g->budget) {
		c->given_up = true;
		combos_done(c);
		*ret = 0;
		return 0;
	}
	c->sums[c->n++] = no_sums;
	return 0;
}

static void close_lists(struct td_gpu_stat *g)
{
	for (size_t i = 0; i < g->nlists; i++)
		td_durations_close(g->durations, &g->lists[i]);
}

/* before: so many came of the combo. */
static int keep_duration(struct td_gpu_stat *g, uint32_t combo, uint64_t before, int64_t dur_ns)
{
	int r = 0;

	while (g->nlists < g->all.n && r >= 0) {
		r = td_grow(&g->lists, &g->lists_cap, g->nlists);
		if (r >= 0)
			g->lists[g->nlists++] = (struct td_duration_list){ 0 };
	}
	if (r >= 0)
		r = td_durations_add(g->durations, combo, &g->lists[combo], before, dur_ns);
	if (r <= 0)
		return r;
	close_lists(g);
	r = td_durations_spill(g->durations);
	return r < 0 ? r : td_durations_add(g->durations, combo, &g->lists[combo], before, dur_ns);
}

static int add_to_all(struct td_gpu_stat *g, const struct td_gpu_op *op)
{
	const struct key key = {
		.device_id = op->device_id,
		.process_id = op->process_id,
		.kind_id = op->kind_id,
		.name_id = op->name_id,
		.bytes = op->bytes != TD_NULL,
	};
	uint32_t at;
	int r = find_combo(g, &g->all, &key, &at);
	uint64_t before;

	if (r < 0 || !at)
		return r;
	before = (uint64_t)g->all.sums[at - 1].timed;
	add_to_sums(&g->all.sums[at - 1], op);
	return op->dur_ns == TD_NULL ? 0 : keep_duration(g, at - 1, before, op->dur_ns);
}

static int add_to_sized(struct td_gpu_stat *g, const struct td_gpu_op *op)
{
	const struct key key = {
		.device_id = op->device_id,
		.kind_id = op->kind_id,
		.name_id = op->name_id,
		.bytes = op->bytes,
	};
	uint32_t at;
	int r = find_combo(g, &g->sized, &key, &at);

	if (r >= 0 && at)
		add_to_sums(&g->sized.sums[at - 1], op);
	return r;
}

static int add_to_kind(struct td_gpu_stat *g, const struct td_gpu_op *op)
{
	size_t i = 0;

	while (i < g->nkinds && g->kinds[i].kind_id != op->kind_id)
		i++;
	if (i == g->nkinds) {
		if (td_grow(&g->kinds, &g->kinds_cap, g->nkinds) < 0)
			return -ENOMEM;
		g->kinds[g->nkinds++] = (struct kind){ .kind_id = op->kind_id };
	}
	g->kinds[i].ops[op->dur_ns == TD_NULL ? 0 : 1 + td_latency_bucket(op->dur_ns)]++;
	return 0;
}

static int add_step(void *ud, struct td_row_batch *b)
{
	struct td_gpu_stat *g = ud;
	const struct td_gpu_op *ops = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r >= 0; i++) {
		r = add_to_kind(g, &ops[i]);
		if (r >= 0 && !g->all.given_up)
			r = add_to_all(g, &ops[i]);
		if (r >= 0 && !g->sized.given_up && ops[i].bytes != TD_NULL)
			r = add_to_sized(g, &ops[i]);
	}
	return r;
}

static void add_steps(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after)
{
	struct td_gpu_stat *g = ud;

	if (kind == TD_KIND_GPU_OP)
		(void)td_row_work_add(to, add_step, g, true, after);
}

/* --- groups --- */

/* What a grouping tells apart. */
enum { BY_DEVICE = 1, BY_PROCESS = 2, BY_NAME = 4, BY_BYTES = 8 };

static const struct grouping {
	const char *by;
	unsigned tells; /* beside the kind */
} groupings[] = {
	{ "kind", 0 },
	{ "kind,name", BY_NAME },
	{ "process,kind,name", BY_PROCESS | BY_NAME },
	{ "device,process,kind,name", BY_DEVICE | BY_PROCESS | BY_NAME },
	{ "device,kind,name,bytes", BY_DEVICE | BY_NAME | BY_BYTES },
};

/* A combo in a grouping: those with equal keys are a group. */
struct member {
	struct key key;
	uint32_t combo;
};

struct writing {
	struct td_gpu_stat *g;
	struct td_row_builder rows;
	const struct grouping *by;
	struct member *members; /* owned */
	size_t n;
	uint32_t *sets; /* owned; room for the combos of a group */
};

static void writing_done(struct writing *w)
{
	td_row_builder_done(&w->rows);
	free(w->members);
	free(w->sets);
}

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	const int64_t xs[] = { x->key.device_id, x->key.process_id, x->key.kind_id,
			       x->key.name_id,   x->key.bytes,      x->combo };
	const int64_t ys[] = { y->key.device_id, y->key.process_id, y->key.kind_id,
			       y->key.name_id,   y->key.bytes,      y->combo };

	for (size_t i = 0; i < TD_ARRAY_SIZE(xs); i++)
		if (xs[i] != ys[i])
			return xs[i] < ys[i] ? -1 : 1;
	return 0;
}

static struct key key_of(const struct combos *c, size_t combo)
{
	struct key key;

	memcpy(&key, td_intern_get(&c->keys, (uint32_t)combo + 1).p, sizeof(key));
	return key;
}

/* Those that count in the grouping, sorted. */
static void find_members(struct writing *w, const struct combos *c)
{
	unsigned tells = w->by->tells;

	w->n = 0;
	for (size_t i = 0; i < c->n; i++) {
		struct key key = key_of(c, i);

		if (tells & BY_BYTES && c == &w->g->all && key.bytes)
			continue;
		if (!(tells & BY_DEVICE))
			key.device_id = 0;
		if (!(tells & BY_PROCESS))
			key.process_id = 0;
		if (!(tells & BY_NAME))
			key.name_id = 0;
		if (!(tells & BY_BYTES))
			key.bytes = 0;
		w->members[w->n++] = (struct member){ key, (uint32_t)i };
	}
	if (w->n)
		qsort(w->members, w->n, sizeof(*w->members), compare_members);
}

static void sum_up(struct sums *to, const struct sums *s)
{
	to->ops += s->ops;
	to->timed += s->timed;
	to->bytes = td_plus_known(to->bytes, s->bytes);
	to->total_ns = td_plus(to->total_ns, s->total_ns);
	to->min_ns = TD_MIN(to->min_ns, s->min_ns);
	to->max_ns = TD_MAX(to->max_ns, s->max_ns);
	to->first_ns = TD_MIN(to->first_ns, s->first_ns);
	to->last_ns = TD_MAX(to->last_ns, s->last_ns);
	to->squares += s->squares;
}

struct percentiles {
	double p50;
	int64_t p95, p99;
};

static int find_percentiles(const struct writing *w, const struct member *members, size_t n,
			    int64_t timed, struct percentiles *ret)
{
	int64_t found[4];
	size_t nsets = 0;
	int r;

	*ret = (struct percentiles){ NAN, TD_NULL, TD_NULL };
	if (!timed || w->by->tells & BY_BYTES)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (w->g->all.sums[members[i].combo].timed)
			w->sets[nsets++] = members[i].combo;
	r = td_durations_ranks(w->g->durations, w->sets, nsets,
			       (const uint64_t[]){ ((uint64_t)timed + 1) / 2,
						   (uint64_t)timed / 2 + 1,
						   td_nearest_rank((uint64_t)timed, 95),
						   td_nearest_rank((uint64_t)timed, 99) },
			       found, TD_ARRAY_SIZE(found));
	if (r >= 0)
		*ret = (struct percentiles){ ((double)found[0] + (double)found[1]) / 2, found[2],
					     found[3] };
	return r;
}

static int write_group(struct writing *w, const struct key *key, bool is_sized,
		       const struct sums *s, const struct percentiles *p)
{
	td_row_text(&w->rows, w->by->by);
	td_row_key(&w->rows, key->device_id);
	td_row_key(&w->rows, key->process_id);
	td_row_key(&w->rows, key->kind_id);
	td_row_key(&w->rows, key->name_id);
	td_row_i64(&w->rows, TD_NULL);
	td_row_i64(&w->rows, is_sized ? key->bytes : TD_NULL);
	td_row_i64(&w->rows, s->ops);
	td_row_i64(&w->rows, s->timed);
	td_row_i64(&w->rows, s->bytes);
	td_row_i64(&w->rows, s->timed ? s->total_ns : TD_NULL);
	td_row_i64(&w->rows, s->timed ? s->min_ns : TD_NULL);
	td_row_i64(&w->rows, s->timed ? s->max_ns : TD_NULL);
	td_row_f64(&w->rows, p->p50);
	td_row_i64(&w->rows, p->p95);
	td_row_i64(&w->rows, p->p99);
	td_row_f64(&w->rows, td_deviation((uint64_t)s->timed, s->total_ns, s->squares));
	td_row_i64(&w->rows, s->first_ns);
	td_row_i64(&w->rows, s->last_ns);
	return td_row_builder_end_row(&w->rows);
}

static int write_groups(struct writing *w, const struct combos *c)
{
	int r = 0;

	find_members(w, c);
	for (size_t i = 0, j; i < w->n && r >= 0; i = j) {
		const struct key *key = &w->members[i].key;
		struct sums sums = no_sums;
		struct percentiles p;

		for (j = i; j < w->n && memcmp(&w->members[j].key, key, sizeof(*key)) == 0; j++)
			sum_up(&sums, &c->sums[w->members[j].combo]);
		r = find_percentiles(w, &w->members[i], j - i, sums.timed, &p);
		if (r >= 0)
			r = write_group(w, key, c == &w->g->sized, &sums, &p);
	}
	return r;
}

static int write_grouping(struct writing *w, const struct grouping *by)
{
	struct td_gpu_stat *g = w->g;
	int r;

	w->by = by;
	if (g->all.given_up || (by->tells & BY_BYTES && g->sized.given_up))
		return 0;
	r = write_groups(w, &g->all);
	return r < 0 || !(by->tells & BY_BYTES) ? r : write_groups(w, &g->sized);
}

static int write_latencies(struct writing *w)
{
	int r = 0;

	for (size_t i = 0; i < w->g->nkinds; i++)
		for (unsigned b = 0; b <= TD_LATENCY_BUCKETS && r >= 0; b++) {
			const struct kind *k = &w->g->kinds[i];

			if (!k->ops[b])
				continue;
			td_row_text(&w->rows, "kind,latency");
			td_row_key(&w->rows, 0);
			td_row_key(&w->rows, 0);
			td_row_key(&w->rows, k->kind_id);
			td_row_key(&w->rows, 0);
			td_row_i64(&w->rows, b ? td_latency_low(b - 1) : TD_NULL);
			td_row_i64(&w->rows, TD_NULL);
			td_row_i64(&w->rows, k->ops[b]);
			td_row_i64(&w->rows, b ? k->ops[b] : 0);
			for (int column = 0; column < 10; column++)
				td_row_i64(&w->rows, TD_NULL);
			r = td_row_builder_end_row(&w->rows);
		}
	return r;
}

static int sort_durations(struct td_gpu_stat *g)
{
	_cleanup_free_ uint64_t *counts = calloc(g->all.n + 1, sizeof(*counts));

	if (!counts)
		return -ENOMEM;
	close_lists(g);
	for (size_t i = 0; i < g->all.n; i++)
		counts[i] = (uint64_t)g->all.sums[i].timed;
	return td_durations_sort(g->durations, counts, g->all.n);
}

static int write_tables(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_gpu_stat *g = ud;
	_cleanup_(writing_done) struct writing w = { .g = g };
	size_t room = TD_MAX(g->all.n, g->sized.n) + 1;
	int r = td_row_builder_open(&w.rows, target, "gpu_op_stat", err);

	w.members = calloc(room, sizeof(*w.members));
	w.sets = calloc(room, sizeof(*w.sets));
	if (!w.members || !w.sets)
		return -ENOMEM;
	if (r >= 0 && !g->all.given_up)
		r = sort_durations(g);
	if (r >= 0)
		r = write_latencies(&w);
	for (size_t i = 0; i < TD_ARRAY_SIZE(groupings) && r >= 0; i++)
		r = write_grouping(&w, &groupings[i]);
	give_back(g);
	return r;
}

const struct td_derivation td_gpu_stat_derivation = {
	.make = make,
	.free = free_all,
	.set_budget = set_budget,
	.begin = begin,
	.add_steps = add_steps,
	.write = write_tables,
};
