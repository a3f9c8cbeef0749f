/* SPDX-License-Identifier: MIT */
/* What calls take by thread, operation and class of file. */
#include "store/derive/calls_private.h"
#include "common/array.h"
#include "common/pages.h"
#include "store/write/row_builder.h"

/* Rows of that size are never more than some MiB. */
#define ROWS_MAX ((size_t)1 << 15)

#define ID_BITS 32

void td_threads_begin(struct td_calls *c)
{
	c->threads_of.max = TD_MIN(c->budget, ROWS_MAX);
}

void td_threads_done(struct td_threads *t)
{
	td_keys_done(&t->keys);
	free(t->rows);
	td_pages_free(t->last, t->last_cap * sizeof(*t->last));
	*t = (struct td_threads){ .given_up = t->given_up };
}

/* As many as there are combos. */
static int last_begin(struct td_threads *t, size_t ncombos)
{
	while (t->nlast < ncombos) {
		if (td_combo_room((void **)&t->last, &t->last_cap, t->nlast, sizeof(*t->last)) < 0)
			return -ENOMEM;
		t->last[t->nlast++] = (struct td_thread_row_of){ 0 };
	}
	return 0;
}

static uint32_t class_of(const struct td_calls *c, const struct td_call *call)
{
	return call->file_id ? c->in->files[call->file_id - 1].class + 1 : 0;
}

/* The number of the row, from 1; 0: there are too many. -ENOMEM. */
static int64_t find_row(struct td_calls *c, const struct td_call *call)
{
	struct td_threads *t = &c->threads_of;
	const struct td_key key = {
		call->process_id | (uint64_t)call->thread_id << ID_BITS,
		call->op_id | (uint64_t)class_of(c, call) << ID_BITS,
	};
	size_t at;

	if (td_keys_reserve(&t->keys, 1) < 0)
		return -ENOMEM;
	at = td_keys_add(&t->keys, key);
	if (at == t->max)
		return 0;
	if (at == t->n) {
		if (td_grow(&t->rows, &t->rows_cap, t->n) < 0)
			return -ENOMEM;
		t->rows[t->n++] =
			(struct td_thread_row){ .total_ns = TD_NULL, .first_ns = call->start_ns };
	}
	return (int64_t)at + 1;
}

/* Calls come in the order of their begin. */
static void add(struct td_thread_row *to, const struct td_call *call)
{
	to->calls++;
	to->errors += call->ret != TD_NULL && call->ret < 0;
	to->total_ns = td_plus_known(to->total_ns, call->dur_ns);
	to->last_ns = call->start_ns;
}

static int count(struct td_calls *c, const struct td_call *call, struct td_thread_row_of *last)
{
	struct td_threads *t = &c->threads_of;
	int64_t row = last->row;

	if (!row || last->thread_id != call->thread_id) {
		row = find_row(c, call);
		if (row < 1) {
			t->given_up = row == 0;
			return (int)row;
		}
		*last = (struct td_thread_row_of){ call->thread_id, (uint32_t)row };
	}
	add(&t->rows[row - 1], call);
	return 0;
}

int td_threads_count(struct td_calls *c, const struct td_call *calls, const uint32_t *combos,
		     size_t n)
{
	struct td_threads *t = &c->threads_of;
	int r = 0;

	if (t->given_up)
		return 0;
	r = last_begin(t, td_combos_end(combos, n));
	for (size_t i = 0; i < n && r >= 0 && !t->given_up; i++)
		if (!calls[i].nested)
			r = count(c, &calls[i], &t->last[combos[i]]);
	if (t->given_up)
		td_threads_done(t);
	return r;
}

int td_threads_write(struct td_calls *c, const struct td_target *target, struct td_err *err)
{
	const struct td_threads *t = &c->threads_of;
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "thread_stat", err);

	for (size_t i = 0; i < t->n && r >= 0; i++) {
		const struct td_key *key = &t->keys.items[i];
		const struct td_thread_row *row = &t->rows[i];
		uint32_t class = (uint32_t)(key->hi >> ID_BITS);

		td_row_key(&rows, (uint32_t)key->lo);
		td_row_key(&rows, (uint32_t)(key->lo >> ID_BITS));
		td_row_i64(&rows, (uint32_t)key->hi);
		td_row_text(&rows, class ? td_class_names[class - 1] : NULL);
		td_row_i64(&rows, (int64_t)row->calls);
		td_row_i64(&rows, (int64_t)row->errors);
		td_row_i64(&rows, row->total_ns);
		td_row_i64(&rows, row->first_ns);
		td_row_i64(&rows, row->last_ns);
		r = td_row_builder_end_row(&rows);
	}
	return r;
}
