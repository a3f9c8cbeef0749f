/* SPDX-License-Identifier: MIT */
/* How often and how long NVTX ranges of a name were on: range_stat. */
#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/intern.h"
#include "common/json/text.h"
#include "schema/stat_math.h"
#include "store/derive/durations.h"
#include "store/derive/derivation.h"
#include "store/write/row_builder.h"

/* One row for so many spans, but always so many, and never more than that. */
#define SPANS_EACH 32
#define BUDGET_MIN ((size_t)2000)
#define BUDGET_MAX ((size_t)1 << 16)

/* What tells groups apart. */
struct key {
	uint32_t label, name_id;
};

struct group {
	struct key key;
	int64_t timed, unfinished;
	int64_t total_ns, min_ns, max_ns;
	unsigned __int128 squares; /* of durations */
	struct td_duration_list list;
};

/* A range whose end is not in the trace. */
struct unfinished {
	int64_t start_ns;
	uint32_t group;
};

struct td_ranges {
	struct td_store *st; /* borrowed */
	size_t budget;
	uint32_t kind_id; /* of the span before, and whether it is a range */
	bool is_range;
	uint32_t *
		label_of; /* owned; by string of args: number of what they say of style and domain; 0: not looked at yet */
	struct td_intern labels;
	uint32_t *args; /* owned; by label: the first such args */
	size_t args_cap;
	struct td_intern keys; /* runs parallel to groups */
	struct group *groups; /* owned */
	size_t n, cap;
	struct unfinished *open; /* owned */
	size_t nopen, open_cap;
	struct td_durations *durations;
	int64_t last_ns; /* of any range */
	bool given_up; /* there were too many */
};

static int make(const char *spill_path, void **ret)
{
	struct td_ranges *r = calloc(1, sizeof(*r));

	if (!r || td_durations_new(spill_path, &r->durations) < 0) {
		free(r);
		return -ENOMEM;
	}
	r->last_ns = INT64_MIN;
	*ret = r;
	return 0;
}

static void give_back(struct td_ranges *r)
{
	td_durations_free(TAKE_PTR(r->durations));
	td_intern_done(&r->labels);
	td_intern_done(&r->keys);
	free(TAKE_PTR(r->label_of));
	free(TAKE_PTR(r->args));
	free(TAKE_PTR(r->groups));
	free(TAKE_PTR(r->open));
}

static void free_all(void *ud)
{
	struct td_ranges *r = ud;

	if (!r)
		return;
	give_back(r);
	free(r);
}

/* Rows at most, and ranges without an end; if there are more the table stays empty. Without it, it
 * is a share of the spans. */
static void set_budget(void *ud, size_t budget)
{
	struct td_ranges *r = ud;

	r->budget = budget;
}

static int begin(void *ud, struct td_store *st)
{
	struct td_ranges *r = ud;
	uint64_t spans = td_stage_count(td_store_stage(st, TD_KIND_SPAN));

	r->st = st;
	r->label_of = calloc(td_store_contents(st)->strings.n + 1, sizeof(*r->label_of));
	if (!r->budget)
		r->budget = TD_MAX(TD_MIN(spans / SPANS_EACH, BUDGET_MAX), BUDGET_MIN);
	return r->label_of ? 0 : -ENOMEM;
}

/* --- ranges go by --- */

/* What nvtx_sum shows of args: the style, of which PushPop is the usual one, and the name of the
 * domain. 0 or -ENOMEM. */
static int read_label(struct td_ranges *r, uint32_t args_id)
{
	struct td_str args = args_id ? td_store_text(r->st, args_id) : (struct td_str){ "{}", 2 };
	struct td_str style = td_json_get(args, "style"), domain = td_json_get(args, "domain");
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	uint32_t label, before = (uint32_t)r->labels.n;

	if (!style.p || td_str_eq(style, "null"))
		style = (struct td_str){ "\"PushPop\"", 9 };
	td_strbuf_add(&text, style.p, style.len);
	if (domain.len && domain.p[0] == '"')
		td_strbuf_add(&text, domain.p, domain.len);
	else
		td_strbuf_add(&text, "\"\"", 2);
	label = td_strbuf_error(&text) < 0 ? 0 : td_intern_add(&r->labels, text.p, text.len);
	if (!label || td_grow(&r->args, &r->args_cap, label) < 0)
		return -ENOMEM;
	if (label > before)
		r->args[label] = args_id;
	r->label_of[args_id] = label;
	return 0;
}

/* *ret: its number; SIZE_MAX: there are too many. 0 or -ENOMEM. */
static int find_group(struct td_ranges *r, const struct td_span *s, size_t *ret)
{
	struct key key = { .name_id = s->name_id };
	uint32_t at;

	if (!r->label_of[s->args_id] && read_label(r, s->args_id) < 0)
		return -ENOMEM;
	key.label = r->label_of[s->args_id];
	at = td_intern_add(&r->keys, (const char *)&key, sizeof(key));
	if (!at || td_grow(&r->groups, &r->cap, r->n) < 0)
		return -ENOMEM;
	*ret = at <= r->budget ? at - 1 : SIZE_MAX;
	if (at > r->n && at <= r->budget)
		r->groups[r->n++] =
			(struct group){ .key = key, .min_ns = INT64_MAX, .max_ns = INT64_MIN };
	return 0;
}

static void close_lists(struct td_ranges *r)
{
	for (size_t i = 0; i < r->n; i++)
		td_durations_close(r->durations, &r->groups[i].list);
}

static int add_duration(struct td_ranges *r, size_t at, int64_t dur_ns)
{
	struct group *g = &r->groups[at];
	uint64_t before = (uint64_t)g->timed;
	int e;

	g->timed++;
	g->total_ns = td_plus(g->total_ns, dur_ns);
	g->min_ns = TD_MIN(g->min_ns, dur_ns);
	g->max_ns = TD_MAX(g->max_ns, dur_ns);
	g->squares += (unsigned __int128)dur_ns * (uint64_t)dur_ns;
	e = td_durations_add(r->durations, (uint32_t)at, &g->list, before, dur_ns);
	if (e <= 0)
		return e;
	close_lists(r);
	e = td_durations_spill(r->durations);
	return e < 0 ? e : td_durations_add(r->durations, (uint32_t)at, &g->list, before, dur_ns);
}

static int add_unfinished(struct td_ranges *r, size_t at, int64_t start_ns)
{
	if (r->nopen == r->budget) {
		r->given_up = true;
		return 0;
	}
	if (td_grow(&r->open, &r->open_cap, r->nopen) < 0)
		return -ENOMEM;
	r->groups[at].unfinished++;
	r->open[r->nopen++] = (struct unfinished){ start_ns, (uint32_t)at };
	return 0;
}

static bool is_range(struct td_ranges *r, const struct td_span *s)
{
	if (s->kind_id != r->kind_id) {
		r->kind_id = s->kind_id;
		r->is_range = td_str_eq(td_store_text(r->st, s->kind_id), "nvtx");
	}
	return r->is_range;
}

static int add_range(struct td_ranges *r, const struct td_span *s)
{
	size_t at;
	int e;

	r->last_ns = TD_MAX(r->last_ns,
			    s->dur_ns == TD_NULL ? s->start_ns : td_plus(s->start_ns, s->dur_ns));
	e = find_group(r, s, &at);
	if (e < 0)
		return e;
	if (at == SIZE_MAX) {
		r->given_up = true;
		return 0;
	}
	return s->dur_ns == TD_NULL ? add_unfinished(r, at, s->start_ns)
				    : add_duration(r, at, s->dur_ns);
}

static int add_step(void *ud, struct td_row_batch *b)
{
	struct td_ranges *r = ud;
	const struct td_span *spans = b->records;
	int e = 0;

	for (size_t i = 0; i < b->n && e >= 0 && !r->given_up; i++)
		if (is_range(r, &spans[i]))
			e = add_range(r, &spans[i]);
	return e;
}

static void add_steps(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after)
{
	struct td_ranges *r = ud;

	if (kind == TD_KIND_SPAN)
		(void)td_row_work_add(to, add_step, r, true, after);
}

/* --- rows --- */

static int end_unfinished(struct td_ranges *r)
{
	int e = 0;

	for (size_t i = 0; i < r->nopen && e >= 0; i++)
		e = add_duration(r, r->open[i].group, r->last_ns - r->open[i].start_ns);
	return e;
}

static int sort_durations(struct td_ranges *r)
{
	_cleanup_free_ uint64_t *counts = calloc(r->n + 1, sizeof(*counts));

	if (!counts)
		return -ENOMEM;
	close_lists(r);
	for (size_t i = 0; i < r->n; i++)
		counts[i] = (uint64_t)r->groups[i].timed;
	return td_durations_sort(r->durations, counts, r->n);
}

static int write_group(struct td_ranges *r, uint32_t at, struct td_row_builder *rows)
{
	const struct group *g = &r->groups[at];
	uint64_t n = (uint64_t)g->timed;
	int64_t middle[2];
	int e = td_durations_ranks(r->durations, &at, 1,
				   (const uint64_t[]){ (n + 1) / 2, n / 2 + 1 }, middle,
				   TD_ARRAY_SIZE(middle));

	if (e < 0)
		return e;
	td_row_key(rows, r->args[g->key.label]);
	td_row_key(rows, g->key.name_id);
	td_row_i64(rows, g->timed);
	td_row_i64(rows, g->unfinished);
	td_row_i64(rows, g->total_ns);
	td_row_i64(rows, g->min_ns);
	td_row_i64(rows, g->max_ns);
	td_row_f64(rows, ((double)middle[0] + (double)middle[1]) / 2);
	td_row_f64(rows, td_deviation(n, g->total_ns, g->squares));
	return td_row_builder_end_row(rows);
}

static int write_tables(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_ranges *r = ud;
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int e = td_row_builder_open(&rows, target, "range_stat", err);

	if (e >= 0 && !r->given_up)
		e = end_unfinished(r);
	if (e >= 0 && !r->given_up)
		e = sort_durations(r);
	for (uint32_t at = 0; at < r->n && e >= 0 && !r->given_up; at++)
		e = write_group(r, at, &rows);
	give_back(r);
	return e;
}

const struct td_derivation td_ranges_derivation = {
	.make = make,
	.free = free_all,
	.set_budget = set_budget,
	.begin = begin,
	.add_steps = add_steps,
	.write = write_tables,
};
