/* SPDX-License-Identifier: MIT */
#include "analyzer/partial/partial.h"
#include "analyzer/scan/dims.h"
#include "schema/stat_math.h"

#define NCELLS_MAX (TD_PARTIAL_COLUMNS_MAX > TD_NDIMS ? TD_PARTIAL_COLUMNS_MAX : TD_NDIMS)

int td_partial_new(const struct td_partial_head *head, struct td_partial **ret)
{
	_cleanup_(td_partial_freep) struct td_partial *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return -ENOMEM;
	r = td_partial_head_copy(head, &p->head);
	if (r < 0)
		return r;
	p->groups = calloc(head->nquestions + 1, sizeof(*p->groups));
	if (!p->groups)
		return -ENOMEM;
	for (size_t q = 0; q < head->nquestions; q++)
		td_group_sums_init(&p->groups[q].sums, head->questions[q].measures);
	*ret = TAKE_PTR(p);
	return 0;
}

void td_partial_groups_done(struct td_partial_groups *g)
{
	for (size_t i = 0; i < g->keys.n; i++) {
		if (g->durations)
			td_histogram_done(&g->durations[i]);
		if (g->sizes)
			td_histogram_done(&g->sizes[i]);
	}
	free(g->durations);
	free(g->sizes);
	td_group_sums_done(&g->sums);
	td_intern_done(&g->keys);
}

void td_partial_free(struct td_partial *p)
{
	if (!p)
		return;
	for (size_t t = 0; t < TD_PARTIAL_NTABLES; t++) {
		td_intern_done(&p->tables[t].keys);
		free(p->tables[t].cells);
	}
	for (size_t q = 0; p->groups && q < p->head.nquestions; q++)
		td_partial_groups_done(&p->groups[q]);
	free(p->groups);
	td_intern_done(&p->texts);
	td_partial_head_done(&p->head);
	free(p);
}

/* --- rows --- */

static int compare_texts(const struct td_intern *texts, int64_t a, int64_t b)
{
	struct td_str x = td_intern_get(texts, (uint32_t)a), y = td_intern_get(texts, (uint32_t)b);
	int c = memcmp(x.p, y.p, TD_MIN(x.len, y.len));

	return c ? c : (x.len > y.len) - (x.len < y.len);
}

static int64_t merge_cell(const struct td_partial *p, enum td_partial_cell cell, int64_t a,
			  int64_t b)
{
	if (a == TD_NULL || b == TD_NULL)
		return a == TD_NULL ? b : a;
	switch (cell) {
	case TD_CELL_ID:
	case TD_CELL_TEXT:
		return a == b || compare_texts(&p->texts, a, b) > 0 ? a : b;
	case TD_CELL_SUM:
		return td_plus(a, b);
	case TD_CELL_MIN:
		return TD_MIN(a, b);
	default:
		return TD_MAX(a, b);
	}
}

int td_partial_add(struct td_partial *p, enum td_partial_table table, const int64_t *cells)
{
	const struct td_partial_table_info *info = &td_partial_tables[table];
	struct td_partial_rows *t = &p->tables[table];
	size_t nvalues = info->ncolumns - info->nkeys, before = t->keys.n;
	uint32_t row = td_intern_add(&t->keys, (const char *)cells, info->nkeys * sizeof(*cells));
	int64_t *to;

	if (!row)
		return -ENOMEM;
	if (row > t->cap) {
		size_t cap = TD_MAX(t->cap * 2, (size_t)64);
		int64_t *grown = realloc(t->cells, (cap * nvalues + 1) * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		t->cells = grown;
		t->cap = cap;
	}
	to = t->cells + (row - 1) * nvalues;
	for (size_t i = 0; i < nvalues; i++)
		to[i] = row > before ? cells[info->nkeys + i]
				     : merge_cell(p, info->columns[info->nkeys + i].cell, to[i],
						  cells[info->nkeys + i]);
	return 0;
}

bool td_partial_has(const struct td_partial *p, enum td_partial_table table, const int64_t *cells)
{
	const struct td_partial_table_info *info = &td_partial_tables[table];
	const struct td_partial_rows *t = &p->tables[table];
	size_t nvalues = info->ncolumns - info->nkeys;
	uint32_t row = td_intern_find(&t->keys, (const char *)cells, info->nkeys * sizeof(*cells));

	for (size_t i = 0; row && i < nvalues; i++)
		if (info->columns[info->nkeys + i].cell == TD_CELL_SUM ||
		    t->cells[(row - 1) * nvalues + i] != cells[info->nkeys + i])
			return false;
	return row;
}

const int64_t *td_partial_find(const struct td_partial *p, enum td_partial_table table,
			       uint32_t key)
{
	const struct td_partial_rows *t = &p->tables[table];
	int64_t cell = key;
	uint32_t row = td_intern_find(&t->keys, (const char *)&cell, sizeof(cell));

	return row ? &t->cells[(row - 1) * (td_partial_tables[table].ncolumns - 1)] : NULL;
}

void td_partial_row(const struct td_partial *p, enum td_partial_table table, size_t i, int64_t *ret)
{
	const struct td_partial_table_info *info = &td_partial_tables[table];
	const struct td_partial_rows *t = &p->tables[table];
	size_t nvalues = info->ncolumns - info->nkeys;

	memcpy(ret, td_intern_get(&t->keys, (uint32_t)i + 1).p, info->nkeys * sizeof(*ret));
	if (nvalues)
		memcpy(ret + info->nkeys, t->cells + i * nvalues, nvalues * sizeof(*ret));
}

/* --- groups --- */

bool td_partial_dim_is_text(uint8_t dim)
{
	return !td_dim_has_zero(dim) && dim != TD_DIM_LATENCY && dim != TD_DIM_SIZE;
}

unsigned td_partial_question_columns(const struct td_partial_question *q, uint8_t *ret_dims)
{
	unsigned n = 0;

	for (unsigned d = 0; d < TD_NDIMS; d++)
		if (q->dims & 1u << d)
			ret_dims[n++] = (uint8_t)d;
	return n;
}

static int grow_histograms(struct td_histogram **items, size_t from, size_t to)
{
	struct td_histogram *grown = realloc(*items, to * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	memset(grown + from, 0, (to - from) * sizeof(*grown));
	*items = grown;
	return 0;
}

int td_partial_group(struct td_partial *p, size_t question, const int64_t *key, size_t *ret)
{
	const struct td_partial_question *q = &p->head.questions[question];
	struct td_partial_groups *g = &p->groups[question];
	size_t before = g->keys.n;
	uint32_t id = td_intern_add(&g->keys, (const char *)key,
				    (size_t)__builtin_popcount(q->dims) * sizeof(*key));

	if (!id)
		return -ENOMEM;
	if (id > g->cap) {
		size_t cap = TD_MAX(g->cap * 2, (size_t)64);

		if ((td_partial_has_durations(q) &&
		     grow_histograms(&g->durations, g->cap, cap) < 0) ||
		    (td_partial_has_sizes(q) && grow_histograms(&g->sizes, g->cap, cap) < 0))
			return -ENOMEM;
		g->cap = cap;
	}
	*ret = id - 1;
	return id > before ? td_group_sums_resize(&g->sums, id) : 0;
}

/* --- merging --- */

/* Databases of from that are in p, too; the first of them. */
static size_t count_shared(const struct td_partial *p, const struct td_partial *from,
			   struct td_str *ret_name)
{
	size_t n = 0;

	for (size_t i = 0; i < td_partial_nrows(from, TD_PARTIAL_DATABASE); i++) {
		int64_t cells[TD_PARTIAL_COLUMNS_MAX], key;
		uint32_t id;

		td_partial_row(from, TD_PARTIAL_DATABASE, i, cells);
		id = td_intern_find_from(&p->texts, &from->texts, (uint32_t)cells[0]);
		key = id;
		if (!id || !td_intern_find(&p->tables[TD_PARTIAL_DATABASE].keys, (const char *)&key,
					   sizeof(key)))
			continue;
		if (n++ == 0)
			*ret_name = td_intern_get(&from->texts, (uint32_t)cells[1]);
	}
	return n;
}

static int merge_rows(struct td_partial *p, const struct td_partial *from,
		      enum td_partial_table table, const uint32_t *texts)
{
	const struct td_partial_table_info *info = &td_partial_tables[table];
	int r = 0;

	for (size_t i = 0; i < td_partial_nrows(from, table) && r == 0; i++) {
		int64_t cells[TD_PARTIAL_COLUMNS_MAX];

		td_partial_row(from, table, i, cells);
		for (size_t c = 0; c < info->ncolumns; c++)
			if (td_partial_is_text(info->columns[c].cell) && cells[c] != TD_NULL)
				cells[c] = texts[cells[c]];
		r = td_partial_add(p, table, cells);
	}
	return r;
}

/* The key of a group of from in the texts of p. */
static void map_key(const uint8_t *dims, unsigned n, const int64_t *key, const uint32_t *texts,
		    int64_t *ret)
{
	for (unsigned d = 0; d < n; d++)
		ret[d] = td_partial_dim_is_text(dims[d]) && key[d] != TD_NULL ? texts[key[d]]
									      : key[d];
}

static int merge_histograms(struct td_histogram *to, const struct td_histogram *from,
			    const uint32_t *groups, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = td_histogram_merge(&to[groups[i]], &from[i]);
	return r;
}

static int merge_groups(struct td_partial *p, const struct td_partial *from, size_t question,
			const uint32_t *texts)
{
	const struct td_partial_groups *g = &from->groups[question];
	struct td_partial_groups *to = &p->groups[question];
	_cleanup_free_ uint32_t *groups = malloc((g->keys.n + 1) * sizeof(*groups));
	uint8_t dims[TD_NDIMS];
	unsigned n = td_partial_question_columns(&p->head.questions[question], dims);
	int r = groups ? 0 : -ENOMEM;

	for (size_t i = 0; i < g->keys.n && r == 0; i++) {
		int64_t key[TD_NDIMS], mapped[TD_NDIMS];
		struct td_str bytes = td_intern_get(&g->keys, (uint32_t)i + 1);
		size_t at = 0;

		memcpy(key, bytes.p, bytes.len);
		map_key(dims, n, key, texts, mapped);
		r = td_partial_group(p, question, mapped, &at);
		groups[i] = (uint32_t)at;
	}
	if (r < 0)
		return r;
	td_group_sums_merge(&to->sums, &g->sums, groups);
	if (g->durations)
		r = merge_histograms(to->durations, g->durations, groups, g->keys.n);
	if (g->sizes && r == 0)
		r = merge_histograms(to->sizes, g->sizes, groups, g->keys.n);
	return r;
}

/* *ret: by id of a text of from the id in p. */
static int merge_texts(struct td_partial *p, const struct td_partial *from, uint32_t *ret)
{
	for (uint32_t id = 1; id <= from->texts.n; id++) {
		ret[id] = td_intern_add_from(&p->texts, &from->texts, id);
		if (!ret[id])
			return -ENOMEM;
	}
	return 0;
}

/* Texts of rows that are there already become the least ones, in the order of bytes. */
static void take_least(struct td_partial *p, const struct td_partial *from,
		       enum td_partial_table table, const uint32_t *texts)
{
	const struct td_partial_table_info *info = &td_partial_tables[table];
	struct td_partial_rows *t = &p->tables[table];
	size_t nvalues = info->ncolumns - info->nkeys;

	for (size_t i = 0; i < td_partial_nrows(from, table); i++) {
		int64_t cells[TD_PARTIAL_COLUMNS_MAX], key, *to;
		uint32_t row;

		td_partial_row(from, table, i, cells);
		key = texts[cells[0]];
		row = td_intern_find(&t->keys, (const char *)&key, sizeof(key));
		for (size_t c = 0; row && c < nvalues; c++) {
			int64_t more = cells[info->nkeys + c];

			to = t->cells + (row - 1) * nvalues + c;
			if (info->columns[info->nkeys + c].cell == TD_CELL_TEXT &&
			    more != TD_NULL && *to != TD_NULL &&
			    compare_texts(&p->texts, *to, texts[more]) > 0)
				*to = texts[more];
		}
	}
}

/* A copy has a name of its own: which one stays must not depend on which one came first. */
static int merge_names(struct td_partial *p, const struct td_partial *from, uint32_t *texts)
{
	int r = merge_texts(p, from, texts);

	if (r == 0) {
		take_least(p, from, TD_PARTIAL_DATABASE, texts);
		take_least(p, from, TD_PARTIAL_SOURCE, texts);
	}
	return r;
}

static int merge_all(struct td_partial *p, const struct td_partial *from, uint32_t *texts)
{
	int r = merge_texts(p, from, texts);

	for (size_t t = 0; t < TD_PARTIAL_NTABLES && r == 0; t++)
		r = merge_rows(p, from, (enum td_partial_table)t, texts);
	for (size_t q = 0; q < p->head.nquestions && r == 0; q++)
		r = merge_groups(p, from, q, texts);
	return r;
}

/* Which reports with which options, for people. */
static void describe(const struct td_partial_head *h, struct td_strbuf *b)
{
	for (size_t i = 0; i < h->nreports; i++)
		td_strbuf_addf(b, "%s%s", i ? "," : "", h->reports[i]);
	for (size_t i = 0; i < h->nargs; i++)
		td_strbuf_addf(b, " %s=%s", h->args[2 * i], h->args[2 * i + 1]);
	td_strbuf_addf(b, " top=%zu", h->top);
}

static int refuse(const struct td_partial *p, const struct td_partial *from, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf is = TD_STRBUF_INIT, others = TD_STRBUF_INIT;

	describe(&from->head, &is);
	describe(&p->head, &others);
	return td_err_set(
		err, -EINVAL,
		"it is of another report, of other options or of another version of it: of '%s', "
		"others of '%s'",
		td_strbuf_str(&is), td_strbuf_str(&others));
}

int td_partial_merge(struct td_partial *p, const struct td_partial *from, struct td_err *err)
{
	_cleanup_free_ uint32_t *texts = calloc(from->texts.n + 1, sizeof(*texts));
	size_t ndbs = td_partial_nrows(from, TD_PARTIAL_DATABASE), shared;
	struct td_str name = { 0 };

	if (!texts)
		return -ENOMEM;
	if (strcmp(p->head.text, from->head.text) != 0)
		return refuse(p, from, err);
	shared = count_shared(p, from, &name);
	if (shared && shared == ndbs)
		return merge_names(p, from, texts) < 0 ? -ENOMEM : 1;
	if (shared)
		return td_err_set(err, -EEXIST,
				  "%zu of its %zu databases are in another one, too, '%.*s' for "
				  "one: they would count twice",
				  shared, ndbs, (int)TD_MIN(name.len, (size_t)200), name.p);
	return merge_all(p, from, texts);
}

/* --- in order --- */

struct order {
	const struct td_intern *keys;
	size_t ncells;
};

static int by_text(const void *a, const void *b, void *arg)
{
	return compare_texts(arg, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* Keys whose texts are in order, so that their ids are. */
static int by_key(const void *a, const void *b, void *arg)
{
	const struct order *o = arg;
	int64_t x[NCELLS_MAX], y[NCELLS_MAX];

	memcpy(x, td_intern_get(o->keys, *(const uint32_t *)a).p, o->ncells * sizeof(*x));
	memcpy(y, td_intern_get(o->keys, *(const uint32_t *)b).p, o->ncells * sizeof(*y));
	for (size_t i = 0; i < o->ncells; i++)
		if (x[i] != y[i])
			return x[i] > y[i] ? 1 : -1;
	return 0;
}

static uint32_t *ids_of(size_t n)
{
	uint32_t *ids = malloc((n + 1) * sizeof(*ids));

	for (size_t i = 0; ids && i < n; i++)
		ids[i] = (uint32_t)i + 1;
	return ids;
}

static void mark_used(const struct td_partial *p, bool *used)
{
	for (size_t t = 0; t < TD_PARTIAL_NTABLES; t++)
		for (size_t i = 0; i < td_partial_nrows(p, (enum td_partial_table)t); i++) {
			int64_t cells[TD_PARTIAL_COLUMNS_MAX];

			td_partial_row(p, (enum td_partial_table)t, i, cells);
			for (size_t c = 0; c < td_partial_tables[t].ncolumns; c++)
				if (td_partial_is_text(td_partial_tables[t].columns[c].cell) &&
				    cells[c] != TD_NULL)
					used[cells[c]] = true;
		}
	for (size_t q = 0; q < p->head.nquestions; q++) {
		uint8_t dims[TD_NDIMS];
		unsigned n = td_partial_question_columns(&p->head.questions[q], dims);

		for (uint32_t id = 1; id <= p->groups[q].keys.n; id++) {
			int64_t key[TD_NDIMS];

			memcpy(key, td_intern_get(&p->groups[q].keys, id).p, n * sizeof(*key));
			for (unsigned d = 0; d < n; d++)
				if (td_partial_dim_is_text(dims[d]) && key[d] != TD_NULL)
					used[key[d]] = true;
		}
	}
}

static int sort_texts(const struct td_partial *p, struct td_partial *to)
{
	_cleanup_free_ bool *used = calloc(p->texts.n + 1, sizeof(*used));
	_cleanup_free_ uint32_t *ids = malloc((p->texts.n + 1) * sizeof(*ids));
	size_t n = 0;

	if (!used || !ids)
		return -ENOMEM;
	mark_used(p, used);
	for (uint32_t id = 1; id <= p->texts.n; id++)
		if (used[id])
			ids[n++] = id;
	qsort_r(ids, n, sizeof(*ids), by_text, (void *)&p->texts);
	for (size_t i = 0; i < n; i++)
		if (!td_intern_add_from(&to->texts, &p->texts, ids[i]))
			return -ENOMEM;
	return 0;
}

static int sort_rows(const struct td_partial *p, struct td_partial *to, enum td_partial_table table)
{
	size_t n = td_partial_nrows(p, table);
	_cleanup_free_ uint32_t *ids = ids_of(n);
	struct order o = { .keys = &p->tables[table].keys,
			   .ncells = td_partial_tables[table].nkeys };
	int r = ids ? 0 : -ENOMEM;

	if (r == 0)
		qsort_r(ids, n, sizeof(*ids), by_key, &o);
	for (size_t i = 0; i < n && r == 0; i++) {
		int64_t cells[TD_PARTIAL_COLUMNS_MAX];

		td_partial_row(p, table, ids[i] - 1, cells);
		r = td_partial_add(to, table, cells);
	}
	return r;
}

static int sort_groups(const struct td_partial *p, struct td_partial *to, size_t question)
{
	const struct td_partial_groups *from = &p->groups[question];
	_cleanup_free_ uint32_t *ids = ids_of(from->keys.n), *groups = ids_of(from->keys.n);
	uint8_t dims[TD_NDIMS];
	struct order o = { .keys = &from->keys,
			   .ncells = td_partial_question_columns(&p->head.questions[question],
								 dims) };
	int r = ids && groups ? 0 : -ENOMEM;

	if (r == 0)
		qsort_r(ids, from->keys.n, sizeof(*ids), by_key, &o);
	for (size_t i = 0; i < from->keys.n && r == 0; i++) {
		int64_t key[TD_NDIMS];
		size_t at = 0;

		memcpy(key, td_intern_get(&from->keys, ids[i]).p, o.ncells * sizeof(*key));
		r = td_partial_group(to, question, key, &at);
		groups[ids[i] - 1] = (uint32_t)at;
	}
	if (r < 0)
		return r;
	td_group_sums_merge(&to->groups[question].sums, &from->sums, groups);
	if (from->durations)
		r = merge_histograms(to->groups[question].durations, from->durations, groups,
				     from->keys.n);
	if (from->sizes && r == 0)
		r = merge_histograms(to->groups[question].sizes, from->sizes, groups, from->keys.n);
	return r;
}

int td_partial_sorted(const struct td_partial *p, struct td_partial **ret)
{
	_cleanup_(td_partial_freep) struct td_partial *texts = NULL, *sorted = NULL;
	_cleanup_free_ uint32_t *ids = NULL;
	int r = td_partial_new(&p->head, &texts);

	/* first the texts, so that the order of ids is that of the texts; then rows by ids */
	if (r == 0)
		r = sort_texts(p, texts);
	ids = calloc(p->texts.n + 1, sizeof(*ids));
	if (r == 0 && !ids)
		r = -ENOMEM;
	for (uint32_t id = 1; id <= p->texts.n && r == 0; id++)
		ids[id] = td_intern_find_from(&texts->texts, &p->texts, id);
	for (size_t t = 0; t < TD_PARTIAL_NTABLES && r == 0; t++)
		r = merge_rows(texts, p, (enum td_partial_table)t, ids);
	for (size_t q = 0; q < p->head.nquestions && r == 0; q++)
		r = merge_groups(texts, p, q, ids);
	if (r == 0)
		r = td_partial_new(&p->head, &sorted);
	for (uint32_t id = 1; r == 0 && id <= texts->texts.n; id++)
		r = td_intern_add_from(&sorted->texts, &texts->texts, id) ? 0 : -ENOMEM;
	for (size_t t = 0; t < TD_PARTIAL_NTABLES && r == 0; t++)
		r = sort_rows(texts, sorted, (enum td_partial_table)t);
	for (size_t q = 0; q < p->head.nquestions && r == 0; q++)
		r = sort_groups(texts, sorted, q);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(sorted);
	return 0;
}
