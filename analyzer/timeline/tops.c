/* SPDX-License-Identifier: MIT */
/* Who did most in each of some hundred stretches of time: files, processes, kernels. */
#include <math.h>

#include "analyzer/timeline/timeline_private.h"
#include "common/array.h"

#define TOP_BINS 256

static const struct {
	const char
		*rows; /* ?1: width of a bin, ?2, ?3: begin and end. Bin, id, time, bytes, count */
	const char *name; /* of id ?1 */
} questions[TD_NTOPS] = {
	[TD_TOP_FILES] = {
		"SELECT bin_ns, file_id, total_ns, done_bytes, calls FROM io_stat"
		" WHERE by = 'file,bin' AND bin_width_ns IS ?1 AND since_ns IS ?2"
		" AND until_ns IS ?3",
		"SELECT coalesce(path, nullif(name, ''), '(no name: ' || class || ')') FROM file"
		" WHERE id = ?1",
	},
	[TD_TOP_PROCESSES] = {
		"SELECT bin_ns, process_id, total_ns, done_bytes, calls FROM io_stat"
		" WHERE by = 'process,bin' AND bin_width_ns IS ?1 AND since_ns IS ?2"
		" AND until_ns IS ?3",
		"SELECT coalesce(name, 'process') || ' ' || pid || coalesce(', ' || role, '')"
		" FROM process WHERE id = ?1",
	},
	[TD_TOP_KERNELS] = {
		"SELECT start_ns / ?1 * ?1, name_id, sum(dur_ns), NULL, count(*) FROM gpu_op"
		" WHERE start_ns >= ?2 AND start_ns < ?3"
		" AND kind_id IN (SELECT id FROM string WHERE text = 'kernel') GROUP BY 1, 2",
		"SELECT text FROM string WHERE id = ?1",
	},
};

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

static void add_row(const struct td_grid *bins, struct td_top_row *all, sqlite3_stmt *stmt)
{
	int64_t bin_ns = sqlite3_column_int64(stmt, 0), bin;
	double ns = sqlite3_column_double(stmt, 2);
	struct td_top_row *row;

	if (bin_ns < bins->start_ns)
		return;
	bin = (bin_ns - bins->start_ns) / bins->width_ns;
	row = (uint64_t)bin < bins->n ? place_of(&all[(size_t)bin * TD_TOP_MAX], ns) : NULL;
	if (!row)
		return;
	*row = (struct td_top_row){
		.id = sqlite3_column_type(stmt, 1) == SQLITE_NULL ? TD_NULL
								  : sqlite3_column_int64(stmt, 1),
		.ns = ns,
		.bytes = sqlite3_column_type(stmt, 3) == SQLITE_NULL
				 ? NAN
				 : sqlite3_column_double(stmt, 3),
		.count = (uint64_t)sqlite3_column_int64(stmt, 4),
	};
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
	int r = td_filling_prepare(f, questions[top].name, &stmt, err);

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
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	struct td_tops *tops = &f->t->tops;
	struct td_top_row *all = calloc(tops->bins.n * TD_TOP_MAX, sizeof(*all));
	size_t n = 0;
	int r;

	tops->rows[top] = all;
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < tops->bins.n * TD_TOP_MAX; i++)
		all[i].name = UINT32_MAX;
	r = td_filling_prepare(f, questions[top].rows, &stmt, err);
	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(stmt, 1, tops->bins.width_ns);
	(void)sqlite3_bind_int64(stmt, 2, tops->bins.start_ns);
	(void)sqlite3_bind_int64(stmt, 3, td_grid_end(&tops->bins));
	for (; (r = td_filling_step(f, stmt, err)) == 1; n++)
		add_row(&tops->bins, all, stmt);
	if (n == 0)
		free(TAKE_PTR(tops->rows[top]));
	return r < 0 || n == 0 ? r : name_rows(f, top, err);
}

/* The bins of call_stat are multiples of their width. */
static int choose_bins(struct td_filling *f)
{
	struct td_timeline *t = f->t;
	struct td_grids all = { 0 };
	int64_t width_ns = (t->end_ns - t->start_ns - 1) / (TOP_BINS - 1) + 1, past;
	int r;

	past = t->start_ns % width_ns;
	r = td_grids_add(&all, t->start_ns - (past < 0 ? past + width_ns : past), t->end_ns,
			 TOP_BINS);
	t->tops.bins = all.items[0];
	t->tops.bins.width_ns = width_ns;
	return r;
}

int td_fill_tops(struct td_filling *f, struct td_err *err)
{
	int r = f->req->tops ? choose_bins(f) : 0;

	for (enum td_top top = 0; top < TD_NTOPS && r == 0 && f->req->tops; top++)
		r = find_top(f, top, err);
	return r;
}
