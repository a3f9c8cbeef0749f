/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <math.h>

#include "common/array.h"
#include "common/strbuf.h"
#include "schema/db.h"
#include "store/load.h"
#include "store/store_private.h"

/* What an id of the database is in the store. */
struct idmap {
	uint32_t *to; /* by the database's id; 0: none */
	size_t n;
};

enum dim {
	DIM_STRING,
	DIM_SOURCE,
	DIM_OP,
	DIM_PROCESS,
	DIM_THREAD,
	DIM_FILE,
	DIM_DEVICE,
	DIM_TRACK,
	NDIMS
};

struct loader {
	struct td_store *st;
	sqlite3 *db;
	struct td_err *err;
	struct idmap maps[NDIMS];
	bool contradiction; /* a row refers to one that is not there, or has a negative size */
};

static void loader_done(struct loader *l)
{
	for (size_t i = 0; i < NDIMS; i++)
		free(l->maps[i].to);
}

/* --- ids --- */

static int remember(struct loader *l, enum dim dim, int64_t id, uint32_t to)
{
	struct idmap *m = &l->maps[dim];

	if (!to)
		return td_store_error(l->st);
	if (id <= 0 || id > UINT32_MAX)
		return td_err_set(l->err, -EUCLEAN, "the database has an id of %lld",
				  (long long)id);
	while ((uint64_t)id >= m->n) {
		size_t n = m->n ? m->n * 2 : 1024;
		uint32_t *grown = realloc(m->to, n * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		memset(grown + m->n, 0, (n - m->n) * sizeof(*grown));
		m->to = grown;
		m->n = n;
	}
	m->to[id] = to;
	return 0;
}

/* 0 for NULL. */
static uint32_t mapped(struct loader *l, enum dim dim, sqlite3_stmt *s, int column)
{
	int64_t id = sqlite3_column_int64(s, column);
	uint32_t to = id > 0 && (uint64_t)id < l->maps[dim].n ? l->maps[dim].to[id] : 0;

	if (!to && sqlite3_column_type(s, column) != SQLITE_NULL)
		l->contradiction = true;
	return to;
}

/* After each row. */
static int check_row(const struct loader *l, const char *table)
{
	if (l->contradiction)
		return td_err_set(l->err, -EUCLEAN, "a row of table '%s' cannot be right", table);
	return td_store_error(l->st);
}

/* --- columns --- */

static int64_t i64(sqlite3_stmt *s, int column)
{
	return sqlite3_column_type(s, column) == SQLITE_NULL ? TD_NULL
							     : sqlite3_column_int64(s, column);
}

static double f64(sqlite3_stmt *s, int column)
{
	return sqlite3_column_type(s, column) == SQLITE_NULL ? NAN
							     : sqlite3_column_double(s, column);
}

static struct td_str str(sqlite3_stmt *s, int column)
{
	const char *p = (const char *)sqlite3_column_text(s, column);

	return (struct td_str){ p, p ? (size_t)sqlite3_column_bytes(s, column) : 0 };
}

static char *dup_text(struct loader *l, sqlite3_stmt *s, int column)
{
	struct td_str t = str(s, column);
	char *copy = t.p ? strndup(t.p, t.len) : NULL;

	if (t.p && !copy && !l->st->error)
		l->st->error = -ENOMEM;
	return copy;
}

/* The text in the store's strings, where it lives as long as the store; NULL for NULL. */
static const char *kept_text(struct loader *l, sqlite3_stmt *s, int column)
{
	struct td_str t = str(s, column);
	uint32_t id = t.p ? td_store_string(l->st, t.p, t.len) : 0;

	return id ? td_store_text(l->st, id).p : NULL;
}

/* Index of the text in a table of names, 0 if it is not there. */
static unsigned index_of(sqlite3_stmt *s, int column, const char *const *names, size_t n)
{
	struct td_str t = str(s, column);

	for (size_t i = 0; i < n; i++)
		if (t.p && names[i] && td_str_eq(t, names[i]))
			return (unsigned)i;
	return 0;
}

static int64_t native(const struct loader *l, uint16_t source_id, int64_t utc_ns)
{
	struct td_shift shift;

	if (!source_id || utc_ns == TD_NULL)
		return TD_NULL;
	shift = td_source_shift(&l->st->in.sources[source_id - 1]);
	return td_shift_to_native(&shift, utc_ns);
}

/* --- the small tables, columns in the order of schema/tables.sql --- */

static int load_string(struct loader *l, sqlite3_stmt *s)
{
	struct td_str t = str(s, 1);

	return remember(l, DIM_STRING, i64(s, 0), td_store_string(l->st, t.p ? t.p : "", t.len));
}

static int load_source(struct loader *l, sqlite3_stmt *s)
{
	const char *path = (const char *)sqlite3_column_text(s, 1);
	uint16_t id = td_store_source(l->st, path ? path : "");
	struct td_source *to = td_store_source_at(l->st, id);
	struct td_str hash = str(s, 7);

	if (!to)
		return td_store_error(l->st);
	to->importer = kept_text(l, s, 2);
	to->layout = dup_text(l, s, 3);
	to->state = index_of(s, 4, td_state_names, TD_STATE_FAILED + 1);
	to->detail = dup_text(l, s, 5);
	to->size_bytes = i64(s, 6);
	(void)snprintf(to->hash, sizeof(to->hash), "%s", hash.p ? hash.p : "");
	to->tool = dup_text(l, s, 8);
	to->tool_version = dup_text(l, s, 9);
	to->host = dup_text(l, s, 10);
	to->lines = (uint64_t)sqlite3_column_int64(s, 11);
	to->rows = (uint64_t)sqlite3_column_int64(s, 12);
	to->skipped = (uint64_t)sqlite3_column_int64(s, 13);
	to->issues = (uint64_t)sqlite3_column_int64(s, 14);
	to->repaired = (uint64_t)sqlite3_column_int64(s, 15);
	to->lost_events = (uint64_t)sqlite3_column_int64(s, 16);
	to->clock = index_of(s, 17, td_clock_names, TD_NCLOCKS);
	to->offset_ns = sqlite3_column_int64(s, 18);
	if (i64(s, 22) == TD_NULL)
		return remember(l, DIM_SOURCE, i64(s, 0), id);
	to->first_native_ns = i64(s, 22) - to->offset_ns;
	to->drift_ppb = f64(s, 19);
	if (i64(s, 24) != TD_NULL) {
		to->date_basis = TD_DATE_OPEN;
		to->day_first_ns = i64(s, 24);
	}
	to->last_native_ns = native(l, id, i64(s, 23));
	return remember(l, DIM_SOURCE, i64(s, 0), id);
}

static int load_anchor(struct loader *l, sqlite3_stmt *s)
{
	struct td_anchor a = {
		.source_id = (uint16_t)mapped(l, DIM_SOURCE, s, 1),
		.before_ns = i64(s, 2),
		.after_ns = i64(s, 3),
		.wall = index_of(s, 4, td_clock_names, TD_NCLOCKS),
		.wall_ns = i64(s, 5),
	};

	if (a.source_id)
		td_store_anchor(l->st, &a);
	return td_store_error(l->st);
}

static int load_issue_count(struct loader *l, sqlite3_stmt *s)
{
	struct td_store *st = l->st;
	int r = td_grow(&st->in.issue_counts, &st->issue_counts_cap, st->in.nissue_counts);

	if (r < 0)
		return r;
	st->in.issue_counts[st->in.nissue_counts++] = (struct td_issue_count){
		.source_id = (uint16_t)mapped(l, DIM_SOURCE, s, 0),
		.kind = kept_text(l, s, 1),
		.effect = index_of(s, 2, td_effect_names, TD_NOTED + 1),
		.count = (uint64_t)sqlite3_column_int64(s, 3),
		.first_line = (uint64_t)sqlite3_column_int64(s, 4),
	};
	return td_store_error(st);
}

static int load_issue(struct loader *l, sqlite3_stmt *s)
{
	struct td_store *st = l->st;
	int r = td_grow(&st->in.issues, &st->issues_cap, st->in.nissues);

	if (r < 0)
		return r;
	st->in.issues[st->in.nissues++] = (struct td_issue){
		.source_id = (uint16_t)mapped(l, DIM_SOURCE, s, 1),
		.kind = kept_text(l, s, 2),
		.line = (uint64_t)sqlite3_column_int64(s, 3),
		.text = dup_text(l, s, 4),
	};
	return td_store_error(st);
}

/* A process of its own for every row: the one that had the pid before is over. */
static uint32_t new_process(struct loader *l, sqlite3_stmt *s)
{
	uint32_t id = td_store_process(l->st, i64(s, 1), NULL, 0);

	if (id && td_store_process_at(l->st, id)->lifetime < sqlite3_column_int64(s, 11)) {
		td_store_process_end(l->st, id);
		id = td_store_process(l->st, i64(s, 1), NULL, 0);
	}
	return id;
}

static int load_process(struct loader *l, sqlite3_stmt *s)
{
	uint32_t id = new_process(l, s);
	struct td_process *p = td_store_process_at(l->st, id);
	struct td_str basis = str(s, 7);

	if (!p)
		return td_store_error(l->st);
	p->name_id = str(s, 2).p ? td_store_string(l->st, str(s, 2).p, str(s, 2).len) : 0;
	p->command_line_id = str(s, 3).p ? td_store_string(l->st, str(s, 3).p, str(s, 3).len) : 0;
	p->user_id = str(s, 4).p ? td_store_string(l->st, str(s, 4).p, str(s, 4).len) : 0;
	p->parent_pid = i64(s, 5);
	/* a role by activity is found again, with what is new */
	if (basis.p && !td_str_eq(basis, "activity")) {
		p->role = kept_text(l, s, 6);
		p->role_basis = kept_text(l, s, 7);
	}
	p->time_source_id = (uint16_t)mapped(l, DIM_SOURCE, s, 12);
	p->start_ns = native(l, p->time_source_id, i64(s, 8));
	p->end_ns = native(l, p->time_source_id, i64(s, 9));
	p->exit_status = i64(s, 10);
	p->cgroup_id = str(s, 13).p ? td_store_string(l->st, str(s, 13).p, str(s, 13).len) : 0;
	p->pid_namespace = i64(s, 14);
	p->namespace_pid = i64(s, 15);
	if (p->exit_status != TD_NULL || p->end_ns != TD_NULL)
		td_store_process_end(l->st, id);
	return remember(l, DIM_PROCESS, i64(s, 0), id);
}

static int load_thread(struct loader *l, sqlite3_stmt *s)
{
	uint32_t id = td_store_thread(l->st, i64(s, 1), mapped(l, DIM_PROCESS, s, 2));
	struct td_thread *t = td_store_thread_at(l->st, id);

	if (t && str(s, 3).p)
		t->name_id = td_store_string(l->st, str(s, 3).p, str(s, 3).len);
	return remember(l, DIM_THREAD, i64(s, 0), id);
}

static int load_file(struct loader *l, sqlite3_stmt *s)
{
	struct td_str path = str(s, 1), name = str(s, 2), basis = str(s, 3), known = str(s, 5);
	bool truncated = sqlite3_column_int(s, 8);
	uint32_t id = path.p ? td_store_file_path(l->st, path, name, truncated)
			     : td_store_file_name(l->st, name, truncated);
	struct td_file *f = td_store_file_at(l->st, id);

	if (f) {
		f->path_matched = basis.p && td_str_eq(basis, "matched");
		f->class_known = known.p && td_str_eq(known, "known");
		if (f->class_known)
			f->class = index_of(s, 4, td_class_names, TD_NCLASSES);
		f->device = i64(s, 9);
		f->inode = i64(s, 10);
	}
	return remember(l, DIM_FILE, i64(s, 0), id);
}

static int load_device(struct loader *l, sqlite3_stmt *s)
{
	struct td_str name = str(s, 2);
	enum td_device_kind kind = index_of(s, 1, td_device_kind_names, TD_DEVICE_NODE + 1);

	return remember(l, DIM_DEVICE, i64(s, 0),
			td_store_device(l->st, kind, name.p, name.len, i64(s, 3)));
}

static int load_op(struct loader *l, sqlite3_stmt *s)
{
	struct td_str name = str(s, 1);
	enum td_layer layer = index_of(s, 2, td_layer_names, TD_NLAYERS);

	return remember(l, DIM_OP, i64(s, 0), td_store_op(l->st, name.p, name.len, layer));
}

static int load_track(struct loader *l, sqlite3_stmt *s)
{
	const char *name = kept_text(l, s, 1), *unit = kept_text(l, s, 2);

	if (!name || !unit)
		return -EUCLEAN;
	return remember(l, DIM_TRACK, i64(s, 0),
			td_store_track(l->st, (uint16_t)mapped(l, DIM_SOURCE, s, 5), name, unit,
				       mapped(l, DIM_DEVICE, s, 3), mapped(l, DIM_PROCESS, s, 4)));
}

static int load_summary(struct loader *l, sqlite3_stmt *s)
{
	struct td_summary m = {
		.source_id = (uint16_t)mapped(l, DIM_SOURCE, s, 1),
		.name = kept_text(l, s, 2),
		.key = kept_text(l, s, 3),
		.low = f64(s, 4),
		.high = f64(s, 5),
		.value = f64(s, 6),
		.unit = kept_text(l, s, 7),
	};

	td_store_summary(l->st, &m);
	return td_store_error(l->st);
}

static int load_loss(struct loader *l, sqlite3_stmt *s)
{
	struct td_loss loss = {
		.source_id = (uint16_t)mapped(l, DIM_SOURCE, s, 1),
		.name = kept_text(l, s, 2),
		.ring = i64(s, 3),
		.generated = sqlite3_column_int64(s, 6),
		.lost = sqlite3_column_int64(s, 7),
		.ring_peak_bytes = i64(s, 8),
		.ring_size_bytes = i64(s, 9),
	};

	if (!loss.source_id || !loss.name)
		return td_store_error(l->st);
	loss.from_ns = native(l, loss.source_id, i64(s, 4));
	loss.to_ns = native(l, loss.source_id, i64(s, 4) + i64(s, 5));
	td_store_loss(l->st, &loss);
	return td_store_error(l->st);
}

static int load_table(struct loader *l, const char *table, const char *key,
		      int (*load)(struct loader *l, sqlite3_stmt *s))
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc, r;

	td_strbuf_addf(&sql, "SELECT * FROM %s ORDER BY %s", table, key);
	rc = sqlite3_prepare_v2(l->db, td_strbuf_str(&sql), -1, &s, NULL);
	if (rc != SQLITE_OK)
		return td_db_error(l->db, rc, l->err, "cannot read table '%s'", table);
	while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
		r = load(l, s);
		if (r >= 0)
			r = check_row(l, table);
		if (r < 0)
			return r;
	}
	return rc == SQLITE_DONE ? 0
				 : td_db_error(l->db, rc, l->err, "cannot read table '%s'", table);
}

/* In an order in which everything is there before it is referred to. */
static const struct {
	const char *table, *key;
	int (*load)(struct loader *l, sqlite3_stmt *s);
} small_tables[] = {
	{ "string", "id", load_string }, { "source", "id", load_source },
	{ "anchor", "id", load_anchor }, { "issue_count", "source_id", load_issue_count },
	{ "issue", "id", load_issue },   { "process", "id", load_process },
	{ "thread", "id", load_thread }, { "file", "id", load_file },
	{ "device", "id", load_device }, { "op", "id", load_op },
	{ "track", "id", load_track },   { "summary", "id", load_summary },
	{ "loss", "id", load_loss },
};

/* --- rows --- */

/* What the key columns of the big tables refer to. */
static const struct {
	const char *column;
	enum dim dim;
} keys[] = {
	{ "op_id", DIM_OP },
	{ "process_id", DIM_PROCESS },
	{ "done_process_id", DIM_PROCESS },
	{ "thread_id", DIM_THREAD },
	{ "waker_thread_id", DIM_THREAD },
	{ "file_id", DIM_FILE },
	{ "source_id", DIM_SOURCE },
	{ "args_id", DIM_STRING },
	{ "device_id", DIM_DEVICE },
	{ "state_id", DIM_STRING },
	{ "reason_id", DIM_STRING },
	{ "kind_id", DIM_STRING },
	{ "name_id", DIM_STRING },
	{ "track_id", DIM_TRACK },
};

/* How a column of a big table is read. */
struct reading {
	enum dim dim; /* of a key */
	bool is_size; /* must not be negative: a duration or a number of bytes */
};

#define MAX_COLUMNS 16

static struct reading reading_of(const struct td_column *c)
{
	struct td_str name = { c->name, strlen(c->name) };
	struct reading ret = { 0 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(keys); i++)
		if (td_str_eq(name, keys[i].column))
			ret.dim = keys[i].dim;
	ret.is_size = td_str_eq(name, "dur_ns") || td_str_eq(name, "queue_ns") ||
		      (td_str_ends(name, "bytes") && !td_str_eq(name, "offset_bytes"));
	return ret;
}

static void set_member(struct loader *l, const struct td_column *c, struct reading reading,
		       sqlite3_stmt *s, int at, char *record)
{
	char *to = record + c->offset;
	bool null = sqlite3_column_type(s, at) == SQLITE_NULL;

	switch (c->type) {
	case TD_I64:
		*(int64_t *)to = i64(s, at);
		if (reading.is_size && !null && *(int64_t *)to < 0)
			l->contradiction = true;
		break;
	case TD_I32:
		*(int32_t *)to = null ? INT32_MIN : sqlite3_column_int(s, at);
		if (reading.is_size && !null && *(int32_t *)to < 0)
			l->contradiction = true;
		break;
	case TD_KEY32:
		*(uint32_t *)to = mapped(l, reading.dim, s, at);
		break;
	case TD_KEY16:
		*(uint16_t *)to = (uint16_t)mapped(l, reading.dim, s, at);
		break;
	case TD_U8:
		*(uint8_t *)to = (uint8_t)sqlite3_column_int(s, at);
		break;
	case TD_F64:
		*(double *)to = f64(s, at);
		break;
	}
}

/* Reads the rows of the statement into the staging area, in the native time of their source. */
static int read_rows(struct loader *l, enum td_kind kind, sqlite3_stmt *s, uint16_t source_id)
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
		*time = native(l, source_id, *time);
		r = check_row(l, t->name);
		if (r >= 0)
			r = td_stage_add(l->st->stages[kind], record);
		if (r < 0)
			return r;
	}
	return rc == SQLITE_DONE
		       ? td_stage_cut(l->st->stages[kind])
		       : td_db_error(l->db, rc, l->err, "cannot read table '%s'", t->name);
}

static int prepare(struct loader *l, enum td_kind kind, const char *columns, const char *rest,
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
static int load_source_rows(struct loader *l, enum td_kind kind, int64_t db_source_id)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	struct idmap *sources = &l->maps[DIM_SOURCE];
	uint16_t to = db_source_id > 0 && (uint64_t)db_source_id < sources->n
			      ? (uint16_t)sources->to[db_source_id]
			      : 0;
	int r;

	if (!to)
		l->contradiction = true;
	r = check_row(l, td_tables[kind].name);
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
static int load_rows(struct loader *l, enum td_kind kind)
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

int td_store_load(struct td_store *st, const char *path, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	_cleanup_(loader_done) struct loader l = { .st = st, .err = err };
	int r;

	r = td_db_open_ro(path, &db, err);
	if (r < 0)
		return r;
	l.db = db;
	for (size_t i = 0; i < TD_ARRAY_SIZE(small_tables); i++) {
		r = load_table(&l, small_tables[i].table, small_tables[i].key,
			       small_tables[i].load);
		if (r < 0)
			return r;
	}
	for (unsigned k = 0; k < TD_NKINDS; k++) {
		r = load_rows(&l, k);
		if (r < 0)
			return r;
	}
	return td_store_error(st);
}
