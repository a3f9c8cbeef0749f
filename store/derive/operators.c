/* SPDX-License-Identifier: MIT */
/*
 * What operators and annotations of profiles took, by themselves and with what is within them, and
 * the work of GPUs that was launched in them: operator_sum. Spans wait for the calls, which come
 * last, and of the work what each call launched.
 */
#include <stdlib.h>

#include "common/array.h"
#include "common/call_numbers.h"
#include "common/intern.h"
#include "common/strbuf.h"
#include "schema/stat_math.h"
#include "store/derive/derivation.h"
#include "store/write/row_builder.h"

/* One row for so many spans, but always so many, and never more than that. */
#define SPANS_EACH 32
#define BUDGET_MIN ((size_t)2000)
#define BUDGET_MAX ((size_t)1 << 16)

/* What waits for the calls: spans, and pages of numbers of calls (64 bytes each). Beyond that there is no table. */
#define SPANS_MAX ((size_t)1 << 21)
#define PAGES_MAX ((size_t)1 << 20)
/* Spans that begin at one time are put in order one by one. */
#define AT_ONCE_MAX 256

struct key {
	uint32_t kind_id, name_id;
};

struct group {
	struct key key;
	int64_t calls, total_ns, self_ns, min_ns, max_ns, gpu_ops, gpu_ns;
};

struct span {
	int64_t start_ns, dur_ns;
	uint32_t lane; /* the thread, or behind all threads the process where that is not known */
	uint32_t group;
};

struct open_span {
	int64_t end_ns;
	uint32_t group;
};

struct lane {
	struct open_span *items; /* owned */
	size_t n, cap;
};

/* What is kept of the work of a call: the time of one piece, plus 1; or from SEVERAL on the place
 * of the sum of what there is. */
#define SEVERAL 0x80000000U
#define TAKEN SEVERAL /* the first such place: a call has taken what there was */

struct work {
	int64_t ops, ns;
};

/* When what calls launched began: of so many calls together, whose numbers were met one after the other. */
#define CALLS_OF_BLOCK 128
struct block {
	int64_t first_ns, last_ns;
};

/* What a kind of spans is. */
enum kind { NO_OPERATOR, OPERATOR, NVTX };

struct td_operators {
	struct td_store *st; /* borrowed */
	size_t budget;
	uint32_t span_kind_id, work_kind_id; /* of the span and work before, and what that is */
	enum kind kind;
	bool is_work;
	struct td_intern keys; /* runs parallel to groups */
	struct group *groups; /* owned */
	size_t n, cap;
	struct span *spans; /* owned; those that contain others first */
	size_t nspans, spans_cap;
	size_t opened; /* so many of them have begun */
	struct td_call_numbers calls;
	struct work *several; /* owned */
	size_t nseveral, several_cap;
	struct block *blocks; /* owned; of the places of calls */
	size_t nblocks, blocks_cap;
	int64_t delay_min_ns, delay_max_ns; /* from a call to what it launched, if any_launch */
	bool *cuda; /* owned; by op id */
	struct lane *lanes; /* owned */
	size_t nthreads, nlanes;
	bool any_launch;
	bool given_up; /* there was too much */
};

static int make(const char *spill_path, void **ret)
{
	*ret = calloc(1, sizeof(struct td_operators));
	return *ret ? 0 : -ENOMEM;
}

static void give_back(struct td_operators *o)
{
	td_intern_done(&o->keys);
	td_call_numbers_done(&o->calls);
	for (size_t i = 0; i < o->nlanes && o->lanes; i++)
		free(o->lanes[i].items);
	free(TAKE_PTR(o->lanes));
	free(TAKE_PTR(o->groups));
	free(TAKE_PTR(o->spans));
	free(TAKE_PTR(o->several));
	free(TAKE_PTR(o->blocks));
	free(TAKE_PTR(o->cuda));
	o->n = o->cap = o->nspans = o->spans_cap = o->nseveral = o->several_cap = 0;
	o->nblocks = o->blocks_cap = 0;
}

static void free_all(void *ud)
{
	struct td_operators *o = ud;

	if (!o)
		return;
	give_back(o);
	free(o);
}

/* Rows at most; if there are more the table stays empty. Without it, it is a share of the spans. */
static void set_budget(void *ud, size_t budget)
{
	struct td_operators *o = ud;

	o->budget = budget;
}

static int begin(void *ud, struct td_store *st)
{
	struct td_operators *o = ud;
	const struct td_contents *in = td_store_contents(st);
	uint64_t spans = td_stage_count(td_store_stage(st, TD_KIND_SPAN));

	o->st = st;
	o->nthreads = in->nthreads;
	o->nlanes = in->nthreads + in->nprocesses + 2;
	o->lanes = calloc(o->nlanes, sizeof(*o->lanes));
	o->cuda = calloc(in->nops + 1, sizeof(*o->cuda));
	if (!o->lanes || !o->cuda)
		return -ENOMEM;
	for (size_t i = 0; i < in->nops; i++)
		o->cuda[i + 1] = in->ops[i].layer == TD_LAYER_CUDA;
	if (!o->budget)
		o->budget = TD_MAX(TD_MIN(spans / SPANS_EACH, BUDGET_MAX), BUDGET_MIN);
	return 0;
}

static void give_up(struct td_operators *o)
{
	o->given_up = true;
	give_back(o);
}

/* --- spans --- */

static enum kind kind_of(struct td_str text)
{
	if (td_str_eq(text, "nvtx"))
		return NVTX;
	return td_str_eq(text, "cpu-op") || td_str_eq(text, "annotation") ? OPERATOR : NO_OPERATOR;
}

/* PyTorch's words behind the name; other ranges are the program's own. */
static bool is_of_pytorch(struct td_str name)
{
	return memmem(name.p, name.len, ", op_id = ", 10) ||
	       memmem(name.p, name.len, ", seq = ", 8);
}

static bool is_operator(struct td_operators *o, const struct td_span *s)
{
	if (s->kind_id != o->span_kind_id) {
		o->span_kind_id = s->kind_id;
		o->kind = kind_of(td_store_text(o->st, s->kind_id));
	}
	return s->dur_ns != TD_NULL &&
	       (o->kind == OPERATOR ||
		(o->kind == NVTX && is_of_pytorch(td_store_text(o->st, s->name_id))));
}

/* Behind what begins earlier, or then and lasts as long: it may be within that. false: there are
 * too many at one time. */
static bool put_span(struct td_operators *o, struct span s)
{
	size_t at = o->nspans;

	while (at && o->spans[at - 1].start_ns == s.start_ns &&
	       o->spans[at - 1].dur_ns < s.dur_ns && o->nspans - at < AT_ONCE_MAX) {
		o->spans[at] = o->spans[at - 1];
		at--;
	}
	o->spans[at] = s;
	o->nspans++;
	return o->nspans - at <= AT_ONCE_MAX && (!at || o->spans[at - 1].start_ns <= s.start_ns);
}

/* The number of its group, plus 1: that of its name, and of an NVTX range of the operator, without
 * what PyTorch adds, which may be different each time. 0: out of memory. */
static uint32_t find_group(struct td_operators *o, const struct td_span *s)
{
	const struct key key = { s->kind_id, s->name_id };
	struct td_str name = td_store_text(o->st, s->name_id);
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	const char *end;

	if (o->kind == OPERATOR)
		return td_intern_add(&o->keys, (const char *)&key, sizeof(key));
	end = (const char *)memmem(name.p, name.len, ", ", 2);
	td_strbuf_add(&text, (const char *)&s->kind_id, sizeof(s->kind_id));
	td_strbuf_add(&text, name.p, end ? (size_t)(end - name.p) : name.len);
	return td_strbuf_error(&text) < 0 ? 0 : td_intern_add(&o->keys, text.p, text.len);
}

static int add_span(struct td_operators *o, const struct td_span *s)
{
	const struct key key = { s->kind_id, s->name_id };
	uint32_t at = find_group(o, s);

	if (!at || td_grow(&o->groups, &o->cap, o->n) < 0 ||
	    td_grow(&o->spans, &o->spans_cap, o->nspans) < 0)
		return -ENOMEM;
	if (at > o->n)
		o->groups[o->n++] = (struct group){ .key = key };
	if (o->n > o->budget || o->nspans == SPANS_MAX ||
	    !put_span(o, (struct span){ s->start_ns, s->dur_ns,
					s->thread_id ? s->thread_id
						     : (uint32_t)o->nthreads + 1 + s->process_id,
					at - 1 }))
		give_up(o);
	return 0;
}

static int span_step(void *ud, struct td_row_batch *b)
{
	struct td_operators *o = ud;
	const struct td_span *spans = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r == 0 && !o->given_up; i++)
		if (is_operator(o, &spans[i]))
			r = add_span(o, &spans[i]);
	return r;
}

/* --- work --- */

static int add_to_several(struct td_operators *o, uint32_t *place, int64_t dur_ns)
{
	struct work before = { *place ? 1 : 0, *place ? (int64_t)*place - 1 : 0 };
	struct work *w;

	if (*place < SEVERAL) {
		if (!o->nseveral)
			o->nseveral = 1; /* the first is TAKEN */
		if (td_grow(&o->several, &o->several_cap, o->nseveral) < 0)
			return -ENOMEM;
		o->several[o->nseveral] = before;
		*place = SEVERAL + (uint32_t)o->nseveral++;
	}
	w = &o->several[*place - SEVERAL];
	w->ops++;
	w->ns = td_plus(w->ns, dur_ns);
	return 0;
}

static struct block *block_of(struct td_operators *o, const uint32_t *place)
{
	return &o->blocks[td_call_numbers_index(&o->calls, place) / CALLS_OF_BLOCK];
}

static int note_begin(struct td_operators *o, const uint32_t *place, int64_t start_ns)
{
	struct block *b;

	while (o->nblocks * CALLS_OF_BLOCK <= td_call_numbers_index(&o->calls, place)) {
		if (td_grow(&o->blocks, &o->blocks_cap, o->nblocks) < 0)
			return -ENOMEM;
		o->blocks[o->nblocks++] = (struct block){ INT64_MAX, INT64_MIN };
	}
	b = block_of(o, place);
	b->first_ns = TD_MIN(b->first_ns, start_ns);
	b->last_ns = TD_MAX(b->last_ns, start_ns);
	return 0;
}

static int add_work(struct td_operators *o, const struct td_gpu_op *op)
{
	int64_t dur_ns = TD_MAX(op->dur_ns, INT64_C(0));
	uint32_t *place;

	if (op->kind_id != o->work_kind_id) {
		o->work_kind_id = op->kind_id;
		o->is_work = !td_str_eq(td_store_text(o->st, op->kind_id), "sync");
	}
	if (!o->is_work || !op->process_id || op->correlation == TD_NULL)
		return 0;
	place = td_call_numbers_place(&o->calls, op->process_id, op->correlation);
	if (!place || note_begin(o, place, op->start_ns) < 0)
		return -ENOMEM;
	if (*place || dur_ns >= (int64_t)SEVERAL - 1) {
		if (add_to_several(o, place, dur_ns) < 0)
			return -ENOMEM;
	} else {
		*place = (uint32_t)dur_ns + 1;
	}
	if (o->calls.npages > PAGES_MAX || o->nseveral > PAGES_MAX)
		give_up(o);
	return 0;
}

static int work_step(void *ud, struct td_row_batch *b)
{
	struct td_operators *o = ud;
	const struct td_gpu_op *ops = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r == 0 && o->nspans; i++)
		r = add_work(o, &ops[i]);
	return r;
}

/* --- what is within what --- */

/* What is innermost then; NULL: nothing. */
static const struct open_span *find_open(struct lane *lane, int64_t at_ns)
{
	while (lane->n && lane->items[lane->n - 1].end_ns <= at_ns)
		lane->n--;
	return lane->n ? &lane->items[lane->n - 1] : NULL;
}

static int open_span(struct td_operators *o, const struct span *s)
{
	struct lane *lane = &o->lanes[s->lane];
	int64_t end_ns = td_plus(s->start_ns, s->dur_ns);
	const struct open_span *in = find_open(lane, s->start_ns);
	struct group *g = &o->groups[s->group];

	if (in)
		o->groups[in->group].self_ns -= TD_MIN(end_ns, in->end_ns) - s->start_ns;
	g->min_ns = g->calls ? TD_MIN(g->min_ns, s->dur_ns) : s->dur_ns;
	g->max_ns = TD_MAX(g->max_ns, s->dur_ns);
	g->calls++;
	g->total_ns = td_plus(g->total_ns, s->dur_ns);
	g->self_ns = td_plus(g->self_ns, s->dur_ns);
	if (td_grow(&lane->items, &lane->cap, lane->n) < 0)
		return -ENOMEM;
	lane->items[lane->n++] = (struct open_span){ end_ns, s->group };
	return 0;
}

/* Those that begin until then. */
static int open_until(struct td_operators *o, int64_t at_ns)
{
	int r = 0;

	while (o->opened < o->nspans && o->spans[o->opened].start_ns <= at_ns && r == 0)
		r = open_span(o, &o->spans[o->opened++]);
	return r;
}

/* --- calls --- */

static struct work take(struct td_operators *o, uint32_t *place)
{
	struct work w = *place < SEVERAL ? (struct work){ 1, (int64_t)*place - 1 }
					 : o->several[*place - SEVERAL];

	*place = TAKEN;
	return w;
}

static void note_delay(struct td_operators *o, const uint32_t *place, int64_t start_ns)
{
	const struct block *b = block_of(o, place);
	int64_t min_ns = b->first_ns - start_ns, max_ns = b->last_ns - start_ns;

	o->delay_min_ns = o->any_launch ? TD_MIN(o->delay_min_ns, min_ns) : min_ns;
	o->delay_max_ns = o->any_launch ? TD_MAX(o->delay_max_ns, max_ns) : max_ns;
	o->any_launch = true;
}

/* Two calls of one number are damage: the first one counts. */
static int add_call(struct td_operators *o, const struct td_call *c)
{
	uint32_t *place = td_call_numbers_place(&o->calls, c->process_id, c->correlation);
	const struct open_span *in;
	struct work w;

	if (!place)
		return -ENOMEM;
	if (!*place)
		*place = TAKEN; /* no work comes any more */
	if (*place == TAKEN)
		return 0;
	note_delay(o, place, c->start_ns);
	w = take(o, place);
	if (!c->thread_id)
		return 0;
	if (open_until(o, c->start_ns) < 0)
		return -ENOMEM;
	in = find_open(&o->lanes[c->thread_id], c->start_ns);
	if (in) {
		o->groups[in->group].gpu_ops += w.ops;
		o->groups[in->group].gpu_ns = td_plus(o->groups[in->group].gpu_ns, w.ns);
	}
	return 0;
}

static int call_step(void *ud, struct td_row_batch *b)
{
	struct td_operators *o = ud;
	const struct td_call *calls = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r == 0 && o->nspans; i++)
		if (o->cuda[calls[i].op_id] && calls[i].process_id &&
		    calls[i].correlation != INT32_MIN)
			r = add_call(o, &calls[i]);
	return r;
}

static void add_steps(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after)
{
	struct td_operators *o = ud;

	if (kind == TD_KIND_SPAN)
		(void)td_row_work_add(to, span_step, o, true, after);
	if (kind == TD_KIND_GPU_OP && o->nspans)
		(void)td_row_work_add(to, work_step, o, true, after);
	if (kind == TD_KIND_CALL && o->nspans && o->calls.npages)
		(void)td_row_work_add(to, call_step, o, true, after);
}

/* --- rows --- */

static int write_group(const struct td_operators *o, const struct group *g,
		       struct td_row_builder *rows)
{
	td_row_key(rows, g->key.kind_id);
	td_row_key(rows, g->key.name_id);
	td_row_i64(rows, g->calls);
	td_row_i64(rows, g->total_ns);
	td_row_i64(rows, g->self_ns);
	td_row_i64(rows, g->min_ns);
	td_row_i64(rows, g->max_ns);
	td_row_i64(rows, o->any_launch ? g->gpu_ops : TD_NULL);
	td_row_i64(rows, o->any_launch ? g->gpu_ns : TD_NULL);
	td_row_i64(rows, o->any_launch ? o->delay_min_ns : TD_NULL);
	td_row_i64(rows, o->any_launch ? o->delay_max_ns : TD_NULL);
	return td_row_builder_end_row(rows);
}

static int write_tables(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_operators *o = ud;
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "operator_sum", err);

	if (r >= 0)
		r = open_until(o, INT64_MAX);
	for (size_t i = 0; i < o->n && r >= 0; i++)
		r = write_group(o, &o->groups[i], &rows);
	give_back(o);
	return r;
}

const struct td_derivation td_operators_derivation = {
	.make = make,
	.free = free_all,
	.set_budget = set_budget,
	.begin = begin,
	.add_steps = add_steps,
	.write = write_tables,
};
