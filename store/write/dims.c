/* SPDX-License-Identifier: MIT */
#include "schema/ops.h"
#include "store/dim_tables.h"
#include "store/write/dims.h"
#include "store/write/row_builder.h"
#include "store/write/row_steps.h"

/* Items of a batch, and of a table that is worth threads. */
#define BATCH_ITEMS ((size_t)512)
#define MANY_ITEMS (8 * BATCH_ITEMS)

/* --- what is made of other columns, or is not as the store has it --- */

static int64_t utc(const struct td_store *st, uint16_t source_id, int64_t native_ns)
{
	struct td_shift shift;

	if (!source_id || native_ns == TD_NULL)
		return TD_NULL;
	shift = td_source_shift(&td_store_contents(st)->sources[source_id - 1]);
	return td_shift_to_utc(&shift, native_ns);
}

static bool fill_source(struct td_store *st, uint32_t id, void *record)
{
	struct td_source *s = record;
	bool timed = s->first_native_ns != TD_NULL;
	/* once the file itself has told how its dates are to be read, its native times are the true ones */
	bool settled = s->date_basis == TD_DATE_BY_FILE;
	bool two_ways = s->date_basis != TD_DATE_CLEAR && !settled;

	s->clock = timed ? s->clock : TD_CLOCK_NONE;
	s->offset_ns = timed ? s->offset_ns - (settled ? s->date_shift_ns : 0) : TD_NULL;
	s->day_first_ns = timed && two_ways ? s->day_first_ns : TD_NULL;
	s->first_native_ns = utc(st, (uint16_t)id, s->first_native_ns);
	s->last_native_ns = utc(st, (uint16_t)id, s->last_native_ns);
	return true;
}

static bool fill_process(struct td_store *st, uint32_t id, void *record)
{
	struct td_process *p = record;

	if (p->merged_into)
		return false;
	p->role_basis = p->role ? p->role_basis : NULL;
	p->start_ns = utc(st, p->start_source_id, p->start_ns);
	p->end_ns = utc(st, p->end_source_id, p->end_ns);
	if (!p->start_source_id)
		p->start_source_id = p->end_source_id;
	return true;
}

static bool fill_file(struct td_store *st, uint32_t id, void *record)
{
	struct td_file_row *row = record;
	struct td_file *f = &row->file;

	if (f->merged_into)
		return false;
	f->name = f->name.len ? f->name : (struct td_str){ "", 0 };
	row->path_basis = !f->path.p ? NULL : f->path_matched ? "matched" : "printed";
	row->directory_id = td_store_file_directory(st, id);
	row->template_id = td_store_file_template(st, id);
	return true;
}

static bool fill_op(struct td_store *st, uint32_t id, void *record)
{
	struct td_op_row *row = record;

	row->verb = row->op.info->verb;
	row->kind = row->op.info->kind;
	return true;
}

static bool fill_loss(struct td_store *st, uint32_t id, void *record)
{
	struct td_loss_row *row = record;
	struct td_loss *l = &row->loss;

	l->from_ns = utc(st, l->source_id, l->from_ns);
	row->dur_ns = utc(st, l->source_id, l->to_ns) - l->from_ns;
	return true;
}

static bool fill_log_run(struct td_store *st, uint32_t id, void *record)
{
	struct td_log_run *run = record;

	run->first_ns = utc(st, run->source_id, run->first_ns);
	run->last_ns = utc(st, run->source_id, run->last_ns);
	return true;
}

/* Completes a record that begins with the store's item of that id; false: the database does not get it. */
static bool (*const fill[TD_NDIMS])(struct td_store *st, uint32_t id, void *record) = {
	[TD_DIM_SOURCE] = fill_source, [TD_DIM_PROCESS] = fill_process,
	[TD_DIM_FILE] = fill_file,     [TD_DIM_OP] = fill_op,
	[TD_DIM_LOSS] = fill_loss,     [TD_DIM_LOG_RUN] = fill_log_run,
};

/* --- records become rows --- */

static int64_t integer_of(const struct td_dim_column *c, const void *member)
{
	switch (c->type) {
	case TD_DIM_I64:
		return *(const int64_t *)member;
	case TD_DIM_U64:
		return (int64_t) * (const uint64_t *)member;
	case TD_DIM_U32:
		return *(const uint32_t *)member;
	case TD_DIM_LINE:
		return *(const uint64_t *)member ? (int64_t) * (const uint64_t *)member : TD_NULL;
	case TD_DIM_BOOL:
		return *(const bool *)member;
	case TD_DIM_KEY32:
		return *(const uint32_t *)member ? *(const uint32_t *)member : TD_NULL;
	case TD_DIM_KEY16:
		return *(const uint16_t *)member ? *(const uint16_t *)member : TD_NULL;
	default:
		return TD_NULL;
	}
}

static struct td_str text_of(const struct td_store *st, const struct td_dim_column *c,
			     const void *member)
{
	const char *text = member;
	uint32_t id;

	switch (c->type) {
	case TD_DIM_STR:
		return *(const struct td_str *)member;
	case TD_DIM_STRING_ID:
		id = *(const uint32_t *)member;
		return id ? td_store_text(st, id) : (struct td_str){ NULL, 0 };
	case TD_DIM_ENUM:
		text = c->names[*(const unsigned *)member];
		break;
	case TD_DIM_HASH:
		text = text[0] ? text : NULL;
		break;
	default:
		memcpy(&text, member, sizeof(text));
	}
	return (struct td_str){ text, text ? strlen(text) : 0 };
}

static int add_row(const struct td_store *st, struct td_row_builder *s,
		   const struct td_dim_table *t, uint32_t id, const char *record)
{
	for (const struct td_dim_column *c = t->columns; c < t->columns + t->ncolumns; c++) {
		const char *member = record + c->offset;

		if (c->type == TD_DIM_ID)
			td_row_i64(s, id);
		else if (c->type == TD_DIM_F64)
			td_row_f64(s, *(const double *)member);
		else if (td_dim_is_text(c->type))
			td_row_str(s, text_of(st, c, member));
		else
			td_row_i64(s, integer_of(c, member));
	}
	return td_row_builder_end_row(s);
}

/* A table that is being written. */
struct writing {
	struct td_store *st;
	enum td_dim dim;
	const char *items; /* the store's */
	size_t n;
	struct td_row_builder s;
	struct td_btree_rows *ahead; /* by batch, in turn; owned */
	size_t nahead;
};

static void writing_done(struct writing *w)
{
	for (size_t i = 0; i < w->nahead; i++)
		td_btree_rows_done(&w->ahead[i]);
	free(w->ahead);
	td_row_builder_done(&w->s);
}

/* Makes rows of the items from first on, below end. */
static int make_rows(const struct writing *w, struct td_row_builder *to, size_t first, size_t end)
{
	const struct td_dim_table *t = &td_dim_tables[w->dim];
	_cleanup_free_ char *record = calloc(1, t->record_size);
	int r = 0;

	if (!record)
		return -ENOMEM;
	for (size_t i = first; i < end && r >= 0; i++) {
		uint32_t id = (uint32_t)i + 1;

		memcpy(record, w->items + i * t->item_size, t->item_size);
		if (!fill[w->dim] || fill[w->dim](w->st, id, record))
			r = add_row(w->st, to, t, id, record);
	}
	return r;
}

static struct td_btree_rows *rows_of(const struct writing *w, const struct td_row_batch *b)
{
	return &w->ahead[(size_t)b->id / BATCH_ITEMS % w->nahead];
}

static int make_step(void *ud, struct td_row_batch *b)
{
	const struct writing *w = ud;
	struct td_row_builder to;

	td_btree_rows_clear(rows_of(w, b));
	td_row_builder_ahead(&to, &w->s, rows_of(w, b));
	return make_rows(w, &to, (size_t)b->id - 1, (size_t)b->id - 1 + b->n);
}

static int add_step(void *ud, struct td_row_batch *b)
{
	struct writing *w = ud;

	return td_row_builder_add(&w->s, rows_of(w, b));
}

/* Rows are made on all threads, which looks up their texts, and added one after the other. */
static int write_many(struct writing *w, unsigned threads)
{
	_cleanup_(td_row_steps_abortp) struct td_row_steps *steps = NULL;
	struct td_row_work work = { .record_size = 1, .threads = threads };
	unsigned made = td_row_work_add(&work, make_step, w, false, 0);
	int r;

	(void)td_row_work_add(&work, add_step, w, true, made);
	w->nahead = td_row_steps_places(threads);
	w->ahead = calloc(w->nahead, sizeof(*w->ahead));
	r = w->ahead ? td_row_steps_open(&work, &steps) : -ENOMEM;
	for (size_t i = 0; i < w->n && r >= 0; i += BATCH_ITEMS) {
		struct td_row_batch *b;

		r = td_row_steps_room(steps, &b);
		if (r < 0)
			break;
		b->n = TD_MIN(w->n - i, BATCH_ITEMS);
		td_row_steps_filled(steps);
	}
	return r < 0 ? r : td_row_steps_close(TAKE_PTR(steps));
}

/* Their directories and templates become strings, which does not happen on several threads. */
static void name_files(struct td_store *st)
{
	const struct td_contents *in = td_store_contents(st);

	for (uint32_t id = 1; id <= in->nfiles; id++)
		if (!in->files[id - 1].merged_into)
			(void)td_store_file_template(st, id);
}

static int write_table(struct td_store *st, const struct td_target *target, enum td_dim dim,
		       unsigned threads, struct td_err *err)
{
	const struct td_dim_table *t = &td_dim_tables[dim];
	const char *in = (const char *)td_store_contents(st);
	_cleanup_(writing_done) struct writing w = { .st = st, .dim = dim };
	int r;

	if (dim == TD_DIM_FILE)
		name_files(st);
	memcpy(&w.items, in + t->items, sizeof(w.items));
	w.n = *(const size_t *)(in + t->nitems);
	r = td_row_builder_open(&w.s, target, t->name, err);
	if (r < 0)
		return r;
	if (w.n < MANY_ITEMS || threads < 2 || td_target_db(target) || w.s.key >= w.s.ncolumns)
		return make_rows(&w, &w.s, 0, w.n);
	return write_many(&w, threads);
}

static int write_run(struct td_store *st, const struct td_target *target,
		     const struct td_write_options *o, struct td_err *err)
{
	const struct td_dim_table *t = &td_dim_tables[TD_DIM_RUN];
	_cleanup_(td_row_builder_done) struct td_row_builder s = { 0 };
	struct td_run_row row = {
		.name = o->run_name,
		.tracedb_version = TRACEDB_VERSION,
		.start_ns = TD_NULL,
		.end_ns = TD_NULL,
		.utc_offset_s = o->utc_offset_s,
		.utc_offset_basis = o->utc_offset_s == TD_NULL ? NULL : o->utc_offset_basis,
		.bin_ns = TD_NULL, /* whoever makes the bins sets it */
	};
	int r;

	(void)td_store_range(st, &row.start_ns, &row.end_ns);
	r = td_row_builder_open(&s, target, t->name, err);
	return r < 0 ? r : add_row(st, &s, t, 1, (const char *)&row);
}

int td_write_dims(struct td_store *st, const struct td_target *target,
		  const struct td_write_options *options, unsigned threads, struct td_err *err)
{
	/* file before string: its directories and templates become strings on the way */
	static const enum td_dim order[] = {
		TD_DIM_SOURCE,  TD_DIM_SOURCE_TEXT, TD_DIM_ANCHOR,  TD_DIM_ISSUE,
		TD_DIM_PROCESS, TD_DIM_THREAD,      TD_DIM_FILE,    TD_DIM_DEVICE,
		TD_DIM_OP,      TD_DIM_TRACK,       TD_DIM_SUMMARY, TD_DIM_LOSS,
		TD_DIM_STACK,   TD_DIM_STACK_TOTAL, TD_DIM_STRING,  TD_DIM_LOG_RUN,
	};
	int r = write_run(st, target, options, err);

	for (size_t i = 0; i < TD_ARRAY_SIZE(order) && r >= 0; i++)
		r = write_table(st, target, order[i], threads, err);
	return r;
}

int td_write_issue_counts(struct td_store *st, const struct td_target *target, struct td_err *err)
{
	return write_table(st, target, TD_DIM_ISSUE_COUNT, 1, err);
}
