/* SPDX-License-Identifier: MIT */
#include "common/parallel.h"
#include "schema/db.h"
#include "store/write/insert.h"
#include "store/write/row_steps.h"
#include "store/write/write.h"
#include "store/write/dims.h"

struct writer {
	struct td_store *st;
	const struct td_contents *in; /* of st */
	const struct td_row_watcher *watcher;
	bool keep_rows;
	struct td_shift *shifts; /* by source id */
	uint32_t *
		final_files; /* by file id: what it is merged into, or itself; NULL: none is merged */
	bool has_merged_processes;
	uint32_t exit_id, thread_exit_id; /* strings */
	enum td_kind kind;
	unsigned threads;
	struct td_btree *btree; /* where rows go, ... */
	struct td_btree_table *table; /* ... of this table of it, ... */
	struct td_insert *insert; /* ... or this */
};

/* So many rows are looked at together. */
#define STRETCH ((size_t)256)

/* --- clocks --- */

static int make_shifts(struct writer *w)
{
	const struct td_contents *in = w->in;

	w->shifts = calloc(in->nsources + 1, sizeof(*w->shifts));
	if (!w->shifts)
		return -ENOMEM;
	for (size_t i = 0; i < in->nsources; i++)
		w->shifts[i + 1] = td_source_shift(&in->sources[i]);
	return 0;
}

/* The source of a record by its kind; a sample's is that of its track. */
static const struct td_shift *shift_of(void *ud, const void *record)
{
	const struct writer *w = ud;

	return &w->shifts[td_store_row_source(w->in, w->kind, record)];
}

/* --- rows --- */

static int find_final_files(struct writer *w)
{
	const struct td_contents *in = w->in;
	size_t i = 0;

	while (i < in->nfiles && !in->files[i].merged_into)
		i++;
	if (i == in->nfiles)
		return 0;
	w->final_files = calloc(in->nfiles + 1, sizeof(*w->final_files));
	if (!w->final_files)
		return -ENOMEM;
	for (i = 0; i < in->nfiles; i++) {
		uint32_t merged_into = in->files[i].merged_into;

		w->final_files[i + 1] = merged_into ? merged_into : (uint32_t)i + 1;
	}
	return 0;
}

static void number_runs(const struct writer *w, struct td_span *spans, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (spans[i].run_number != INT32_MIN)
			spans[i].run_number =
				td_store_run_number(w->st, spans[i].source_id, spans[i].run_number);
}

static void finish_files(const struct writer *w, struct td_call *calls, size_t n)
{
	for (size_t i = 0; i < n && w->final_files; i++)
		calls[i].file_id = w->final_files[calls[i].file_id];
}

static void find_merged_processes(struct writer *w)
{
	for (size_t i = 0; i < w->in->nprocesses && !w->has_merged_processes; i++)
		w->has_merged_processes = w->in->processes[i].merged_into;
	if (!w->has_merged_processes)
		return;
	w->exit_id = td_store_cstr(w->st, "exit");
	w->thread_exit_id = td_store_cstr(w->st, "thread-exit");
}

/* Whose it is: what it was merged into. Was it another one? */
static bool finish_process(const struct writer *w, uint32_t *id)
{
	uint32_t into = *id ? w->in->processes[*id - 1].merged_into : 0;

	if (into)
		*id = into;
	return into;
}

/* Whoever told only a thread (td_process.assumed) has rows of its process in these. */
static void finish_processes_of(const struct writer *w, void *record)
{
	struct td_block *block = record;
	struct td_mark *mark = record;

	switch (w->kind) {
	case TD_KIND_CALL:
		(void)finish_process(w, &((struct td_call *)record)->process_id);
		return;
	case TD_KIND_BLOCK:
		(void)finish_process(w, &block->process_id);
		(void)finish_process(w, &block->done_process_id);
		return;
	case TD_KIND_MARK:
		/* what was taken for the end of a process was that of a thread */
		if (finish_process(w, &mark->process_id) && mark->name_id == w->exit_id)
			mark->name_id = w->thread_exit_id;
		return;
	case TD_KIND_STACK:
		(void)finish_process(w, &((struct td_stack_sample *)record)->process_id);
		return;
	default:
		return;
	}
}

static void finish_processes(const struct writer *w, char *records, size_t n)
{
	size_t size = td_tables[w->kind].record_size;

	for (size_t i = 0; i < n; i++)
		finish_processes_of(w, records + i * size);
}

/* --- what is done with a batch of rows --- */

/* Makes the keys final and shows them to the watcher. */
static int watch(void *ud, struct td_row_batch *b)
{
	const struct writer *w = ud;
	size_t size = td_tables[w->kind].record_size;
	int r = 0;

	for (size_t i = 0; i < b->n && r >= 0; i += STRETCH) {
		void *records = (char *)b->records + i * size;
		size_t n = TD_MIN(b->n - i, STRETCH);

		if (w->kind == TD_KIND_CALL)
			finish_files(w, records, n);
		if (w->has_merged_processes)
			finish_processes(w, records, n);
		if (w->kind == TD_KIND_SPAN)
			number_runs(w, records, n);
		if (w->watcher)
			r = w->watcher->rows(w->watcher->ud, w->kind, b->id + (int64_t)i, records,
					     n);
	}
	return r;
}

static int encode(void *ud, struct td_row_batch *b)
{
	return td_btree_encode(b->cells, b->id, b->records, b->n);
}

static int add(void *ud, struct td_row_batch *b)
{
	const struct writer *w = ud;

	return td_btree_add_cells(w->table, b->cells);
}

static int write_pages(void *ud, struct td_row_batch *b)
{
	const struct writer *w = ud;

	return td_btree_write_full(w->btree);
}

static int insert(void *ud, struct td_row_batch *b)
{
	const struct writer *w = ud;
	size_t size = td_tables[w->kind].record_size;
	int r = 0;

	for (size_t i = 0; i < b->n && r >= 0; i++)
		r = td_insert_add(w->insert, b->id + (int64_t)i, (char *)b->records + i * size);
	return r;
}

static struct td_row_work work_of(struct writer *w)
{
	struct td_row_work work = {
		.record_size = td_tables[w->kind].record_size,
		.cells_of = w->table ? &td_tables[w->kind] : NULL,
		.threads = w->threads,
	};
	unsigned watched = td_row_work_add(&work, watch, w, true, 0), encoded, added;

	if (w->watcher && w->watcher->add_steps)
		w->watcher->add_steps(w->watcher->ud, w->kind, &work, watched);
	if (w->table) {
		encoded = td_row_work_add(&work, encode, w, false, watched);
		added = td_row_work_add(&work, add, w, true, encoded);
		(void)td_row_work_add(&work, write_pages, w, true, added);
	} else {
		(void)td_row_work_add(&work, insert, w, true, watched);
	}
	return work;
}

static int read_rows(struct writer *w, struct td_row_steps *steps)
{
	_cleanup_(td_stage_reader_closep) struct td_stage_reader *reader = NULL;
	int r = td_stage_reader_open(td_store_stage(w->st, w->kind), !w->keep_rows, shift_of, w,
				     &reader);
	struct td_row_batch *b;
	ssize_t n;

	while (r >= 0) {
		r = td_row_steps_room(steps, &b);
		if (r < 0)
			return r;
		n = td_stage_reader_next(reader, b->records, TD_BATCH_ROWS);
		if (n <= 0)
			return (int)n;
		b->n = (size_t)n;
		td_row_steps_filled(steps);
	}
	return r;
}

static const enum td_kind order[] = TD_WRITE_ORDER;

static int write_kind(struct writer *w, enum td_kind kind)
{
	_cleanup_(td_row_steps_abortp) struct td_row_steps *steps = NULL;
	struct td_row_work work;
	int r;

	w->kind = kind;
	work = work_of(w);
	r = td_row_steps_open(&work, &steps);
	if (r >= 0)
		r = read_rows(w, steps);
	if (!w->keep_rows)
		td_stage_drop(td_store_stage(w->st, kind));
	return r < 0 ? r : td_row_steps_close(TAKE_PTR(steps));
}

static int rows_by_btree(struct writer *w, const struct td_target *target)
{
	w->btree = td_target_btree(target);
	for (size_t i = 0; i < TD_ARRAY_SIZE(order); i++) {
		_cleanup_(td_btree_table_abortp) struct td_btree_table *table = NULL;
		const struct td_table *t = &td_tables[order[i]];
		int r;

		r = td_btree_table(w->btree, t, td_target_find(target, t->name)->rootpage, &table);
		w->table = table;
		if (r >= 0)
			r = write_kind(w, order[i]);
		w->table = NULL;
		if (r < 0)
			return r;
		r = td_btree_table_finish(TAKE_PTR(table));
		if (r < 0)
			return r;
	}
	return 0;
}

static int rows_by_sqlite(struct writer *w, sqlite3 *db, struct td_err *err)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(order); i++) {
		_cleanup_(td_insert_closep) struct td_insert *insert = NULL;
		int r;

		r = td_insert_open(db, &td_tables[order[i]], &insert, err);
		if (r < 0)
			return r;
		w->insert = insert;
		r = write_kind(w, order[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Everything, in the order that td_target asks for. */
static int write_tables(struct writer *w, struct td_target *target,
			const struct td_write_options *options, struct td_err *err)
{
	const struct td_row_watcher *watcher = w->watcher;
	int r;

	if (td_target_btree(target))
		r = rows_by_btree(w, target);
	else
		r = rows_by_sqlite(w, td_target_db(target), err);
	if (r >= 0 && watcher && watcher->tables)
		r = watcher->tables(watcher->ud, target, err);
	if (r >= 0)
		r = td_write_dims(w->st, target, options, w->threads, err);
	if (r >= 0)
		r = td_target_to_sqlite(target, err);
	if (r >= 0)
		r = td_write_issue_counts(w->st, target, err);
	return r >= 0 && watcher ? watcher->end(watcher->ud, target, err) : r;
}

static void writer_done(struct writer *w)
{
	free(w->shifts);
	free(w->final_files);
}

/* Those of events, and files: where there are many of anything else, there are more of these. */
static uint64_t count_rows(const struct writer *w)
{
	uint64_t n = w->in->nfiles;

	for (size_t i = 0; i < TD_ARRAY_SIZE(order); i++)
		n += td_stage_count(td_store_stage(w->st, order[i]));
	return n;
}

static unsigned threads_of(const struct td_write_options *options)
{
	return TD_MIN(options->threads ? options->threads : td_cpus(), TD_ROW_THREADS_MAX);
}

int td_store_write(struct td_store *st, const char *path, const struct td_write_options *options,
		   const struct td_row_watcher *watcher, struct td_err *err)
{
	_cleanup_(writer_done) struct writer w = { .st = st,
						   .in = td_store_contents(st),
						   .watcher = watcher,
						   .keep_rows = options->keep_rows,
						   .threads = threads_of(options) };
	_cleanup_(td_target_abortp) struct td_target *target = NULL;
	int r;

	r = make_shifts(&w);
	if (r < 0)
		return r;
	td_store_resolve_files(st);
	if (!options->keep_rows)
		td_store_forget_file_keys(st);
	r = find_final_files(&w);
	if (r >= 0)
		r = td_store_resolve_processes(st);
	if (r < 0)
		return r;
	find_merged_processes(&w);
	if (watcher) {
		r = watcher->begin(watcher->ud, st);
		if (r < 0)
			return r;
	}
	r = td_target_create(path, td_db_page_size(count_rows(&w)), options->writer, &target, err);
	if (r >= 0)
		r = write_tables(&w, target, options, err);
	if (r >= 0)
		r = td_target_finish(TAKE_PTR(target), err);
	return r < 0 ? r : td_store_error(st);
}
