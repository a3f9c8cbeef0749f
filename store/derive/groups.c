/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "store/derive/calls_private.h"
#include "common/array.h"
#include "common/parallel.h"
#include "store/write/row_builder.h"

/* A combo's place in a grouping: combos with equal key, process and sub form a group. */
struct member {
	uint32_t key;
	uint32_t process_id; /* 0: all processes together */
	uint32_t sub; /* operation or verb */
	uint32_t combo;
};

struct percentiles {
	double p50;
	int64_t p95, p99;
};

/* Where the members of a group are. */
struct stretch {
	size_t first, end;
};

/* So many groups are summed up at a time, on all CPUs, and then written. */
#define GROUPS_AT_ONCE ((size_t)8192)

struct group {
	struct member of; /* its first member */
	struct td_sums sums;
	uint64_t sizes[TD_SIZE_BUCKETS]; /* transfers by size */
	struct percentiles percentiles;
	uint64_t others; /* calls of the group that are nested, or are not */
};

struct grouper {
	struct td_calls *c;
	const struct td_family *f; /* whose combos are grouped */
	struct td_row_builder stmt; /* of the table being written */
	const char *by; /* of the grouping being written */
	bool of_files; /* the table is file_stat */
	struct member *members;
	struct member *spare; /* as large, for sorting */
	uint32_t *sets; /* of each member's place: room for the combos of its group */
	struct stretch *stretches;
	size_t nstretches, stretches_cap;
	struct group *groups; /* of stretches from first_group on */
	size_t first_group;
	bool nested; /* the calls that are being looked at */
	bool percentiles; /* are wanted */
};

static void grouper_done(struct grouper *g)
{
	td_row_builder_done(&g->stmt);
	free(g->members);
	free(g->spare);
	free(g->sets);
	free(g->stretches);
	free(g->groups);
}

/* Rows go to that table from now on. */
static int begin_table(struct grouper *g, const struct td_target *target, const char *table,
		       struct td_err *err)
{
	td_row_builder_done(&g->stmt);
	return td_row_builder_open(&g->stmt, target, table, err);
}

static uint32_t field_of(const struct member *m, size_t offset)
{
	uint32_t v;

	memcpy(&v, (const char *)m + offset, sizeof(v));
	return v;
}

/* One pass of sort_members(): by a byte of one field, equal ones in the order that they have. */
static void sort_by_byte(const struct member *from, struct member *to, size_t n, size_t field,
			 unsigned shift)
{
	size_t at[256] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[field_of(&from[i], field) >> shift & 0xff]++;
	for (size_t d = 0; d < TD_ARRAY_SIZE(at); d++) {
		size_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[field_of(&from[i], field) >> shift & 0xff]++] = from[i];
}

/* Sorts by key, process and sub; members of a group stay in the order of their combos. Ids are small and
 * dense, so that few bytes differ at all: the others take no pass. */
static void sort_members(struct grouper *g, size_t n)
{
	static const size_t fields[] = {
		offsetof(struct member, sub),
		offsetof(struct member, process_id),
		offsetof(struct member, key),
	};

	for (size_t f = 0; f < TD_ARRAY_SIZE(fields) && n; f++) {
		uint32_t first = field_of(&g->members[0], fields[f]), differ = 0;

		for (size_t i = 0; i < n; i++)
			differ |= field_of(&g->members[i], fields[f]) ^ first;
		for (unsigned shift = 0; shift < 32; shift += 8) {
			struct member *sorted = g->spare;

			if (!(differ >> shift & 0xff))
				continue;
			sort_by_byte(g->members, sorted, n, fields[f], shift);
			g->spare = g->members;
			g->members = sorted;
		}
	}
}

static bool same_group(const struct member *a, const struct member *b)
{
	return a->key == b->key && a->process_id == b->process_id && a->sub == b->sub;
}

static void add_combo(const struct td_family *f, struct group *group, uint32_t combo)
{
	const struct td_size_counts *s;

	td_sums_add(&group->sums, f, combo);
	for (uint32_t at = f->transfers[combo].sizes; at; at = s->next) {
		s = &f->sizes[at - 1];
		for (unsigned i = 0; i < TD_SIZES_EACH && s->buckets[i] != TD_SIZES_FREE; i++)
			group->sizes[s->buckets[i]] += s->calls[i];
	}
}

/* --- percentiles --- */

static int find_percentiles(const struct grouper *g, const struct stretch *s,
			    struct percentiles *ret)
{
	uint32_t *sets = g->sets + s->first;
	size_t nsets = 0;
	uint64_t n = 0;
	int64_t found[4] = { 0 };
	int r;

	*ret = (struct percentiles){ NAN, TD_NULL, TD_NULL };
	for (size_t i = s->first; i < s->end; i++) {
		uint32_t combo = g->members[i].combo;
		uint64_t timed = g->f->times[combo].timed;

		if (g->f->combos[combo].nested != g->nested || !timed)
			continue;
		sets[nsets++] = combo;
		n += timed;
	}
	if (n == 0)
		return 0;
	r = td_durations_ranks(g->f->durations, sets, nsets,
			       (const uint64_t[]){ (n + 1) / 2, n / 2 + 1, td_nearest_rank(n, 99),
						   td_nearest_rank(n, 95) },
			       found, g->of_files ? 3 : 4); /* file_stat has no p95_ns */
	if (r < 0)
		return r;
	*ret = (struct percentiles){ ((double)found[0] + (double)found[1]) / 2, found[3],
				     found[2] };
	return 0;
}

/* --- groups --- */

/* Sorts n members and finds out where groups begin and end. */
static int find_groups(struct grouper *g, size_t n)
{
	sort_members(g, n);
	g->nstretches = 0;
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i; j < n && same_group(&g->members[i], &g->members[j]); j++)
			;
		if (td_grow(&g->stretches, &g->stretches_cap, g->nstretches) < 0)
			return -ENOMEM;
		g->stretches[g->nstretches++] = (struct stretch){ .first = i, .end = j };
	}
	return 0;
}

static void sum_up(const struct grouper *g, const struct stretch *s, struct group *ret)
{
	*ret = (struct group){ .of = g->members[s->first], .sums = td_sums_none };
	for (size_t i = s->first; i < s->end; i++) {
		uint32_t combo = g->members[i].combo;

		if (g->f->combos[combo].nested == g->nested)
			add_combo(g->f, ret, combo);
		else
			ret->others += g->f->calls[combo].calls;
	}
}

static int find_group(void *arg, size_t i)
{
	const struct grouper *g = arg;
	const struct stretch *s = &g->stretches[g->first_group + i];

	sum_up(g, s, &g->groups[i]);
	return g->percentiles ? find_percentiles(g, s, &g->groups[i].percentiles) : 0;
}

/* Sorts n members and calls write() for each group with the sums of those of its calls that are nested,
 * or are not; a group without such calls is left out. */
static int each_group(struct grouper *g, size_t n, bool nested, bool percentiles,
		      int (*write)(struct grouper *g, const struct group *group))
{
	int r = find_groups(g, n);

	g->nested = nested;
	g->percentiles = percentiles;
	for (size_t first = 0; first < g->nstretches && r >= 0; first += GROUPS_AT_ONCE) {
		size_t some = TD_MIN(g->nstretches - first, GROUPS_AT_ONCE);

		g->first_group = first;
		r = td_parallel(some, find_group, g);
		for (size_t i = 0; i < some && r >= 0; i++)
			if (g->groups[i].sums.calls)
				r = write(g, &g->groups[i]);
	}
	return r;
}

static int64_t timed_or_null(const struct td_sums *s, int64_t v)
{
	return s->timed ? v : TD_NULL;
}

/* The columns that op_stat and nested_stat share, up to p99_ns. */
static void bind_op_group(struct grouper *g, const struct group *group)
{
	const struct td_sums *s = &group->sums;

	td_row_text(&g->stmt, g->by);
	td_row_key(&g->stmt, group->of.process_id);
	td_row_i64(&g->stmt, group->of.sub);
	td_row_i64(&g->stmt, (int64_t)s->calls);
	td_row_i64(&g->stmt, (int64_t)s->errors);
	td_row_i64(&g->stmt, (int64_t)s->timed);
	td_row_i64(&g->stmt, s->done_bytes);
	td_row_i64(&g->stmt, timed_or_null(s, s->total_ns));
	td_row_i64(&g->stmt, timed_or_null(s, s->min_ns));
	td_row_i64(&g->stmt, timed_or_null(s, s->max_ns));
	td_row_f64(&g->stmt, group->percentiles.p50);
	td_row_i64(&g->stmt, group->percentiles.p95);
	td_row_i64(&g->stmt, group->percentiles.p99);
}

static int write_nested_group(struct grouper *g, const struct group *group)
{
	bind_op_group(g, group);
	return td_row_builder_end_row(&g->stmt);
}

static int write_op_group(struct grouper *g, const struct group *group)
{
	bind_op_group(g, group);
	td_row_f64(&g->stmt,
		   td_deviation(group->sums.timed, group->sums.total_ns, group->sums.squares));
	td_row_i64(&g->stmt, group->sums.first_ns);
	td_row_i64(&g->stmt, group->sums.last_ns);
	td_row_i64(&g->stmt, (int64_t)group->others);
	td_row_i64(&g->stmt, (int64_t)group->sums.unfinished);
	return td_row_builder_end_row(&g->stmt);
}

/* Groups by operation, of all processes together and of each. */
static int write_op_groups(struct grouper *g, const char *table, bool nested,
			   int (*write)(struct grouper *g, const struct group *group),
			   const struct td_target *target, struct td_err *err)
{
	const struct td_family *f = g->f;
	int r;

	r = begin_table(g, target, table, err);
	for (int per_process = 0; per_process <= 1 && r >= 0; per_process++) {
		g->by = per_process ? "process,op" : "op";
		for (uint32_t i = 0; i < f->ncombos; i++)
			g->members[i] = (struct member){
				.process_id = per_process ? f->combos[i].process_id : 0,
				.sub = f->combos[i].op_id,
				.combo = i,
			};
		r = each_group(g, f->ncombos, nested, true, write);
	}
	return r;
}

/* --- by file, template, directory, class, process --- */

static uint32_t key_file(struct grouper *g, const struct td_combo *k)
{
	return k->object;
}

static uint32_t key_template(struct grouper *g, const struct td_combo *k)
{
	if (!k->object)
		return 0;
	return g->f->by & TD_BY_FILE ? td_store_file_template(g->c->st, k->object)
				     : g->c->traits[k->object - 1].template_id;
}

static uint32_t key_directory(struct grouper *g, const struct td_combo *k)
{
	if (!k->object)
		return 0;
	return g->f->by & TD_BY_FILE ? td_store_file_directory(g->c->st, k->object)
				     : g->c->traits[k->object - 1].directory_id;
}

static uint32_t key_class(struct grouper *g, const struct td_combo *k)
{
	const struct td_calls *c = g->c;
	uint32_t class = k->object - 1;

	if (!k->object)
		return 0;
	if (g->f->by & TD_BY_FILE)
		class = c->in->files[k->object - 1].class;
	else if (g->f->by & TD_BY_TRAITS)
		class = c->traits[k->object - 1].class;
	return td_store_cstr(c->st, td_class_names[class]);
}

static uint32_t key_process(struct grouper *g, const struct td_combo *k)
{
	return k->process_id;
}

static const struct grouping {
	const char *by; /* file_stat.by */
	uint32_t (*key)(struct grouper *g, const struct td_combo *k);
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
static int64_t median_size(const struct group *group)
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

static int write_file_group(struct grouper *g, const struct group *group)
{
	const struct td_sums *s = &group->sums;
	bool offsets = s->sequential + s->random > 0 && !g->c->positions.given_up;

	td_row_text(&g->stmt, g->by);
	td_row_key(&g->stmt, group->of.key);
	td_row_key(&g->stmt, group->of.process_id);
	td_row_str(&g->stmt, td_store_text(g->c->st, group->of.sub));
	td_row_i64(&g->stmt, (int64_t)s->calls);
	td_row_i64(&g->stmt, (int64_t)s->errors);
	td_row_i64(&g->stmt, (int64_t)s->timed);
	td_row_i64(&g->stmt, s->done_bytes);
	td_row_i64(&g->stmt, timed_or_null(s, s->total_ns));
	td_row_i64(&g->stmt, timed_or_null(s, s->max_ns));
	td_row_f64(&g->stmt, group->percentiles.p50);
	td_row_i64(&g->stmt, group->percentiles.p99);
	td_row_i64(&g->stmt, s->min_bytes);
	td_row_i64(&g->stmt, median_size(group));
	td_row_i64(&g->stmt, s->max_bytes);
	td_row_i64(&g->stmt, offsets ? (int64_t)s->sequential : TD_NULL);
	td_row_i64(&g->stmt, offsets ? (int64_t)s->random : TD_NULL);
	td_row_i64(&g->stmt, s->first_ns);
	td_row_i64(&g->stmt, s->last_ns);
	return td_row_builder_end_row(&g->stmt);
}

/* One grouping of the I/O calls, of all processes together or of each. */
static int write_grouping(struct grouper *g, const struct grouping *by)
{
	const struct td_family *f = g->f;
	struct td_calls *c = g->c;
	size_t n = 0;

	g->by = by->by;
	for (uint32_t i = 0; i < f->ncombos; i++) {
		const struct td_combo *k = &f->combos[i];
		const struct td_op_info *op = c->in->ops[k->op_id - 1].info;

		if (strcmp(op->kind, "io") != 0)
			continue;
		g->members[n++] = (struct member){
			.key = by->key(g, k),
			.process_id = is_per_process(by) ? k->process_id : 0,
			.sub = c->verb_ids[k->op_id],
			.combo = i,
		};
	}
	return each_group(g, n, false, true, write_file_group);
}

static int write_file_stats(struct grouper *g, const struct td_target *target, struct td_err *err)
{
	int r;

	r = begin_table(g, target, "file_stat", err);
	g->of_files = true;
	for (size_t f = 0; f < g->c->nfamilies && r >= 0; f++) {
		if (f > 0)
			r = td_family_sort(&g->c->families[f]);
		g->f = &g->c->families[f];
		for (size_t i = 0; i < TD_ARRAY_SIZE(groupings) && r >= 0; i++)
			if (td_budget_family(g->c, groupings[i].tells) == g->f)
				r = write_grouping(g, &groupings[i]);
		td_family_drop_durations(&g->c->families[f]);
	}
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

static int write_sizes(struct grouper *g, const struct group *group)
{
	int r = 0;

	for (unsigned b = 0; b < TD_SIZE_BUCKETS && r >= 0; b++) {
		if (!group->sizes[b])
			continue;
		td_row_key(&g->stmt, group->of.key);
		td_row_str(&g->stmt, td_store_text(g->c->st, group->of.sub));
		td_row_i64(&g->stmt, td_size_low(b));
		td_row_i64(&g->stmt, (int64_t)group->sizes[b]);
		r = td_row_builder_end_row(&g->stmt);
	}
	return r;
}

static int write_size_stats(struct grouper *g, const struct td_target *target, struct td_err *err)
{
	const struct td_family *f = g->f = td_budget_family(g->c, TD_BY_FILE);
	struct td_calls *c = g->c;
	size_t n = 0;
	int r;

	if (!f)
		return 0;
	for (uint32_t i = 0; i < f->ncombos; i++) {
		const struct td_combo *k = &f->combos[i];
		const char *verb = c->in->ops[k->op_id - 1].info->verb;

		if (k->object && (strcmp(verb, "read") == 0 || strcmp(verb, "write") == 0))
			g->members[n++] = (struct member){
				.key = k->object,
				.sub = c->verb_ids[k->op_id],
				.combo = i,
			};
	}
	r = begin_table(g, target, "size_stat", err);
	return r < 0 ? r : each_group(g, n, false, false, write_sizes);
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

static int write_bins(struct td_calls *c, const struct td_target *target, struct td_err *err)
{
	const struct td_family *f = td_budget_family(c, TD_BY_PROCESS | TD_BY_FILE);
	_cleanup_(td_row_builder_done) struct td_row_builder stmt = { 0 };
	int r;

	if (!f)
		return 0;
	r = td_row_builder_open(&stmt, target, "bin_stat", err);
	for (size_t i = 0; i < f->nbins && r >= 0; i++) {
		const struct td_bin_row *b = &f->bins[i];
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
		r = td_row_builder_end_row(&stmt);
	}
	return r;
}

static int prepare(struct grouper *g)
{
	size_t n = 1;

	for (size_t i = 0; i < g->c->nfamilies; i++)
		n = TD_MAX(n, g->c->families[i].ncombos);
	g->members = calloc(n, sizeof(*g->members));
	g->spare = calloc(n, sizeof(*g->spare));
	g->sets = calloc(n, sizeof(*g->sets));
	g->groups = malloc(TD_MIN(n, GROUPS_AT_ONCE) * sizeof(*g->groups));
	return g->members && g->spare && g->sets && g->groups ? 0 : -ENOMEM;
}

int td_groups_write(struct td_calls *c, const struct td_target *target, struct td_err *err)
{
	_cleanup_(grouper_done) struct grouper g = { .c = c, .f = &c->families[0] };
	int r;

	r = prepare(&g);
	/* the other one when it is its turn, so that the durations of one are in memory at a time */
	if (r >= 0)
		r = td_family_sort(&c->families[0]);
	if (r >= 0)
		r = write_op_groups(&g, "op_stat", false, write_op_group, target, err);
	if (r >= 0)
		r = write_op_groups(&g, "nested_stat", true, write_nested_group, target, err);
	if (r >= 0)
		r = write_file_stats(&g, target, err);
	if (r >= 0)
		r = write_size_stats(&g, target, err);
	if (r >= 0)
		r = write_latencies(c, target, err);
	if (r >= 0)
		r = write_bins(c, target, err);
	if (r >= 0)
		r = write_omitted(c, target, err);
	return r < 0 ? r : write_blocks(c, target, err);
}
