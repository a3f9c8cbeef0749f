/* SPDX-License-Identifier: MIT */
/*
 * A text read in parts, on several threads, with the result of reading it line by line.
 *
 * The thread of the import cuts the text at line ends and hands out parts; each is read into a store of its own,
 * its rows beside it. Then it joins them in the order of the text: names get the ids that they would have got
 * (schema/store_join.h), rows go to the staging area. A ring of slots bounds the memory. Nothing is shared while
 * a part is read, so there is no lock but that of the ring.
 *
 * What the importer knows from the lines before a part is guessed when it is handed out, and compared when its
 * turn comes (struct td_importer_parts): a part that was begun with a wrong guess is read again, in turn. So a
 * header or a new layout in the middle costs a few parts twice, and nothing has to be known of formats here.
 */
#include <pthread.h>
#include <sched.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/progress.h"
#include "importers/import_core.h"
#include "schema/store_join.h"
#include "schema/store_private.h"

/* Text of a part. Smaller ones cost more: each looks up anew all names that it meets. */
#define PART_BYTES ((size_t)1024 * 1024)
/* Text before a part from which the state at its beginning is guessed. */
#define LEAD_BYTES ((size_t)4096)
/* More than these are not kept busy by the one that joins. */
#define THREADS_MAX 8
/* Parts in a row that have to be read again before it is given up. */
#define WRONG_MAX 16

/* A place for a part. */
struct slot {
	struct td_import imp; /* of the part */
	struct td_import_core core;
	struct td_import_part part;
	void *start; /* the importer's state when the part begins, as guessed */
	void *state; /* when it ends */
	char *text; /* LEAD_BYTES of room, then the part */
	size_t lead, len; /* bytes before and of the part */
	bool done; /* the ring's: by its thread */
	int r; /* what came of it */
};

struct ring {
	struct td_import *imp; /* the source's */
	size_t part_bytes;
	struct slot *slots;
	size_t nslots;
	struct td_id_map map;
	char last[LEAD_BYTES]; /* end of the part handed out last */
	size_t last_len;
	unsigned wrong; /* parts in a row that were read again */

	pthread_t threads[THREADS_MAX];
	unsigned nthreads;
	pthread_mutex_t lock; /* guards what follows, and done */
	pthread_cond_t handed_out, finished;
	size_t given, taken, joined; /* parts: handed out, begun by a thread, joined */
	bool stop;
};

unsigned td_import_threads(const struct td_import_options *options)
{
	cpu_set_t cpus;
	int n;

	if (options->threads)
		return TD_MIN(options->threads, (unsigned)THREADS_MAX);
	/* it fails where there are more than 1024 */
	n = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : THREADS_MAX;
	return (unsigned)TD_MIN(n, THREADS_MAX);
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

/* Forgets all that the part before came to. */
static void reset(struct slot *s)
{
	struct td_ticks ticks = s->core.ticks;

	ticks.n = 0;
	td_store_clear(s->imp.store);
	s->part.alone = true;
	s->part.tod_first_ns = TD_NULL;
	for (unsigned k = 0; k < TD_NKINDS; k++)
		s->part.rows[k].bytes = 0;
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
	const struct td_importer_parts *parts = s->core.importer->parts;
	char *text = s->text + LEAD_BYTES;
	int r;

	reset(s);
	s->imp.state = s->start;
	r = read_lines(&s->imp, text - s->lead, s->lead);
	if (r < 0)
		return r;
	reset(s);
	s->imp.state = s->state;
	r = parts->copy(s->state, s->start);
	return r < 0 ? r : read_lines(&s->imp, text, s->len);
}

static void *work(void *arg)
{
	struct ring *g = arg;

	pthread_mutex_lock(&g->lock);
	while (!g->stop) {
		struct slot *s = &g->slots[g->taken % g->nslots];

		if (g->taken == g->given) {
			pthread_cond_wait(&g->handed_out, &g->lock);
			continue;
		}
		g->taken++;
		pthread_mutex_unlock(&g->lock);
		s->r = read_part(s);
		pthread_mutex_lock(&g->lock);
		s->done = true;
		pthread_cond_signal(&g->finished);
	}
	pthread_mutex_unlock(&g->lock);
	return NULL;
}

/* --- handing out --- */

/* Keeps the last lines of the text. */
static void keep_last(struct ring *g, const char *text, size_t len)
{
	size_t n = TD_MIN(len, sizeof(g->last));
	const char *from = text + len - n, *nl;

	if (n < len) {
		nl = memchr(from - 1, '\n', n + 1);
		n = nl ? (size_t)(text + len - nl - 1) : 0;
		from = text + len - n;
	}
	memcpy(g->last, from, n);
	g->last_len = n;
}

/* Hands out the next part: 1; 0 at the end of the text; 2 if its next line is too long; or -errno. */
static int hand_out(struct ring *g, struct td_err *err)
{
	struct slot *s = &g->slots[g->given % g->nslots];
	char *text = s->text + LEAD_BYTES;
	int r = td_stream_lines(g->imp->core->in, text, g->part_bytes, &s->len, err);

	if (r <= 0)
		return r;
	if (s->len == 0)
		return 2;
	/* the state is the true one if all before was read */
	s->lead = g->given == g->joined ? 0 : g->last_len;
	memcpy(text - s->lead, g->last, s->lead);
	keep_last(g, text, s->len);
	r = g->imp->core->importer->parts->copy(s->start, g->imp->state);
	if (r < 0)
		return r;
	s->done = false;
	pthread_mutex_lock(&g->lock);
	g->given++;
	pthread_cond_signal(&g->handed_out);
	pthread_mutex_unlock(&g->lock);
	return 1;
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

static int join_rows(struct td_import_core *c, struct slot *s, const struct td_id_map *map)
{
	for (unsigned k = 0; k < TD_NKINDS; k++) {
		struct td_part_rows *rows = &s->part.rows[k];
		size_t size = td_tables[k].record_size;

		for (size_t at = 0; at < rows->bytes; at += size) {
			int r;

			td_id_map_row(map, k, rows->p + at);
			r = td_stage_add(c->stages[k], rows->p + at);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

static void join_core(struct td_import_core *c, const struct slot *s, int64_t day_ns)
{
	const struct td_import_core *p = &s->core;

	c->lines += p->lines;
	c->rows += p->rows;
	c->skipped += p->skipped;
	c->issues += p->issues;
	c->repaired += p->repaired;
	c->lost += p->lost;
	c->tick_wall_ns = TD_NULL;
	if (p->first_ns != TD_NULL)
		td_import_extend(c, p->first_ns, p->last_ns);
	if (p->tod_last_ns != TD_NULL) {
		c->tod_last_ns = day_ns + p->tod_last_ns;
		c->tod_day_ns = day_ns + p->tod_day_ns;
	}
}

/* 0, TD_PART_DEPENDS or -errno. */
static int join(struct ring *g, struct slot *s)
{
	struct td_import_core *c = g->imp->core;
	const struct td_importer_parts *parts = c->importer->parts;
	int64_t day_ns;
	int r;

	/* what fails in turn, too, fails then */
	if (s->r < 0 || !s->part.alone || !find_day(c, s, &day_ns) ||
	    !same_wall(&c->ticks, &s->core.ticks) || !parts->same(s->start, g->imp->state))
		return TD_PART_DEPENDS;
	r = td_store_join(g->imp->store, s->imp.store, c->lines, &g->map);
	if (r == 0)
		r = join_rows(c, s, &g->map);
	if (r == 0)
		r = join_ticks(&c->ticks, &s->core.ticks, day_ns);
	if (r == 0)
		r = parts->copy(g->imp->state, s->state);
	if (r == 0)
		join_core(c, s, day_ns);
	return r;
}

static void count(struct td_parts_count *parts, bool joined)
{
	if (parts && joined)
		parts->joined++;
	else if (parts)
		parts->again++;
}

/* Joins the oldest part that is out. 0 or -errno. */
static int take_in(struct ring *g)
{
	struct slot *s = &g->slots[g->joined % g->nslots];
	struct td_import_core *c = g->imp->core;
	int r;

	pthread_mutex_lock(&g->lock);
	while (!s->done)
		pthread_cond_wait(&g->finished, &g->lock);
	pthread_mutex_unlock(&g->lock);
	r = join(g, s);
	g->wrong = r == TD_PART_DEPENDS ? g->wrong + 1 : 0;
	count(g->imp->options->parts, r != TD_PART_DEPENDS);
	if (r == TD_PART_DEPENDS)
		r = read_lines(g->imp, s->text + LEAD_BYTES, s->len);
	g->joined++;
	if (c->progress)
		td_progress_update(c->progress, td_stream_disk_bytes(c->in), (int64_t)c->rows);
	return r;
}

/* --- begin and end --- */

static void slot_done(struct slot *s, const struct td_importer_parts *parts)
{
	if (s->start)
		parts->done(s->start);
	if (s->state)
		parts->done(s->state);
	free(s->start);
	free(s->state);
	free(s->text);
	for (unsigned k = 0; k < TD_NKINDS; k++)
		free(s->part.rows[k].p);
	td_ticks_done(&s->core.ticks);
	td_store_free(s->imp.store);
}

static void ring_done(struct ring *g)
{
	pthread_mutex_lock(&g->lock);
	g->stop = true;
	pthread_cond_broadcast(&g->handed_out);
	pthread_mutex_unlock(&g->lock);
	for (unsigned i = 0; i < g->nthreads; i++)
		(void)pthread_join(g->threads[i], NULL);
	for (size_t i = 0; g->slots && i < g->nslots; i++)
		slot_done(&g->slots[i], g->imp->core->importer->parts);
	free(g->slots);
	td_id_map_done(&g->map);
	pthread_cond_destroy(&g->handed_out);
	pthread_cond_destroy(&g->finished);
	pthread_mutex_destroy(&g->lock);
}

static int slot_init(struct slot *s, const struct ring *g)
{
	const struct td_importer *importer = g->imp->core->importer;
	int r;

	s->imp = *g->imp;
	s->imp.store = NULL;
	s->imp.core = &s->core;
	s->core.importer = importer;
	s->text = malloc(LEAD_BYTES + g->part_bytes + 1);
	s->start = calloc(1, importer->state_size + 1);
	s->state = calloc(1, importer->state_size + 1);
	if (!s->text || !s->start || !s->state)
		return -ENOMEM;
	r = td_store_new("", &s->imp.store); /* its staging areas stay empty */
	return r;
}

/* As many threads as there are to be had. 0 or -errno: then g is to be ended, too. */
static int ring_init(struct ring *g)
{
	unsigned threads = td_import_threads(g->imp->options);

	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->handed_out, NULL);
	pthread_cond_init(&g->finished, NULL);
	/* one for each thread, one that is being joined, one that waits for a thread */
	g->slots = calloc(threads + 2, sizeof(*g->slots));
	if (!g->slots)
		return -ENOMEM;
	g->nslots = threads + 2;
	for (size_t i = 0; i < g->nslots; i++) {
		int r = slot_init(&g->slots[i], g);

		if (r < 0)
			return r;
	}
	while (g->nthreads < threads &&
	       pthread_create(&g->threads[g->nthreads], NULL, work, g) == 0)
		g->nthreads++;
	return 0;
}

int td_import_parts(struct td_import *imp, bool *ret_again, struct td_err *err)
{
	_cleanup_(ring_done) struct ring g = {
		.imp = imp,
		.part_bytes = td_import_part_bytes(imp->options),
		.map = TD_ID_MAP_INIT,
	};
	int more = 1, r = ring_init(&g);

	while (r >= 0 && g.nthreads) {
		if (more == 1 && g.wrong < WRONG_MAX && g.given - g.joined < g.nslots)
			more = hand_out(&g, err);
		else if (g.joined < g.given)
			r = take_in(&g);
		else
			break;
	}
	*ret_again = g.nthreads && g.wrong < WRONG_MAX;
	return r < 0 ? r : more <= 0 ? more : 1;
}
