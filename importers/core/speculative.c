/* SPDX-License-Identifier: MIT */
/*
 * A text read in parts, on several threads, with the result of reading it line by line, or one
 * element of its array after the other.
 *
 * Parts are handed out and taken in again by core/worker_ring.c; each is read into a store of its
 * own, its rows beside it. Then the thread of the import joins them in the order of the text: names
 * get the ids that they would have got (store/store_join.h), rows a place in the staging area, for
 * which a thread replaces their ids, sorts and packs them (store/stage/run_writer.h), so that they
 * are not moved from one CPU to another.
 *
 * What the importer knows from the lines before a part is guessed when it is handed out, and
 * compared when its turn comes (struct td_importer_speculation): a part that was begun with a wrong
 * guess is read again, in turn. So a header or a new layout in the middle costs a few parts twice,
 * and nothing has to be known of formats here.
 *
 * JSON is cut where an object seems to begin. A part is taken up to where its elements are what
 * they would be in turn: if that is not its end (the array ended, something is spoilt, the cut was
 * within a string, an element can only be read in turn), the rest of it and all parts that were
 * read behind it go back to the stream.
 */

#include "common/caldate.h"
#include "common/json/text.h"
#include "common/cleanup.h"
#include "common/parallel.h"
#include "common/progress.h"
#include "importers/core/import_core.h"
#include "importers/core/worker_ring.h"
#include "store/store_join.h"

/* Text of a part. Smaller ones cost more: each looks up anew all names that it meets. Larger ones
 * do not stay in a cache with their rows and names. */
#define PART_BYTES ((size_t)768 * 1024)
/* Text before a part from which the state at its beginning is guessed. */
#define LEAD_BYTES ((size_t)4096)
/* Each has a part of the text, its rows and names in memory. */
#define THREADS_MAX 16
/* Parts in a row that have to be read again before it is given up. */
#define WRONG_MAX 16
/* Parts of JSON before one that is not taken as a whole: then it paid to read the others at the same time. */
#define PAYS_PARTS 4

/* A slot of the ring. */
struct slot {
	struct td_ring_slot ring;
	struct td_import imp; /* of the part */
	struct td_import_core core;
	struct td_import_part part;
	void *start; /* the importer's state when the part begins, as guessed */
	void *state; /* when it ends */
	size_t lead; /* bytes before the part from which the state is guessed */
	size_t used; /* bytes of the part that were read */
	int r; /* what came of it */
	struct td_id_map map; /* from its ids to the store's */
	struct td_stage *const *stages; /* of the source; borrowed */
	size_t places[TD_NKINDS]; /* in the staging areas, of the runs ... */
	struct td_run runs[TD_NKINDS]; /* ... that finish() makes of the rows */
};

struct speculation {
	struct td_import *imp; /* the source's */
	char last[LEAD_BYTES]; /* end of the part handed out last */
	size_t last_len;
	struct td_strbuf left; /* of JSON: what is to be read in turn */
	size_t taken; /* parts as a whole */
	bool stopped; /* nothing more is taken */
	unsigned wrong; /* parts in a row that were read again */
	int r; /* of the last runs that were put into their places */
};

unsigned td_import_threads(const struct td_import_options *options)
{
	if (options->threads)
		return TD_MIN(options->threads, (unsigned)THREADS_MAX);
	return TD_MIN(td_cpus(), (unsigned)THREADS_MAX);
}

size_t td_import_part_bytes(const struct td_import_options *options)
{
	return options->part_bytes ? options->part_bytes : PART_BYTES;
}

/* --- on the threads --- */

/* The lines of the text, which is as before afterwards; p[len] can be written to. */
static int read_lines(struct td_import *imp, char *p, size_t len)
{
	char *end = p + len;

	while (p < end) {
		char *nl = memchr(p, '\n', (size_t)(end - p)), *eol = nl ? nl : end, was;
		struct td_line line = { .p = p, .unterminated = !nl };
		int r;

		if (nl && eol > p && eol[-1] == '\r')
			eol--;
		line.len = (size_t)(eol - p);
		was = *eol;
		*eol = '\0';
		r = td_import_line(imp, &line);
		*eol = was;
		if (r < 0)
			return r;
		p = nl ? nl + 1 : end;
	}
	return 0;
}

/* The elements of the text up to one that is not for a part: *ret_used bytes. */
static int read_elements(struct td_import *imp, const char *text, size_t len, size_t *ret_used)
{
	const char *p = text, *end = text + len;
	struct td_json_object object;
	int r = 0;

	for (;;) {
		const char *e;

		while (p < end && ((unsigned char)*p <= ' ' || *p == ','))
			p++;
		*ret_used = (size_t)(p - text);
		if (p == end || *p != '{')
			return 0;
		e = td_json_object_end(p, end, &object);
		e = e ? e : td_json_end(p, end);
		if (!e || e - p > (ptrdiff_t)TD_LINE_MAX)
			return 0;
		td_import_row(imp);
		td_import_row_text(imp, p, (size_t)(e - p));
		r = imp->core->importer->element(imp, (struct td_str){ p, (size_t)(e - p) },
						 &object);
		if (r == -EBADMSG || r == -EAGAIN)
			return 0;
		r = td_import_row_done(imp, r);
		if (r < 0)
			return r;
		p = e;
	}
}

static int read_text(struct slot *s, char *text, size_t len)
{
	s->used = len;
	if (s->core.importer->element)
		return read_elements(&s->imp, text, len, &s->used);
	return read_lines(&s->imp, text, len);
}

/* Forgets all that the part before came to. */
static void reset(struct slot *s)
{
	struct td_ticks ticks = s->core.ticks;

	ticks.n = 0;
	td_store_clear(s->imp.store);
	s->part.alone = true;
	s->part.tod_first_ns = TD_NULL;
	for (unsigned k = 0; k < TD_NKINDS; k++)
		td_run_writer_clear(&s->part.rows[k]);
	s->core = (struct td_import_core){
		.importer = s->core.importer,
		.part = &s->part,
		.ticks = ticks,
		.tick_wall_ns = TD_NULL,
		.first_ns = TD_NULL,
		.last_ns = TD_NULL,
		.tod_last_ns = TD_NULL,
	};
}

static int read_part(struct slot *s)
{
	const struct td_importer_speculation *speculation = s->core.importer->speculation;
	int r;

	reset(s);
	s->imp.state = s->start;
	r = read_text(s, s->ring.text - s->lead, s->lead);
	if (r < 0)
		return r;
	reset(s);
	s->imp.state = s->state;
	r = speculation->copy(s->state, s->start);
	return r < 0 ? r : read_text(s, s->ring.text, s->ring.len);
}

static void work(struct td_ring_slot *slot)
{
	struct slot *s = (struct slot *)slot;

	s->r = read_part(s);
}

static int finish(struct td_ring_slot *slot)
{
	struct slot *s = (struct slot *)slot;
	int r = 0;

	for (unsigned k = 0; k < TD_NKINDS && r == 0; k++) {
		struct td_run_writer *rows = &s->part.rows[k];

		for (size_t i = 0; i < rows->n; i++)
			td_id_map_row(&s->map, k, rows->records + i * rows->pack.size);
		r = td_stage_pack(s->stages[k], rows, &s->runs[k]);
	}
	return r;
}

/* --- handing out --- */

/* Keeps the last lines of the text, or objects. */
static void keep_last(struct speculation *g, const char *text, size_t len)
{
	size_t n = TD_MIN(len, sizeof(g->last));
	const char *end = text + len, *from = end - n, *nl;

	if (n < len && g->imp->core->importer->element) {
		from = td_json_next_object(from, end);
	} else if (n < len) {
		nl = memchr(from - 1, '\n', n + 1);
		from = nl ? nl + 1 : NULL;
	}
	g->last_len = from ? (size_t)(end - from) : 0;
	if (from)
		memcpy(g->last, from, g->last_len);
}

/* The runs that finish() has made. */
static int put_runs(struct speculation *g, struct slot *s)
{
	int r = 0;

	for (unsigned k = 0; k < TD_NKINDS && r == 0; k++)
		if (s->runs[k].n)
			r = td_stage_put(g->imp->core->stages[k], s->places[k], &s->runs[k]);
	return r;
}

static int begin(void *ctx, struct td_ring_slot *slot)
{
	struct slot *s = (struct slot *)slot;
	struct speculation *g = ctx;
	int r = put_runs(g, s);

	if (r < 0)
		return r;
	/* the state is the true one if all before was read */
	s->lead = slot->in_turn ? 0 : g->last_len;
	memcpy(slot->text - s->lead, g->last, s->lead);
	keep_last(g, slot->text, slot->len);
	return g->imp->core->importer->speculation->copy(s->start, g->imp->state);
}

/* --- joining --- */

/* On which day of the source the first day of the part is. false: that depends on what was before. */
static bool find_day(const struct td_import_core *c, const struct slot *s, int64_t *ret_ns)
{
	int64_t last = c->tod_last_ns, half = TD_DAY_NS / 2, t;

	*ret_ns = c->tod_day_ns;
	if (last == TD_NULL || s->part.tod_first_ns == TD_NULL)
		return true;
	t = c->tod_day_ns + s->part.tod_first_ns;
	if (t < last - half)
		*ret_ns += TD_DAY_NS;
	return t <= last + half;
}

static bool same_wall(const struct td_ticks *a, const struct td_ticks *b)
{
	return !a->n || !b->n || (a->wall == b->wall && a->resolution_ns == b->resolution_ns);
}

static int join_ticks(struct td_ticks *to, const struct td_ticks *part, int64_t day_ns)
{
	int64_t day = 0;
	int r = 0;

	if (!part->n)
		return 0;
	to->wall = part->wall;
	to->resolution_ns = part->resolution_ns;
	if (part->wall == TD_CLOCK_LOCAL_TOD)
		day = day_ns / part->resolution_ns;
	for (size_t i = 0; i < part->n && r == 0; i++) {
		const struct td_tick *t = &part->items[i];

		r = td_ticks_add(to, t->first_ns, t->unit + day);
		if (r == 0)
			r = td_ticks_add(to, t->last_ns, t->unit + day);
	}
	return r;
}

static int join_rows(struct td_import_core *c, struct slot *s)
{
	int r = 0;

	for (unsigned k = 0; k < TD_NKINDS && r == 0; k++)
		if (s->part.rows[k].n)
			r = td_stage_place(c->stages[k], &s->places[k]);
	s->ring.finish = true;
	return r;
}

static void join_core(struct td_import_core *c, const struct slot *s, int64_t day_ns)
{
	const struct td_import_core *p = &s->core;

	c->lines += p->lines;
	c->dropped += p->dropped;
	c->rows += p->rows;
	c->skipped += p->skipped;
	c->issues += p->issues;
	c->repaired += p->repaired;
	c->lost += p->lost;
	c->tick_wall_ns = TD_NULL;
	if (p->first_ns != TD_NULL)
		td_import_extend(c, p->first_ns, p->last_ns);
	c->has_fractions |= p->has_fractions;
	if (p->tod_last_ns != TD_NULL) {
		c->tod_last_ns = day_ns + p->tod_last_ns;
		c->tod_day_ns = day_ns + p->tod_day_ns;
	}
}

/* 0, TD_PART_DEPENDS or -errno. */
static int join(struct speculation *g, struct slot *s)
{
	struct td_import_core *c = g->imp->core;
	const struct td_importer_speculation *speculation = c->importer->speculation;
	int64_t day_ns;
	int r;

	/* A part that failed is read again in turn: if that fails, too, it counts. */
	if (s->r < 0 || !s->part.alone || !find_day(c, s, &day_ns) ||
	    !same_wall(&c->ticks, &s->core.ticks) || !speculation->same(s->start, g->imp->state))
		return TD_PART_DEPENDS;
	r = td_store_join(g->imp->store, s->imp.store, c->lines, &s->map);
	if (r == 0)
		r = join_rows(c, s);
	if (r == 0)
		r = join_ticks(&c->ticks, &s->core.ticks, day_ns);
	if (r == 0)
		r = speculation->take(g->imp->state, s->state);
	if (r == 0)
		join_core(c, s, day_ns);
	return r;
}

static void count(struct td_speculation_count *n, bool joined)
{
	if (n && joined)
		n->joined++;
	else if (n)
		n->again++;
}

static int take_lines(void *ctx, struct td_ring_slot *slot)
{
	struct slot *s = (struct slot *)slot;
	struct speculation *g = ctx;
	struct td_import_core *c = g->imp->core;
	struct td_progress *progress = TAKE_PTR(c->progress); /* td_import.in is the ring's */
	int r = join(g, s);

	g->wrong = r == TD_PART_DEPENDS ? g->wrong + 1 : 0;
	count(g->imp->options->speculated, r != TD_PART_DEPENDS);
	if (r == TD_PART_DEPENDS)
		r = read_lines(g->imp, slot->text, slot->len);
	c->progress = progress;
	if (progress)
		td_progress_update(progress, slot->disk_bytes, (int64_t)c->rows);
	return r < 0 ? r : g->wrong < WRONG_MAX ? 0 : TD_PART_STOP;
}

static int take_elements(void *ctx, struct td_ring_slot *slot)
{
	struct slot *s = (struct slot *)slot;
	struct speculation *g = ctx;
	struct td_import_core *c = g->imp->core;
	int r = g->stopped ? TD_PART_DEPENDS : join(g, s);
	size_t used = r == TD_PART_DEPENDS ? 0 : s->used;

	if (r < 0)
		return r;
	count(g->imp->options->speculated, used == slot->len);
	td_strbuf_add(&g->left, slot->text + used, slot->len - used);
	g->taken += used == slot->len;
	g->stopped = g->stopped || used < slot->len;
	if (c->progress)
		td_progress_update(c->progress, slot->disk_bytes, (int64_t)c->rows);
	return g->stopped ? TD_PART_STOP : 0;
}

/* --- begin and end --- */

static void slot_done(void *ctx, struct td_ring_slot *slot)
{
	struct speculation *g = ctx;
	const struct td_importer_speculation *speculation = g->imp->core->importer->speculation;
	struct slot *s = (struct slot *)slot;

	if (g->r == 0)
		g->r = put_runs(g, s);
	if (s->start)
		speculation->done(s->start);
	if (s->state)
		speculation->done(s->state);
	free(s->start);
	free(s->state);
	for (unsigned k = 0; k < TD_NKINDS; k++) {
		td_run_done(&s->runs[k]);
		td_run_writer_done(&s->part.rows[k]);
	}
	td_id_map_done(&s->map);
	td_ticks_done(&s->core.ticks);
	td_store_free(s->imp.store);
}

static int slot_init(void *ctx, struct td_ring_slot *slot)
{
	const struct speculation *g = ctx;
	const struct td_importer *importer = g->imp->core->importer;
	struct slot *s = (struct slot *)slot;

	s->imp = *g->imp;
	s->imp.store = NULL;
	s->imp.core = &s->core;
	s->core.importer = importer;
	s->stages = g->imp->core->stages;
	s->start = calloc(1, importer->state_size + 1);
	s->state = calloc(1, importer->state_size + 1);
	if (!s->start || !s->state)
		return -ENOMEM;
	for (unsigned k = 0; k < TD_NKINDS; k++)
		td_run_writer_init(&s->part.rows[k], &td_tables[k]);
	return td_store_new("", &s->imp.store); /* its staging areas stay empty */
}

static int speculate(struct speculation *g, const struct td_ring_ops *ops, unsigned *ret_threads,
		     struct td_err *err)
{
	const struct td_import_options *options = g->imp->options;
	unsigned threads = td_import_threads(options);
	/* A slot for each thread, one that is being joined, and so many that wait for a thread:
	 * while the thread of the import joins or reads a part itself, the others find work. */
	const struct td_ring_size size = { threads, threads + 4, td_import_part_bytes(options) };
	int r = td_worker_ring(g->imp->core->in, &size, ops, g, ret_threads, err);

	return g->r < 0 ? g->r : r;
}

int td_speculate_lines(struct td_import *imp, bool *ret_again, struct td_err *err)
{
	static const struct td_ring_ops ops = {
		.slot_size = sizeof(struct slot),
		.room = LEAD_BYTES,
		.whole = td_stream_whole_lines,
		.init = slot_init,
		.begin = begin,
		.work = work,
		.take_in = take_lines,
		.finish = finish,
		.done = slot_done,
	};
	struct speculation g = { .imp = imp };
	unsigned threads;
	int r = speculate(&g, &ops, &threads, err);

	*ret_again = threads && g.wrong < WRONG_MAX;
	return r;
}

int td_speculate_elements(struct td_import *imp, struct td_json_stream *js, bool *ret_paid)
{
	static const struct td_ring_ops ops = {
		.slot_size = sizeof(struct slot),
		.room = LEAD_BYTES,
		.whole = td_json_whole_objects,
		.init = slot_init,
		.begin = begin,
		.work = work,
		.take_in = take_elements,
		.finish = finish,
		.done = slot_done,
	};
	_cleanup_(td_strbuf_done) struct td_strbuf left = TD_STRBUF_INIT;
	struct speculation g = { .imp = imp };
	unsigned threads;
	int r;

	td_json_stream_leave(js);
	r = speculate(&g, &ops, &threads, js->err);
	left = g.left;
	*ret_paid = threads && (!g.stopped || g.taken >= PAYS_PARTS);
	if (r >= 0)
		r = td_strbuf_error(&left);
	if (r >= 0 && left.len)
		r = td_stream_put_back(imp->core->in, left.p, left.len);
	return r < 0 ? r : 0;
}
