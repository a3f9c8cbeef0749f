/* SPDX-License-Identifier: MIT */
/* Kernels of NCCL: collective_name and collective_sum; and machine_clock_held, which follows from
 * them and from epochs. */
#include <stdlib.h>

#include "common/array.h"
#include "common/intern.h"
#include "schema/collectives.h"
#include "schema/stat_math.h"
#include "store/derive/derivation.h"
#include "store/derive/meetings.h"
#include "store/write/row_builder.h"

#define KERNELS_MAX ((size_t)1 << 20) /* of 24 bytes each; a collective takes twice that */

/* Of a name that kernels have. */
enum { NAME_UNSEEN, NAME_OTHER, NAME_COLLECTIVE };

/* What tells groups apart. */
struct key {
	uint32_t of_id, device_id, process_id, has_rank;
	int64_t rank;
};

struct td_collecting {
	struct td_store *st; /* borrowed */
	uint8_t *names; /* owned; by string id: what it is */
	uint32_t *of_ids; /* owned; by string id, of collectives; NULL: there was none yet */
	size_t nnames;
	struct td_intern collectives; /* their names, from 1 on */
	uint32_t *first_ids; /* owned; of these */
	size_t nfirst, first_cap;
	struct td_intern keys; /* of groups, from 1 on */
	struct td_collectives all;
	struct td_meetings meetings; /* of several machines */
	struct td_collective_clock *clocks; /* owned; by source id */
	bool has_machines;
	size_t budget;
	bool given_up; /* there are too many */
};

static int make(const char *spill_path, void **ret)
{
	struct td_collecting *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->budget = KERNELS_MAX;
	*ret = c;
	return 0;
}

static void free_all(void *ud)
{
	struct td_collecting *c = ud;

	if (!c)
		return;
	td_collectives_done(&c->all);
	td_meetings_done(&c->meetings);
	td_intern_done(&c->collectives);
	td_intern_done(&c->keys);
	free(c->names);
	free(c->of_ids);
	free(c->first_ids);
	free(c->clocks);
	free(c);
}

/* Kernels at most that are matched; if there are more, collective_sum stays empty. Without it, many. */
static void set_budget(void *ud, size_t budget)
{
	struct td_collecting *c = ud;

	c->budget = budget;
}

static int begin(void *ud, struct td_store *st)
{
	struct td_collecting *c = ud;

	c->st = st;
	c->has_machines = td_meetings_has_machines(td_store_contents(st));
	c->nnames = td_store_contents(st)->strings.n + 1;
	if (!td_stage_count(td_store_stage(st, TD_KIND_GPU_OP)))
		return 0;
	c->names = calloc(c->nnames, sizeof(*c->names));
	return c->names ? 0 : -ENOMEM;
}

/* --- work goes by --- */

/* The first name that is of the same collective: strings have their final numbers, but need not be
 * seen in their order. */
static int find_first(struct td_collecting *c, struct td_str collective, uint32_t name_id)
{
	uint32_t at = td_intern_add(&c->collectives, collective.p, collective.len);

	if (!at || td_grow(&c->first_ids, &c->first_cap, c->nfirst) < 0)
		return -ENOMEM;
	if (at > c->nfirst)
		c->first_ids[c->nfirst++] = name_id;
	c->of_ids[name_id] = c->first_ids[at - 1];
	return 0;
}

static int look_at_name(struct td_collecting *c, uint32_t name_id)
{
	struct td_str name = td_collective_name(td_store_text(c->st, name_id));

	c->names[name_id] = name.p ? NAME_COLLECTIVE : NAME_OTHER;
	if (!name.p)
		return 0;
	if (!c->of_ids)
		c->of_ids = calloc(c->nnames, sizeof(*c->of_ids));
	return c->of_ids ? find_first(c, name, name_id) : -ENOMEM;
}

static int add_kernel(struct td_collecting *c, const struct td_gpu_op *op)
{
	struct td_collectives *all = &c->all;
	struct key key = { .of_id = c->of_ids[op->name_id],
			   .device_id = op->device_id,
			   .process_id = op->process_id };
	int64_t rank = TD_NULL;
	uint32_t at;

	if (all->n == c->budget) {
		c->given_up = true;
		td_collectives_done(all);
		return 0;
	}
	if (!op->process_id)
		rank = td_store_contents(c->st)->sources[op->source_id - 1].rank;
	key.has_rank = rank != TD_NULL;
	key.rank = key.has_rank ? rank : 0;
	at = td_intern_add(&c->keys, (const char *)&key, sizeof(key));
	if (!at || td_grow(&all->kernels, &all->cap, all->n) < 0)
		return -ENOMEM;
	if (at > all->ngroups &&
	    td_collectives_add_group(all, key.of_id, key.device_id, key.process_id, rank) < 0)
		return -ENOMEM;
	all->kernels[all->n++] = (struct td_collective_kernel){
		.start_ns = op->start_ns,
		.dur_ns = op->dur_ns,
		.group = at - 1,
		.source_id = op->source_id,
	};
	return 0;
}

static int look(struct td_collecting *c, const struct td_gpu_op *op)
{
	int r = 0;

	if (op->name_id >= c->nnames || c->names[op->name_id] == NAME_OTHER ||
	    !td_str_eq(td_store_text(c->st, op->kind_id), "kernel"))
		return 0;
	if (c->names[op->name_id] == NAME_UNSEEN)
		r = look_at_name(c, op->name_id);
	if (r < 0 || c->given_up || c->names[op->name_id] != NAME_COLLECTIVE)
		return r;
	return add_kernel(c, op);
}

static int look_step(void *ud, struct td_row_batch *b)
{
	const struct td_gpu_op *ops = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r >= 0; i++)
		r = look(ud, &ops[i]);
	return r;
}

/* Ranks wait for each other before an epoch begins. */
static int add_epoch(struct td_collecting *c, const struct td_span *s)
{
	struct td_str name = td_store_text(c->st, s->name_id);
	int64_t rank = td_store_contents(c->st)->sources[s->source_id - 1].rank;
	struct td_meeting_key key = { .what = s->name_id,
				      .run_number = s->run_number,
				      .process_id = s->process_id,
				      .rank = s->rank == INT32_MIN ? rank : s->rank };

	if (s->dur_ns == TD_NULL || key.rank == TD_NULL ||
	    !td_str_eq(td_store_text(c->st, s->kind_id), "phase") ||
	    (!td_str_eq(name, "epoch") && !td_str_eq(name, "block")))
		return 0;
	return td_meetings_add(&c->meetings, &key, s->source_id, s->start_ns,
			       td_plus(s->start_ns, s->dur_ns));
}

static int epoch_step(void *ud, struct td_row_batch *b)
{
	const struct td_span *spans = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r >= 0; i++)
		r = add_epoch(ud, &spans[i]);
	return r;
}

static void add_steps(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after)
{
	struct td_collecting *c = ud;

	if (kind == TD_KIND_GPU_OP)
		(void)td_row_work_add(to, look_step, c, true, after);
	if (kind == TD_KIND_SPAN && c->has_machines)
		(void)td_row_work_add(to, epoch_step, c, true, after);
}

/* --- clocks of several machines --- */

/* Whether each rank waits for all others. */
static bool all_wait(struct td_str collective)
{
	return td_str_find(collective, "AllReduce") || td_str_find(collective, "AllGather") ||
	       td_str_find(collective, "ReduceScatter");
}

static int add_meetings(struct td_collecting *c)
{
	int r = 0;

	for (size_t i = 0; i < c->all.n && r >= 0; i++) {
		const struct td_collective_kernel *k = &c->all.kernels[i];
		const struct td_collective_group *g = &c->all.groups[k->group];
		const struct td_meeting_key key = { .what = g->of_id,
						    .run_number = INT32_MIN,
						    .device_id = g->device_id,
						    .process_id = g->process_id,
						    .rank = g->rank };

		if (k->dur_ns != TD_NULL && all_wait(td_store_text(c->st, g->of_id)))
			r = td_meetings_add(&c->meetings, &key, k->source_id, k->start_ns,
					    td_plus(k->start_ns, k->dur_ns));
	}
	return r;
}

static int find_clocks(struct td_collecting *c)
{
	const struct td_contents *in = td_store_contents(c->st);
	int r = 0;

	c->clocks = calloc(in->nsources + 1, sizeof(*c->clocks));
	if (!c->clocks)
		return -ENOMEM;
	for (size_t i = 0; i < in->nsources; i++)
		c->clocks[i + 1] = (struct td_collective_clock){
			.own_error_ns = in->sources[i].error_ns,
			.host = in->sources[i].host,
			.error_ns = TD_NULL,
		};
	if (c->has_machines && !c->given_up)
		r = add_meetings(c);
	if (r >= 0 && c->has_machines && !c->given_up)
		r = td_meetings_fit(&c->meetings, in, c->clocks);
	return r;
}

/* --- writing --- */

static int write_names(const struct td_collecting *c, const struct td_target *target,
		       struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "collective_name", err);

	for (uint32_t id = 1; c->of_ids && id < c->nnames && r >= 0; id++) {
		if (!c->of_ids[id])
			continue;
		td_row_i64(&rows, id);
		td_row_key(&rows, c->of_ids[id]);
		td_row_str(&rows, td_collective_name(td_store_text(c->st, id)));
		r = td_row_builder_end_row(&rows);
	}
	return r;
}

static int write_sums(const struct td_collecting *c, const struct td_target *target,
		      struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "collective_sum", err);

	for (size_t i = 0; i < c->all.ngroups && r >= 0; i++) {
		const struct td_collective_group *g = &c->all.groups[i];

		td_row_key(&rows, g->of_id);
		td_row_key(&rows, g->device_id);
		td_row_key(&rows, g->process_id);
		td_row_i64(&rows, g->rank);
		td_row_i64(&rows, g->kernels);
		td_row_i64(&rows, g->timed);
		td_row_i64(&rows, g->timed ? g->total_ns : TD_NULL);
		td_row_i64(&rows, g->max_ns);
		td_row_i64(&rows, g->matched);
		td_row_i64(&rows, g->last);
		td_row_i64(&rows, g->late_ns);
		td_row_i64(&rows, g->behind_ns);
		td_row_i64(&rows, g->waited_ns);
		td_row_i64(&rows, g->cost_ns);
		td_row_i64(&rows, g->worst_ns);
		td_row_i64(&rows, g->worst_start_ns);
		td_row_i64(&rows, g->clock_error_ns);
		td_row_i64(&rows, g->alike);
		td_row_i64(&rows, c->all.clocks_agree);
		r = td_row_builder_end_row(&rows);
	}
	return r;
}

/* Of each source of several machines, also where nothing is known: then nobody need look for it. */
static int write_clocks(const struct td_collecting *c, const struct td_target *target,
			struct td_err *err)
{
	size_t n = c->has_machines && !c->given_up ? td_store_contents(c->st)->nsources : 0;
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "machine_clock_held", err);

	for (size_t id = 1; id <= n && r >= 0; id++) {
		const struct td_collective_clock *k = &c->clocks[id];

		td_row_i64(&rows, (int64_t)id);
		td_row_i64(&rows, k->is_moved ? k->ahead_ns : TD_NULL);
		td_row_i64(&rows, k->error_ns);
		r = td_row_builder_end_row(&rows);
	}
	return r;
}

static int write_tables(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_collecting *c = ud;
	int r = find_clocks(c);

	if (r >= 0 && c->all.n)
		r = td_collectives_sum(&c->all, c->clocks, td_store_contents(c->st)->nsources + 1,
				       NULL);
	if (r >= 0)
		r = write_names(c, target, err);
	if (r >= 0)
		r = write_clocks(c, target, err);
	return r < 0 ? r : write_sums(c, target, err);
}

const struct td_derivation td_collectives_derivation = {
	.make = make,
	.free = free_all,
	.set_budget = set_budget,
	.begin = begin,
	.add_steps = add_steps,
	.write = write_tables,
};
