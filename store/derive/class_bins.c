/* SPDX-License-Identifier: MIT */
/* Calls by bin of time, operation and class of file. They are put together of what combos have of a bin. */
#include "store/derive/calls_private.h"
#include "common/array.h"
#include "store/write/row_builder.h"

/* One row for so many calls, but always so many, and never more than that. */
#define CALLS_EACH 16
#define ROWS_MIN ((size_t)2048)
#define ROWS_MAX ((size_t)1 << 17)
#define NCLASSES (TD_NCLASSES + 1) /* none, too */

int td_class_bins_begin(struct td_calls *c)
{
	struct td_class_bins *b = &c->class_bins;
	uint64_t calls = td_stage_count(td_store_stage(c->st, TD_KIND_CALL));

	b->max = c->has_budget ? c->budget : TD_MAX(TD_MIN(calls / CALLS_EACH, ROWS_MAX), ROWS_MIN);
	b->at = calloc((c->in->nops + 1) * NCLASSES, sizeof(*b->at));
	return b->at ? 0 : -ENOMEM;
}

void td_class_bins_done(struct td_class_bins *b)
{
	free(b->rows);
	free(b->at);
	*b = (struct td_class_bins){ .given_up = b->given_up };
}

uint32_t td_class_bins_place(const struct td_calls *c, const struct td_call *call)
{
	uint32_t class = call->file_id ? c->in->files[call->file_id - 1].class + 1 : 0;

	return call->op_id * NCLASSES + class;
}

int td_class_bins_add(struct td_class_bins *b, const struct td_class_bin_row *row)
{
	struct td_class_bin_row *to;

	if (b->given_up)
		return 0;
	if (b->n && b->rows[b->n - 1].bin != row->bin)
		b->first = b->n;
	if (b->at[row->place] > b->first) {
		to = &b->rows[b->at[row->place] - 1];
		to->calls += row->calls;
		to->errors += row->errors;
		to->done_bytes = td_plus_known(to->done_bytes, row->done_bytes);
		to->total_ns = td_plus_known(to->total_ns, row->total_ns);
		return 0;
	}
	b->given_up = b->n >= b->max;
	if (b->given_up) {
		td_class_bins_done(b);
		return 0;
	}
	if (td_grow(&b->rows, &b->cap, b->n) < 0)
		return -ENOMEM;
	b->rows[b->n++] = *row;
	b->at[row->place] = (uint32_t)b->n;
	return 0;
}

/* Where bins of files and processes are kept they have all, and may have become wider. */
static int add_bins(struct td_calls *c)
{
	const struct td_family *f = &c->families[0];
	int r = 0;

	for (size_t i = 0; i < f->nbins && r >= 0; i++) {
		const struct td_bin_row *b = &f->bins[i];

		r = td_class_bins_add(&c->class_bins, &(struct td_class_bin_row){
							      .bin = b->bin,
							      .place = f->seldom[b->combo].place,
							      .calls = b->calls,
							      .errors = b->errors,
							      .done_bytes = b->done_bytes,
							      .total_ns = b->total_ns,
						      });
	}
	return r;
}

int td_class_bins_write(struct td_calls *c, const struct td_target *target, struct td_err *err)
{
	const struct td_class_bins *b = &c->class_bins;
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_bins_are_kept(&c->families[0]) ? add_bins(c) : 0;

	if (r >= 0)
		r = td_row_builder_open(&rows, target, "class_bin_stat", err);
	for (size_t i = 0; i < b->n && r >= 0; i++) {
		const struct td_class_bin_row *row = &b->rows[i];
		uint32_t class = row->place % NCLASSES;

		td_row_i64(&rows, row->bin * c->bin_width_ns);
		td_row_text(&rows, class ? td_class_names[class - 1] : NULL);
		td_row_i64(&rows, row->place / NCLASSES);
		td_row_i64(&rows, (int64_t)row->calls);
		td_row_i64(&rows, (int64_t)row->errors);
		td_row_i64(&rows, row->done_bytes);
		td_row_i64(&rows, row->total_ns);
		r = td_row_builder_end_row(&rows);
	}
	return r;
}
