/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include "store/derive/kernels.h"
#include "common/array.h"
#include "common/caldate.h"

#define STEP_NS TD_SEC_NS /* the timeline is cut so often, for questions about a stretch of it */

struct intervals {
	struct td_interval *items;
	size_t n, cap;
};

struct gpu {
	struct td_busy busy;
	struct intervals looked;
	uint16_t *sources; /* that have work of it */
	size_t nsources, sources_cap;
};

/* What a source did not see. */
struct unseen {
	uint16_t source_id;
	struct td_interval on;
};

struct td_kernels {
	struct td_store *st;
	struct unseen *unseen; /* in order of start */
	size_t nunseen, unseen_cap;
	struct gpu *gpus; /* by device id */
	size_t ngpus;
};

int td_kernels_new(struct td_kernels **ret)
{
	struct td_kernels *k = calloc(1, sizeof(*k));

	if (!k)
		return -ENOMEM;
	*ret = k;
	return 0;
}

void td_kernels_free(struct td_kernels *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->ngpus; i++) {
		td_busy_done(&k->gpus[i].busy);
		free(k->gpus[i].looked.items);
		free(k->gpus[i].sources);
	}
	free(k->gpus);
	free(k->unseen);
	free(k);
}

int td_kernels_begin(struct td_kernels *k, struct td_store *st)
{
	k->st = st;
	k->ngpus = td_store_contents(st)->ndevices + 1;
	k->gpus = calloc(k->ngpus, sizeof(*k->gpus));
	return k->gpus ? 0 : -ENOMEM;
}

static int add_source(struct gpu *g, uint16_t source_id)
{
	int r;

	for (size_t i = g->nsources; i-- > 0;)
		if (g->sources[i] == source_id)
			return 0;
	r = td_grow(&g->sources, &g->sources_cap, g->nsources);
	if (r >= 0)
		g->sources[g->nsources++] = source_id;
	return r;
}

int td_kernels_add(struct td_kernels *k, const struct td_gpu_op *op)
{
	struct gpu *g = &k->gpus[op->device_id];
	int r;

	if (!op->device_id || td_str_eq(td_store_text(k->st, op->kind_id), "sync"))
		return 0;
	r = add_source(g, op->source_id);
	if (r < 0 || op->dur_ns == TD_NULL || op->dur_ns <= 0)
		return r;
	return td_busy_add(&g->busy, op->start_ns, op->start_ns + op->dur_ns);
}

/* --- when it was looked at --- */

int td_kernels_span(struct td_kernels *k, const struct td_span *span)
{
	int r;

	if (span->dur_ns == TD_NULL ||
	    !td_str_eq(td_store_text(k->st, span->kind_id), TD_SPAN_UNRECORDED))
		return 0;
	r = td_grow(&k->unseen, &k->unseen_cap, k->nunseen);
	if (r >= 0)
		k->unseen[k->nunseen++] = (struct unseen){
			span->source_id,
			{ span->start_ns, span->start_ns + span->dur_ns },
		};
	return r;
}

static int add_interval(struct intervals *u, int64_t start_ns, int64_t end_ns)
{
	int r = end_ns > start_ns ? td_grow(&u->items, &u->cap, u->n) : 0;

	if (r >= 0 && end_ns > start_ns)
		u->items[u->n++] = (struct td_interval){ start_ns, end_ns };
	return r;
}

/* From its first row to its last one, but for what it did not see. */
static int add_looked(const struct td_kernels *k, uint16_t source_id, struct intervals *of)
{
	const struct td_source *s = &td_store_contents(k->st)->sources[source_id - 1];
	struct td_shift shift = td_source_shift(s);
	int64_t from_ns = td_shift_to_utc(&shift, s->first_native_ns);
	int64_t to_ns = td_shift_to_utc(&shift, s->last_native_ns);
	int r = 0;

	for (size_t i = 0; i < k->nunseen && r >= 0; i++) {
		const struct unseen *u = &k->unseen[i];

		if (u->source_id != source_id)
			continue;
		r = add_interval(of, from_ns, TD_MIN(u->on.start_ns, to_ns));
		from_ns = TD_MAX(from_ns, u->on.end_ns);
	}
	return r < 0 ? r : add_interval(of, from_ns, to_ns);
}

static int by_start(const void *a, const void *b)
{
	const struct td_interval *x = a, *y = b;

	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* The union, of intervals in order of start. */
static int unite(struct intervals *u, int64_t start_ns, int64_t end_ns)
{
	struct td_interval *last = u->n ? &u->items[u->n - 1] : NULL;
	int r;

	if (last && start_ns <= last->end_ns) {
		last->end_ns = TD_MAX(last->end_ns, end_ns);
		return 0;
	}
	r = td_grow(&u->items, &u->cap, u->n);
	if (r < 0)
		return r;
	assert(u->items); /* clang's analyzer does not see it */
	u->items[u->n++] = (struct td_interval){ start_ns, end_ns };
	return 0;
}

static int find_looked(const struct td_kernels *k, struct gpu *g)
{
	struct intervals of = { 0 };
	int r = 0;

	for (size_t i = 0; i < g->nsources && r >= 0; i++)
		r = add_looked(k, g->sources[i], &of);
	if (of.n)
		qsort(of.items, of.n, sizeof(*of.items), by_start);
	for (size_t i = 0; i < of.n && r >= 0; i++)
		r = unite(&g->looked, of.items[i].start_ns, of.items[i].end_ns);
	free(of.items);
	return r;
}

static int add_times(const struct intervals *looked, struct td_times *times)
{
	int r = 0;

	for (size_t i = 0; i < looked->n && r >= 0; i++) {
		const struct td_interval *l = &looked->items[i];

		for (int64_t t = l->start_ns; t < l->end_ns && r >= 0; t += STEP_NS)
			r = td_times_add(times, t);
		if (r >= 0)
			r = td_times_add(times, l->end_ns);
	}
	return r;
}

int td_kernels_times(struct td_kernels *k, struct td_times *times)
{
	int r = 0;

	for (size_t d = 0; d < k->ngpus && r >= 0; d++) {
		struct gpu *g = &k->gpus[d];

		if (!g->nsources)
			continue;
		r = find_looked(k, g);
		if (r >= 0)
			r = add_times(&g->looked, times);
	}
	return r;
}

bool td_kernels_any(const struct td_kernels *k, uint32_t device_id)
{
	return k->gpus[device_id].looked.n > 0;
}

bool td_kernels_looked(const struct td_kernels *k, uint32_t device_id, int64_t from_ns,
		       int64_t to_ns)
{
	const struct intervals *l = &k->gpus[device_id].looked;

	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].start_ns <= from_ns && to_ns <= l->items[i].end_ns)
			return true;
	return false;
}

bool td_kernels_touch(const struct td_kernels *k, uint32_t device_id, int64_t from_ns,
		      int64_t to_ns)
{
	const struct intervals *l = &k->gpus[device_id].looked;

	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].start_ns < to_ns && from_ns < l->items[i].end_ns)
			return true;
	return false;
}

bool td_kernels_between(const struct td_kernels *k, uint32_t device_id, int64_t from_ns,
			int64_t to_ns)
{
	const struct intervals *l = &k->gpus[device_id].looked;

	return l->n && l->items[0].start_ns < from_ns && to_ns < l->items[l->n - 1].end_ns;
}

const struct td_busy *td_kernels_busy(const struct td_kernels *k, uint32_t device_id)
{
	return &k->gpus[device_id].busy;
}
