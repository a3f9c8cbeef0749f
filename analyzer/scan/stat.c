/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>

#include "analyzer/scan/filter.h"
#include "analyzer/scan/pattern.h"
#include "analyzer/scan/seeks.h"
#include "analyzer/scan/stat.h"
#include "analyzer/scan/values.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/parallel.h"
#include "schema/db.h"
#include "schema/stat_math.h"

/* Of all groups; a thread that has found the percentiles of one takes the next. */
#define PIECES_MAX 256
#define VALUES_OF_PIECE 16384 /* fewer are not worth a thread */

/* What one thread finds in its part of the calls. */
struct part {
	struct td_keys keys;
	struct td_group_sums sums;
	struct td_pattern pattern;
	struct td_seeks seeks;
	struct td_values durations, sizes; /* sizes: number of the bucket */
	size_t during; /* where the last call was among the intervals */
	uint32_t *groups; /* owned; what each of its groups is among all */
};

struct scan {
	const struct td_stat_request *req;
	struct td_filter filter;
	struct td_dims dims;
	struct td_key_map verbs; /* of operations, where transfers are followed */
	struct td_labels verb_labels;
	struct td_row_source source;
	struct part *parts; /* owned */
	size_t nparts; /* those of the source, and one of what has waited for the end of another */
	bool durations, sizes, pattern, seeks; /* wanted */
	struct td_values_part *values; /* owned; of each part, those that are asked for now */
	struct td_all_values all;
	struct td_stat *stat; /* being filled */
};

static void part_done(struct part *p)
{
	td_keys_done(&p->keys);
	td_group_sums_done(&p->sums);
	td_pattern_done(&p->pattern);
	td_seeks_done(&p->seeks);
	td_values_done(&p->durations);
	td_values_done(&p->sizes);
	free(p->groups);
}

static void scan_done(struct scan *s)
{
	for (size_t i = 0; s->parts && i < s->nparts; i++)
		part_done(&s->parts[i]);
	free(s->parts);
	td_filter_done(&s->filter);
	td_dims_done(&s->dims);
	td_key_map_done(&s->verbs);
	td_labels_done(&s->verb_labels);
	td_row_source_done(&s->source);
	td_all_values_done(&s->all);
	free(s->values);
}

/* --- one batch --- */

/* Puts nested calls behind the others, in the order that they have. Returns how many count. */
static size_t part_nested(const struct td_row_batch *b, uint16_t *rows, size_t n)
{
	uint16_t nested[TD_ROWS_AT_ONCE];
	size_t counted = 0, nnested = 0;

	for (size_t i = 0; i < n; i++) {
		if (b->columns[TD_ROW_NESTED][rows[i]] == 1)
			nested[nnested++] = rows[i];
		else
			rows[counted++] = rows[i];
	}
	memcpy(rows + counted, nested, nnested * sizeof(*nested));
	return counted;
}

static int find_groups(const struct scan *s, struct part *p, const struct td_row_batch *b,
		       const uint16_t *rows, size_t n, uint32_t *groups)
{
	struct td_key keys[TD_ROWS_AT_ONCE];

	if (td_keys_reserve(&p->keys, n) < 0)
		return -ENOMEM;
	td_dims_keys(&s->dims, b, rows, n, keys);
	for (size_t i = 0; i < n; i++)
		td_keys_fetch(&p->keys, keys[i]);
	for (size_t i = 0; i < n; i++)
		groups[i] = td_keys_add(&p->keys, keys[i]);
	return td_group_sums_resize(&p->sums, p->keys.n);
}

static int keep_durations(struct td_values *v, const struct td_row_batch *b, const uint16_t *rows,
			  const uint32_t *groups, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		int64_t dur_ns = b->columns[TD_ROW_DUR][rows[i]];

		if (dur_ns >= 0)
			r = td_values_add(v, groups[i], dur_ns);
	}
	return r;
}

static int keep_sizes(struct td_values *v, const struct td_row_batch *b, const uint16_t *rows,
		      const uint32_t *groups, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		int64_t bytes = b->columns[TD_ROW_BYTES][rows[i]];

		if (bytes >= 0)
			r = td_values_add(v, groups[i], td_size_bucket(bytes));
	}
	return r;
}

struct reading {
	const struct scan *s;
	struct part *part;
	bool begun; /* there are parts before */
};

/* Rows that meet the conditions, also where they were read late. */
static size_t choose_rows(const struct scan *s, const struct td_row_batch *b, uint16_t *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (!s->filter.late || td_filter_meets(&s->filter, b, i))
			rows[n++] = (uint16_t)i;
	return n;
}

static int add_rows(const struct scan *s, struct part *p, const struct td_row_batch *b)
{
	uint16_t rows[TD_ROWS_AT_ONCE];
	uint32_t groups[TD_ROWS_AT_ONCE];
	size_t n = choose_rows(s, b, rows), counted = n;
	int r;

	if (!(s->req->dims & 1u << TD_DIM_NESTED)) {
		counted = part_nested(b, rows, n);
		if (!(s->req->measures & 1u << TD_MEASURE_NESTED_CALLS))
			n = counted;
	}
	r = find_groups(s, p, b, rows, n, groups);
	if (r < 0)
		return r;
	td_group_sums_add(&p->sums, b, rows, groups, counted, n);
	if (s->req->measures & TD_MEASURES_DURING)
		td_group_sums_during(&p->sums, s->req->during, &p->during, b, rows, groups,
				     counted);
	if (s->durations)
		r = td_values_resize(&p->durations, p->keys.n);
	if (s->durations && r == 0)
		r = keep_durations(&p->durations, b, rows, groups, counted);
	if (s->sizes && r == 0)
		r = td_values_resize(&p->sizes, p->keys.n);
	if (s->sizes && r == 0)
		r = keep_sizes(&p->sizes, b, rows, groups, counted);
	if (s->pattern && r == 0)
		r = td_pattern_add(&p->pattern, &s->verbs, &p->sums, b, rows, groups, counted);
	return r;
}

static int add_batch(void *arg, struct td_row_batch *b)
{
	const struct reading *reading = arg;
	struct part *p = reading->part;
	int r = reading->s->seeks ? td_seeks_add(&p->seeks, b, reading->begun) : 0;

	return r == 0 ? add_rows(reading->s, p, b) : r;
}

static int read_part(void *arg, size_t i)
{
	struct scan *s = arg;
	struct reading reading = { s, &s->parts[i], i > 0 };

	td_group_sums_init(&s->parts[i].sums, s->req->measures);
	return td_row_source_read(&s->source, i, add_batch, &reading);
}

/* --- putting parts together --- */

static int merge_part(struct scan *s, size_t i, struct td_pattern *pattern)
{
	struct part *p = &s->parts[i];
	struct td_stat *to = s->stat;

	p->groups = malloc((p->keys.n + 1) * sizeof(*p->groups));
	if (!p->groups || td_keys_reserve(&to->keys, p->keys.n) < 0)
		return -ENOMEM;
	for (size_t g = 0; g < p->keys.n; g++)
		p->groups[g] = td_keys_add(&to->keys, p->keys.items[g]);
	if (td_group_sums_resize(&to->sums, to->keys.n) < 0)
		return -ENOMEM;
	td_group_sums_merge(&to->sums, &p->sums, p->groups);
	td_keys_done(&p->keys);
	td_group_sums_done(&p->sums);
	return s->pattern ? td_pattern_follow(pattern, &p->pattern, p->groups, &to->sums) : 0;
}

/* The first request of each disk in a part goes on from the parts before. */
static int add_waiting(struct scan *s, const struct td_seek_rows *waiting)
{
	_cleanup_free_ struct td_row_batch *b = calloc(1, sizeof(*b));
	int r = b ? 0 : -ENOMEM;

	for (size_t from = 0; from < waiting->n && r == 0; from += TD_ROWS_AT_ONCE) {
		b->n = TD_MIN(waiting->n - from, (size_t)TD_ROWS_AT_ONCE);
		for (size_t i = 0; i < b->n; i++)
			for (size_t c = 0; c < TD_ROW_NCOLUMNS; c++)
				b->columns[c][i] = waiting->rows[from + i][c];
		r = add_rows(s, &s->parts[s->nparts - 1], b);
	}
	return r;
}

static int follow_seeks(struct scan *s)
{
	_cleanup_(td_seeks_done) struct td_seeks seeks = { 0 };
	int r = 0;

	for (size_t i = 0; i < s->source.nparts && r == 0; i++) {
		r = td_seeks_follow(&seeks, &s->parts[i].seeks);
		if (r == 0)
			r = add_waiting(s, &s->parts[i].seeks.waiting);
	}
	return r;
}

static int merge_parts(struct scan *s)
{
	_cleanup_(td_pattern_done) struct td_pattern pattern = { 0 };
	int r = s->seeks ? follow_seeks(s) : 0;

	td_group_sums_init(&s->stat->sums, s->req->measures);
	for (size_t i = 0; i < s->nparts && r == 0; i++)
		r = merge_part(s, i, &pattern);
	return r;
}

/* offset: of the values in struct part. */
static int gather_values(struct scan *s, size_t offset)
{
	size_t nparts = s->nparts;

	td_all_values_done(&s->all);
	free(s->values);
	s->values = calloc(nparts, sizeof(*s->values));
	if (!s->values)
		return -ENOMEM;
	for (size_t i = 0; i < nparts; i++)
		s->values[i] = (struct td_values_part){
			.values = (struct td_values *)((char *)&s->parts[i] + offset),
			.groups = s->parts[i].groups,
		};
	return td_all_values_open(s->values, nparts, s->stat->keys.n, &s->all);
}

static int find_percentiles_of(const struct scan *s, size_t group)
{
	uint64_t n = td_all_values_count(&s->all, group);
	const uint64_t ranks[] = { (n + 1) / 2, n / 2 + 1, td_nearest_rank(n, 95),
				   td_nearest_rank(n, 99) };
	int64_t found[TD_ARRAY_SIZE(ranks)];
	int r;

	if (n == 0)
		return 0;
	r = td_all_values_ranks(&s->all, group, ranks, TD_ARRAY_SIZE(ranks), found);
	if (r < 0)
		return r;
	s->stat->p50_ns[group] = ((double)found[0] + (double)found[1]) / 2;
	s->stat->p95_ns[group] = found[2];
	s->stat->p99_ns[group] = found[3];
	return 0;
}

/* Of an even number the lower of the middle two. */
static int find_size_of(const struct scan *s, size_t group)
{
	uint64_t n = td_all_values_count(&s->all, group), rank = (n + 1) / 2;
	int64_t bucket;
	int r = n ? td_all_values_ranks(&s->all, group, &rank, 1, &bucket) : 0;

	if (n && r == 0)
		s->stat->p50_bytes_low[group] = td_size_low((unsigned)bucket);
	return r;
}

struct finding {
	const struct scan *s;
	int (*find)(const struct scan *s, size_t group);
	size_t npieces;
};

static int find_piece(void *arg, size_t i)
{
	const struct finding *f = arg;
	size_t n = f->s->stat->keys.n;
	int r = 0;

	for (size_t g = i * n / f->npieces; g < (i + 1) * n / f->npieces && r == 0; g++)
		r = f->find(f->s, g);
	return r;
}

static int find_all(const struct scan *s, int (*find)(const struct scan *s, size_t group))
{
	struct finding f = { s, find, TD_MIN(s->all.n / VALUES_OF_PIECE + 1, PIECES_MAX) };

	return td_parallel(f.npieces, find_piece, &f);
}

static int find_all_percentiles(struct scan *s)
{
	struct td_stat *to = s->stat;
	size_t n = to->keys.n;
	int r = gather_values(s, offsetof(struct part, durations));

	to->p50_ns = malloc((n + 1) * sizeof(*to->p50_ns));
	to->p95_ns = malloc((n + 1) * sizeof(*to->p95_ns));
	to->p99_ns = malloc((n + 1) * sizeof(*to->p99_ns));
	if (r < 0 || !to->p50_ns || !to->p95_ns || !to->p99_ns)
		return -ENOMEM;
	for (size_t g = 0; g < n; g++) {
		to->p50_ns[g] = NAN;
		to->p95_ns[g] = to->p99_ns[g] = TD_NULL;
	}
	return find_all(s, find_percentiles_of);
}

static int find_all_sizes(struct scan *s)
{
	struct td_stat *to = s->stat;
	int r = gather_values(s, offsetof(struct part, sizes));

	to->p50_bytes_low = malloc((to->keys.n + 1) * sizeof(*to->p50_bytes_low));
	if (r < 0 || !to->p50_bytes_low)
		return -ENOMEM;
	for (size_t g = 0; g < to->keys.n; g++)
		to->p50_bytes_low[g] = TD_NULL;
	return find_all(s, find_size_of);
}

/* --- histograms --- */

static void count_value(void *arg, int64_t value)
{
	td_histogram_count_bucket(arg, td_histogram_bucket(value));
}

static int find_histograms(const struct scan *s, struct td_histogram **ret)
{
	_cleanup_free_ struct td_histogram_count *count = malloc(sizeof(*count));
	size_t n = s->stat->keys.n;
	int r = 0;

	*ret = calloc(n + 1, sizeof(**ret));
	if (!count || !*ret)
		return -ENOMEM;
	*count = (struct td_histogram_count)TD_HISTOGRAM_COUNT_INIT;
	for (size_t g = 0; g < n && r == 0; g++) {
		td_all_values_each(&s->all, g, count_value, count);
		r = td_histogram_take(count, &(*ret)[g]);
	}
	return r;
}

static int find_all_histograms(struct scan *s)
{
	int r = 0;

	if (s->durations)
		r = gather_values(s, offsetof(struct part, durations));
	if (s->durations && r == 0)
		r = find_histograms(s, &s->stat->durations);
	if (s->sizes && r == 0)
		r = gather_values(s, offsetof(struct part, sizes));
	if (s->sizes && r == 0)
		r = find_histograms(s, &s->stat->sizes);
	return r;
}

/* --- all of it --- */

static int open_scan(sqlite3 *db, struct scan *s, struct td_err *err)
{
	const struct td_stat_request *req = s->req;
	unsigned columns;
	int r = td_filter_load(db, req, &s->filter, err);

	s->durations = req->measures & TD_MEASURES_PERCENTILES;
	s->sizes = req->measures & 1u << TD_MEASURE_P50_BYTES_LOW;
	s->pattern = req->measures & TD_MEASURES_PATTERN;
	s->seeks = req->measures & TD_MEASURES_SEEKS || req->dims & 1u << TD_DIM_SEEK;
	s->filter.late = s->seeks; /* whoever queued it, the next request follows it */
	if (r == 0)
		r = td_dims_load(db, req, &s->dims, err);
	if (r == 0 && s->pattern)
		r = td_key_map_load(db, "SELECT id, verb FROM main.op", &s->verbs, &s->verb_labels,
				    err);
	if (r < 0)
		return r;
	columns = td_dims_columns(req->dims) | td_group_sums_columns(req->measures);
	if (s->pattern)
		columns |= 1u << TD_ROW_KIND;
	if (s->seeks)
		columns |= 1u << TD_ROW_DEVICE | 1u << TD_ROW_OFFSET | 1u << TD_ROW_BYTES;
	return td_row_source_open(db, req->relation, &s->filter, columns, &s->source, err);
}

/* Reads all parts; by SQL if the pages turn out not to be what they should. */
static int read_all(struct scan *s)
{
	int r;

	s->nparts = s->source.nparts + s->seeks;
	s->parts = calloc(s->nparts, sizeof(*s->parts));
	if (s->parts && s->seeks)
		td_group_sums_init(&s->parts[s->nparts - 1].sums, s->req->measures);
	r = s->parts ? td_parallel(s->source.nparts, read_part, s) : -ENOMEM;
	if (r != -EOPNOTSUPP)
		return r;
	for (size_t i = 0; i < s->source.nparts; i++) {
		part_done(&s->parts[i]);
		s->parts[i] = (struct part){ 0 };
	}
	td_leaves_done(&s->source.leaves);
	s->source.nparts = 1;
	return read_part(s, 0); /* parts that are empty do no harm */
}

int td_stat_scan(sqlite3 *db, const struct td_stat_request *req, struct td_stat *ret,
		 struct td_err *err)
{
	_cleanup_(td_stat_done) struct td_stat stat = { 0 };
	_cleanup_(scan_done) struct scan s = { .req = req, .stat = &stat };
	int r = open_scan(db, &s, err);

	if (r == 0)
		r = read_all(&s);
	if (r == 0)
		r = merge_parts(&s);
	if (r == 0 && req->histograms)
		r = find_all_histograms(&s);
	if (r == 0 && s.durations && !req->histograms)
		r = find_all_percentiles(&s);
	if (r == 0 && s.sizes && !req->histograms)
		r = find_all_sizes(&s);
	if (r < 0)
		return r;
	*ret = stat;
	ret->dims = s.dims;
	s.dims = (struct td_dims){ 0 };
	stat = (struct td_stat){ 0 };
	return 0;
}

static void histograms_done(struct td_histogram *items, size_t n)
{
	for (size_t i = 0; items && i < n; i++)
		td_histogram_done(&items[i]);
	free(items);
}

void td_stat_done(struct td_stat *s)
{
	histograms_done(s->durations, s->keys.n);
	histograms_done(s->sizes, s->keys.n);
	td_dims_done(&s->dims);
	td_keys_done(&s->keys);
	td_group_sums_done(&s->sums);
	free(s->p50_ns);
	free(s->p95_ns);
	free(s->p99_ns);
	free(s->p50_bytes_low);
	*s = (struct td_stat){ 0 };
}

int td_stat_phases(sqlite3 *db, struct td_labels *ret, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db,
				    "SELECT label FROM main.phase_interval GROUP BY label"
				    " ORDER BY min(start_ns), label",
				    -1, &stmt, NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(stmt, 0);

		/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
		if (!text || td_grow(&ret->items, &ret->cap, ret->n) < 0)
			return -ENOMEM;
		ret->items[ret->n] = strdup(text);
		if (!ret->items[ret->n++])
			return -ENOMEM;
		rc = SQLITE_OK;
	}
	return rc == SQLITE_DONE ? 0 : td_db_error(db, rc, err, "cannot read the phases");
}
