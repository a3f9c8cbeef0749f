/* SPDX-License-Identifier: MIT */
/* What calls are grouped by, and the tables that it becomes. */
#include "store/derive/busiest_files.h"
#include "store/derive/groups_private.h"
#include "store/derive/read_sums.h"
#include "store/derive/writes.h"

/* Rows go to that table from now on. */
static int begin_table(struct td_grouper *g, const struct td_target *target, const char *table,
		       struct td_err *err)
{
	int r = td_grouper_end(g);

	td_row_builder_done(&g->stmt);
	return r < 0 ? r : td_row_builder_open(&g->stmt, target, table, err);
}

static const struct td_op_info *op_of(const struct td_calls *c, const struct td_combo *combo)
{
	return c->in->ops[combo->op_id - 1].info;
}

/* The verb of all members. */
static const char *verb_of(const struct td_grouping *g, const struct td_call_group *group)
{
	return op_of(g->c, &g->f->combos[group->of.combo])->verb;
}

static int64_t timed_or_null(const struct td_sums *s, int64_t v)
{
	return s->timed ? v : TD_NULL;
}

/* The columns that op_stat and nested_stat share, up to p99_ns. */
static void bind_op_group(const struct td_grouping *g, const struct td_call_group *group)
{
	const struct td_sums *s = &group->sums;

	td_row_text(g->rows, g->by);
	td_row_key(g->rows, group->of.process_id);
	td_row_i64(g->rows, group->of.sub);
	td_row_i64(g->rows, (int64_t)s->calls);
	td_row_i64(g->rows, (int64_t)s->errors);
	td_row_i64(g->rows, (int64_t)s->timed);
	td_row_i64(g->rows, s->done_bytes);
	td_row_i64(g->rows, timed_or_null(s, s->total_ns));
	td_row_i64(g->rows, timed_or_null(s, s->min_ns));
	td_row_i64(g->rows, timed_or_null(s, s->max_ns));
	td_row_f64(g->rows, group->percentiles.p50);
	td_row_i64(g->rows, group->percentiles.p95);
	td_row_i64(g->rows, group->percentiles.p99);
}

/* What partials need beside what is in op_stat and nested_stat, where that is wanted. */
static int write_op_hist(const struct td_grouping *g, const struct td_call_group *group)
{
	if (!g->hists)
		return 0;
	td_row_key(g->hists, group->of.process_id);
	td_row_i64(g->hists, group->of.sub);
	td_row_i64(g->hists, g->nested);
	td_row_blob(g->hists, td_strbuf_str(group->durations), group->durations->len);
	return td_row_builder_end_row(g->hists);
}

static int write_nested_group(const struct td_grouping *g, const struct td_call_group *group)
{
	int r;

	bind_op_group(g, group);
	r = td_row_builder_end_row(g->rows);
	return r < 0 ? r : write_op_hist(g, group);
}

static int write_op_group(const struct td_grouping *g, const struct td_call_group *group)
{
	int r;

	bind_op_group(g, group);
	td_row_f64(g->rows,
		   td_deviation(group->sums.timed, group->sums.total_ns, group->sums.squares));
	td_row_i64(g->rows, group->sums.first_ns);
	td_row_i64(g->rows, group->sums.last_ns);
	td_row_i64(g->rows, (int64_t)group->others);
	td_row_i64(g->rows, (int64_t)group->sums.unfinished);
	r = td_row_builder_end_row(g->rows);
	return r < 0 ? r : write_op_hist(g, group);
}

/* Groups by operation, of all processes together and of each; hists: op_hist. */
static int write_op_groups(struct td_grouper *g, bool nested,
			   int (*write)(const struct td_grouping *g,
					const struct td_call_group *group),
			   struct td_row_builder *hists)
{
	const struct td_family *f = &g->c->families[0];
	int r = 0;

	for (int per_process = 0; per_process <= 1 && r >= 0; per_process++) {
		const struct td_grouping how = {
			.c = g->c,
			.f = f,
			.by = per_process ? "process,op" : "op",
			.nested = nested,
			.percentiles = true,
			.rows = &g->stmt,
			.hists = per_process ? hists : NULL,
			.write = write,
		};
		struct td_grouping *by;

		r = td_grouper_begin(g, &how, &by);
		if (r < 0)
			return r;
		for (uint32_t i = 0; i < f->ncombos; i++)
			by->members[by->n++] = (struct td_group_member){
				.process_id = per_process ? f->combos[i].process_id : 0,
				.sub = f->combos[i].op_id,
				.combo = i,
			};
		r = td_grouper_group(g, by);
	}
	return r;
}

static int write_op_tables(struct td_grouper *g, struct td_row_builder *hists,
			   const struct td_target *target, struct td_err *err)
{
	int r = begin_table(g, target, "op_stat", err);

	if (r >= 0)
		r = write_op_groups(g, false, write_op_group, hists);
	if (r >= 0)
		r = begin_table(g, target, "nested_stat", err);
	return r < 0 ? r : write_op_groups(g, true, write_nested_group, hists);
}

static int write_op_stats(struct td_grouper *g, const struct td_target *target, struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder hists = { 0 };
	int r = td_row_builder_open(&hists, target, "op_hist", err), e;

	if (r >= 0)
		r = write_op_tables(g, &hists, target, err);
	e = td_grouper_end(g);
	return r < 0 ? r : e;
}

/* --- by file, template, directory, class, process --- */

static uint32_t key_file(const struct td_grouping *g, const struct td_combo *k)
{
	return k->object;
}

static uint32_t key_template(const struct td_grouping *g, const struct td_combo *k)
{
	if (!k->object)
		return 0;
	return g->f->by & TD_BY_FILE ? td_store_file_template(g->c->st, k->object)
				     : g->c->traits[k->object - 1].template_id;
}

static uint32_t key_directory(const struct td_grouping *g, const struct td_combo *k)
{
	if (!k->object)
		return 0;
	return g->f->by & TD_BY_FILE ? td_store_file_directory(g->c->st, k->object)
				     : g->c->traits[k->object - 1].directory_id;
}

static uint32_t key_class(const struct td_grouping *g, const struct td_combo *k)
{
	struct td_calls *c = g->c;
	uint32_t class = k->object - 1;

	if (!k->object)
		return 0;
	if (g->f->by & TD_BY_FILE)
		class = c->in->files[k->object - 1].class;
	else if (g->f->by & TD_BY_TRAITS)
		class = c->traits[k->object - 1].class;
	return td_store_cstr(c->st, td_class_names[class]);
}

static uint32_t key_process(const struct td_grouping *g, const struct td_combo *k)
{
	return k->process_id;
}

static const struct grouping {
	const char *by; /* file_stat.by */
	uint32_t (*key)(const struct td_grouping *g, const struct td_combo *k);
	unsigned tells; /* that a family has to tell apart for it */
} groupings[] = {
	{ "file,verb", key_file, TD_BY_FILE },
	{ "file,process,verb", key_file, TD_BY_FILE | TD_BY_PROCESS },
	{ "template,verb", key_template, TD_BY_TRAITS },
	{ "template,process,verb", key_template, TD_BY_TRAITS | TD_BY_PROCESS },
	{ "directory,verb", key_directory, TD_BY_TRAITS },
	{ "directory,process,verb", key_directory, TD_BY_TRAITS | TD_BY_PROCESS },
	{ "class,verb", key_class, TD_BY_CLASS },
	{ "class,process,verb", key_class, TD_BY_CLASS | TD_BY_PROCESS },
	{ "process,verb", key_process, TD_BY_PROCESS },
};

/* Is it broken down by process? */
static bool is_per_process(const struct grouping *by)
{
	return by->tells & TD_BY_PROCESS && by->key != key_process;
}

/* Lower bound of the bucket in which the median transfer lies; TD_NULL without transfers. */
static int64_t median_size(const struct td_call_group *group)
{
	uint64_t n = 0, seen = 0;

	for (unsigned b = 0; b < TD_SIZE_BUCKETS; b++)
		n += group->sizes[b];
	for (unsigned b = 0; b < TD_SIZE_BUCKETS && n; b++) {
		seen += group->sizes[b];
		if (seen >= (n + 1) / 2)
			return td_size_low(b);
	}
	return TD_NULL;
}

static void pack_sizes(const struct td_call_group *group, struct td_strbuf *to)
{
	struct td_bucket buckets[TD_SIZE_BUCKETS];
	struct td_histogram h = { buckets, 0 };

	for (unsigned b = 0; b < TD_SIZE_BUCKETS; b++)
		if (group->sizes[b])
			buckets[h.n++] = (struct td_bucket){ b, group->sizes[b] };
	td_histogram_pack(&h, to);
}

/* What partials need beside what is in file_stat. */
static int write_hist(const struct td_grouping *g, const struct td_call_group *group)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sizes = TD_STRBUF_INIT;

	pack_sizes(group, &sizes);
	if (td_strbuf_error(&sizes) < 0)
		return -ENOMEM;
	td_row_text(g->hists, g->by);
	td_row_key(g->hists, group->of.key);
	td_row_text(g->hists, verb_of(g, group));
	td_row_i64(g->hists, timed_or_null(&group->sums, group->sums.min_ns));
	td_row_blob(g->hists, td_strbuf_str(group->durations), group->durations->len);
	td_row_blob(g->hists, td_strbuf_str(&sizes), sizes.len);
	return td_row_builder_end_row(g->hists);
}

static int write_file_group(const struct td_grouping *g, const struct td_call_group *group)
{
	const struct td_sums *s = &group->sums;
	bool offsets = s->sequential + s->random > 0 && !g->c->positions.given_up;
	int r;

	td_row_text(g->rows, g->by);
	td_row_key(g->rows, group->of.key);
	td_row_key(g->rows, group->of.process_id);
	td_row_text(g->rows, verb_of(g, group));
	td_row_i64(g->rows, (int64_t)s->calls);
	td_row_i64(g->rows, (int64_t)s->errors);
	td_row_i64(g->rows, (int64_t)s->timed);
	td_row_i64(g->rows, s->done_bytes);
	td_row_i64(g->rows, timed_or_null(s, s->total_ns));
	td_row_i64(g->rows, timed_or_null(s, s->max_ns));
	td_row_f64(g->rows, group->percentiles.p50);
	td_row_i64(g->rows, group->percentiles.p99);
	td_row_i64(g->rows, s->min_bytes);
	td_row_i64(g->rows, median_size(group));
	td_row_i64(g->rows, s->max_bytes);
	td_row_i64(g->rows, offsets ? (int64_t)s->sequential : TD_NULL);
	td_row_i64(g->rows, offsets ? (int64_t)s->random : TD_NULL);
	td_row_i64(g->rows, s->first_ns);
	td_row_i64(g->rows, s->last_ns);
	r = td_row_builder_end_row(g->rows);
	return r < 0 || !g->hists ? r : write_hist(g, group);
}

/* One grouping of the I/O calls, of all processes together or of each; hists: file_hist, NULL: not wanted. */
static int write_grouping(struct td_grouper *g, const struct grouping *by,
			  const struct td_family *f, struct td_row_builder *hists)
{
	const struct td_grouping how = {
		.c = g->c,
		.f = f,
		.by = by->by,
		.percentiles = true,
		.of_files = true,
		.rows = &g->stmt,
		.hists = hists,
		.write = write_file_group,
	};
	struct td_grouping *to;
	int r = td_grouper_begin(g, &how, &to);

	for (uint32_t i = 0; r >= 0 && i < f->ncombos; i++) {
		const struct td_combo *k = &f->combos[i];

		if (strcmp(op_of(g->c, k)->kind, "io") != 0)
			continue;
		to->members[to->n++] = (struct td_group_member){
			.key = by->key(to, k),
			.process_id = is_per_process(by) ? k->process_id : 0,
			.sub = g->c->verb_ids[k->op_id],
			.combo = i,
		};
	}
	return r < 0 ? r : td_grouper_group(g, to);
}

/* Files as finely as they are told apart: distributions by anything coarser follow from it. */
static bool has_hists(const struct td_calls *c, const struct grouping *by)
{
	unsigned finest = td_budget_family(c, TD_BY_FILE)     ? TD_BY_FILE
			  : td_budget_family(c, TD_BY_TRAITS) ? TD_BY_TRAITS
							      : TD_BY_CLASS;

	return by->tells == finest;
}

/* All groupings that the family is the one for. */
static int write_family(struct td_grouper *g, struct td_family *f, struct td_row_builder *hists)
{
	int r = f > g->c->families ? td_family_sort(f) : 0, e;

	for (size_t i = 0; i < TD_ARRAY_SIZE(groupings) && r >= 0; i++)
		if (td_budget_family(g->c, groupings[i].tells) == f)
			r = write_grouping(g, &groupings[i], f,
					   has_hists(g->c, &groupings[i]) ? hists : NULL);
	e = td_grouper_end(g);
	td_family_drop_durations(f);
	return r < 0 ? r : e;
}

static int write_file_stats(struct td_grouper *g, const struct td_target *target,
			    struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder hists = { 0 };
	int r;

	r = td_row_builder_open(&hists, target, "file_hist", err);
	if (r >= 0)
		r = begin_table(g, target, "file_stat", err);
	for (size_t f = 0; f < g->c->nfamilies && r >= 0; f++)
		r = write_family(g, &g->c->families[f], &hists);
	return r;
}

static int write_omitted_row(struct td_row_builder *stmt, const char *relation, const char *by,
			     bool rows_held)
{
	td_row_text(stmt, relation);
	td_row_text(stmt, by);
	td_row_i64(stmt, rows_held);
	return td_row_builder_end_row(stmt);
}

static int write_omitted(struct td_calls *c, const struct td_target *target, struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder stmt = { 0 };
	int r = td_row_builder_open(&stmt, target, "stat_omitted", err);

	if (r >= 0 && !td_budget_family(c, TD_BY_PROCESS | TD_BY_FILE))
		r = write_omitted_row(&stmt, "call_stat", "file,process,op,bin", false);
	for (size_t i = 0; i < TD_ARRAY_SIZE(groupings) && r >= 0; i++) {
		bool rows_held = td_budget_family(c, groupings[i].tells);

		if (!rows_held || c->positions.given_up)
			r = write_omitted_row(&stmt, "io_stat", groupings[i].by, rows_held);
	}
	return r;
}

/* --- distributions, bins, blocks --- */

static int write_sizes(const struct td_grouping *g, const struct td_call_group *group)
{
	int r = 0;

	for (unsigned b = 0; b < TD_SIZE_BUCKETS && r >= 0; b++) {
		if (!group->sizes[b])
			continue;
		td_row_key(g->rows, group->of.key);
		td_row_text(g->rows, verb_of(g, group));
		td_row_i64(g->rows, td_size_low(b));
		td_row_i64(g->rows, (int64_t)group->sizes[b]);
		r = td_row_builder_end_row(g->rows);
	}
	return r;
}

static int write_size_stats(struct td_grouper *g, const struct td_target *target,
			    struct td_err *err)
{
	const struct td_family *f = td_budget_family(g->c, TD_BY_FILE);
	const struct td_grouping how = {
		.c = g->c, .f = f, .rows = &g->stmt, .write = write_sizes
	};
	struct td_grouping *by;
	int r;

	if (!f)
		return 0;
	r = begin_table(g, target, "size_stat", err);
	if (r >= 0)
		r = td_grouper_begin(g, &how, &by);
	for (uint32_t i = 0; r >= 0 && i < f->ncombos; i++) {
		const struct td_combo *k = &f->combos[i];
		const char *verb = op_of(g->c, k)->verb;

		if (k->object && (strcmp(verb, "read") == 0 || strcmp(verb, "write") == 0))
			by->members[by->n++] = (struct td_group_member){
				.key = k->object,
				.sub = g->c->verb_ids[k->op_id],
				.combo = i,
			};
	}
	if (r >= 0)
		r = td_grouper_group(g, by);
	return r < 0 ? r : td_grouper_end(g);
}

static int write_latencies(struct td_calls *c, const struct td_target *target, struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder stmt = { 0 };
	int r;

	r = td_row_builder_open(&stmt, target, "latency_stat", err);
	for (size_t op = 1; op <= c->in->nops; op++) {
		for (unsigned b = 0; b < TD_HISTOGRAM_BUCKETS && r >= 0; b++) {
			if (!c->latencies[op][b])
				continue;
			td_row_i64(&stmt, (int64_t)op);
			td_row_i64(&stmt, td_histogram_low(b));
			td_row_i64(&stmt, td_histogram_low(b + 1));
			td_row_i64(&stmt, (int64_t)c->latencies[op][b]);
			r = td_row_builder_end_row(&stmt);
		}
	}
	return r;
}

/* Numbers of the rows of bins, which are in order of time, in order of operation. NULL when out of memory. */
static uint32_t *bins_by_op(const struct td_calls *c, const struct td_family *f)
{
	_cleanup_free_ size_t *at = calloc(c->in->nops + 2, sizeof(*at));
	uint32_t *order = calloc(f->nbins + 1, sizeof(*order));

	if (!at || !order) {
		free(order);
		return NULL;
	}
	for (size_t i = 0; i < f->nbins; i++)
		at[f->combos[f->bins[i].combo].op_id + 1]++;
	for (size_t op = 1; op <= c->in->nops; op++)
		at[op + 1] += at[op];
	for (size_t i = 0; i < f->nbins; i++)
		order[at[f->combos[f->bins[i].combo].op_id]++] = (uint32_t)i;
	return order;
}

static int write_bins(struct td_calls *c, const struct td_target *target, struct td_err *err)
{
	const struct td_family *f = td_budget_family(c, TD_BY_PROCESS | TD_BY_FILE);
	_cleanup_(td_row_builder_done) struct td_row_builder stmt = { 0 };
	_cleanup_free_ uint32_t *order = f ? bins_by_op(c, f) : NULL;
	int r;

	if (!f)
		return 0;
	if (!order)
		return -ENOMEM;
	r = td_row_builder_open(&stmt, target, "bin_stat", err);
	for (size_t i = 0; i < f->nbins && r >= 0; i++) {
		const struct td_bin_row *b = &f->bins[order[i]];
		const struct td_combo *k = &f->combos[b->combo];

		td_row_i64(&stmt, b->bin * c->bin_width_ns);
		td_row_key(&stmt, k->process_id);
		td_row_key(&stmt, k->object);
		td_row_i64(&stmt, k->op_id);
		td_row_i64(&stmt, b->calls);
		td_row_i64(&stmt, b->errors);
		td_row_i64(&stmt, b->done_bytes);
		td_row_i64(&stmt, b->total_ns);
		r = td_row_builder_end_row(&stmt);
	}
	return r;
}

static int write_blocks(struct td_calls *c, const struct td_target *target, struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder stmt = { 0 };
	int r;

	r = td_row_builder_open(&stmt, target, "call_block", err);
	for (size_t i = 0; i < c->nblocks && r >= 0; i++) {
		td_row_i64(&stmt, c->blocks[i].start_ns);
		td_row_i64(&stmt, c->blocks[i].first_id);
		td_row_i64(&stmt, c->blocks[i].last_id);
		td_row_i64(&stmt, c->blocks[i].calls);
		td_row_i64(&stmt, c->blocks[i].end_ns);
		td_row_i64(&stmt, c->blocks[i].calls ? c->blocks[i].max_id : TD_NULL);
		td_row_i64(&stmt, c->blocks[i].max_ns);
		r = td_row_builder_end_row(&stmt);
	}
	return r;
}

int td_groups_write(struct td_calls *c, const struct td_target *target, struct td_err *err)
{
	_cleanup_(td_grouper_done) struct td_grouper g = { .c = c };
	int r = td_positions_end(c);

	/* the other one when it is its turn, so that the durations of one are in memory at a time */
	if (r >= 0)
		r = td_family_sort(&c->families[0]);
	if (r >= 0)
		r = write_op_stats(&g, target, err);
	if (r >= 0)
		r = write_file_stats(&g, target, err);
	if (r >= 0)
		r = td_busiest_files_write(&g, target, err);
	if (r >= 0)
		r = td_read_sums_write(&g, target, err);
	if (r >= 0)
		r = write_size_stats(&g, target, err);
	if (r >= 0)
		r = write_latencies(c, target, err);
	if (r >= 0)
		r = write_bins(c, target, err);
	if (r >= 0)
		r = td_writes_write(c, target, err);
	if (r >= 0)
		r = td_class_bins_write(c, target, err);
	if (r >= 0)
		r = td_late_bytes_write(c, target, err);
	if (r >= 0)
		r = td_threads_write(c, target, err);
	if (r >= 0)
		r = write_omitted(c, target, err);
	return r < 0 ? r : write_blocks(c, target, err);
}
