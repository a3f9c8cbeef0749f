/* SPDX-License-Identifier: MIT */
/*
 * Records in parts (struct td_importer_deferral), with the result of reading them one after the
 * other. Parts are looked through on threads (core/worker_ring.h) and settled in the order of the
 * text; then a thread makes the rows of the calls that were left for it, between those that were
 * read in turn, and sorts and packs them.
 */
#include "common/cleanup.h"
#include "common/progress.h"
#include "common/strbuf.h"
#include "importers/core/import_core.h"
#include "importers/core/worker_ring.h"

/* So many parts pay for the threads. */
#define PAYS_PARTS 4
/* Tries in a row that did not pay before it is given up. */
#define IN_VAIN_MAX 16

/* A slot of the ring. */
struct slot {
	struct td_ring_slot ring;
	const struct td_importer_deferral *deferral;
	void *part; /* the importer's; owned */
	size_t used; /* bytes of the text that are records */
	struct td_import_deferred deferred;
	int r; /* what came of it */
};

struct parts {
	struct td_import *imp;
	size_t taken;
	struct td_strbuf left; /* what is no record: to be read in turn */
	bool stopped; /* nothing more is taken */
	int r; /* of the last runs that were put into their places */
};

/* --- on the threads --- */

static void work(struct td_ring_slot *slot)
{
	struct slot *s = (struct slot *)slot;

	s->r = s->deferral->look(s->part, slot->text, slot->len, &s->used);
}

static int finish(struct td_ring_slot *slot)
{
	struct slot *s = (struct slot *)slot;

	return td_import_deferred_make(&s->deferred, s->deferral->row, s->part);
}

/* --- in turn --- */

static int begin(void *ctx, struct td_ring_slot *slot)
{
	struct parts *g = ctx;

	return td_import_deferred_put(g->imp->core, &((struct slot *)slot)->deferred);
}

static int settle(struct td_import *imp, struct slot *s)
{
	struct td_import_core *c = imp->core;
	struct td_progress *progress = TAKE_PTR(c->progress); /* td_import.in is the ring's */
	int r = s->r;

	td_import_deferred_clear(&s->deferred);
	c->deferred = &s->deferred;
	if (r >= 0)
		r = s->deferral->settle(imp, s->part);
	c->deferred = NULL;
	c->progress = progress;
	if (progress)
		td_progress_update(progress, s->ring.disk_bytes, (int64_t)c->rows);
	return r;
}

static int take_in(void *ctx, struct td_ring_slot *slot)
{
	struct slot *s = (struct slot *)slot;
	struct parts *g = ctx;
	struct td_import_core *c = g->imp->core;
	size_t used = g->stopped ? 0 : s->used;
	int r = 0;

	if (!g->stopped)
		r = settle(g->imp, s);
	if (r < 0)
		return r;
	td_strbuf_add(&g->left, slot->text + used, slot->len - used);
	if (g->stopped)
		return TD_PART_STOP;
	g->stopped = r > 0 || used < slot->len;
	g->taken++;
	if (g->imp->options->speculated)
		g->imp->options->speculated->joined += s->deferred.n > 0;
	r = td_import_deferred_place(c, &s->deferred);
	slot->finish = r > 0;
	if (r >= 0)
		r = td_store_error(g->imp->store);
	return r < 0 ? r : g->stopped ? TD_PART_STOP : 0;
}

/* --- begin and end --- */

static int slot_init(void *ctx, struct td_ring_slot *slot)
{
	const struct parts *g = ctx;
	struct slot *s = (struct slot *)slot;

	s->deferral = g->imp->core->importer->deferral;
	td_import_deferred_init(&s->deferred);
	s->part = calloc(1, s->deferral->part_size);
	return s->part ? 0 : -ENOMEM;
}

static void slot_done(void *ctx, struct td_ring_slot *slot)
{
	struct parts *g = ctx;
	struct slot *s = (struct slot *)slot;

	if (g->r == 0)
		g->r = td_import_deferred_put(g->imp->core, &s->deferred);
	if (s->part)
		s->deferral->done(s->part);
	free(s->part);
	td_import_deferred_done(&s->deferred);
}

static int read_parts(struct parts *g, struct td_err *err)
{
	const struct td_ring_ops ops = {
		.slot_size = sizeof(struct slot),
		.whole = g->imp->core->importer->deferral->whole,
		.init = slot_init,
		.begin = begin,
		.work = work,
		.take_in = take_in,
		.finish = finish,
		.done = slot_done,
	};
	const struct td_import_options *options = g->imp->options;
	unsigned threads = td_import_threads(options);
	/* A slot for each thread, one that is settled, and one that waits for a thread. */
	const struct td_ring_size size = { threads, threads + 2, td_import_part_bytes(options) };
	int r = td_worker_ring(g->imp->core->in, &size, &ops, g, &threads, err);

	if (r >= 0)
		r = g->r;
	if (r >= 0)
		r = td_strbuf_error(&g->left);
	if (r >= 0 && g->left.len)
		r = td_stream_put_back(g->imp->core->in, g->left.p, g->left.len);
	return r;
}

static void parts_done(struct parts *g)
{
	td_strbuf_done(&g->left);
}

size_t td_import_bytes_in_turn(const struct td_import *imp)
{
	return td_import_part_bytes(imp->options);
}

/* Behind what is read in turn a part of the text is, too, before the next ones are tried. */
int td_import_defer(struct td_import *imp, struct td_err *err)
{
	struct td_import_core *c = imp->core;
	int64_t part = (int64_t)td_import_part_bytes(imp->options);
	_cleanup_(parts_done) struct parts g = { .imp = imp, .left = TD_STRBUF_INIT };
	int r;

	if (!c->defer_from)
		c->defer_from = part;
	if (td_import_threads(imp->options) < 2 || c->defers_in_vain >= IN_VAIN_MAX ||
	    td_stream_taken_bytes(c->in) < c->defer_from)
		return 0;
	r = read_parts(&g, err);
	c->defers_in_vain = g.taken >= PAYS_PARTS ? 0 : c->defers_in_vain + 1;
	c->defer_from = td_stream_taken_bytes(c->in) + part;
	return r < 0 ? r : 0;
}
