/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include "common/strbuf.h"
#include "schema/calls.h"
#include "store/load_private.h"

/* --- files that were known by a name --- */

/* Is what the operation is on known by its name in the output of these importers: by a dentry, or by a descriptor? */
static bool is_by_name(const struct td_loader *l, const struct td_call *c)
{
	const char *importer = l->st->in.sources[c->source_id - 1].importer;
	const struct td_op *op = &l->st->in.ops[c->op_id - 1];
	const struct td_syscall *call;

	if (!importer ||
	    (strcmp(importer, "bpftrace") != 0 && strcmp(importer, "bpftrace-tools") != 0))
		return false;
	call = td_syscall_find((struct td_str){ op->name, strlen(op->name) });
	return op->layer != TD_LAYER_SYSCALL || (call && !call->path);
}

/* A file that was known by its name was taken for the only path that had it. With what is appended there may be
 * another such path, so it becomes a name again, for td_store_resolve_files() to decide. */
static void unmatch(struct td_loader *l, struct td_call *c)
{
	struct td_file *f = td_store_file_at(l->st, c->file_id);
	uint32_t id;

	if (!f || !f->path_matched || !c->op_id || !c->source_id || !is_by_name(l, c))
		return;
	id = td_store_file_name(l->st, f->name, false);
	if (!id)
		return;
	l->unmatched[c->file_id - 1] = true;
	c->file_id = id;
}

/* --- rows --- */

/* What the key columns of the big tables refer to. */
static const struct {
	const char *column;
	enum td_dim dim;
} keys[] = {
	{ "op_id", TD_DIM_OP },
	{ "process_id", TD_DIM_PROCESS },
	{ "done_process_id", TD_DIM_PROCESS },
	{ "thread_id", TD_DIM_THREAD },
	{ "waker_thread_id", TD_DIM_THREAD },
	{ "file_id", TD_DIM_FILE },
	{ "source_id", TD_DIM_SOURCE },
	{ "args_id", TD_DIM_STRING },
	{ "device_id", TD_DIM_DEVICE },
	{ "state_id", TD_DIM_STRING },
	{ "reason_id", TD_DIM_STRING },
	{ "kind_id", TD_DIM_STRING },
	{ "name_id", TD_DIM_STRING },
	{ "track_id", TD_DIM_TRACK },
	{ "stack_id", TD_DIM_STACK },
};

/* How a column of a big table is read. */
struct reading {
	enum td_dim dim; /* of a key */
	bool is_size; /* must not be negative: a duration or a number of bytes */
	int64_t max;
};

#define MAX_COLUMNS 20

/* No import stores longer durations: the sums that are made of them must not overflow. */
#define DURATION_MAX (INT64_C(1) << 60)

static struct reading reading_of(const struct td_column *c)
{
	struct td_str name = { c->name, strlen(c->name) };
	struct reading ret = { 0 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(keys); i++)
		if (td_str_eq(name, keys[i].column))
			ret.dim = keys[i].dim;
	ret.is_size = td_str_eq(name, "dur_ns") || td_str_eq(name, "queue_ns") ||
		      (td_str_ends(name, "bytes") && !td_str_eq(name, "offset_bytes"));
	ret.max = td_str_ends(name, "_ns") ? DURATION_MAX : INT64_MAX;
	return ret;
}

static void set_member(struct td_loader *l, const struct td_column *c, struct reading reading,
		       sqlite3_stmt *s, int at, char *record)
{
	char *to = record + c->offset;
	bool null = sqlite3_column_type(s, at) == SQLITE_NULL;

	switch (c->type) {
	case TD_I64:
		*(int64_t *)to = td_db_known(s, at);
		if (reading.is_size && !null &&
		    (*(int64_t *)to < 0 || *(int64_t *)to > reading.max))
			l->contradiction = true;
		break;
	case TD_I32:
		*(int32_t *)to = null ? INT32_MIN : sqlite3_column_int(s, at);
		if (reading.is_size && !null && *(int32_t *)to < 0)
			l->contradiction = true;
		break;
	case TD_KEY32:
		*(uint32_t *)to = td_load_mapped(l, reading.dim, s, at);
		break;
	case TD_KEY16:
		*(uint16_t *)to = (uint16_t)td_load_mapped(l, reading.dim, s, at);
		break;
	case TD_U8:
		*(uint8_t *)to = (uint8_t)td_load_count(l, s, at, UINT8_MAX);
		break;
	case TD_F64:
		*(double *)to = td_load_f64(s, at);
		break;
	}
}

/* Reads the rows of the statement into the staging area, in the native time of their source. */
static int read_rows(struct td_loader *l, enum td_kind kind, sqlite3_stmt *s, uint16_t source_id)
{
	const struct td_table *t = &td_tables[kind];
	_cleanup_free_ char *record = calloc(1, t->record_size);
	struct reading readings[MAX_COLUMNS] = { 0 };
	int rc, r;

	if (!record)
		return -ENOMEM;
	assert(t->ncolumns <= MAX_COLUMNS);
	for (size_t i = 0; i < t->ncolumns; i++)
		readings[i] = reading_of(&t->columns[i]);
	while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
		int64_t *time = (int64_t *)(record + t->time_offset);

		for (size_t i = 0; i < t->ncolumns; i++)
			set_member(l, &t->columns[i], readings[i], s, (int)i + 1, record);
		*time = td_load_native(l, source_id, *time);
		if (kind == TD_KIND_SPAN)
			td_store_log_run(l->st, (const struct td_span *)record);
		r = td_load_check_row(l, t->name);
		if (r >= 0 && kind == TD_KIND_CALL)
			unmatch(l, (struct td_call *)(void *)record);
		if (r >= 0)
			r = td_stage_add(l->st->stages[kind], record);
		if (r < 0)
			return r;
	}
	return rc == SQLITE_DONE
		       ? td_stage_cut(l->st->stages[kind])
		       : td_db_error(l->db, rc, l->err, "cannot read table '%s'", t->name);
}

static int prepare(struct td_loader *l, enum td_kind kind, const char *columns, const char *rest,
		   sqlite3_stmt **ret)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	int rc;

	td_strbuf_addf(&sql, "SELECT %s FROM %s %s", columns, td_tables[kind].name, rest);
	rc = sqlite3_prepare_v2(l->db, td_strbuf_str(&sql), -1, ret, NULL);
	return rc == SQLITE_OK ? 0
			       : td_db_error(l->db, rc, l->err, "cannot read table '%s'",
					     td_tables[kind].name);
}

/* The rows of one source: a run of the staging area holds one source only. */
static int load_source_rows(struct td_loader *l, enum td_kind kind, int64_t db_source_id)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	struct idmap *sources = &l->maps[TD_DIM_SOURCE];
	uint16_t to = db_source_id > 0 && (uint64_t)db_source_id < sources->n
			      ? (uint16_t)sources->to[db_source_id]
			      : 0;
	int r;

	if (!to)
		l->contradiction = true;
	r = td_load_check_row(l, td_tables[kind].name);
	if (r >= 0)
		r = prepare(
			l, kind, "*",
			kind == TD_KIND_SAMPLE
				? "WHERE track_id IN (SELECT id FROM track WHERE source_id = ?1) "
				  "ORDER BY id"
				: "WHERE source_id = ?1 ORDER BY id",
			&s);
	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(s, 1, db_source_id);
	return read_rows(l, kind, s, to);
}

/* All rows of a kind, source by source; few sources have rows of a kind, so these are found first. */
int td_load_rows(struct td_loader *l, enum td_kind kind)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc, r;

	r = kind == TD_KIND_SAMPLE
		    ? prepare(l, kind, "DISTINCT t.source_id",
			      "LEFT JOIN track AS t ON t.id = track_id ORDER BY 1", &s)
		    : prepare(l, kind, "DISTINCT source_id", "ORDER BY 1", &s);
	if (r < 0)
		return r;
	while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
		r = load_source_rows(l, kind, sqlite3_column_int64(s, 0));
		if (r < 0)
			return r;
	}
	return rc == SQLITE_DONE ? 0
				 : td_db_error(l->db, rc, l->err, "cannot read table '%s'",
					       td_tables[kind].name);
}
