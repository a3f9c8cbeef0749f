/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "common/array.h"
#include "common/intern.h"
#include "schema/ops.h"
#include "schema/stat_math.h"
#include "store/derive/waits.h"
#include "store/write/row_builder.h"

#define STALL_NS 10000 /* what schema/views.sql says, and analyzer/scan/sync_stat.c */

/* One stall for so many calls, but always so many, and never more than that. */
#define CALLS_EACH 32
#define BUDGET_MIN ((size_t)2000)
#define BUDGET_MAX ((size_t)1 << 17)

struct key {
	uint32_t op_id, process_id, thread_id;
};

struct group {
	struct key key;
	int64_t calls, stalls, stall_ns, max_ns, max_start_ns, idle_ns, after_ns;
};

struct stall {
	int64_t start_ns, end_ns;
	uint32_t process_id, group;
};

/* A GPU that a process gave work to. */
struct use {
	uint32_t process_id, device_id;
};

struct td_waits {
	struct td_store *st; /* borrowed */
	size_t budget;
	bool *waits; /* owned; by op id */
	bool *on_clock; /* owned; by source id */
	uint32_t kind_id; /* of the work before, and whether it is any */
	bool is_work;
	struct use *uses; /* owned; few: a linear search */
	size_t nuses, uses_cap;
	size_t last_use; /* the one that was found last */
	int64_t first_ns, end_ns; /* of all work */
	struct td_intern keys; /* runs parallel to groups */
	struct group *groups; /* owned */
	size_t n, cap;
	struct stall *stalls; /* owned; in order of begin */
	size_t nstalls, stalls_cap;
	bool given_up; /* there were too many, or some work is not where the busy times of GPUs come from */
};

int td_waits_new(struct td_waits **ret)
{
	struct td_waits *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->first_ns = INT64_MAX;
	w->end_ns = INT64_MIN;
	*ret = w;
	return 0;
}

void td_waits_free(struct td_waits *w)
{
	if (!w)
		return;
	free(w->waits);
	free(w->on_clock);
	free(w->uses);
	td_intern_done(&w->keys);
	free(w->groups);
	free(w->stalls);
	free(w);
}

void td_waits_set_budget(struct td_waits *w, size_t budget)
{
	w->budget = budget;
}

/* Copies whose name says that they do not wait are none. */
static bool is_wait(const struct td_op *op)
{
	return op->layer == TD_LAYER_CUDA &&
	       (strcmp(op->info->verb, "wait") == 0 ||
		(strcmp(op->info->verb, "copy") == 0 && !strcasestr(op->name, "async")));
}

int td_waits_begin(struct td_waits *w, struct td_store *st)
{
	const struct td_contents *in = td_store_contents(st);
	uint64_t calls = td_stage_count(td_store_stage(st, TD_KIND_CALL));

	w->st = st;
	w->waits = calloc(in->nops + 1, sizeof(*w->waits));
	w->on_clock = calloc(in->nsources + 1, sizeof(*w->on_clock));
	if (!w->waits || !w->on_clock)
		return -ENOMEM;
	for (size_t i = 0; i < in->nops; i++)
		w->waits[i + 1] = is_wait(&in->ops[i]);
	for (size_t i = 0; i < in->nsources; i++)
		w->on_clock[i + 1] = td_source_on_clock(&in->sources[i], td_store_has_clock(st));
	if (!w->budget)
		w->budget = TD_MAX(TD_MIN(calls / CALLS_EACH, BUDGET_MAX), BUDGET_MIN);
	return 0;
}

/* --- work --- */

static bool is_use(const struct use *u, const struct td_gpu_op *op)
{
	return u->process_id == op->process_id && u->device_id == op->device_id;
}

static int note_use(struct td_waits *w, const struct td_gpu_op *op)
{
	size_t i = 0;

	if (!op->process_id || (w->nuses && is_use(&w->uses[w->last_use], op)))
		return 0;
	while (i < w->nuses && !is_use(&w->uses[i], op))
		i++;
	w->last_use = i;
	if (i < w->nuses)
		return 0;
	if (td_grow(&w->uses, &w->uses_cap, w->nuses) < 0)
		return -ENOMEM;
	w->uses[w->nuses++] = (struct use){ op->process_id, op->device_id };
	return 0;
}

static int add_work(struct td_waits *w, const struct td_gpu_op *op)
{
	if (op->kind_id != w->kind_id) {
		w->kind_id = op->kind_id;
		w->is_work = !td_str_eq(td_store_text(w->st, op->kind_id), "sync");
	}
	if (op->dur_ns == TD_NULL || !w->is_work)
		return 0;
	if (!op->dur_ns || !op->device_id || !w->on_clock[op->source_id]) {
		w->given_up = true;
		return 0;
	}
	w->first_ns = TD_MIN(w->first_ns, op->start_ns);
	w->end_ns = TD_MAX(w->end_ns, td_plus(op->start_ns, op->dur_ns));
	return note_use(w, op);
}

static int work_step(void *ud, struct td_row_batch *b)
{
	struct td_waits *w = ud;
	const struct td_gpu_op *ops = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r == 0 && !w->given_up; i++)
		r = add_work(w, &ops[i]);
	return r;
}

void td_waits_add_work_steps(struct td_waits *w, struct td_row_work *to, unsigned after)
{
	(void)td_row_work_add(to, work_step, w, true, after);
}

/* --- calls --- */

static int add_call(struct td_waits *w, const struct td_call *c)
{
	const struct key key = { c->op_id, c->process_id, c->thread_id };
	uint32_t at = td_intern_add(&w->keys, (const char *)&key, sizeof(key));
	struct group *g;

	if (!at || td_grow(&w->groups, &w->cap, w->n) < 0 ||
	    td_grow(&w->stalls, &w->stalls_cap, w->nstalls) < 0)
		return -ENOMEM;
	if (at > w->n)
		w->groups[w->n++] = (struct group){ .key = key };
	g = &w->groups[at - 1];
	g->calls++;
	w->given_up |= w->n > w->budget;
	if (c->dur_ns == TD_NULL || c->dur_ns < STALL_NS)
		return 0;
	if (!g->stalls || c->dur_ns > g->max_ns) {
		g->max_ns = c->dur_ns;
		g->max_start_ns = c->start_ns;
	}
	g->stalls++;
	g->stall_ns = td_plus(g->stall_ns, c->dur_ns);
	w->stalls[w->nstalls++] = (struct stall){ c->start_ns, td_plus(c->start_ns, c->dur_ns),
						  c->process_id, at - 1 };
	w->given_up |= w->nstalls > w->budget;
	return 0;
}

static int call_step(void *ud, struct td_row_batch *b)
{
	struct td_waits *w = ud;
	const struct td_call *calls = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r == 0 && !w->given_up; i++)
		if (w->waits[calls[i].op_id] && !calls[i].nested)
			r = add_call(w, &calls[i]);
	return r;
}

void td_waits_add_call_steps(struct td_waits *w, struct td_row_work *to, unsigned after)
{
	(void)td_row_work_add(to, call_step, w, true, after);
}

/* --- a process --- */

/* What was not looked at yet of the busy times of a GPU. */
struct head {
	const struct td_busy *busy;
	struct td_busy_place at;
	struct td_interval on; /* what is there */
	bool any;
};

struct sweep {
	struct td_waits *w;
	uint32_t process_id;
	struct head *heads; /* owned; of its GPUs */
	size_t nheads;
	size_t *on; /* owned; stalls of the process that have begun and were not done with */
	size_t non;
	size_t next; /* stall */
};

static void sweep_done(struct sweep *s)
{
	free(s->heads);
	free(s->on);
}

static int open_sweep(struct td_waits *w, uint32_t process_id, td_busy_fn busy, const void *ud,
		      struct sweep *ret)
{
	*ret = (struct sweep){ .w = w, .process_id = process_id };
	ret->heads = calloc(w->nuses, sizeof(*ret->heads));
	ret->on = calloc(w->nstalls + 1, sizeof(*ret->on));
	if (!ret->heads || !ret->on)
		return -ENOMEM;
	for (size_t i = 0; i < w->nuses; i++) {
		struct head *h = &ret->heads[ret->nheads];

		if (w->uses[i].process_id != process_id)
			continue;
		h->busy = busy(ud, w->uses[i].device_id);
		h->any = td_busy_get(h->busy, &h->at, &h->on);
		ret->nheads++;
	}
	return 0;
}

/* The next stretch in which any of the GPUs had work. */
static bool next_stretch(struct sweep *s, struct td_interval *ret)
{
	bool any = false;

	for (;;) {
		struct head *first = NULL;

		for (size_t i = 0; i < s->nheads; i++) {
			struct head *h = &s->heads[i];

			if (h->any && (!first || h->on.start_ns < first->on.start_ns))
				first = h;
		}
		if (!first || (any && first->on.start_ns > ret->end_ns))
			return any;
		if (!any)
			*ret = first->on;
		ret->end_ns = TD_MAX(ret->end_ns, first->on.end_ns);
		any = true;
		first->at.i++;
		first->any = td_busy_get(first->busy, &first->at, &first->on);
	}
}

/* No GPU had work from one time to the other. INT64_MAX: none had any later. */
static void add_gap(struct sweep *s, int64_t from_ns, int64_t to_ns)
{
	struct td_waits *w = s->w;
	size_t left = 0;

	for (; s->next < w->nstalls && w->stalls[s->next].start_ns <= to_ns; s->next++)
		if (w->stalls[s->next].process_id == s->process_id)
			s->on[s->non++] = s->next;
	for (size_t i = 0; i < s->non; i++) {
		const struct stall *stall = &w->stalls[s->on[i]];
		struct group *g = &w->groups[stall->group];
		int64_t begin_ns = TD_MAX(stall->start_ns, from_ns);

		g->idle_ns += TD_MAX(TD_MIN(stall->end_ns, to_ns) - begin_ns, INT64_C(0));
		if (stall->end_ns > to_ns)
			s->on[left++] = s->on[i];
		else if (stall->end_ns >= from_ns && to_ns != INT64_MAX)
			g->after_ns += to_ns - stall->end_ns;
	}
	s->non = left;
}

static int measure_process(struct td_waits *w, uint32_t process_id, td_busy_fn busy, const void *ud)
{
	_cleanup_(sweep_done) struct sweep s = { 0 };
	struct td_interval stretch;
	int64_t idle_from_ns = INT64_MIN;
	int r = open_sweep(w, process_id, busy, ud, &s);

	while (r == 0 && next_stretch(&s, &stretch)) {
		add_gap(&s, idle_from_ns, stretch.start_ns);
		idle_from_ns = stretch.end_ns;
	}
	if (r == 0)
		add_gap(&s, idle_from_ns, INT64_MAX);
	return r;
}

static int measure(struct td_waits *w, td_busy_fn busy, const void *ud)
{
	int r = 0;

	for (size_t i = 0; i < w->nuses && r == 0; i++) {
		size_t first = 0;

		while (w->uses[first].process_id != w->uses[i].process_id)
			first++;
		if (first == i)
			r = measure_process(w, w->uses[i].process_id, busy, ud);
	}
	return r;
}

/* --- rows --- */

static bool has_gpus(const struct td_waits *w, uint32_t process_id)
{
	size_t i = 0;

	while (i < w->nuses && w->uses[i].process_id != process_id)
		i++;
	return i < w->nuses;
}

static int write_group(const struct td_waits *w, const struct group *g, struct td_row_builder *rows)
{
	bool known = has_gpus(w, g->key.process_id);

	td_row_i64(rows, g->key.op_id);
	td_row_key(rows, g->key.process_id);
	td_row_key(rows, g->key.thread_id);
	td_row_i64(rows, g->calls);
	td_row_i64(rows, g->stalls);
	td_row_i64(rows, g->stall_ns);
	td_row_i64(rows, g->max_ns);
	td_row_i64(rows, g->max_start_ns);
	td_row_i64(rows, known ? g->idle_ns : TD_NULL);
	td_row_i64(rows, known ? g->after_ns : TD_NULL);
	td_row_i64(rows, w->end_ns > w->first_ns ? w->end_ns - w->first_ns : TD_NULL);
	return td_row_builder_end_row(rows);
}

int td_waits_write(struct td_waits *w, td_busy_fn busy, const void *ud,
		   const struct td_target *target, struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "gpu_wait_stat", err);

	if (r < 0 || w->given_up || !w->nstalls)
		return r;
	r = measure(w, busy, ud);
	for (size_t i = 0; i < w->n && r >= 0; i++)
		if (w->groups[i].stalls)
			r = write_group(w, &w->groups[i], &rows);
	return r;
}
