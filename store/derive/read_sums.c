/* SPDX-License-Identifier: MIT */
#include "store/derive/read_sums.h"
#include "common/array.h"

struct sums {
	uint64_t reads, placed;
	int64_t bytes;
	struct td_combo_cold cold;
	int64_t end_bytes; /* of one file; TD_NULL: no offset is known */
	int64_t reread_bytes; /* without what is not known */
};

/* What a row is of; 0: it is of none of these, or who is not known. */
struct key {
	uint32_t file_id, process_id, template_id;
};

struct read_sums {
	struct td_calls *c;
	struct td_row_builder rows;
	struct td_keys templates; /* run parallel to of_templates */
	struct sums *of_templates; /* owned */
	size_t cap;
	struct sums all;
	struct sums of_process;
	uint32_t process_id; /* of of_process */
	bool begun; /* there is one */
};

static const struct sums nothing = { .end_bytes = TD_NULL };

static void read_sums_done(struct read_sums *s)
{
	td_keys_done(&s->templates);
	free(s->of_templates);
	td_row_builder_done(&s->rows);
}

static void add(struct sums *to, const struct sums *more)
{
	to->reads += more->reads;
	to->placed += more->placed;
	to->bytes = td_plus(to->bytes, more->bytes);
	to->cold.known += more->cold.known;
	to->cold.hits += more->cold.hits;
	to->cold.hit_bytes = td_plus(to->cold.hit_bytes, more->cold.hit_bytes);
	to->cold.cold_bytes = td_plus(to->cold.cold_bytes, more->cold.cold_bytes);
	to->cold.ahead_bytes = td_plus(to->cold.ahead_bytes, more->cold.ahead_bytes);
	to->reread_bytes = td_plus(to->reread_bytes, more->reread_bytes);
}

/* Of all combos of the group, which are of a file, or of what a process did with it. */
static struct sums sums_of(const struct td_call_group *group)
{
	const struct td_family *f = group->grouping->f;
	struct sums s = nothing;

	for (size_t i = group->first; i < group->end; i++) {
		uint32_t combo = group->grouping->members[i].combo;
		const struct td_combo_transfers *t = &f->transfers[combo];
		struct sums one = nothing;

		if (f->combos[combo].nested || !t->calls)
			continue;
		one.reads = t->calls;
		one.placed = t->placed;
		one.bytes = f->seldom[combo].done_bytes;
		if (combo < f->ncold)
			one.cold = f->cold[combo];
		add(&s, &one);
		s.end_bytes = TD_MAX(s.end_bytes, t->end_bytes);
	}
	if (s.end_bytes != TD_NULL)
		s.reread_bytes = TD_MAX(s.bytes - s.end_bytes, INT64_C(0));
	return s;
}

static int write_row(struct read_sums *r, const char *by, struct key key, const struct sums *s)
{
	bool is_known = s->cold.known;

	td_row_text(&r->rows, by);
	td_row_key(&r->rows, key.file_id);
	td_row_key(&r->rows, key.process_id);
	td_row_key(&r->rows, key.template_id);
	td_row_i64(&r->rows, (int64_t)s->reads);
	td_row_i64(&r->rows, s->bytes);
	td_row_i64(&r->rows, s->cold.known);
	td_row_i64(&r->rows, s->cold.hits);
	td_row_i64(&r->rows, is_known ? s->cold.hit_bytes : TD_NULL);
	td_row_i64(&r->rows, is_known ? s->cold.cold_bytes : TD_NULL);
	td_row_i64(&r->rows, is_known ? s->cold.ahead_bytes : TD_NULL);
	td_row_i64(&r->rows, key.file_id ? s->end_bytes : TD_NULL);
	td_row_i64(&r->rows, (int64_t)s->placed);
	td_row_i64(&r->rows, s->placed == s->reads ? s->reread_bytes : TD_NULL);
	return td_row_builder_end_row(&r->rows);
}

/* --- files, and what is of several of them --- */

static int add_to_template(struct read_sums *r, uint32_t file_id, const struct sums *s)
{
	size_t n = r->templates.n, at;

	if (td_grow(&r->of_templates, &r->cap, n) < 0 || td_keys_reserve(&r->templates, 1) < 0)
		return -ENOMEM;
	at = td_keys_add(&r->templates,
			 (struct td_key){ .lo = td_store_file_template(r->c->st, file_id) });
	if (at == n)
		r->of_templates[at] = nothing;
	add(&r->of_templates[at], s);
	return 0;
}

static int add_file(const struct td_grouping *g, const struct td_call_group *group)
{
	struct read_sums *r = g->arg;
	const struct sums s = sums_of(group);
	uint32_t file_id = group->of.key;

	if (!s.reads)
		return 0;
	add(&r->all, &s);
	if (add_to_template(r, file_id, &s) < 0)
		return -ENOMEM;
	return write_row(r, "file", (struct key){ .file_id = file_id }, &s);
}

static int write_templates(struct read_sums *r)
{
	int rc = 0;

	for (size_t i = 0; i < r->templates.n && rc >= 0; i++)
		rc = write_row(r, "template",
			       (struct key){ .template_id = (uint32_t)r->templates.items[i].lo },
			       &r->of_templates[i]);
	return rc < 0 ? rc : write_row(r, "all", (struct key){ 0 }, &r->all);
}

/* --- processes --- */

static int write_process(struct read_sums *r)
{
	return r->begun ? write_row(r, "process", (struct key){ .process_id = r->process_id },
				    &r->of_process)
			: 0;
}

/* Groups are by process and file, in this order. */
static int add_file_of_process(const struct td_grouping *g, const struct td_call_group *group)
{
	struct read_sums *r = g->arg;
	const struct sums s = sums_of(group);
	int rc = 0;

	if (!s.reads)
		return 0;
	if (!r->begun || r->process_id != group->of.key) {
		rc = write_process(r);
		r->begun = true;
		r->process_id = group->of.key;
		r->of_process = nothing;
	}
	add(&r->of_process, &s);
	return rc;
}

/* --- groups --- */

static bool is_read(const struct td_calls *c, const struct td_combo *k)
{
	const struct td_op *op = &c->in->ops[k->op_id - 1];
	enum td_class class = k->object ? c->in->files[k->object - 1].class : TD_CLASS_UNKNOWN;

	return strcmp(op->info->verb, "read") == 0 && strcmp(op->info->kind, "io") == 0 &&
	       op->layer != TD_LAYER_CUDA &&
	       (class == TD_CLASS_REGULAR || class == TD_CLASS_DELETED);
}

static int group(struct td_grouper *g, const struct td_family *f, bool per_process,
		 struct read_sums *to)
{
	const struct td_grouping how = {
		.c = g->c, .f = f, .arg = to, .write = per_process ? add_file_of_process : add_file
	};
	struct td_grouping *by;
	int r = td_grouper_begin(g, &how, &by), e;

	for (uint32_t i = 0; r >= 0 && i < f->ncombos; i++) {
		const struct td_combo *k = &f->combos[i];

		if (is_read(g->c, k))
			by->members[by->n++] = (struct td_group_member){
				.key = per_process ? k->process_id : k->object,
				.sub = per_process ? k->object : 0,
				.combo = i,
			};
	}
	if (r >= 0)
		r = td_grouper_group(g, by);
	e = td_grouper_end(g);
	return r < 0 ? r : e;
}

int td_read_sums_write(struct td_grouper *g, const struct td_target *target, struct td_err *err)
{
	const struct td_family *files = td_budget_family(g->c, TD_BY_FILE);
	const struct td_family *all = td_budget_family(g->c, TD_BY_PROCESS | TD_BY_FILE);
	_cleanup_(read_sums_done) struct read_sums to = { .c = g->c, .all = nothing };
	int r = files ? td_row_builder_open(&to.rows, target, "read_sum", err) : 0;

	if (!files || r < 0)
		return r;
	r = group(g, files, false, &to);
	if (r >= 0)
		r = write_templates(&to);
	if (r >= 0 && all)
		r = group(g, all, true, &to);
	return r < 0 ? r : write_process(&to);
}
