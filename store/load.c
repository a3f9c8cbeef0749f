/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/caldate.h"
#include "common/strbuf.h"
#include "store/load.h"
#include "store/load_private.h"

/* Ids are numbers from 1 on without gaps where nobody changed them; larger ones would cost memory, not rows. */
#define ID_SPARE ((uint64_t)1 << 20)
#define ID_GAPS 16

static void loader_done(struct td_loader *l)
{
	for (size_t i = 0; i < TD_NDIMS; i++)
		free(l->maps[i].to);
	free(l->unmatched);
}

/* --- ids --- */

/* The row that was read is 'to' in the store. */
static int remember(struct td_loader *l, enum td_dim dim, uint32_t to)
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
uint32_t td_load_mapped(struct td_loader *l, enum td_dim dim, sqlite3_stmt *s, int column)
{
	int64_t id = sqlite3_column_int64(s, column);
	uint32_t to = id > 0 && (uint64_t)id < l->maps[dim].n ? l->maps[dim].to[id] : 0;

	if (!to && sqlite3_column_type(s, column) != SQLITE_NULL)
		l->contradiction = true;
	return to;
}

/* After each row. */
int td_load_check_row(const struct td_loader *l, const char *table)
{
	if (l->contradiction)
		return td_err_set(l->err, -EUCLEAN, "a row of table '%s' cannot be right", table);
	return td_store_error(l->st);
}

/* --- columns --- */

static struct td_str str(sqlite3_stmt *s, int column)
{
	const char *p = (const char *)sqlite3_column_text(s, column);

	return (struct td_str){ p, p ? (size_t)sqlite3_column_bytes(s, column) : 0 };
}

static char *dup_text(struct td_loader *l, struct td_str t)
{
	char *copy = t.p ? strndup(t.p, t.len) : NULL;

	if (t.p && !copy && !l->st->error)
		l->st->error = -ENOMEM;
	return copy;
}

/* The id of the text in the store's strings; 0 for NULL. */
static uint32_t string_id(struct td_loader *l, struct td_str t)
{
	return t.p ? td_store_string(l->st, t.p, t.len) : 0;
}

/* The text where it lives as long as the store; NULL for NULL. */
static const char *kept_text(struct td_loader *l, struct td_str t)
{
	uint32_t id = string_id(l, t);

	return id ? td_store_text(l->st, id).p : NULL;
}

/* Times that no import stores: the sums and differences that are made of them must not overflow. */
#define TIME_MAX INT64_C(4000000000000000000)
#define DRIFT_MAX_PPB 1e8

static int64_t possible(struct td_loader *l, int64_t ns)
{
	if (ns == TD_NULL || (ns >= -TIME_MAX && ns <= TIME_MAX))
		return ns;
	l->contradiction = true;
	return TD_NULL;
}

int64_t td_load_native(struct td_loader *l, uint16_t source_id, int64_t utc_ns)
{
	struct td_shift shift;

	if (!source_id || possible(l, utc_ns) == TD_NULL)
		return TD_NULL;
	shift = td_source_shift(&l->st->in.sources[source_id - 1]);
	return possible(l, td_shift_to_native(&shift, utc_ns));
}

/* --- rows of small tables become records --- */

/* Value of an enum by its name; NULL is the value that has none. */
static unsigned value_of(struct td_loader *l, const struct td_dim_column *c, struct td_str name)
{
	for (size_t i = 0; i < c->nnames && name.p; i++)
		if (c->names[i] && td_str_eq(name, c->names[i]))
			return (unsigned)i;
	l->contradiction |= name.p != NULL;
	return 0;
}

static void set_text(struct td_loader *l, const struct td_dim_column *c, struct td_str t,
		     void *member)
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
uint64_t td_load_count(struct td_loader *l, sqlite3_stmt *s, int at, uint64_t max)
{
	int64_t v = sqlite3_column_int64(s, at);

	if (v >= 0 && (uint64_t)v <= max)
		return (uint64_t)v;
	l->contradiction = true;
	return 0;
}

static void set_number(struct td_loader *l, const struct td_dim_column *c, sqlite3_stmt *s, int at,
		       void *member)
{
	struct td_str name = { c->name, strlen(c->name) };
	int64_t value;

	switch (c->type) {
	case TD_DIM_ID:
		l->id = td_db_known(s, at);
		break;
	case TD_DIM_I64:
		value = td_db_known(s, at);
		/* the number that stands for none here */
		l->contradiction |= value == TD_NULL && sqlite3_column_type(s, at) != SQLITE_NULL;
		*(int64_t *)member = td_str_ends(name, "_ns") ? possible(l, value) : value;
		break;
	case TD_DIM_U64:
	case TD_DIM_LINE:
		*(uint64_t *)member = td_load_count(l, s, at, INT64_MAX);
		break;
	case TD_DIM_U32:
		*(uint32_t *)member = (uint32_t)td_load_count(l, s, at, UINT32_MAX);
		break;
	case TD_DIM_F64:
		*(double *)member = td_load_f64(s, at);
		break;
	case TD_DIM_BOOL:
		*(bool *)member = sqlite3_column_int64(s, at) != 0;
		break;
	case TD_DIM_KEY32:
		*(uint32_t *)member = td_load_mapped(l, c->dim, s, at);
		break;
	default: /* TD_DIM_KEY16 */
		*(uint16_t *)member = (uint16_t)td_load_mapped(l, c->dim, s, at);
	}
}

/* The statement's columns are those of the description, in its order. */
static int read_record(struct td_loader *l, const struct td_dim_table *t, sqlite3_stmt *s,
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
	return td_load_check_row(l, t->name);
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

static int take_string(struct td_loader *l, void *record)
{
	return remember(l, TD_DIM_STRING, string_id(l, *(struct td_str *)record));
}

/* How exact its clock is and why is found out again, and nothing has a time without an offset. Of its times only the
 * first and the last are there; but a clock that was known to less than a second had others than whole ones. */
static int take_source(struct td_loader *l, void *record)
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
	to->has_fractions = to->error_ns != TD_NULL && to->error_ns < TD_SEC_NS;
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
		to->last_native_ns = td_load_native(l, id, last_ns);
	}
	return remember(l, TD_DIM_SOURCE, id);
}

static int take_source_text(struct td_loader *l, void *record)
{
	struct td_source_text *text = record;

	td_store_set_source_text(l->st, text->source_id, text->bytes,
				 text->beginnings ? text->beginnings : "");
	return 0;
}

static int take_anchor(struct td_loader *l, void *record)
{
	td_store_anchor(l->st, record);
	return 0;
}

static int take_issue_count(struct td_loader *l, void *record)
{
	struct td_store *st = l->st;
	int r = td_grow(&st->in.issue_counts, &st->issue_counts_cap, st->in.nissue_counts);

	if (r >= 0)
		st->in.issue_counts[st->in.nissue_counts++] = *(struct td_issue_count *)record;
	return r;
}

static int take_issue(struct td_loader *l, void *record)
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
static uint32_t new_process(struct td_loader *l, int64_t pid, uint32_t lifetime)
{
	uint32_t id = td_store_process(l->st, pid, NULL, 0);

	if (id && td_store_process_at(l->st, id)->lifetime < lifetime) {
		td_store_process_end(l->st, id);
		id = td_store_process(l->st, pid, NULL, 0);
	}
	return id;
}

static const char *kept_cstr(struct td_loader *l, const char *text)
{
	return kept_text(l, (struct td_str){ text, text ? strlen(text) : 0 });
}

static int take_process(struct td_loader *l, void *record)
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
	row->end_source_id = row->end_ns == TD_NULL ? 0 : row->start_source_id;
	row->start_ns = td_load_native(l, row->start_source_id, row->start_ns);
	row->end_ns = td_load_native(l, row->end_source_id, row->end_ns);
	row->start_source_id = row->start_ns == TD_NULL ? 0 : row->start_source_id;
	row->lifetime = p->lifetime;
	row->ended = p->ended;
	row->ended_in = p->ended_in;
	*p = *row;
	if (p->exit_status != TD_NULL || p->end_ns != TD_NULL)
		td_store_process_end(l->st, id);
	return remember(l, TD_DIM_PROCESS, id);
}

static int take_thread(struct td_loader *l, void *record)
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

static int take_file(struct td_loader *l, void *record)
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

static int take_device(struct td_loader *l, void *record)
{
	const struct td_device *d = record;

	td_store_on_host(l->st, d->host ? td_store_cstr(l->st, d->host) : 0);
	return remember(l, TD_DIM_DEVICE,
			td_store_device(l->st, d->kind, d->name, strlen(d->name), d->number));
}

static int take_op(struct td_loader *l, void *record)
{
	const struct td_op *op = &((const struct td_op_row *)record)->op;

	return remember(l, TD_DIM_OP, td_store_op(l->st, op->name, strlen(op->name), op->layer));
}

static int take_stack(struct td_loader *l, void *record)
{
	const struct td_stack *s = record;

	return remember(l, TD_DIM_STACK,
			td_store_stack(l->st, s->parent_id, s->symbol_id, s->module_id));
}

static int take_stack_total(struct td_loader *l, void *record)
{
	td_store_stack_total(l->st, record);
	return 0;
}

static int take_track(struct td_loader *l, void *record)
{
	const struct td_track *t = record;

	return remember(
		l, TD_DIM_TRACK,
		td_store_track(l->st, t->source_id, t->name, t->unit, t->device_id, t->process_id));
}

static int take_summary(struct td_loader *l, void *record)
{
	td_store_summary(l->st, record);
	return 0;
}

static int take_loss(struct td_loader *l, void *record)
{
	const struct td_loss_row *row = record;
	struct td_loss loss = row->loss;
	int64_t end_ns;

	if (__builtin_add_overflow(loss.from_ns, row->dur_ns, &end_ns))
		l->contradiction = true;
	else
		loss.to_ns = td_load_native(l, loss.source_id, end_ns);
	loss.from_ns = td_load_native(l, loss.source_id, loss.from_ns);
	td_store_loss(l->st, &loss);
	return 0;
}

/* Hands a record that was read to the store. In the order of the tables everything is there before it is
 * referred to. */
static int (*const take[TD_NDIMS])(struct td_loader *l, void *record) = {
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

static int take_row(struct td_loader *l, enum td_dim dim, sqlite3_stmt *s, char *record)
{
	const struct td_dim_table *t = &td_dim_tables[dim];
	int r = read_record(l, t, s, record);

	if (r >= 0)
		r = take[dim](l, record);
	if (r >= 0)
		r = td_load_check_row(l, t->name);
	free_record(t, record);
	return r;
}

/* All columns of the description, by their names. */
static int select_columns(struct td_loader *l, const struct td_dim_table *t, sqlite3_stmt **ret)
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

static int load_table(struct td_loader *l, enum td_dim dim)
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

int td_store_load(struct td_store *st, const char *path, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	_cleanup_(loader_done) struct td_loader l = { .st = st, .err = err };
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
		r = td_load_rows(&l, k);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < l.nfiles; i++)
		st->in.files[i].path_matched &= !l.unmatched[i];
	return td_store_error(st);
}
