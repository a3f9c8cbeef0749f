/* SPDX-License-Identifier: MIT */
#include "schema/bulk.h"
#include "schema/db.h"
#include "schema/insert.h"
#include "schema/row_pipe.h"
#include "schema/store_private.h"
#include "schema/write.h"
#include "schema/write_dims.h"

struct writer {
	struct td_store *st;
	const struct td_row_watcher *watcher;
	struct td_shift *shifts; /* by source id */
	enum td_kind kind;
	int64_t id; /* of the row written last */
	struct td_row_pipe *pipe; /* to the bulk writer; one of these two is set */
	struct td_insert *insert;
};

/* --- clocks --- */

static int make_shifts(struct writer *w)
{
	struct td_store *st = w->st;

	w->shifts = calloc(st->nsources + 1, sizeof(*w->shifts));
	if (!w->shifts)
		return -ENOMEM;
	for (size_t i = 0; i < st->nsources; i++)
		w->shifts[i + 1] = td_source_shift(&st->sources[i]);
	return 0;
}

/* The source of a record by its kind; a sample's is that of its track. */
static uint16_t source_id_of(const struct writer *w, const void *record)
{
	switch (w->kind) {
	case TD_KIND_CALL:
		return ((const struct td_call *)record)->source_id;
	case TD_KIND_BLOCK:
		return ((const struct td_block *)record)->source_id;
	case TD_KIND_SCHED:
		return ((const struct td_sched *)record)->source_id;
	case TD_KIND_GPU_OP:
		return ((const struct td_gpu_op *)record)->source_id;
	case TD_KIND_SAMPLE:
		return w->st->tracks[((const struct td_sample *)record)->track_id - 1].source_id;
	case TD_KIND_SPAN:
		return ((const struct td_span *)record)->source_id;
	case TD_KIND_MARK:
		return ((const struct td_mark *)record)->source_id;
	case TD_NKINDS:
		break;
	}
	return 0;
}

static const struct td_shift *shift_of(void *ud, const void *record)
{
	const struct writer *w = ud;

	return &w->shifts[source_id_of(w, record)];
}

/* --- rows --- */

static int tell_stored(const struct td_row_watcher *watcher, enum td_kind kind, int64_t id,
		       const void *record)
{
	return watcher && watcher->stored ? watcher->stored(watcher->ud, kind, id, record) : 0;
}

static int write_row(void *ud, void *record)
{
	struct writer *w = ud;
	int r;

	w->id++;
	if (w->kind == TD_KIND_CALL) {
		struct td_call *c = record;

		if (c->file_id && w->st->files[c->file_id - 1].merged_into)
			c->file_id = w->st->files[c->file_id - 1].merged_into;
	}
	if (w->watcher) {
		r = w->watcher->row(w->watcher->ud, w->kind, w->id, record);
		if (r < 0)
			return r;
	}
	if (w->pipe)
		return td_row_pipe_add(w->pipe, w->id, record);
	r = tell_stored(w->watcher, w->kind, w->id, record);
	return r < 0 ? r : td_insert_add(w->insert, w->id, record);
}

static int read_rows(struct writer *w, enum td_kind kind)
{
	w->kind = kind;
	w->id = 0;
	return td_stage_read(w->st->stages[kind], shift_of, write_row, w);
}

static const enum td_kind order[] = TD_WRITE_ORDER;

/* What the other thread does with a row. */
struct encoder {
	const struct td_row_watcher *watcher;
	enum td_kind kind;
	struct td_bulk_table *table;
};

static int encode(void *ud, int64_t id, const void *record)
{
	const struct encoder *e = ud;
	int r = tell_stored(e->watcher, e->kind, id, record);

	return r < 0 ? r : td_bulk_add(e->table, id, record);
}

/* Rows of one kind to the bulk writer, which encodes them on a thread of its own. */
static int kind_by_bulk(struct writer *w, enum td_kind kind, struct td_bulk_table *table)
{
	struct encoder encoder = { .watcher = w->watcher, .kind = kind, .table = table };
	_cleanup_(td_row_pipe_abortp) struct td_row_pipe *pipe = NULL;
	int r;

	r = td_row_pipe_open(td_tables[kind].record_size, encode, &encoder, &pipe);
	if (r < 0)
		return r;
	w->pipe = pipe;
	r = read_rows(w, kind);
	w->pipe = NULL;
	return r < 0 ? r : td_row_pipe_close(TAKE_PTR(pipe));
}

static int rows_by_bulk(struct writer *w, const char *path, const uint32_t *rootpages,
			struct td_err *err)
{
	_cleanup_(td_bulk_abortp) struct td_bulk *bulk = NULL;
	int r;

	r = td_bulk_open(path, &bulk, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < TD_ARRAY_SIZE(order); i++) {
		_cleanup_(td_bulk_table_abortp) struct td_bulk_table *table = NULL;

		r = td_bulk_table(bulk, &td_tables[order[i]], rootpages[order[i]], &table);
		if (r >= 0)
			r = kind_by_bulk(w, order[i], table);
		if (r < 0)
			return r;
		r = td_bulk_table_finish(TAKE_PTR(table));
		if (r < 0)
			return r;
	}
	return td_bulk_close(TAKE_PTR(bulk));
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
		r = read_rows(w, order[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

static int find_rootpages(sqlite3 *db, uint32_t *rootpages, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc;

	rc = sqlite3_prepare_v2(
		db, "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?1", -1,
		&stmt, NULL);
	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot read the schema");
	for (unsigned k = 0; k < TD_NKINDS; k++) {
		sqlite3_bind_text(stmt, 1, td_tables[k].name, -1, SQLITE_STATIC);
		rc = sqlite3_step(stmt);
		if (rc != SQLITE_ROW)
			return td_db_error(db, rc, err, "no table '%s' in the schema",
					   td_tables[k].name);
		rootpages[k] = (uint32_t)sqlite3_column_int64(stmt, 0);
		sqlite3_reset(stmt);
	}
	return 0;
}

static int reopen(const char *path, sqlite3 **ret, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	int rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot open '%s'", path);
	rc = sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", NULL, NULL,
			  NULL);
	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot write '%s'", path);
	*ret = TAKE_PTR(db);
	return 0;
}

static int exec(sqlite3 *db, const char *sql, struct td_err *err)
{
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : td_db_error(db, rc, err, "cannot write the database");
}

/* The bulk writer needs the file to itself, so SQLite closes it for that time. */
static int write_rows(struct writer *w, const char *path, enum td_row_writer writer, sqlite3 **db,
		      struct td_err *err)
{
	uint32_t rootpages[TD_NKINDS] = { 0 };
	int r;

	if (writer == TD_WRITER_SQLITE) {
		r = exec(*db, "BEGIN", err);
		if (r >= 0)
			r = rows_by_sqlite(w, *db, err);
		return r < 0 ? r : exec(*db, "COMMIT", err);
	}
	r = find_rootpages(*db, rootpages, err);
	if (r < 0)
		return r;
	td_db_close(TAKE_PTR(*db));
	r = rows_by_bulk(w, path, rootpages, err);
	return r < 0 ? r : reopen(path, db, err);
}

static int write_rest(struct writer *w, sqlite3 *db, const struct td_write_options *options,
		      struct td_err *err)
{
	int r;

	r = exec(db, "BEGIN", err);
	if (r < 0)
		return r;
	r = td_write_dims(w->st, db, options, err);
	if (r < 0)
		return r;
	if (w->watcher) {
		r = w->watcher->end(w->watcher->ud, db, err);
		if (r < 0)
			return r;
	}
	return exec(db, "COMMIT", err);
}

static void writer_done(struct writer *w)
{
	free(w->shifts);
}

int td_store_write(struct td_store *st, const char *path, const struct td_write_options *options,
		   const struct td_row_watcher *watcher, struct td_err *err)
{
	_cleanup_(writer_done) struct writer w = { .st = st, .watcher = watcher };
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	int r;

	r = make_shifts(&w);
	if (r < 0)
		return r;
	td_store_resolve_files(st);
	if (watcher) {
		r = watcher->begin(watcher->ud, st);
		if (r < 0)
			return r;
	}
	r = td_db_create(path, TD_PAGE_SIZE, &db, err);
	if (r < 0)
		return r;
	r = write_rows(&w, path, options->writer, &db, err);
	if (r < 0)
		return r;
	r = write_rest(&w, db, options, err);
	return r < 0 ? r : td_store_error(st);
}
