/* SPDX-License-Identifier: MIT */
/* Calls of a part of a text, some of which are read in turn, while the rows of the others are made later, on a thread. */
#include "common/array.h"
#include "common/cleanup.h"
#include "importers/core/import_core.h"

void td_import_deferred_init(struct td_import_deferred *d)
{
	*d = (struct td_import_deferred){ .first_ns = TD_NULL, .last_ns = TD_NULL };
	td_run_writer_init(&d->rows, &td_tables[TD_KIND_CALL]);
	td_run_writer_init(&d->in_turn, &td_tables[TD_KIND_CALL]);
}

void td_import_deferred_done(struct td_import_deferred *d)
{
	free(d->before);
	td_run_done(&d->run);
	td_run_writer_done(&d->rows);
	td_run_writer_done(&d->in_turn);
}

/* --- in turn --- */

void td_import_deferred_clear(struct td_import_deferred *d)
{
	d->n = 0;
	td_run_writer_clear(&d->in_turn);
}

int td_import_deferred_add(struct td_import_deferred *d, const struct td_call *row)
{
	if (td_grow(&d->before, &d->before_cap, d->in_turn.n) < 0)
		return -ENOMEM;
	d->before[d->in_turn.n] = d->n;
	return td_run_writer_add(&d->in_turn, row);
}

void td_import_defer_rows(struct td_import *imp, size_t n)
{
	struct td_import_core *c = imp->core;

	c->lines += n;
	c->rows += n;
	c->deferred->n += n;
}

void td_import_defer_calls(struct td_import *imp, size_t n, int64_t first_ns, int64_t last_ns)
{
	struct td_import_core *c = imp->core;

	c->deferred->n += n;
	td_import_extend(c, first_ns, last_ns);
}

int td_import_deferred_place(struct td_import_core *c, struct td_import_deferred *d)
{
	int r;

	if (!d->n && !d->in_turn.n)
		return 0;
	d->stage = c->stages[TD_KIND_CALL];
	r = td_stage_place(d->stage, &d->place);
	return r < 0 ? r : 1;
}

int td_import_deferred_put(struct td_import_core *c, struct td_import_deferred *d)
{
	if (!d->run.n)
		return 0;
	if (d->first_ns != TD_NULL)
		td_import_extend(c, d->first_ns, d->last_ns);
	d->first_ns = d->last_ns = TD_NULL;
	return td_stage_put(c->stages[TD_KIND_CALL], d->place, &d->run);
}

/* --- on any thread --- */

static void extend(struct td_import_deferred *d, const struct td_call *row)
{
	int64_t end_ns = row->start_ns + (row->dur_ns == TD_NULL ? 0 : row->dur_ns);

	d->first_ns = d->first_ns == TD_NULL ? row->start_ns : TD_MIN(d->first_ns, row->start_ns);
	d->last_ns = TD_MAX(d->last_ns, end_ns); /* TD_NULL is the least */
}

static int make_rows(struct td_import_deferred *d,
		     void (*make)(const void *part, size_t i, struct td_call *ret),
		     const void *part)
{
	size_t size = d->in_turn.pack.size, turn = 0;
	int r = 0;

	for (size_t i = 0; i <= d->n && r == 0; i++) {
		struct td_call row;

		for (; turn < d->in_turn.n && d->before[turn] == i && r == 0; turn++)
			r = td_run_writer_add(&d->rows, d->in_turn.records + turn * size);
		if (i == d->n || r < 0)
			break;
		make(part, i, &row);
		extend(d, &row);
		r = td_run_writer_add(&d->rows, &row);
	}
	return r;
}

int td_import_deferred_make(struct td_import_deferred *d,
			    void (*make)(const void *part, size_t i, struct td_call *ret),
			    const void *part)
{
	int r;

	td_run_writer_clear(&d->rows);
	r = make_rows(d, make, part);
	return r < 0 ? r : td_stage_pack(d->stage, &d->rows, &d->run);
}
