/* SPDX-License-Identifier: MIT */
#include "common/strbuf.h"
#include "schema/db.h"
#include "schema/ops.h"
#include "store/write/row_builder.h"
#include "store/write/dims.h"

static int64_t utc(const struct td_store *st, uint16_t source_id, int64_t native_ns)
{
	struct td_shift shift;

	if (!source_id || native_ns == TD_NULL)
		return TD_NULL;
	shift = td_source_shift(&td_store_contents(st)->sources[source_id - 1]);
	return td_shift_to_utc(&shift, native_ns);
}

static int write_run(struct td_store *st, struct td_row_builder *s,
		     const struct td_write_options *o)
{
	int64_t first = TD_NULL, last = TD_NULL;

	(void)td_store_range(st, &first, &last);
	td_row_i64(s, 1);
	td_row_text(s, o->run_name);
	td_row_text(s, TRACEDB_VERSION);
	td_row_i64(s, first);
	td_row_i64(s, last);
	td_row_i64(s, o->utc_offset_s);
	td_row_text(s, o->utc_offset_s == TD_NULL ? NULL : o->utc_offset_basis);
	td_row_i64(s, TD_NULL); /* bin_ns: whoever makes the bins */
	return td_row_builder_end_row(s);
}

static int write_source(struct td_store *st, struct td_row_builder *s, size_t i)
{
	const struct td_source *src = &td_store_contents(st)->sources[i];
	uint16_t id = (uint16_t)(i + 1);
	bool timed = src->first_native_ns != TD_NULL;
	/* once the file itself has told how its dates are to be read, its native times are the true ones */
	bool settled = src->date_basis == TD_DATE_BY_FILE;
	bool two_ways = src->date_basis != TD_DATE_CLEAR && !settled;
	int64_t offset_ns = src->offset_ns - (settled ? src->date_shift_ns : 0);

	td_row_i64(s, id);
	td_row_text(s, src->path);
	td_row_text(s, src->importer);
	td_row_text(s, src->layout);
	td_row_text(s, td_state_names[src->state]);
	td_row_text(s, src->detail);
	td_row_i64(s, src->size_bytes);
	td_row_text(s, src->hash[0] ? src->hash : NULL);
	td_row_text(s, src->tool);
	td_row_text(s, src->tool_version);
	td_row_text(s, src->host);
	td_row_i64(s, (int64_t)src->lines);
	td_row_i64(s, (int64_t)src->rows);
	td_row_i64(s, (int64_t)src->skipped);
	td_row_i64(s, (int64_t)src->issues);
	td_row_i64(s, (int64_t)src->repaired);
	td_row_i64(s, (int64_t)src->lost_events);
	td_row_text(s, timed ? td_clock_names[src->clock] : NULL);
	td_row_i64(s, timed ? offset_ns : TD_NULL);
	td_row_f64(s, src->drift_ppb);
	td_row_i64(s, src->error_ns);
	td_row_text(s, src->clock_basis);
	td_row_i64(s, utc(st, id, src->first_native_ns));
	td_row_i64(s, utc(st, id, src->last_native_ns));
	td_row_i64(s, timed && two_ways ? src->day_first_ns : TD_NULL);
	return td_row_builder_end_row(s);
}

static int write_anchor(struct td_store *st, struct td_row_builder *s, size_t i)
{
	const struct td_anchor *a = &td_store_contents(st)->anchors[i];

	td_row_i64(s, (int64_t)i + 1);
	td_row_i64(s, a->source_id);
	td_row_i64(s, a->before_ns);
	td_row_i64(s, a->after_ns);
	td_row_text(s, td_clock_names[a->wall]);
	td_row_i64(s, a->wall_ns);
	return td_row_builder_end_row(s);
}

static int write_issue_count(struct td_store *st, struct td_row_builder *s, size_t i)
{
	const struct td_issue_count *c = &td_store_contents(st)->issue_counts[i];

	td_row_i64(s, c->source_id);
	td_row_text(s, c->kind);
	td_row_text(s, td_effect_names[c->effect]);
	td_row_i64(s, (int64_t)c->count);
	td_row_i64(s, c->first_line ? (int64_t)c->first_line : TD_NULL);
	return td_row_builder_end_row(s);
}

static int write_issue(struct td_store *st, struct td_row_builder *s, size_t i)
{
	const struct td_issue *issue = &td_store_contents(st)->issues[i];

	td_row_i64(s, (int64_t)i + 1);
	td_row_i64(s, issue->source_id);
	td_row_text(s, issue->kind);
	td_row_i64(s, issue->line ? (int64_t)issue->line : TD_NULL);
	td_row_text(s, issue->text);
	return td_row_builder_end_row(s);
}

static int write_string(struct td_store *st, struct td_row_builder *s, size_t i)
{
	td_row_i64(s, (int64_t)i + 1);
	td_row_str(s, td_intern_get(&td_store_contents(st)->strings, (uint32_t)i + 1));
	return td_row_builder_end_row(s);
}

static void bind_string_id(struct td_store *st, struct td_row_builder *s, uint32_t id)
{
	td_row_str(s, id ? td_store_text(st, id) : (struct td_str){ NULL, 0 });
}

static int write_process(struct td_store *st, struct td_row_builder *s, size_t i)
{
	const struct td_process *p = &td_store_contents(st)->processes[i];

	td_row_i64(s, (int64_t)i + 1);
	td_row_i64(s, p->pid);
	bind_string_id(st, s, p->name_id);
	bind_string_id(st, s, p->command_line_id);
	bind_string_id(st, s, p->user_id);
	td_row_i64(s, p->parent_pid);
	td_row_text(s, p->role);
	td_row_text(s, p->role ? p->role_basis : NULL);
	td_row_i64(s, utc(st, p->time_source_id, p->start_ns));
	td_row_i64(s, utc(st, p->time_source_id, p->end_ns));
	td_row_i64(s, p->exit_status);
	td_row_i64(s, p->lifetime);
	td_row_key(s, p->time_source_id);
	bind_string_id(st, s, p->cgroup_id);
	td_row_i64(s, p->pid_namespace);
	td_row_i64(s, p->namespace_pid);
	return td_row_builder_end_row(s);
}

static int write_thread(struct td_store *st, struct td_row_builder *s, size_t i)
{
	const struct td_thread *t = &td_store_contents(st)->threads[i];

	td_row_i64(s, (int64_t)i + 1);
	td_row_i64(s, t->tid);
	td_row_key(s, t->process_id);
	bind_string_id(st, s, t->name_id);
	return td_row_builder_end_row(s);
}

static int write_file(struct td_store *st, struct td_row_builder *s, size_t i)
{
	const struct td_file *f = &td_store_contents(st)->files[i];

	if (f->merged_into)
		return 0;
	td_row_i64(s, (int64_t)i + 1);
	td_row_str(s, f->path);
	td_row_str(s, f->name.len ? f->name : (struct td_str){ "", 0 });
	td_row_text(s, !f->path.p ? NULL : f->path_matched ? "matched" : "printed");
	td_row_text(s, td_class_names[f->class]);
	td_row_text(s, f->class_known ? "known" : "inferred");
	td_row_key(s, td_store_file_directory(st, (uint32_t)i + 1));
	td_row_key(s, td_store_file_template(st, (uint32_t)i + 1));
	td_row_i64(s, f->truncated);
	td_row_i64(s, f->device);
	td_row_i64(s, f->inode);
	return td_row_builder_end_row(s);
}

static int write_device(struct td_store *st, struct td_row_builder *s, size_t i)
{
	const struct td_device *d = &td_store_contents(st)->devices[i];

	td_row_i64(s, (int64_t)i + 1);
	td_row_text(s, td_device_kind_names[d->kind]);
	td_row_text(s, d->name);
	td_row_i64(s, d->number);
	return td_row_builder_end_row(s);
}

static int write_op(struct td_store *st, struct td_row_builder *s, size_t i)
{
	const struct td_op *o = &td_store_contents(st)->ops[i];

	td_row_i64(s, (int64_t)i + 1);
	td_row_text(s, o->name);
	td_row_text(s, td_layer_names[o->layer]);
	td_row_text(s, o->info->verb);
	td_row_text(s, o->info->kind);
	return td_row_builder_end_row(s);
}

static int write_track(struct td_store *st, struct td_row_builder *s, size_t i)
{
	const struct td_track *t = &td_store_contents(st)->tracks[i];

	td_row_i64(s, (int64_t)i + 1);
	td_row_text(s, t->name);
	td_row_text(s, t->unit);
	td_row_key(s, t->device_id);
	td_row_key(s, t->process_id);
	td_row_i64(s, t->source_id);
	return td_row_builder_end_row(s);
}

static int write_summary(struct td_store *st, struct td_row_builder *s, size_t i)
{
	const struct td_summary *m = &td_store_contents(st)->summaries[i];

	td_row_i64(s, (int64_t)i + 1);
	td_row_i64(s, m->source_id);
	td_row_text(s, m->name);
	td_row_text(s, m->key);
	td_row_f64(s, m->low);
	td_row_f64(s, m->high);
	td_row_f64(s, m->value);
	td_row_text(s, m->unit);
	return td_row_builder_end_row(s);
}

static int write_loss(struct td_store *st, struct td_row_builder *s, size_t i)
{
	const struct td_loss *l = &td_store_contents(st)->losses[i];
	int64_t from_ns = utc(st, l->source_id, l->from_ns);

	td_row_i64(s, (int64_t)i + 1);
	td_row_i64(s, l->source_id);
	td_row_text(s, l->name);
	td_row_i64(s, l->ring);
	td_row_i64(s, from_ns);
	td_row_i64(s, utc(st, l->source_id, l->to_ns) - from_ns);
	td_row_i64(s, l->generated);
	td_row_i64(s, l->lost);
	td_row_i64(s, l->ring_peak_bytes);
	td_row_i64(s, l->ring_size_bytes);
	return td_row_builder_end_row(s);
}

/* A table, and how row i of n is written. */
struct dim {
	const char *table;
	const size_t *n; /* borrowed; may grow on the way */
	int (*write)(struct td_store *st, struct td_row_builder *s, size_t i);
};

static int write_dim(struct td_store *st, const struct td_target *target, const struct dim *dim,
		     struct td_err *err)
{
	_cleanup_(td_row_builder_done) struct td_row_builder s = { 0 };
	int r;

	r = td_row_builder_open(&s, target, dim->table, err);
	for (size_t i = 0; r >= 0 && i < *dim->n; i++)
		r = dim->write(st, &s, i);
	return r;
}

int td_write_dims(struct td_store *st, const struct td_target *target,
		  const struct td_write_options *options, struct td_err *err)
{
	const struct td_contents *in = td_store_contents(st);
	/* file before string: its directories and templates become strings on the way */
	const struct dim dims[] = {
		{ "source", &in->nsources, write_source },
		{ "anchor", &in->nanchors, write_anchor },
		{ "issue", &in->nissues, write_issue },
		{ "process", &in->nprocesses, write_process },
		{ "thread", &in->nthreads, write_thread },
		{ "file", &in->nfiles, write_file },
		{ "device", &in->ndevices, write_device },
		{ "op", &in->nops, write_op },
		{ "track", &in->ntracks, write_track },
		{ "summary", &in->nsummaries, write_summary },
		{ "loss", &in->nlosses, write_loss },
		{ "string", &in->strings.n, write_string },
	};
	_cleanup_(td_row_builder_done) struct td_row_builder run = { 0 };
	int r;

	r = td_row_builder_open(&run, target, "run", err);
	if (r >= 0)
		r = write_run(st, &run, options);
	for (size_t i = 0; i < TD_ARRAY_SIZE(dims) && r >= 0; i++)
		r = write_dim(st, target, &dims[i], err);
	return r;
}

int td_write_issue_counts(struct td_store *st, const struct td_target *target, struct td_err *err)
{
	const struct dim dim = { "issue_count", &td_store_contents(st)->nissue_counts,
				 write_issue_count };

	return write_dim(st, target, &dim, err);
}
