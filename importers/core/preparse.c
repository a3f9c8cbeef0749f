/* SPDX-License-Identifier: MIT */
/*
 * A text whose lines are taken apart ahead, part by part, and then read in turn (struct
 * td_importer_preparse). A text of many parts is taken apart on threads (core/worker_ring.h), which
 * also make rows of what was read in turn, sort and pack them; else it is done here, a part at a
 * time.
 */
#include "common/cleanup.h"
#include "common/progress.h"
#include "importers/core/import_core.h"
#include "importers/core/worker_ring.h"

/* Text of a part: what it is taken into has to stay in a CPU's cache until it is read. */
#define PART_BYTES ((size_t)256 * 1024)
/* Text that is read before it pays to begin threads. */
#define ALONE_BYTES ((int64_t)256 * 1024)
#define OWN_BYTES_MIN ((size_t)4 * 1024)

struct cut {
	uint32_t at, len; /* a line of the part, without its end */
};

/* A slot of the ring. */
struct slot {
	struct td_ring_slot ring;
	const struct td_importer_preparse *preparse;
	void *part; /* the importer's; owned */
	struct cut *cuts; /* owned */
	char *lines; /* the importer's, one for each cut; owned */
	size_t n, cap;
	bool whole; /* the last line has a newline */
	struct td_import_deferred deferred;
	int r; /* what came of it */
};

/* The parts that are read on threads. */
struct parts {
	struct td_import *imp;
	int r; /* of the last runs that were put into their places */
};

/* --- out of turn --- */

static int make_room(struct slot *s)
{
	size_t cap = s->cap ? s->cap * 2 : 256;
	struct cut *cuts = realloc(s->cuts, cap * sizeof(*cuts));
	char *lines;

	if (!cuts)
		return -ENOMEM;
	s->cuts = cuts;
	lines = realloc(s->lines, cap * s->preparse->line_size);
	if (!lines)
		return -ENOMEM;
	s->lines = lines;
	s->cap = cap;
	return 0;
}

/* Ends the lines with NULs, too: later they are in the cache of another CPU, from which they would be fetched. */
static int take_apart(struct slot *s)
{
	char *text = s->ring.text, *p = text, *end = p + s->ring.len;
	int r = s->preparse->begin(s->part, text, s->ring.len);

	s->whole = end[-1] == '\n';
	for (s->n = 0; r >= 0 && p < end; s->n++) {
		char *nl = memchr(p, '\n', (size_t)(end - p)), *eol = nl ? nl : end;

		if (nl && eol > p && eol[-1] == '\r')
			eol--;
		if (s->n == s->cap)
			r = make_room(s);
		if (r < 0)
			break;
		s->cuts[s->n] = (struct cut){ (uint32_t)(p - text), (uint32_t)(eol - p) };
		r = s->preparse->line(s->part, p, (size_t)(eol - p),
				      s->lines + s->n * s->preparse->line_size);
		*eol = '\0';
		p = nl ? nl + 1 : end;
	}
	return r;
}

static void work(struct td_ring_slot *slot)
{
	struct slot *s = (struct slot *)slot;

	s->r = take_apart(s);
}

/* --- in turn --- */

/* The line by itself. 0 or -errno. */
static int read_line(struct td_import *imp, const struct slot *s, size_t i)
{
	struct td_line line = {
		.p = s->ring.text + s->cuts[i].at,
		.len = s->cuts[i].len,
		.unterminated = !s->whole && i + 1 == s->n,
	};

	imp->preparsed_line = s->lines + i * s->preparse->line_size;
	return td_import_line(imp, &line);
}

/* Lines from the i-th on whose rows are made later: how many, or -errno. */
static ssize_t settle(struct td_import *imp, const struct slot *s, size_t i)
{
	struct td_import_core *c = imp->core;
	size_t n = s->n - !s->whole;
	ssize_t r;

	if (!c->deferred || !s->preparse->settle || i >= n)
		return 0;
	imp->line_no = c->lines + 1;
	r = s->preparse->settle(imp, s->part, s->lines + i * s->preparse->line_size, n - i);
	if (r < 0)
		return r;
	c->lines += (size_t)r;
	c->rows += (size_t)r;
	return r;
}

static int read_lines(struct td_import *imp, const struct slot *s)
{
	struct td_import_core *c = imp->core;
	struct td_progress *progress = TAKE_PTR(c->progress); /* once for all of them will do */
	int r = s->r;

	imp->preparsed_part = s->part;
	for (size_t i = 0; i < s->n && r >= 0;) {
		ssize_t n = settle(imp, s, i);

		r = n < 0 ? (int)n : n > 0 ? td_store_error(imp->store) : read_line(imp, s, i);
		i += (size_t)TD_MAX(n, 1);
	}
	imp->preparsed_line = imp->preparsed_part = NULL;
	c->progress = progress;
	if (progress)
		td_progress_update(progress, s->ring.disk_bytes, (int64_t)c->rows);
	return r;
}

static int take_in(void *ctx, struct td_ring_slot *slot)
{
	struct slot *s = (struct slot *)slot;
	struct parts *g = ctx;
	struct td_import *imp = g->imp;
	int r;

	td_import_deferred_clear(&s->deferred);
	imp->core->deferred = &s->deferred;
	r = read_lines(imp, s);
	imp->core->deferred = NULL;
	if (r < 0)
		return r;
	if (imp->options->speculated)
		imp->options->speculated->joined += s->deferred.n > 0;
	r = td_import_deferred_place(imp->core, &s->deferred);
	slot->finish = r > 0;
	return TD_MIN(r, 0);
}

/* Puts the rows of the part before into their place. */
static int begin(void *ctx, struct td_ring_slot *slot)
{
	struct parts *g = ctx;

	return td_import_deferred_put(g->imp->core, &((struct slot *)slot)->deferred);
}

/* --- on the threads, when it was read --- */

static int finish(struct td_ring_slot *slot)
{
	struct slot *s = (struct slot *)slot;

	return td_import_deferred_make(&s->deferred, s->preparse->row, s->part);
}

/* --- begin and end --- */

static int slot_init(void *ctx, struct td_ring_slot *slot)
{
	const struct parts *g = ctx;
	struct slot *s = (struct slot *)slot;

	s->preparse = g->imp->core->importer->preparse;
	td_import_deferred_init(&s->deferred);
	s->part = calloc(1, s->preparse->part_size);
	return s->part ? 0 : -ENOMEM;
}

static void slot_done(void *ctx, struct td_ring_slot *slot)
{
	struct slot *s = (struct slot *)slot;
	struct parts *g = ctx;

	if (g->r == 0)
		g->r = td_import_deferred_put(g->imp->core, &s->deferred);
	if (s->part)
		s->preparse->done(s->part);
	td_import_deferred_done(&s->deferred);
	free(s->part);
	free(s->cuts);
	free(s->lines);
}

/* One part, without threads: 1; 0 at the end; 2: its next line is too long; or -errno. */
static int alone(struct td_import *imp, struct slot *s, size_t size, struct td_err *err)
{
	int r = td_stream_lines(imp->core->in, s->ring.text, size, &s->ring.len, err);

	if (r <= 0)
		return r;
	if (!s->ring.len)
		return 2;
	s->ring.disk_bytes = td_stream_disk_bytes(imp->core->in);
	s->r = take_apart(s);
	r = read_lines(imp, s);
	return r < 0 ? r : 1;
}

/* The parts that come next, on threads: 0 at the end; 2: the next line is too long, or there are no threads; or
 * -errno. */
static int on_threads(struct parts *g, size_t part_bytes, unsigned *threads, struct td_err *err)
{
	static const struct td_ring_ops ops = {
		.slot_size = sizeof(struct slot),
		.whole = td_stream_whole_lines,
		.init = slot_init,
		.begin = begin,
		.work = work,
		.take_in = take_in,
		.finish = finish,
		.done = slot_done,
	};
	/* A slot for each thread, one that is read in turn, and one that waits for a thread. */
	const struct td_ring_size size = { *threads, *threads + 2, part_bytes };
	int r = td_worker_ring(g->imp->core->in, &size, &ops, g, threads, err);

	return r < 0 ? r : g->r < 0 ? g->r : r == 1 ? 2 : 0;
}

static int long_line(struct td_import *imp, struct td_err *err)
{
	struct td_line line;
	int r = td_stream_line(imp->core->in, &line, err);

	int e = r > 0 ? td_import_line(imp, &line) : 0;

	return e < 0 ? e : r;
}

struct own {
	struct parts parts;
	struct slot slot;
};

static void own_done(struct own *o)
{
	slot_done(&o->parts, &o->slot.ring);
	free(o->slot.ring.text);
}

/* Text of a part that is read here: all of a small file. Room for a large one takes longer to get than it is read. */
static size_t own_size(const struct td_stream *in, size_t size)
{
	int64_t disk = td_stream_disk_size(in);

	if (disk < 0 || strcmp(td_stream_codec(in), "plain") != 0)
		return size;
	return TD_MIN(size, TD_MAX((size_t)disk + 1, OWN_BYTES_MIN));
}

int td_preparse_lines(struct td_import *imp, struct td_err *err)
{
	_cleanup_(own_done) struct own own = { .parts = { .imp = imp } };
	size_t size = imp->options->part_bytes ? imp->options->part_bytes : PART_BYTES;
	size_t alone_size = own_size(imp->core->in, size);
	int64_t begin = imp->options->part_bytes ? (int64_t)size : ALONE_BYTES;
	unsigned threads = td_import_threads(imp->options);
	int r = slot_init(&own.parts, &own.slot.ring);

	own.slot.ring.text = malloc(alone_size + 1);
	if (r < 0 || !own.slot.ring.text)
		return -ENOMEM;
	do {
		r = threads > 1 && td_stream_text_bytes(imp->core->in) >= begin
			    ? on_threads(&own.parts, size, &threads, err)
			    : alone(imp, &own.slot, alone_size, err);
		if (r == 2)
			r = long_line(imp, err);
	} while (r > 0);
	return r;
}
