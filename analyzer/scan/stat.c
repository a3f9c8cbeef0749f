/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/stat_scan.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/parallel.h"
#include "schema/db.h"
#include "schema/stat_math.h"

static void part_done(struct td_stat_part *p)
{
	td_keys_done(&p->keys);
	td_group_sums_done(&p->sums);
	td_pattern_done(&p->pattern);
	td_seeks_done(&p->seeks);
	td_values_done(&p->durations);
	td_buckets_done(&p->sizes);
	td_busiest_done(&p->busiest);
	td_keys_done(&p->file_keys);
	free(p->of_files);
	free(p->groups);
}

static int part_init(const struct td_stat_scan *s, struct td_stat_part *p)
{
	unsigned bits = td_dims_bits(&s->dims);

	td_group_sums_init(&p->sums, s->req->measures);
	if (bits <= TD_KEYS_DIRECT_BITS_MAX)
		td_keys_direct(&p->keys, bits);
	return s->files ? td_busiest_init(&p->busiest, s->last_file,
					  td_dims_are_of_files(&s->dims, s->req->files_of_any_verb))
			: 0;
}

static void scan_done(struct td_stat_scan *s)
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

static int find_groups(const struct td_stat_scan *s, struct td_stat_part *p,
		       const struct td_row_batch *b, const uint16_t *rows, size_t n,
		       uint32_t *groups)
{
	struct td_key keys[TD_ROWS_AT_ONCE];

	if (td_keys_reserve(&p->keys, n) < 0)
		return -ENOMEM;
	td_dims_keys(&s->dims, b, rows, n, keys);
	td_keys_add_all(&p->keys, keys, n, groups);
	return td_group_sums_resize(&p->sums, p->keys.n);
}

/* Of which values are kept: rows and groups of those that a percentile is wanted of. Returns how many there are. */
static size_t choose_kept(const struct td_stat_request *req, const struct td_row_batch *b,
			  uint16_t *rows, uint32_t *groups, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n && req->percentiles_of; i++)
		if (td_key_map_get(req->percentiles_of, b->columns[TD_ROW_KIND][rows[i]])) {
			rows[kept] = rows[i];
			groups[kept++] = groups[i];
		}
	return req->percentiles_of ? kept : n;
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

static int keep_sizes(struct td_buckets *to, const struct td_row_batch *b, const uint16_t *rows,
		      const uint32_t *groups, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		int64_t bytes = b->columns[TD_ROW_BYTES][rows[i]];

		if (bytes >= 0)
			r = td_buckets_add(to, groups[i], td_size_bucket(bytes), 1);
	}
	return r;
}

/* The last that is done with rows of a batch. */
static int keep_values(const struct td_stat_scan *s, struct td_stat_part *p,
		       const struct td_row_batch *b, uint16_t *rows, uint32_t *groups, size_t n)
{
	size_t kept = choose_kept(s->req, b, rows, groups, n);
	int r = 0;

	if (s->durations)
		r = td_values_resize(&p->durations, p->keys.n);
	if (s->durations && r == 0)
		r = keep_durations(&p->durations, b, rows, groups, kept);
	if (s->sizes && r == 0)
		r = td_buckets_resize(&p->sizes, p->keys.n);
	if (s->sizes && r == 0)
		r = keep_sizes(&p->sizes, b, rows, groups, kept);
	return r;
}

/* Numbers what files are told of, of groups that are new. */
static int number_file_keys(const struct td_stat_scan *s, struct td_stat_part *p)
{
	if (td_keys_reserve(&p->file_keys, p->keys.n - p->nof_files) < 0)
		return -ENOMEM;
	for (; p->nof_files < p->keys.n; p->nof_files++) {
		struct td_key key = p->keys.items[p->nof_files];

		if (td_grow(&p->of_files, &p->of_files_cap, p->nof_files) < 0)
			return -ENOMEM;
		if (s->req->files_of_any_verb)
			key = td_dims_without(&s->dims, TD_DIM_VERB, key);
		p->of_files[p->nof_files] = td_keys_add(&p->file_keys, key);
	}
	return td_busiest_resize(&p->busiest, p->file_keys.n);
}

static int add_files(const struct td_stat_scan *s, struct td_stat_part *p,
		     const struct td_row_batch *b, const uint16_t *rows, const uint32_t *groups,
		     size_t n)
{
	uint32_t of_files[TD_ROWS_AT_ONCE];
	int r = number_file_keys(s, p);

	for (size_t i = 0; i < n && r == 0; i++)
		of_files[i] = p->of_files[groups[i]];
	return r == 0 ? td_busiest_add(&p->busiest, b, rows, of_files, n) : r;
}

struct reading {
	const struct td_stat_scan *s;
	struct td_stat_part *part;
	bool begun; /* there are parts before */
};

/* Rows that meet the conditions, also where they were read late. */
static size_t choose_rows(const struct td_stat_scan *s, const struct td_row_batch *b,
			  uint16_t *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (!s->filter.late || td_filter_meets(&s->filter, b, i))
			rows[n++] = (uint16_t)i;
	return n;
}

static int add_rows(const struct td_stat_scan *s, struct td_stat_part *p,
		    const struct td_row_batch *b)
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
	if (s->files)
		r = add_files(s, p, b, rows, groups, counted);
	if (s->pattern && r == 0)
		r = td_pattern_add(&p->pattern, &s->verbs, &p->sums, b, rows, groups, counted);
	return r == 0 ? keep_values(s, p, b, rows, groups, counted) : r;
}

static int add_batch(void *arg, struct td_row_batch *b)
{
	const struct reading *reading = arg;
	struct td_stat_part *p = reading->part;
	int r = reading->s->seeks ? td_seeks_add(&p->seeks, b, reading->begun) : 0;

	return r == 0 ? add_rows(reading->s, p, b) : r;
}

static int read_part(void *arg, size_t i)
{
	struct td_stat_scan *s = arg;
	struct reading reading = { s, &s->parts[i], i > 0 };
	int r = part_init(s, &s->parts[i]);

	return r < 0 ? r : td_row_source_read(&s->source, i, add_batch, &reading);
}

/* --- putting parts together --- */

/* The groups of the first part are those of all, as yet. */
static void take_part(struct td_stat *to, struct td_stat_part *p)
{
	to->keys = p->keys;
	to->sums = p->sums;
	p->keys = (struct td_keys){ 0 };
	p->sums = (struct td_group_sums){ 0 };
	for (size_t g = 0; g < to->keys.n; g++)
		p->groups[g] = (uint32_t)g;
}

static int add_part(struct td_stat *to, struct td_stat_part *p)
{
	if (td_keys_reserve(&to->keys, p->keys.n) < 0)
		return -ENOMEM;
	td_keys_add_all(&to->keys, p->keys.items, p->keys.n, p->groups);
	if (td_group_sums_resize(&to->sums, to->keys.n) < 0)
		return -ENOMEM;
	td_group_sums_merge(&to->sums, &p->sums, p->groups);
	td_keys_done(&p->keys);
	td_group_sums_done(&p->sums);
	return 0;
}

static int merge_part(struct td_stat_scan *s, size_t i, struct td_pattern *pattern)
{
	struct td_stat_part *p = &s->parts[i];
	struct td_stat *to = s->stat;

	p->groups = malloc((p->keys.n + 1) * sizeof(*p->groups));
	if (!p->groups)
		return -ENOMEM;
	if (i == 0)
		take_part(to, p);
	else if (add_part(to, p) < 0)
		return -ENOMEM;
	return s->pattern ? td_pattern_follow(pattern, &p->pattern, p->groups, &to->sums) : 0;
}

/* The first request of each disk in a part goes on from the parts before. */
static int add_waiting(struct td_stat_scan *s, const struct td_seek_rows *waiting)
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

static int follow_seeks(struct td_stat_scan *s)
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

/* What a part has is put to what the first one has. */
static int add_busiest(struct td_stat_part *to, const struct td_stat_part *p)
{
	_cleanup_free_ uint32_t *numbers = malloc((p->file_keys.n + 1) * sizeof(*numbers));
	int r;

	if (!numbers || td_keys_reserve(&to->file_keys, p->file_keys.n) < 0)
		return -ENOMEM;
	td_keys_add_all(&to->file_keys, p->file_keys.items, p->file_keys.n, numbers);
	r = td_busiest_resize(&to->busiest, to->file_keys.n);
	return r == 0 ? td_busiest_merge(&to->busiest, &p->busiest, numbers) : r;
}

/* Where files are not of any verb, keys of files are numbered as groups are, which come from the
 * parts in the same order. */
static int find_busiest(struct td_stat_scan *s)
{
	struct td_stat_part *first = &s->parts[0];
	int r = 0;

	for (size_t i = 1; i < s->nparts && r == 0; i++)
		r = add_busiest(first, &s->parts[i]);
	if (r < 0)
		return r;
	s->stat->files = td_busiest_of_all(&first->busiest);
	s->stat->file_keys = first->file_keys;
	first->file_keys = (struct td_keys){ 0 };
	return s->stat->files ? 0 : -ENOMEM;
}

static int merge_parts(struct td_stat_scan *s)
{
	_cleanup_(td_pattern_done) struct td_pattern pattern = { 0 };
	int r = s->seeks ? follow_seeks(s) : 0;

	for (size_t i = 0; i < s->nparts && r == 0; i++)
		r = merge_part(s, i, &pattern);
	return r == 0 && s->files ? find_busiest(s) : r;
}

/* --- all of it --- */

static int open_scan(sqlite3 *db, struct td_stat_scan *s, struct td_err *err)
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
	s->files = req->measures & TD_MEASURES_FILES;
	if (r == 0 && s->files)
		r = td_dims_last_id(db, TD_DIM_FILE, &s->last_file, err);
	if (r == 0 && s->pattern)
		r = td_key_map_load(db, "SELECT id, verb FROM main.op", &s->verbs, &s->verb_labels,
				    err);
	if (r < 0)
		return r;
	columns = td_dims_columns(req->dims) | td_group_sums_columns(req->measures);
	if (s->pattern || req->percentiles_of)
		columns |= 1u << TD_ROW_KIND;
	if (s->seeks)
		columns |= 1u << TD_ROW_DEVICE | 1u << TD_ROW_OFFSET | 1u << TD_ROW_BYTES;
	return td_row_source_open(db, req->relation, &s->filter, columns, &s->source, err);
}

/* Reads all parts; by SQL if the pages turn out not to be what they should. */
static int read_all(struct td_stat_scan *s)
{
	int r;

	s->nparts = s->source.nparts + s->seeks;
	s->parts = calloc(s->nparts, sizeof(*s->parts));
	r = s->parts ? 0 : -ENOMEM;
	if (r == 0 && s->seeks)
		r = part_init(s, &s->parts[s->nparts - 1]);
	if (r == 0)
		r = td_parallel(s->source.nparts, read_part, s);
	if (r != -EOPNOTSUPP)
		return r;
	for (size_t i = 0; i < s->source.nparts; i++) {
		part_done(&s->parts[i]);
		s->parts[i] = (struct td_stat_part){ 0 };
	}
	td_row_source_leave_pages(&s->source);
	return read_part(s, 0); /* parts that are empty do no harm */
}

int td_stat_scan(sqlite3 *db, const struct td_stat_request *req, struct td_stat *ret,
		 struct td_err *err)
{
	_cleanup_(td_stat_done) struct td_stat stat = { 0 };
	_cleanup_(scan_done) struct td_stat_scan s = { .req = req, .stat = &stat };
	int r = open_scan(db, &s, err);

	if (r == 0)
		r = read_all(&s);
	if (r == 0)
		r = merge_parts(&s);
	if (r == 0 && req->histograms)
		r = td_stat_all_histograms(&s);
	if (r == 0 && s.durations && !req->histograms)
		r = td_stat_all_percentiles(&s);
	if (r == 0 && s.sizes && !req->histograms)
		r = td_stat_all_sizes(&s);
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
	td_keys_done(&s->file_keys);
	td_group_sums_done(&s->sums);
	free(s->p50_ns);
	free(s->p95_ns);
	free(s->p99_ns);
	free(s->p50_bytes_low);
	free(s->files);
	td_arena_done(&s->packed.bytes);
	free(s->packed.items);
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
