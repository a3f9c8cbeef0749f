/* SPDX-License-Identifier: MIT */
#include "store/derive/busiest_files.h"
#include "common/array.h"

/* What is known of some files together. */
struct total {
	uint32_t file_id; /* 0: several, or none */
	uint64_t files, calls, errors;
	int64_t done_bytes, total_ns, max_ns; /* TD_NULL: unknown */
};

/* Of the files of a process of one class. */
struct busiest {
	struct td_row_builder rows;
	bool begun; /* there is a process and class which the others are of */
	uint32_t process_id;
	uint32_t class; /* enum td_class + 1; 0: no file is known */
	struct total *
		most; /* owned; files that took as long as each other and longer than the rest, in order */
	size_t n, cap;
	struct total rest;
};

static const struct total nothing = { .done_bytes = TD_NULL,
				      .total_ns = TD_NULL,
				      .max_ns = TD_NULL };

static void busiest_done(struct busiest *b)
{
	free(b->most);
	td_row_builder_done(&b->rows);
}

static void add(struct total *to, const struct total *more)
{
	to->files += more->files;
	to->calls += more->calls;
	to->errors += more->errors;
	to->done_bytes = td_plus_known(to->done_bytes, more->done_bytes);
	to->total_ns = td_plus_known(to->total_ns, more->total_ns);
	to->max_ns = TD_MAX(to->max_ns, more->max_ns); /* TD_NULL is the smallest */
}

static int write_row(struct busiest *b, const struct total *t)
{
	td_row_key(&b->rows, b->process_id);
	td_row_text(&b->rows, b->class ? td_class_names[b->class - 1] : NULL);
	td_row_key(&b->rows, t->file_id);
	td_row_i64(&b->rows, (int64_t)t->files);
	td_row_i64(&b->rows, (int64_t)t->calls);
	td_row_i64(&b->rows, (int64_t)t->errors);
	td_row_i64(&b->rows, t->done_bytes);
	td_row_i64(&b->rows, t->total_ns);
	td_row_i64(&b->rows, t->max_ns);
	return td_row_builder_end_row(&b->rows);
}

static int write_all(struct busiest *b)
{
	int r = 0;

	for (size_t i = 0; i < b->n && r >= 0; i++)
		r = write_row(b, &b->most[i]);
	return r >= 0 && b->rest.calls ? write_row(b, &b->rest) : r;
}

static int begin(struct busiest *b, uint32_t process_id, uint32_t class)
{
	int r = write_all(b);

	b->begun = true;
	b->process_id = process_id;
	b->class = class;
	b->n = 0;
	b->rest = nothing;
	return r;
}

/* As those that took longest, unless one of them took longer. */
static int add_file(struct busiest *b, const struct total *one)
{
	int64_t most_ns = b->n ? b->most[0].total_ns : TD_NULL;

	if (one->total_ns < most_ns) {
		add(&b->rest, one);
		return 0;
	}
	if (one->total_ns > most_ns) {
		for (size_t i = 0; i < b->n; i++)
			add(&b->rest, &b->most[i]);
		b->n = 0;
	}
	if (td_grow(&b->most, &b->cap, b->n) < 0)
		return -ENOMEM;
	b->most[b->n++] = *one;
	return 0;
}

/* Groups are by process, class and file, in this order. */
static int add_group(const struct td_grouping *g, const struct td_call_group *group)
{
	struct busiest *b = g->arg;
	const struct td_group_member *of = &group->of;
	const struct td_sums *sums = &group->sums;
	const struct total one = {
		.file_id = of->sub,
		.files = of->sub != 0,
		.calls = sums->calls,
		.errors = sums->errors,
		.done_bytes = sums->done_bytes,
		.total_ns = sums->timed ? sums->total_ns : TD_NULL,
		.max_ns = sums->timed ? sums->max_ns : TD_NULL,
	};
	int r = 0;

	if (!b->begun || b->process_id != of->key || b->class != of->process_id)
		r = begin(b, of->key, of->process_id);
	if (r >= 0 && of->sub)
		return add_file(b, &one);
	add(&b->rest, &one);
	return r;
}

static int group(struct td_grouper *g, const struct td_family *f, struct busiest *b)
{
	const struct td_contents *in = g->c->in;
	const struct td_grouping how = { .c = g->c, .f = f, .arg = b, .write = add_group };
	struct td_grouping *by;
	int r = td_grouper_begin(g, &how, &by);

	for (uint32_t i = 0; r >= 0 && i < f->ncombos; i++) {
		const struct td_combo *k = &f->combos[i];

		if (strcmp(in->ops[k->op_id - 1].info->kind, "io") == 0)
			by->members[by->n++] = (struct td_group_member){
				.key = k->process_id,
				.process_id = k->object ? in->files[k->object - 1].class + 1 : 0,
				.sub = k->object,
				.combo = i,
			};
	}
	return r < 0 ? r : td_grouper_group(g, by);
}

int td_busiest_files_write(struct td_grouper *g, const struct td_target *target, struct td_err *err)
{
	const struct td_family *f = td_budget_family(g->c, TD_BY_PROCESS | TD_BY_FILE);
	_cleanup_(busiest_done) struct busiest b = { .rest = nothing };
	int r = f ? td_row_builder_open(&b.rows, target, "busiest_file", err) : 0, e;

	if (!f || r < 0)
		return r;
	r = group(g, f, &b);
	e = td_grouper_end(g);
	r = r < 0 ? r : e;
	return r < 0 ? r : write_all(&b);
}
