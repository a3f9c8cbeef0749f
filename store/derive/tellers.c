/* SPDX-License-Identifier: MIT */
/* Which processes and ranks sources tell of, and spans that ranks have in common: source_process and rank_span. */
#include <stdlib.h>

#include "common/array.h"
#include "common/intern.h"
#include "schema/stat_math.h"
#include "store/derive/derivation.h"
#include "store/write/row_builder.h"

/* What a text is, as a kind or a name of spans. */
enum {
	TEXT_SEEN = 1,
	TEXT_PHASE = 2, /* kinds */
	TEXT_RANGE = 4, /* of PyTorch or NVTX */
	TEXT_ANNOTATION = 8,
	TEXT_EPOCH = 16, /* names */
	TEXT_LOADING = 32, /* the program waits for its DataLoader */
	TEXT_STEP = 64,
};

/* What tells rows apart. */
struct key {
	uint32_t source_id, process_id, kind_id; /* 0: unknown; work on GPUs */
	int32_t rank; /* INT32_MIN: none is said */
};

struct sums {
	int64_t rows;
	int64_t epoch_ns, data_ns; /* TD_NULL: there are none */
};

/* Rows go by on two threads at once, of spans and of work: each has its own. */
struct told {
	struct td_intern keys; /* from 1 on, runs parallel to sums */
	struct sums *sums;
	size_t n, cap;
	struct key last; /* the one of the row before, ... */
	uint32_t last_at; /* ... and where it is; 0: there was no row */
};

struct td_tellers {
	struct td_store *st; /* borrowed */
	uint8_t *texts; /* owned; by string id */
	size_t ntexts;
	struct told of_spans, of_work;
	int64_t *spans; /* owned; ids of those that ranks have in common */
	size_t nspans, spans_cap;
};

static int make(const char *spill_path, void **ret)
{
	*ret = calloc(1, sizeof(struct td_tellers));
	return *ret ? 0 : -ENOMEM;
}

static void told_done(struct told *t)
{
	td_intern_done(&t->keys);
	free(t->sums);
}

static void free_all(void *ud)
{
	struct td_tellers *t = ud;

	if (!t)
		return;
	told_done(&t->of_spans);
	told_done(&t->of_work);
	free(t->texts);
	free(t->spans);
	free(t);
}

static int begin(void *ud, struct td_store *st)
{
	struct td_tellers *t = ud;

	t->st = st;
	t->ntexts = td_store_contents(st)->strings.n + 1;
	if (!td_stage_count(td_store_stage(st, TD_KIND_SPAN)))
		return 0;
	t->texts = calloc(t->ntexts, sizeof(*t->texts));
	return t->texts ? 0 : -ENOMEM;
}

/* --- rows go by --- */

static struct sums *find(struct told *t, const struct key *key)
{
	if (t->last_at && memcmp(&t->last, key, sizeof(*key)) == 0)
		return &t->sums[t->last_at - 1];
	t->last_at = td_intern_add(&t->keys, (const char *)key, sizeof(*key));
	if (!t->last_at || td_grow(&t->sums, &t->cap, t->n) < 0)
		return NULL;
	if (t->last_at > t->n)
		t->sums[t->n++] = (struct sums){ .epoch_ns = TD_NULL, .data_ns = TD_NULL };
	t->last = *key;
	return &t->sums[t->last_at - 1];
}

static uint8_t look_at(struct td_str s)
{
	static const char loading[] = "enumerate(DataLoader)", step[] = "ProfilerStep#";
	uint8_t is = TEXT_SEEN;

	if (td_str_eq(s, "phase"))
		is |= TEXT_PHASE;
	if (td_str_eq(s, "annotation"))
		is |= TEXT_ANNOTATION | TEXT_RANGE;
	if (td_str_eq(s, "nvtx"))
		is |= TEXT_RANGE;
	if (td_str_eq(s, "epoch"))
		is |= TEXT_EPOCH;
	if (td_str_starts(s, loading))
		is |= TEXT_LOADING;
	if (td_str_starts(s, step) && s.len > strlen(step) && td_is_digit(s.p[strlen(step)]))
		is |= TEXT_STEP;
	return is;
}

static uint8_t text_is(struct td_tellers *t, uint32_t id)
{
	if (id >= t->ntexts)
		return 0;
	if (!t->texts[id])
		t->texts[id] = id ? look_at(td_store_text(t->st, id)) : TEXT_SEEN;
	return t->texts[id];
}

static int add_span(struct td_tellers *t, int64_t id, const struct td_span *s)
{
	uint8_t kind = text_is(t, s->kind_id), name = text_is(t, s->name_id);
	const struct key key = { s->source_id, s->process_id, s->kind_id, s->rank };
	struct sums *sums = find(&t->of_spans, &key);

	if (!sums)
		return -ENOMEM;
	sums->rows++;
	if (kind & TEXT_PHASE && name & TEXT_EPOCH)
		sums->epoch_ns = td_plus_known(sums->epoch_ns, s->dur_ns);
	if (kind & TEXT_RANGE && name & TEXT_LOADING)
		sums->data_ns = td_plus_known(sums->data_ns, s->dur_ns);
	if (!(kind & TEXT_PHASE) && !(kind & TEXT_ANNOTATION && name & TEXT_STEP))
		return 0;
	if (td_grow(&t->spans, &t->spans_cap, t->nspans) < 0)
		return -ENOMEM;
	t->spans[t->nspans++] = id;
	return 0;
}

static int span_step(void *ud, struct td_row_batch *b)
{
	const struct td_span *spans = b->records;
	int r = 0;

	for (size_t i = 0; i < b->n && r >= 0; i++)
		r = add_span(ud, b->id + (int64_t)i, &spans[i]);
	return r;
}

static int work_step(void *ud, struct td_row_batch *b)
{
	struct td_tellers *t = ud;
	const struct td_gpu_op *ops = b->records;

	for (size_t i = 0; i < b->n; i++) {
		const struct key key = { ops[i].source_id, ops[i].process_id, 0, INT32_MIN };
		struct sums *sums = find(&t->of_work, &key);

		if (!sums)
			return -ENOMEM;
		sums->rows++;
	}
	return 0;
}

static void add_steps(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after)
{
	struct td_tellers *t = ud;

	if (kind == TD_KIND_SPAN)
		(void)td_row_work_add(to, span_step, t, true, after);
	if (kind == TD_KIND_GPU_OP)
		(void)td_row_work_add(to, work_step, t, true, after);
}

/* --- writing --- */

static int write_told(const struct told *t, struct td_row_builder *rows)
{
	int r = 0;

	for (uint32_t at = 1; at <= t->n && r >= 0; at++) {
		const struct sums *s = &t->sums[at - 1];
		struct key key;

		memcpy(&key, td_intern_get(&t->keys, at).p, sizeof(key));
		td_row_key(rows, key.source_id);
		td_row_key(rows, key.process_id);
		td_row_i64(rows, key.rank == INT32_MIN ? TD_NULL : key.rank);
		td_row_key(rows, key.kind_id);
		td_row_i64(rows, s->rows);
		td_row_i64(rows, s->epoch_ns);
		td_row_i64(rows, s->data_ns);
		r = td_row_builder_end_row(rows);
	}
	return r;
}

static int write_spans(const struct td_tellers *t, const struct td_target *target,
		       struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "rank_span", err);

	for (size_t i = 0; i < t->nspans && r >= 0; i++) {
		td_row_i64(&rows, t->spans[i]);
		r = td_row_builder_end_row(&rows);
	}
	return r;
}

static int write_tables(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_tellers *t = ud;
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "source_process", err);

	if (r >= 0)
		r = write_told(&t->of_spans, &rows);
	if (r >= 0)
		r = write_told(&t->of_work, &rows);
	return r < 0 ? r : write_spans(t, target, err);
}

const struct td_derivation td_tellers_derivation = {
	.make = make,
	.free = free_all,
	.begin = begin,
	.add_steps = add_steps,
	.write = write_tables,
};
