/* SPDX-License-Identifier: MIT */
#include "store/write/insert.h"
#include "store/write/row_pipe.h"
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
	enum td_kind kind;
	int64_t id; /* of the row written last */
	struct td_row_pipe *pipe; /* to what the other thread does; NULL: none */
	struct td_btree_table *table; /* where this thread writes to, or this ... */
	struct td_insert *insert; /* ... or, both NULL, the other one */
};

/* So many rows are unpacked and looked at together: they fit the first-level cache. */
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

static bool tells_stored(const struct td_row_watcher *watcher, enum td_kind kind)
{
	return watcher && watcher->stored_kinds >> kind & 1;
}

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

static int insert(struct td_insert *ins, int64_t id, const char *record, size_t size, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++)
		r = td_insert_add(ins, id + (int64_t)i, record + i * size);
	return r;
}

static void number_runs(const struct writer *w, struct td_span *spans, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (spans[i].run_number != INT32_MIN)
			spans[i].run_number =
				td_store_run_number(w->st, spans[i].source_id, spans[i].run_number);
}

/* What this thread does with rows. */
static int write_stretch(struct writer *w, void *records, size_t n)
{
	int64_t id = w->id + 1;
	int r = 0;

	w->id += (int64_t)n;
	if (w->kind == TD_KIND_CALL && w->final_files) {
		struct td_call *calls = records;

		for (size_t i = 0; i < n; i++)
			calls[i].file_id = w->final_files[calls[i].file_id];
	}
	if (w->kind == TD_KIND_SPAN)
		number_runs(w, records, n);
	if (w->watcher)
		r = w->watcher->rows(w->watcher->ud, w->kind, id, records, n);
	if (r >= 0 && w->table)
		r = td_btree_add(w->table, id, records, n);
	if (r >= 0 && w->insert)
		r = insert(w->insert, id, records, td_tables[w->kind].record_size, n);
	return r;
}

/* Reads the rows of a kind to where the other thread gets them, if it does, else to memory of their own. */
static int read_rows(struct writer *w)
{
	struct td_stage *s = td_store_stage(w->st, w->kind);
	_cleanup_(td_stage_reader_closep) struct td_stage_reader *reader = NULL;
	_cleanup_free_ void *own = malloc(STRETCH * td_tables[w->kind].record_size);
	int r;

	if (!own)
		return -ENOMEM;
	r = td_stage_reader_open(s, shift_of, w, &reader);
	while (r >= 0) {
		size_t room = STRETCH;
		void *records = w->pipe ? td_row_pipe_room(w->pipe, &room) : own;
		ssize_t n = td_stage_reader_next(reader, records, TD_MIN(room, STRETCH));

		if (n <= 0)
			return (int)n;
		r = write_stretch(w, records, (size_t)n);
		if (r >= 0 && w->pipe)
			r = td_row_pipe_filled(w->pipe, (size_t)n);
	}
	return r;
}

static const enum td_kind order[] = TD_WRITE_ORDER;

/* --- the other thread --- */

struct side {
	const struct td_row_watcher *watcher;
	enum td_kind kind;
	int64_t id; /* of the row that came last */
	struct td_btree_table *table;
};

static int tell(void *ud, const void *records, size_t n)
{
	struct side *s = ud;
	int r = s->watcher->stored(s->watcher->ud, s->kind, s->id + 1, records, n);

	s->id += (int64_t)n;
	return r;
}

static int encode(void *ud, const void *records, size_t n)
{
	struct side *s = ud;
	int r = td_btree_add(s->table, s->id + 1, records, n);

	s->id += (int64_t)n;
	return r;
}

/* Rows of one kind. The other thread tells the watcher, if he wants to be told; else it encodes them. */
static int write_kind(struct writer *w, enum td_kind kind, struct td_btree_table *table)
{
	struct side side = { .watcher = w->watcher, .kind = kind, .table = table };
	_cleanup_(td_row_pipe_abortp) struct td_row_pipe *pipe = NULL;
	bool tells = tells_stored(w->watcher, kind);
	int r = 0;

	if (table || tells)
		r = td_row_pipe_open(td_tables[kind].record_size, tells ? tell : encode, &side,
				     &pipe);
	if (r < 0)
		return r;
	w->kind = kind;
	w->id = 0;
	w->pipe = pipe;
	w->table = tells ? table : NULL;
	r = read_rows(w);
	if (!w->keep_rows)
		td_stage_drop(td_store_stage(w->st, kind));
	w->pipe = NULL;
	w->table = NULL;
	return r < 0 || !pipe ? r : td_row_pipe_close(TAKE_PTR(pipe));
}

static int rows_by_btree(struct writer *w, const struct td_target *target)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(order); i++) {
		_cleanup_(td_btree_table_abortp) struct td_btree_table *table = NULL;
		const struct td_table *t = &td_tables[order[i]];
		int r;

		r = td_btree_table(td_target_btree(target), t,
				   td_target_find(target, t->name)->rootpage, &table);
		if (r >= 0)
			r = write_kind(w, order[i], table);
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
		r = write_kind(w, order[i], NULL);
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
		r = td_write_dims(w->st, target, options, err);
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

int td_store_write(struct td_store *st, const char *path, const struct td_write_options *options,
		   const struct td_row_watcher *watcher, struct td_err *err)
{
	_cleanup_(writer_done) struct writer w = { .st = st,
						   .in = td_store_contents(st),
						   .watcher = watcher,
						   .keep_rows = options->keep_rows };
	_cleanup_(td_target_abortp) struct td_target *target = NULL;
	int r;

	r = make_shifts(&w);
	if (r < 0)
		return r;
	td_store_resolve_files(st);
	r = find_final_files(&w);
	if (r < 0)
		return r;
	if (watcher) {
		r = watcher->begin(watcher->ud, st);
		if (r < 0)
			return r;
	}
	r = td_target_create(path, options->writer, &target, err);
	if (r >= 0)
		r = write_tables(&w, target, options, err);
	if (r >= 0)
		r = td_target_finish(TAKE_PTR(target), err);
	return r < 0 ? r : td_store_error(st);
}
