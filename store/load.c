/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <math.h>

#include "common/array.h"
#include "common/strbuf.h"
#include "schema/calls.h"
#include "schema/db.h"
#include "store/dim_tables.h"
#include "store/load.h"
#include "store/store_private.h"

/* What an id of the database is in the store. */
struct idmap {
	uint32_t *to; /* by the database's id; 0: none */
	size_t n;
	uint64_t rows; /* that were remembered */
};

/* Ids are numbers from 1 on without gaps where nobody changed them; larger ones would cost memory, not rows. */
#define ID_SPARE ((uint64_t)1 << 20)
#define ID_GAPS 16

struct loader {
	struct td_store *st;
	sqlite3 *db;
	struct td_err *err;
	struct idmap maps[TD_NDIMS];
	int64_t id; /* of the row of a small table */
	bool *unmatched; /* owned; for each file of the database, whether unmatch() found calls that it has by its name */
	size_t nfiles;
	/* A row refers to one that is not there, has a negative size, or lacks what every row has. */
	bool contradiction;
};

static void loader_done(struct loader *l)
{
	for (size_t i = 0; i < TD_NDIMS; i++)
		free(l->maps[i].to);
	free(l->unmatched);
}

/* --- ids --- */

/* The row that was read is 'to' in the store. */
static int remember(struct loader *l, enum td_dim dim, uint32_t to)
{
	struct idmap *m = &l->maps[dim];
	int64_t id = l->id;

	if (!to)
		return td_store_error(l->st);
	if (id <= 0 || id > UINT32_MAX || (uint64_t)id > ID_SPARE + ID_GAPS * ++m->rows)
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
static uint32_t mapped(struct loader *l, enum td_dim dim, sqlite3_stmt *s, int column)
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

static char *dup_text(struct loader *l, struct td_str t)
{
	char *copy = t.p ? strndup(t.p, t.len) : NULL;

	if (t.p && !copy && !l->st->error)
		l->st->error = -ENOMEM;
	return copy;
}

/* The id of the text in the store's strings; 0 for NULL. */
static uint32_t string_id(struct loader *l, struct td_str t)
{
	return t.p ? td_store_string(l->st, t.p, t.len) : 0;
}

/* The text where it lives as long as the store; NULL for NULL. */
static const char *kept_text(struct loader *l, struct td_str t)
{
	uint32_t id = string_id(l, t);

	return id ? td_store_text(l->st, id).p : NULL;
}

/* Times and durations that no import stores: the sums and differences that are made of them must not overflow. */
#define TIME_MAX INT64_C(4000000000000000000)
#define DURATION_MAX (INT64_C(1) << 60)
#define DRIFT_MAX_PPB 1e8

static int64_t possible(struct loader *l, int64_t ns)
{
	if (ns == TD_NULL || (ns >= -TIME_MAX && ns <= TIME_MAX))
		return ns;
	l->contradiction = true;
	return TD_NULL;
}

static int64_t native(struct loader *l, uint16_t source_id, int64_t utc_ns)
{
	struct td_shift shift;

	if (!source_id || possible(l, utc_ns) == TD_NULL)
		return TD_NULL;
	shift = td_source_shift(&l->st->in.sources[source_id - 1]);
	return possible(l, td_shift_to_native(&shift, utc_ns));
}

/* --- rows of small tables become records --- */

/* Value of an enum by its name; NULL is the value that has none. */
static unsigned value_of(struct loader *l, const struct td_dim_column *c, struct td_str name)
{
	for (size_t i = 0; i < c->nnames && name.p; i++)
		if (c->names[i] && td_str_eq(name, c->names[i]))
			return (unsigned)i;
	l->contradiction |= name.p != NULL;
	return 0;
}

static void set_text(struct loader *l, const struct td_dim_column *c, struct td_str t, void *member)
{
	const char *text = t.p;

	switch (c->type) {
	case TD_DIM_STR:
		*(struct td_str *)member = t;
		return;
	case TD_DIM_STRING_ID:
		*(uint32_t *)member = string_id(l, t);
		return;
	case TD_DIM_ENUM:
		*(unsigned *)member = value_of(l, c, t);
		return;
	case TD_DIM_HASH:
		(void)snprintf(member, TD_DIM_HASH_SIZE, "%s", text ? text : "");
		return;
	case TD_DIM_KEPT:
		text = kept_text(l, t);
		break;
	case TD_DIM_OWNED:
		text = dup_text(l, t);
		break;
	default:
		break;
	}
	memcpy(member, &text, sizeof(text));
}

/* Of a column that counts something. */
static uint64_t count_of(struct loader *l, sqlite3_stmt *s, int at, uint64_t max)
{
	int64_t v = sqlite3_column_int64(s, at);

	if (v >= 0 && (uint64_t)v <= max)
		return (uint64_t)v;
	l->contradiction = true;
	return 0;
}

static void set_number(struct loader *l, const struct td_dim_column *c, sqlite3_stmt *s, int at,
		       void *member)
{
	struct td_str name = { c->name, strlen(c->name) };

	switch (c->type) {
	case TD_DIM_ID:
		l->id = i64(s, at);
		break;
	case TD_DIM_I64:
		*(int64_t *)member =
			td_str_ends(name, "_ns") ? possible(l, i64(s, at)) : i64(s, at);
		break;
	case TD_DIM_U64:
	case TD_DIM_LINE:
		*(uint64_t *)member = count_of(l, s, at, INT64_MAX);
		break;
	case TD_DIM_U32:
		*(uint32_t *)member = (uint32_t)count_of(l, s, at, UINT32_MAX);
		break;
	case TD_DIM_F64:
		*(double *)member = f64(s, at);
		break;
	case TD_DIM_BOOL:
		*(bool *)member = sqlite3_column_int64(s, at) != 0;
		break;
	case TD_DIM_KEY32:
		*(uint32_t *)member = mapped(l, c->dim, s, at);
		break;
	default: /* TD_DIM_KEY16 */
		*(uint16_t *)member = (uint16_t)mapped(l, c->dim, s, at);
	}
}

/* The statement's columns are those of the description, in its order. */
static int read_record(struct loader *l, const struct td_dim_table *t, sqlite3_stmt *s,
		       char *record)
{
	memset(record, 0, t->record_size);
	for (int i = 0; i < (int)t->ncolumns; i++) {
		const struct td_dim_column *c = &t->columns[i];
		bool is_text = td_dim_is_text(c->type);
		struct td_str text = is_text ? str(s, i) : (struct td_str){ NULL, 0 };

		if (c->not_null && (is_text ? !text.p : sqlite3_column_type(s, i) == SQLITE_NULL))
			l->contradiction = true;
		if (is_text)
			set_text(l, c, text, record + c->offset);
		else
			set_number(l, c, s, i, record + c->offset);
	}
	return check_row(l, t->name);
}

/* What the store did not take of it. */
static void free_record(const struct td_dim_table *t, const char *record)
{
	for (size_t i = 0; i < t->ncolumns; i++) {
		char *text;

		if (t->columns[i].type != TD_DIM_OWNED)
			continue;
		memcpy(&text, record + t->columns[i].offset, sizeof(text));
		free(text);
	}
}

/* --- records go into the store --- */

static int take_string(struct loader *l, void *record)
{
	return remember(l, TD_DIM_STRING, string_id(l, *(struct td_str *)record));
}

/* How exact its clock is and why is found out again, and nothing has a time without an offset. */
static int take_source(struct loader *l, void *record)
{
	struct td_source *s = record, *to;
	int64_t first_ns = s->first_native_ns, last_ns = s->last_native_ns;
	uint16_t id = td_store_source(l->st, s->path);

	to = td_store_source_at(l->st, id);
	if (!to)
		return td_store_error(l->st);
	free(to->path);
	free(s->clock_basis);
	*to = *s;
	*s = (struct td_source){ 0 };
	if (!isnan(to->drift_ppb) && !(fabs(to->drift_ppb) < DRIFT_MAX_PPB))
		l->contradiction = true;
	to->clock_basis = NULL;
	to->error_ns = TD_NULL;
	to->offset_ns = to->offset_ns == TD_NULL ? 0 : to->offset_ns;
	to->date_basis =
		first_ns != TD_NULL && to->day_first_ns != TD_NULL ? TD_DATE_OPEN : TD_DATE_CLEAR;
	if (to->date_basis == TD_DATE_CLEAR)
		to->day_first_ns = 0;
	if (first_ns == TD_NULL) {
		to->drift_ppb = NAN;
		to->last_native_ns = TD_NULL;
	} else {
		to->first_native_ns = possible(l, first_ns - to->offset_ns);
		to->last_native_ns = native(l, id, last_ns);
	}
	return remember(l, TD_DIM_SOURCE, id);
}

static int take_source_text(struct loader *l, void *record)
{
	struct td_source_text *text = record;

	td_store_set_source_text(l->st, text->source_id, text->bytes,
				 text->beginnings ? text->beginnings : "");
	return 0;
}

static int take_anchor(struct loader *l, void *record)
{
	td_store_anchor(l->st, record);
	return 0;
}

static int take_issue_count(struct loader *l, void *record)
{
	struct td_store *st = l->st;
	int r = td_grow(&st->in.issue_counts, &st->issue_counts_cap, st->in.nissue_counts);

	if (r >= 0)
		st->in.issue_counts[st->in.nissue_counts++] = *(struct td_issue_count *)record;
	return r;
}

static int take_issue(struct loader *l, void *record)
{
	struct td_store *st = l->st;
	struct td_issue *issue = record;
	int r = td_grow(&st->in.issues, &st->issues_cap, st->in.nissues);

	if (r < 0)
		return r;
	st->in.issues[st->in.nissues++] = *issue;
	issue->text = NULL;
	return 0;
}

/* A process of its own for every row: the one that had the pid before is over. */
static uint32_t new_process(struct loader *l, int64_t pid, uint32_t lifetime)
{
	uint32_t id = td_store_process(l->st, pid, NULL, 0);

	if (id && td_store_process_at(l->st, id)->lifetime < lifetime) {
		td_store_process_end(l->st, id);
		id = td_store_process(l->st, pid, NULL, 0);
	}
	return id;
}

static const char *kept_cstr(struct loader *l, const char *text)
{
	return kept_text(l, (struct td_str){ text, text ? strlen(text) : 0 });
}

static int take_process(struct loader *l, void *record)
{
	struct td_process *row = record, *p;
	/* a role by activity is found again, with what is new */
	bool again = !row->role_basis || strcmp(row->role_basis, "activity") == 0;
	uint32_t id;

	td_store_on_host(l->st, row->host_id);
	id = new_process(l, row->pid, row->lifetime);
	p = td_store_process_at(l->st, id);
	if (!p)
		return td_store_error(l->st);
	row->role = again ? p->role : kept_cstr(l, row->role);
	row->role_basis = again ? p->role_basis : kept_cstr(l, row->role_basis);
	row->start_ns = native(l, row->time_source_id, row->start_ns);
	row->end_ns = native(l, row->time_source_id, row->end_ns);
	row->lifetime = p->lifetime;
	row->ended = p->ended;
	row->ended_in = p->ended_in;
	*p = *row;
	if (p->exit_status != TD_NULL || p->end_ns != TD_NULL)
		td_store_process_end(l->st, id);
	return remember(l, TD_DIM_PROCESS, id);
}

static int take_thread(struct loader *l, void *record)
{
	const struct td_thread *row = record;
	const struct td_process *p = td_store_process_at(l->st, row->process_id);
	struct td_thread *t;
	uint32_t id;

	td_store_on_host(l->st, p ? p->host_id : 0);
	id = td_store_thread(l->st, row->tid, row->process_id);
	t = td_store_thread_at(l->st, id);
	if (t && row->name_id)
		t->name_id = row->name_id;
	if (t)
		t->use = row->use;
	return remember(l, TD_DIM_THREAD, id);
}

static int take_file(struct loader *l, void *record)
{
	const struct td_file_row *row = record;
	const struct td_file *from = &row->file;
	struct td_file *f;
	uint32_t id;

	if (from->root_id && from->path.p)
		id = td_store_file_in_root(l->st, from->path, from->root_id, from->truncated);
	else if (from->path.p)
		id = td_store_file_path(l->st, from->path, from->name, from->truncated);
	else
		id = td_store_file_name(l->st, from->name, from->truncated);
	f = td_store_file_at(l->st, id);

	if (f) {
		f->path_matched = row->path_basis && strcmp(row->path_basis, "matched") == 0;
		f->class_known = from->class_known;
		if (f->class_known)
			f->class = from->class;
		f->device = from->device;
		f->inode = from->inode;
	}
	return remember(l, TD_DIM_FILE, id);
}

/* Is what the operation is on known by its name in the output of these importers: by a dentry, or by a descriptor? */
static bool is_by_name(const struct loader *l, const struct td_call *c)
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
static void unmatch(struct loader *l, struct td_call *c)
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

static int take_device(struct loader *l, void *record)
{
	const struct td_device *d = record;

	td_store_on_host(l->st, d->host ? td_store_cstr(l->st, d->host) : 0);
	return remember(l, TD_DIM_DEVICE,
			td_store_device(l->st, d->kind, d->name, strlen(d->name), d->number));
}

static int take_op(struct loader *l, void *record)
{
	const struct td_op *op = &((const struct td_op_row *)record)->op;

	return remember(l, TD_DIM_OP, td_store_op(l->st, op->name, strlen(op->name), op->layer));
}

static int take_stack(struct loader *l, void *record)
{
	const struct td_stack *s = record;

	return remember(l, TD_DIM_STACK,
			td_store_stack(l->st, s->parent_id, s->symbol_id, s->module_id));
}

static int take_stack_total(struct loader *l, void *record)
{
	td_store_stack_total(l->st, record);
	return 0;
}

static int take_track(struct loader *l, void *record)
{
	const struct td_track *t = record;

	return remember(
		l, TD_DIM_TRACK,
		td_store_track(l->st, t->source_id, t->name, t->unit, t->device_id, t->process_id));
}

static int take_summary(struct loader *l, void *record)
{
	td_store_summary(l->st, record);
	return 0;
}

static int take_loss(struct loader *l, void *record)
{
	const struct td_loss_row *row = record;
	struct td_loss loss = row->loss;
	int64_t end_ns;

	if (__builtin_add_overflow(loss.from_ns, row->dur_ns, &end_ns))
		l->contradiction = true;
	else
		loss.to_ns = native(l, loss.source_id, end_ns);
	loss.from_ns = native(l, loss.source_id, loss.from_ns);
	td_store_loss(l->st, &loss);
	return 0;
}

/* Hands a record that was read to the store. In the order of the tables everything is there before it is
 * referred to. */
static int (*const take[TD_NDIMS])(struct loader *l, void *record) = {
	[TD_DIM_STRING] = take_string,
	[TD_DIM_SOURCE] = take_source,
	[TD_DIM_SOURCE_TEXT] = take_source_text,
	[TD_DIM_ANCHOR] = take_anchor,
	[TD_DIM_ISSUE_COUNT] = take_issue_count,
	[TD_DIM_ISSUE] = take_issue,
	[TD_DIM_PROCESS] = take_process,
	[TD_DIM_THREAD] = take_thread,
	[TD_DIM_FILE] = take_file,
	[TD_DIM_DEVICE] = take_device,
	[TD_DIM_OP] = take_op,
	[TD_DIM_STACK] = take_stack,
	[TD_DIM_STACK_TOTAL] = take_stack_total,
	[TD_DIM_TRACK] = take_track,
	[TD_DIM_SUMMARY] = take_summary,
	[TD_DIM_LOSS] = take_loss,
};

static int take_row(struct loader *l, enum td_dim dim, sqlite3_stmt *s, char *record)
{
	const struct td_dim_table *t = &td_dim_tables[dim];
	int r = read_record(l, t, s, record);

	if (r >= 0)
		r = take[dim](l, record);
	if (r >= 0)
		r = check_row(l, t->name);
	free_record(t, record);
	return r;
}

/* All columns of the description, by their names. */
static int select_columns(struct loader *l, const struct td_dim_table *t, sqlite3_stmt **ret)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sql = TD_STRBUF_INIT;
	int rc;

	for (size_t i = 0; i < t->ncolumns; i++)
		td_strbuf_addf(&sql, "%s %s", i ? "," : "SELECT", t->columns[i].name);
	td_strbuf_addf(&sql, " FROM %s ORDER BY %s", t->name, t->key);
	if (td_strbuf_error(&sql) < 0)
		return -ENOMEM;
	rc = sqlite3_prepare_v2(l->db, td_strbuf_str(&sql), -1, ret, NULL);
	return rc == SQLITE_OK ? 0
			       : td_db_error(l->db, rc, l->err, "cannot read table '%s'", t->name);
}

static int load_table(struct loader *l, enum td_dim dim)
{
	const struct td_dim_table *t = &td_dim_tables[dim];
	_cleanup_free_ char *record = malloc(t->record_size);
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc, r;

	if (!record)
		return -ENOMEM;
	r = select_columns(l, t, &s);
	if (r < 0)
		return r;
	while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
		r = take_row(l, dim, s, record);
		if (r < 0)
			return r;
	}
	return rc == SQLITE_DONE
		       ? 0
		       : td_db_error(l->db, rc, l->err, "cannot read table '%s'", t->name);
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

static void set_member(struct loader *l, const struct td_column *c, struct reading reading,
		       sqlite3_stmt *s, int at, char *record)
{
	char *to = record + c->offset;
	bool null = sqlite3_column_type(s, at) == SQLITE_NULL;

	switch (c->type) {
	case TD_I64:
		*(int64_t *)to = i64(s, at);
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
		*(uint32_t *)to = mapped(l, reading.dim, s, at);
		break;
	case TD_KEY16:
		*(uint16_t *)to = (uint16_t)mapped(l, reading.dim, s, at);
		break;
	case TD_U8:
		*(uint8_t *)to = (uint8_t)count_of(l, s, at, UINT8_MAX);
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
		if (kind == TD_KIND_SPAN)
			td_store_log_run(l->st, (const struct td_span *)record);
		r = check_row(l, t->name);
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
	struct idmap *sources = &l->maps[TD_DIM_SOURCE];
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
	for (unsigned dim = 0; dim < TD_NDIMS; dim++) {
		r = take[dim] ? load_table(&l, dim) : 0;
		if (r < 0)
			return r;
	}
	td_store_on_host(st, 0);
	l.nfiles = st->in.nfiles;
	l.unmatched = calloc(l.nfiles + 1, sizeof(*l.unmatched));
	if (!l.unmatched)
		return -ENOMEM;
	for (unsigned k = 0; k < TD_NKINDS; k++) {
		r = load_rows(&l, k);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < l.nfiles; i++)
		st->in.files[i].path_matched &= !l.unmatched[i];
	return td_store_error(st);
}
