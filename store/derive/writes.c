/* SPDX-License-Identifier: MIT */
/* Writes of processes in few stretches of time, put together of rows of bins. */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "store/derive/writes.h"
#include "store/write/row_builder.h"

#define STRETCHES 60 /* queries/writes_timeline.sql and schema/derived.sql say so, too */
/* One row for so many calls, but always so many, and never more than that. */
#define CALLS_EACH 64
#define ROWS_MIN ((size_t)2048)
#define ROWS_MAX ((size_t)1 << 15)

struct sums {
	int64_t calls, done_bytes, total_ns; /* the last two: TD_NULL: unknown */
};

/* What a process wrote in a stretch, or what of it to a file. */
struct row {
	uint32_t process_id, file_id; /* file_id of all of it: that with most calls */
	int64_t stretch;
	const char *class; /* that of most calls; NULL: of none the file is known */
	struct sums sums;
};

struct writes {
	const struct td_calls *c;
	const struct td_family *f;
	bool *writes; /* owned; by operation */
	struct td_keys keys; /* process and file: run parallel to files */
	struct row *files; /* owned; those of a stretch */
	size_t files_cap;
	struct row *rows; /* owned; of all that ended */
	size_t n, cap;
	int64_t base_ns, width_ns; /* of stretches */
};

static void writes_done(struct writes *w)
{
	free(w->writes);
	td_keys_done(&w->keys);
	free(w->files);
	free(w->rows);
}

static void add(struct sums *to, const struct sums *s)
{
	to->calls += s->calls;
	to->done_bytes = td_plus_known(to->done_bytes, s->done_bytes);
	to->total_ns = td_plus_known(to->total_ns, s->total_ns);
}

/* --- a stretch that ended --- */

/* By process; of each the files with most calls first. */
static int compare_files(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->process_id != y->process_id)
		return x->process_id < y->process_id ? -1 : 1;
	if (!x->file_id != !y->file_id)
		return x->file_id ? -1 : 1;
	if (x->sums.calls != y->sums.calls)
		return x->sums.calls > y->sums.calls ? -1 : 1;
	/* TD_NULL is the smallest number */
	if (x->sums.done_bytes != y->sums.done_bytes)
		return x->sums.done_bytes > y->sums.done_bytes ? -1 : 1;
	return x->file_id < y->file_id ? -1 : x->file_id > y->file_id;
}

static const char *top_class(const int64_t calls[TD_NCLASSES])
{
	const char *top = NULL;
	int64_t most = 0;

	for (unsigned i = 0; i < TD_NCLASSES; i++)
		if (calls[i] > most ||
		    (top && calls[i] == most && strcmp(td_class_names[i], top) < 0)) {
			most = calls[i];
			top = td_class_names[i];
		}
	return top;
}

/* The row of the process that the first of n files is of. Returns how many are. */
static size_t add_process(const struct writes *w, const struct row *files, size_t n,
			  struct row *row)
{
	int64_t calls[TD_NCLASSES] = { 0 };
	size_t i = 0;

	*row = files[0];
	row->sums = (struct sums){ 0, TD_NULL, TD_NULL };
	for (; i < n && files[i].process_id == row->process_id; i++) {
		add(&row->sums, &files[i].sums);
		if (files[i].file_id)
			calls[w->c->in->files[files[i].file_id - 1].class] += files[i].sums.calls;
	}
	row->class = top_class(calls);
	return i;
}

static int end_stretch(struct writes *w)
{
	size_t n = w->keys.n;

	if (n)
		qsort(w->files, n, sizeof(*w->files), compare_files);
	for (size_t i = 0; i < n;) {
		if (td_grow(&w->rows, &w->cap, w->n) < 0)
			return -ENOMEM;
		i += add_process(w, &w->files[i], n - i, &w->rows[w->n]);
		w->n++;
	}
	td_keys_done(&w->keys);
	w->keys = (struct td_keys){ 0 };
	return 0;
}

/* --- bins --- */

static int add_bin(struct writes *w, const struct td_bin_row *b, int64_t stretch)
{
	const struct td_combo *k = &w->f->combos[b->combo];
	size_t n, at;

	if (w->keys.n && w->files[0].stretch != stretch && end_stretch(w) < 0)
		return -ENOMEM;
	n = w->keys.n;
	if (td_keys_reserve(&w->keys, 1) < 0 || td_grow(&w->files, &w->files_cap, n) < 0)
		return -ENOMEM;
	at = td_keys_add(&w->keys, (struct td_key){ k->process_id, k->object });
	if (at == n)
		w->files[at] = (struct row){ .process_id = k->process_id,
					     .file_id = k->object,
					     .stretch = stretch,
					     .sums = { 0, TD_NULL, TD_NULL } };
	add(&w->files[at].sums, &(struct sums){ b->calls, b->done_bytes, b->total_ns });
	return 0;
}

static int add_bins(struct writes *w)
{
	int64_t bin_ns = w->c->bin_width_ns;
	int r = 0;

	for (size_t i = 0; i < w->f->nbins && r >= 0; i++) {
		const struct td_bin_row *b = &w->f->bins[i];

		if (w->writes[w->f->combos[b->combo].op_id])
			r = add_bin(w, b, (b->bin * bin_ns - w->base_ns) / w->width_ns);
	}
	return r < 0 ? r : end_stretch(w);
}

/* As queries/writes_timeline.sql has them. */
static void find_stretches(struct writes *w)
{
	int64_t start = 0, end = 0, bin_ns = w->c->bin_width_ns;
	uint64_t all_ns = STRETCHES * (uint64_t)bin_ns, bins;

	(void)td_store_range(w->c->st, &start, &end);
	w->base_ns = start / bin_ns * bin_ns;
	bins = ((uint64_t)end - (uint64_t)w->base_ns + all_ns - 1) / all_ns;
	w->width_ns = bin_ns * (int64_t)TD_MAX(bins, (uint64_t)1);
}

static int find_ops(struct writes *w)
{
	const struct td_contents *in = w->c->in;

	w->writes = calloc(in->nops + 1, sizeof(*w->writes));
	if (!w->writes)
		return -ENOMEM;
	for (size_t op = 0; op < in->nops; op++)
		w->writes[op + 1] = strcmp(in->ops[op].info->kind, "io") == 0 &&
				    strcmp(in->ops[op].info->verb, "write") == 0;
	return 0;
}

static int write_rows(const struct writes *w, const struct td_target *target, struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "write_stat", err);

	for (size_t i = 0; i < w->n && r >= 0; i++) {
		const struct row *row = &w->rows[i];

		td_row_i64(&rows, w->base_ns + row->stretch * w->width_ns);
		td_row_i64(&rows, w->width_ns);
		td_row_key(&rows, row->process_id);
		td_row_i64(&rows, row->sums.calls);
		td_row_i64(&rows, row->sums.done_bytes);
		td_row_i64(&rows, row->sums.total_ns);
		td_row_text(&rows, row->class);
		td_row_key(&rows, row->file_id);
		r = td_row_builder_end_row(&rows);
	}
	return r;
}

int td_writes_write(const struct td_calls *c, const struct td_target *target, struct td_err *err)
{
	uint64_t calls = td_stage_count(td_store_stage(c->st, TD_KIND_CALL));
	size_t max =
		c->has_budget ? c->budget : TD_MAX(TD_MIN(calls / CALLS_EACH, ROWS_MAX), ROWS_MIN);
	_cleanup_(writes_done) struct writes w = {
		.c = c, .f = td_budget_family(c, TD_BY_PROCESS | TD_BY_FILE)
	};
	int r;

	if (!w.f)
		return 0;
	r = find_ops(&w);
	if (r < 0)
		return r;
	find_stretches(&w);
	r = add_bins(&w);
	return r < 0 || w.n > max ? r : write_rows(&w, target, err);
}
