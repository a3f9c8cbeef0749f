/* SPDX-License-Identifier: MIT */
/* Calls by how long they took and how much they transferred, with what else: bucket_stat. */
#include "store/derive/derivation.h"
#include "common/array.h"
#include "schema/stat_math.h"
#include "store/derive/op_verbs.h"
#include "store/write/row_builder.h"

/* More of them are not told apart (1.5 kB each). */
#define GROUPS_MAX 4096
#define PROCESSES_MAX 65536
/* Rows that a grouping may have: one for so many calls, but always so many. */
#define CALLS_EACH 64
#define ROWS_MIN 1000

/* Among many files no cache holds their templates: they are asked for so many calls ahead. */
#define AHEAD_CALLS 16

enum { KNOWN_BYTES = 1, KNOWN_NS = 2 };

/* What is added up of a call, and what that is of many. */
struct sums {
	uint64_t calls;
	int64_t done_bytes, total_ns;
	unsigned known; /* which of them any call has; else they are 0 */
};

/* Groups of one grouping: each has sums for calls without a value, and behind them for each bucket. */
struct grouping {
	const char *by; /* bucket_stat.by */
	int64_t (*low)(unsigned bucket);
	size_t nbuckets; /* with that of calls without a value */
	uint32_t *
		groups; /* owned; by place: its number, from 1; 0: none yet. NULL: it is given up */
	uint32_t *places; /* owned; by group */
	struct sums *sums; /* owned */
	size_t n, places_cap, cap;
};

enum { OP_LATENCY, OP_SIZE, TEMPLATE_SIZE, PROCESS_SIZE, NGROUPINGS };

struct td_buckets {
	const struct td_contents *in; /* of the store; borrowed */
	uint64_t calls;
	struct grouping groupings[NGROUPINGS];
	uint32_t *template_of; /* owned; by file: number of its template, 0: none */
	uint32_t *templates; /* owned; by that number: string */
	size_t ntemplates;
	struct td_op_verbs verbs;
};

static int make(const char *spill_path, void **ret)
{
	*ret = calloc(1, sizeof(struct td_buckets));
	return *ret ? 0 : -ENOMEM;
}

static void give_up(struct grouping *g)
{
	free(TAKE_PTR(g->groups));
	free(TAKE_PTR(g->places));
	free(TAKE_PTR(g->sums));
}

static void free_all(void *ud)
{
	struct td_buckets *b = ud;

	if (!b)
		return;
	for (size_t i = 0; i < NGROUPINGS; i++)
		give_up(&b->groupings[i]);
	free(b->template_of);
	free(b->templates);
	td_op_verbs_done(&b->verbs);
	free(b);
}

/* --- what calls are grouped by --- */

/* As long as there are not too many. */
static int number_templates(struct td_buckets *b, struct td_store *st)
{
	_cleanup_(td_intern_done) struct td_intern known = TD_INTERN_INIT;

	b->template_of = calloc(b->in->nfiles + 1, sizeof(*b->template_of));
	b->templates = calloc(GROUPS_MAX + 2, sizeof(*b->templates));
	if (!b->template_of || !b->templates)
		return -ENOMEM;
	for (uint32_t id = 1; id <= b->in->nfiles && b->ntemplates <= GROUPS_MAX; id++) {
		uint32_t text, last = b->template_of[id - 1];

		if (b->in->files[id - 1].merged_into)
			continue;
		text = td_store_file_template(st, id);
		if (!text)
			continue;
		/* mostly that of the file before */
		if (text == b->templates[last]) {
			b->template_of[id] = last;
			continue;
		}
		b->template_of[id] = td_intern_add(&known, (const char *)&text, sizeof(text));
		if (!b->template_of[id])
			return -ENOMEM;
		b->templates[b->template_of[id]] = text;
		b->ntemplates = known.n;
	}
	return td_store_error(st);
}

static int begin_grouping(struct grouping *g, const char *by, int64_t (*low)(unsigned bucket),
			  size_t nplaces)
{
	g->by = by;
	g->low = low;
	g->nbuckets = 1 + (low == td_size_low ? TD_SIZE_BUCKETS : TD_LATENCY_BUCKETS);
	g->groups = calloc(nplaces, sizeof(*g->groups));
	return g->groups ? 0 : -ENOMEM;
}

static int begin(void *ud, struct td_store *st)
{
	struct td_buckets *b = ud;
	int r;

	b->in = td_store_contents(st);
	r = td_op_verbs_load(b->in, &b->verbs);
	if (r == 0)
		r = number_templates(b, st);
	if (r == 0)
		r = begin_grouping(&b->groupings[OP_LATENCY], "op,latency", td_latency_low,
				   b->in->nops + 1);
	if (r == 0)
		r = begin_grouping(&b->groupings[OP_SIZE], "op,size", td_size_low, b->in->nops + 1);
	if (r == 0 && b->ntemplates <= GROUPS_MAX)
		r = begin_grouping(&b->groupings[TEMPLATE_SIZE], "template,verb,size", td_size_low,
				   (b->ntemplates + 1) * (b->verbs.n + 1));
	if (r == 0 && b->in->nprocesses <= PROCESSES_MAX)
		r = begin_grouping(&b->groupings[PROCESS_SIZE], "process,verb,size", td_size_low,
				   (b->in->nprocesses + 1) * (b->verbs.n + 1));
	return r;
}

/* --- calls --- */

/* 0; -E2BIG: there are too many; -ENOMEM. */
static int new_group(struct grouping *g, size_t place)
{
	size_t end = (g->n + 1) * g->nbuckets;

	if (g->n == GROUPS_MAX)
		return -E2BIG;
	if (td_grow(&g->places, &g->places_cap, g->n) < 0)
		return -ENOMEM;
	if (end > g->cap) {
		size_t cap = TD_MAX(end, 2 * g->cap);
		struct sums *grown = realloc(g->sums, cap * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		g->sums = grown;
		g->cap = cap;
	}
	for (size_t i = end - g->nbuckets; i < end; i++)
		g->sums[i] = (struct sums){ 0 };
	g->places[g->n++] = (uint32_t)place;
	g->groups[place] = (uint32_t)g->n;
	return 0;
}

/* The first of its group: 1, or 0 if the grouping is given up, or -ENOMEM. */
static int begin_group(struct grouping *g, size_t place)
{
	int r = new_group(g, place);

	if (r == -E2BIG)
		give_up(g);
	return r == -E2BIG ? 0 : r < 0 ? r : 1;
}

/* Inline, as each call comes here four times. */
static inline __attribute__((always_inline)) int add(struct grouping *g, size_t place,
						     unsigned bucket, const struct sums *more)
{
	struct sums *to;
	int r;

	if (!g->groups)
		return 0;
	if (!g->groups[place]) {
		r = begin_group(g, place);
		if (r <= 0)
			return r;
	}
	to = &g->sums[(g->groups[place] - 1) * g->nbuckets + bucket];
	to->calls++;
	to->done_bytes = td_plus(to->done_bytes, more->done_bytes);
	to->total_ns = td_plus(to->total_ns, more->total_ns);
	to->known |= more->known;
	return 0;
}

/* What one call adds, and into which buckets. */
struct added {
	struct sums sums;
	unsigned latency, size;
};

static struct added added_by(const struct td_call *c)
{
	struct added a = { .sums = { .calls = 1 } };

	if (c->dur_ns != TD_NULL) {
		a.latency = 1 + td_latency_bucket(c->dur_ns);
		a.sums.total_ns = c->dur_ns;
		a.sums.known = KNOWN_NS;
	}
	if (c->done_bytes != TD_NULL) {
		a.size = 1 + td_size_bucket(c->done_bytes);
		a.sums.done_bytes = c->done_bytes;
		a.sums.known |= KNOWN_BYTES;
	}
	return a;
}

static int add_by_op(struct td_buckets *b, const struct td_call *c)
{
	struct added a = added_by(c);
	int r = add(&b->groupings[OP_LATENCY], c->op_id, a.latency, &a.sums);

	b->calls++;
	return r < 0 ? r : add(&b->groupings[OP_SIZE], c->op_id, a.size, &a.sums);
}

static int add_by_verb(struct td_buckets *b, const struct td_call *c)
{
	const struct td_op_verb *op = &b->verbs.ops[c->op_id];
	struct added a;
	int r;

	if (!op->is_io)
		return 0;
	a = added_by(c);
	r = add(&b->groupings[TEMPLATE_SIZE], b->template_of[c->file_id] * b->verbs.n + op->verb,
		a.size, &a.sums);
	return r < 0 ? r
		     : add(&b->groupings[PROCESS_SIZE], c->process_id * b->verbs.n + op->verb,
			   a.size, &a.sums);
}

static int op_step(void *ud, struct td_row_batch *batch)
{
	const struct td_call *calls = batch->records;
	int r = 0;

	for (size_t i = 0; i < batch->n && r == 0; i++)
		if (!calls[i].nested)
			r = add_by_op(ud, &calls[i]);
	return r;
}

static int verb_step(void *ud, struct td_row_batch *batch)
{
	struct td_buckets *b = ud;
	const struct td_call *calls = batch->records;
	int r = 0;

	for (size_t i = 0; i < batch->n && r == 0; i++) {
		size_t ahead = TD_MIN(i + AHEAD_CALLS, batch->n - 1);

		__builtin_prefetch(&b->template_of[calls[ahead].file_id]);
		if (!calls[i].nested)
			r = add_by_verb(b, &calls[i]);
	}
	return r;
}

/* Two steps, as one would be what the others wait for where there are many threads. */
static void add_steps(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after)
{
	if (kind != TD_KIND_CALL)
		return;
	(void)td_row_work_add(to, op_step, ud, true, after);
	(void)td_row_work_add(to, verb_step, ud, true, after);
}

/* --- rows --- */

static size_t count_rows(const struct grouping *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n * g->nbuckets; i++)
		n += g->sums[i].calls != 0;
	return n;
}

static int write_row(struct td_row_builder *rows, const struct td_buckets *b, size_t grouping,
		     size_t i)
{
	const struct grouping *g = &b->groupings[grouping];
	const struct sums *sums = &g->sums[i];
	uint32_t place = g->places[i / g->nbuckets];
	bool by_verb = grouping == TEMPLATE_SIZE || grouping == PROCESS_SIZE;
	uint32_t key = by_verb ? place / (uint32_t)b->verbs.n : place;
	unsigned bucket = (unsigned)(i % g->nbuckets);

	td_row_text(rows, g->by);
	td_row_key(rows, grouping == TEMPLATE_SIZE ? b->templates[key] : key);
	td_row_text(rows, by_verb ? b->verbs.names[place % b->verbs.n] : NULL);
	td_row_i64(rows, bucket ? g->low(bucket - 1) : TD_NULL);
	td_row_i64(rows, (int64_t)sums->calls);
	td_row_i64(rows, sums->known & KNOWN_BYTES ? sums->done_bytes : TD_NULL);
	td_row_i64(rows, sums->known & KNOWN_NS ? sums->total_ns : TD_NULL);
	return td_row_builder_end_row(rows);
}

static int write_tables(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_buckets *b = ud;
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "bucket_stat", err);

	for (size_t k = 0; k < NGROUPINGS; k++) {
		const struct grouping *g = &b->groupings[k];

		if (!g->groups || count_rows(g) > TD_MAX(b->calls / CALLS_EACH, ROWS_MIN))
			continue;
		for (size_t i = 0; i < g->n * g->nbuckets && r >= 0; i++)
			if (g->sums[i].calls)
				r = write_row(&rows, b, k, i);
	}
	return r;
}

const struct td_derivation td_buckets_derivation = {
	.make = make,
	.free = free_all,
	.begin = begin,
	.add_steps = add_steps,
	.write = write_tables,
};
