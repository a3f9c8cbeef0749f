/* SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "common/cleanup.h"
#include "importers/core/worker_ring.h"

struct ring {
	struct td_stream *in; /* borrowed */
	const struct td_ring_size *size;
	const struct td_ring_ops *ops;
	void *ctx;
	char *slots; /* owned: size->slots times ops->slot_size */

	pthread_t *threads; /* owned */
	unsigned nthreads;
	size_t given, joined; /* parts handed out, taken in: of the thread of the import */
	pthread_mutex_t lock; /* guards what follows, and the state of the slots */
	pthread_cond_t job, changed; /* there is a job; one is done */
	size_t read; /* parts that are in their slots */
	bool reading; /* a thread has in, and err */
	int more; /* 1: the text goes on; 0: it ended; 2: its next line is too long, or no more is wanted; -errno */
	struct td_err *err; /* borrowed */
	size_t begun; /* parts that a thread took */
	bool stop;
};

static struct td_ring_slot *slot_at(const struct ring *g, size_t part)
{
	return (struct td_ring_slot *)(g->slots + part % g->size->slots * g->ops->slot_size);
}

/* --- on the threads --- */

/* A slot that waits for finish(), or NULL. */
static struct td_ring_slot *to_finish(const struct ring *g)
{
	for (size_t i = 0; i < g->size->slots; i++)
		if (slot_at(g, i)->state == TD_PART_TO_FINISH)
			return slot_at(g, i);
	return NULL;
}

/* Reads the next part, with the lock given back meanwhile. false: there is no room, or no more, or another thread does. */
static bool read_part(struct ring *g)
{
	struct td_ring_slot *s = slot_at(g, g->read);
	int r;

	if (g->more != 1 || g->reading || g->stop || s->state != TD_PART_FREE)
		return false;
	s->state = TD_PART_READING;
	g->reading = true;
	pthread_mutex_unlock(&g->lock);
	if (g->ops->whole)
		r = td_stream_pieces(g->in, g->ops->whole, s->text, g->size->bytes, &s->len,
				     g->err);
	else
		r = td_stream_lines(g->in, s->text, g->size->bytes, &s->len, g->err);
	s->disk_bytes = td_stream_disk_bytes(g->in);
	pthread_mutex_lock(&g->lock);
	g->reading = false;
	if (r == 1 && s->len == 0)
		r = 2;
	s->state = r == 1 ? TD_PART_READ : TD_PART_FREE;
	g->read += r == 1;
	if (g->more == 1)
		g->more = r;
	pthread_cond_signal(&g->changed);
	return true;
}

/* Does the job that waits, with the lock given back meanwhile. false: there is none. */
static bool do_job(struct ring *g)
{
	struct td_ring_slot *s = to_finish(g);
	bool finish = s != NULL;

	if (!finish) {
		if (read_part(g))
			return true;
		s = slot_at(g, g->begun);
		if (s->state != TD_PART_GIVEN)
			return false;
		g->begun++;
	}
	s->state = TD_PART_AT_WORK;
	pthread_mutex_unlock(&g->lock);
	if (finish)
		s->finished = g->ops->finish(s);
	else
		g->ops->work(s);
	pthread_mutex_lock(&g->lock);
	s->state = finish ? TD_PART_FREE : TD_PART_WORKED;
	pthread_cond_signal(&g->changed);
	return true;
}

static void *thread(void *arg)
{
	struct ring *g = arg;

	pthread_mutex_lock(&g->lock);
	while (!g->stop)
		if (!do_job(g))
			pthread_cond_wait(&g->job, &g->lock);
	pthread_mutex_unlock(&g->lock);
	return NULL;
}

/* --- on the thread of the import --- */

static void set_state(struct ring *g, struct td_ring_slot *s, enum td_ring_state state)
{
	pthread_mutex_lock(&g->lock);
	s->state = state;
	pthread_cond_signal(&g->job);
	pthread_mutex_unlock(&g->lock);
}

/* Hands out the part that was read next. 0 or -errno. */
static int hand_out(struct ring *g)
{
	struct td_ring_slot *s = slot_at(g, g->given);
	int r = s->finished;

	s->in_turn = g->given == g->joined;
	s->finish = false;
	if (r >= 0)
		r = g->ops->begin(g->ctx, s);
	if (r < 0)
		return r;
	g->given++;
	set_state(g, s, TD_PART_GIVEN);
	return 0;
}

/* The oldest part that is out. */
static int take_in(struct ring *g)
{
	struct td_ring_slot *s = slot_at(g, g->joined);
	int r = g->ops->take_in(g->ctx, s);

	g->joined++;
	if (r >= 0)
		set_state(g, s, s->finish ? TD_PART_TO_FINISH : TD_PART_FREE);
	return r;
}

enum next { HAND_OUT, TAKE_IN, END };

/* Waits for what can be done, at work like the threads meanwhile. */
static enum next wait_for(struct ring *g)
{
	const struct td_ring_slot *newest = slot_at(g, g->given), *oldest = slot_at(g, g->joined);
	enum next next = END;

	pthread_mutex_lock(&g->lock);
	while (next == END && (g->more == 1 || g->reading || g->joined < g->read)) {
		if (newest->state == TD_PART_READ)
			next = HAND_OUT;
		else if (g->joined < g->given && oldest->state == TD_PART_WORKED)
			next = TAKE_IN;
		else if (!do_job(g))
			pthread_cond_wait(&g->changed, &g->lock);
	}
	pthread_mutex_unlock(&g->lock);
	return next;
}

static void read_no_more(struct ring *g)
{
	pthread_mutex_lock(&g->lock);
	if (g->more == 1)
		g->more = 2;
	pthread_mutex_unlock(&g->lock);
}

/* Waits until what was taken in is finished, also when something failed: what was read before that stays. 0, or -errno
 * of a finish(). */
static int wait_finished(struct ring *g)
{
	int r = 0;

	pthread_mutex_lock(&g->lock);
	for (size_t i = 0; i < g->size->slots; i++) {
		const struct td_ring_slot *s = slot_at(g, i);

		while (s->state == TD_PART_TO_FINISH || s->state == TD_PART_AT_WORK)
			pthread_cond_wait(&g->changed, &g->lock);
		if (r == 0)
			r = s->finished;
	}
	pthread_mutex_unlock(&g->lock);
	return r;
}

/* --- begin and end --- */

static void ring_done(struct ring *g)
{
	pthread_mutex_lock(&g->lock);
	g->stop = true;
	pthread_cond_broadcast(&g->job);
	pthread_mutex_unlock(&g->lock);
	for (unsigned i = 0; i < g->nthreads; i++)
		(void)pthread_join(g->threads[i], NULL);
	for (size_t i = 0; g->slots && i < g->size->slots; i++) {
		struct td_ring_slot *s = slot_at(g, i);

		g->ops->done(g->ctx, s);
		if (s->text)
			free(s->text - g->ops->room);
	}
	free(g->slots);
	free(g->threads);
	pthread_cond_destroy(&g->job);
	pthread_cond_destroy(&g->changed);
	pthread_mutex_destroy(&g->lock);
}

/* As many threads as there are to be had. 0 or -errno: then g is to be ended, too. */
static int ring_init(struct ring *g)
{
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->job, NULL);
	pthread_cond_init(&g->changed, NULL);
	g->slots = calloc(g->size->slots, g->ops->slot_size);
	g->threads = calloc(g->size->threads, sizeof(*g->threads));
	if (!g->slots || !g->threads)
		return -ENOMEM;
	for (size_t i = 0; i < g->size->slots; i++) {
		struct td_ring_slot *s = slot_at(g, i);
		char *p = malloc(g->ops->room + g->size->bytes + 1);
		int r;

		if (!p)
			return -ENOMEM;
		s->text = p + g->ops->room;
		r = g->ops->init(g->ctx, s);
		if (r < 0)
			return r;
	}
	/* This thread works on parts, too, so there is one less; but it takes them in besides, so there is one at least. */
	while (g->nthreads < TD_MAX(g->size->threads - 1, 1U) &&
	       pthread_create(&g->threads[g->nthreads], NULL, thread, g) == 0)
		g->nthreads++;
	return 0;
}

int td_worker_ring(struct td_stream *in, const struct td_ring_size *size,
		   const struct td_ring_ops *ops, void *ctx, unsigned *ret_threads,
		   struct td_err *err)
{
	_cleanup_(ring_done) struct ring g = {
		.in = in, .size = size, .ops = ops, .ctx = ctx, .more = 1, .err = err
	};
	enum next next;
	int r = ring_init(&g), finished = 0;

	*ret_threads = g.nthreads;
	while (r >= 0 && g.nthreads && (next = wait_for(&g)) != END) {
		r = next == HAND_OUT ? hand_out(&g) : take_in(&g);
		if (r == TD_PART_STOP)
			read_no_more(&g);
	}
	if (g.nthreads)
		finished = wait_finished(&g);
	return r < 0 ? r : finished < 0 ? finished : TD_MIN(g.more, 1);
}
