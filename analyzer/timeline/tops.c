/* SPDX-License-Identifier: MIT */
/* Who did most in each of some hundred stretches of time: files, processes, kernels. */
#include <math.h>

#include "analyzer/timeline/timeline_private.h"
#include "common/array.h"

#define TOP_BINS 256

#define KERNELS                                                                                    \
	"SELECT start_ns, start_ns + dur_ns, name_id FROM gpu_op WHERE dur_ns IS NOT NULL"         \
	" AND start_ns + dur_ns > ?1 AND start_ns < ?2"                                            \
	" AND kind_id IN (SELECT id FROM string WHERE text = 'kernel')"

/* Of id ?1. */
static const char *const names[TD_NTOPS] = {
	[TD_TOP_FILES] = "SELECT coalesce(path, nullif(name, ''), '(no name: ' || class || ')')"
			 " FROM file WHERE id = ?1",
	[TD_TOP_PROCESSES] = "SELECT coalesce(name, 'process') || ' ' || pid"
			     " || coalesce(', ' || role, '') FROM process WHERE id = ?1",
	[TD_TOP_KERNELS] = "SELECT text FROM string WHERE id = ?1",
};

/* What somebody did in a bin. */
struct td_top_sum {
	double ns, bytes;
	uint64_t count;
};

void td_top_sums_done(struct td_top_sums *s)
{
	td_keys_done(&s->keys);
	free(s->items);
}

/* The sum of a bin and an id. */
static struct td_top_sum *sum_of(struct td_top_sums *s, size_t bin, int64_t id)
{
	size_t n = s->keys.n, i;

	if (td_keys_reserve(&s->keys, 1) < 0 || td_grow(&s->items, &s->cap, n) < 0)
		return NULL;
	i = td_keys_add(&s->keys, (struct td_key){ .lo = (uint64_t)id, .hi = bin });
	if (i == n)
		s->items[i] = (struct td_top_sum){ 0 };
	return &s->items[i];
}

int td_tops_add(struct td_filling *f, enum td_top top, int64_t id, int64_t start_ns, int64_t end_ns,
		int64_t bytes)
{
	const struct td_grid *bins = &f->t->tops.bins;
	int64_t from_ns = TD_MAX(start_ns, bins->start_ns);
	int64_t to_ns = TD_MIN(end_ns, td_grid_end(bins));
	double per_ns = end_ns > start_ns ? (double)bytes / ((double)end_ns - (double)start_ns) : 0;

	if (from_ns > to_ns || (from_ns == to_ns && start_ns != end_ns) || !bins->n ||
	    from_ns >= td_grid_end(bins))
		return 0;
	do {
		int64_t bin = (from_ns - bins->start_ns) / bins->width_ns;
		int64_t next_ns = TD_MIN(bins->start_ns + (bin + 1) * bins->width_ns, to_ns);
		struct td_top_sum *sum = sum_of(&f->tops[top], (size_t)bin, id);

		if (!sum)
			return -ENOMEM;
		sum->ns += (double)(next_ns - from_ns);
		sum->bytes +=
			start_ns == end_ns ? (double)bytes : per_ns * (double)(next_ns - from_ns);
		sum->count += from_ns == start_ns;
		from_ns = next_ns;
	} while (from_ns < to_ns);
	return 0;
}

void td_tops_forget(struct td_filling *f)
{
	for (enum td_top top = 0; top < TD_NTOPS; top++) {
		td_top_sums_done(&f->tops[top]);
		f->tops[top] = (struct td_top_sums){ 0 };
	}
}

/* --- the most of them --- */

/* The place of a row that is more than another of the bin, which moves down; NULL: there is none. */
static struct td_top_row *place_of(struct td_top_row *rows, double ns)
{
	size_t i = TD_TOP_MAX;

	while (i > 0 && (rows[i - 1].name == UINT32_MAX || rows[i - 1].ns < ns))
		i--;
	if (i == TD_TOP_MAX)
		return NULL;
	memmove(&rows[i + 1], &rows[i], (TD_TOP_MAX - 1 - i) * sizeof(*rows));
	return &rows[i];
}

static void add_sum(const struct td_key *key, const struct td_top_sum *sum, bool has_bytes,
		    struct td_top_row *all)
{
	struct td_top_row *row = place_of(&all[key->hi * TD_TOP_MAX], sum->ns);

	if (row)
		*row = (struct td_top_row){ .id = (int64_t)key->lo,
					    .ns = sum->ns,
					    .bytes = has_bytes ? sum->bytes : NAN,
					    .count = sum->count };
}

/* Index of a text among the names, which it joins. */
static int name_index(struct td_tops *tops, const char *text, uint32_t *ret)
{
	_cleanup_free_ char *name = td_timeline_name(text, strlen(text));

	if (!name)
		return -ENOMEM;
	for (uint32_t i = 0; i < tops->nnames; i++)
		if (strcmp(tops->names[i], name) == 0) {
			*ret = i;
			return 0;
		}
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
	if (td_grow(&tops->names, &tops->names_cap, tops->nnames) < 0)
		return -ENOMEM;
	*ret = (uint32_t)tops->nnames;
	tops->names[tops->nnames++] = TAKE_PTR(name);
	return 0;
}

static int name_rows(struct td_filling *f, enum td_top top, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	struct td_tops *tops = &f->t->tops;
	int r = td_filling_prepare(f, names[top], &stmt, err);

	for (size_t i = 0; i < tops->bins.n * TD_TOP_MAX && r == 0; i++) {
		struct td_top_row *row = &tops->rows[top][i];
		const char *text = NULL;

		if (row->name == UINT32_MAX)
			continue;
		(void)sqlite3_bind_int64(stmt, 1, row->id);
		r = td_filling_step(f, stmt, err);
		if (r == 1)
			text = (const char *)sqlite3_column_text(stmt, 0);
		if (r >= 0)
			r = name_index(tops, text ? text : "unknown", &row->name);
		(void)sqlite3_reset(stmt);
	}
	return r;
}

static int find_top(struct td_filling *f, enum td_top top, struct td_err *err)
{
	const struct td_top_sums *sums = &f->tops[top];
	struct td_tops *tops = &f->t->tops;
	struct td_top_row *all;

	if (!sums->keys.n)
		return 0;
	all = tops->rows[top] = calloc(tops->bins.n * TD_TOP_MAX, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < tops->bins.n * TD_TOP_MAX; i++)
		all[i].name = UINT32_MAX;
	for (size_t i = 0; i < sums->keys.n; i++)
		add_sum(&sums->keys.items[i], &sums->items[i], top != TD_TOP_KERNELS, all);
	return name_rows(f, top, err);
}

static int add_kernels(struct td_filling *f, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int r = td_filling_prepare(f, KERNELS, &stmt, err);

	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(stmt, 1, f->t->start_ns);
	(void)sqlite3_bind_int64(stmt, 2, f->t->end_ns);
	while (r == 0 && (r = td_filling_step(f, stmt, err)) == 1)
		r = td_tops_add(f, TD_TOP_KERNELS, sqlite3_column_int64(stmt, 2),
				sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1), 0);
	return r;
}

int td_tops_begin(struct td_filling *f)
{
	struct td_grids all = { 0 };
	int r = f->req->tops ? td_grids_add(&all, f->t->start_ns, f->t->end_ns, TOP_BINS) : 0;

	f->t->tops.bins = all.items[0]; /* no bins where they are not wanted */
	return r;
}

int td_fill_tops(struct td_filling *f, struct td_err *err)
{
	int r = f->req->tops ? add_kernels(f, err) : 0;

	for (enum td_top top = 0; top < TD_NTOPS && r == 0; top++)
		r = find_top(f, top, err);
	return r;
}
