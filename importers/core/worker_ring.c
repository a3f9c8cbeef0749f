/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "importers/core/worker_ring.h"

/* For the end of a part before, in front of a block of the file: of a line that is longer the rest
 * is read by one thread. */
#define REST_MAX ((size_t)64 * 1024)

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
	size_t read; /* parts that are in their slots, cut */
	size_t claimed; /* those, and the ones of which threads read blocks of the file */
	struct td_stream_place place; /* of the next block */
	bool by_blocks; /* place is known */
	bool one_reads; /* it is not asked for again */
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

static char *text_of(const struct ring *g, const struct td_ring_slot *s)
{
	return s->room + g->ops->room + REST_MAX;
}

/* A part was read, or r says why there is none. */
static void was_read(struct ring *g, struct td_ring_slot *s, int r)
{
	g->reading = false;
	s->state = r == 1 ? TD_PART_READ : TD_PART_FREE;
	g->read += r == 1;
	if (g->more == 1)
		g->more = r;
	pthread_cond_signal(&g->changed);
}

/* Reads the next part from the stream, with the lock given back meanwhile, and finds out whether
 * more threads can read what follows. false: there is no room, or no more, or another thread
 * does. */
static bool read_part(struct ring *g)
{
	struct td_ring_slot *s = slot_at(g, g->read);
	struct td_stream_place place;
	bool placed;
	int r;

	if (g->more != 1 || g->reading || g->stop || g->claimed > g->read ||
	    s->state != TD_PART_FREE)
		return false;
	s->state = TD_PART_READING;
	g->reading = true;
	pthread_mutex_unlock(&g->lock);
	s->text = text_of(g, s);
	r = td_stream_pieces(g->in, g->ops->whole, s->text, g->size->bytes, &s->len, g->err);
	s->disk_bytes = td_stream_disk_bytes(g->in);
	placed = r == 1 && !g->one_reads && td_stream_place(g->in, &place);
	pthread_mutex_lock(&g->lock);
	was_read(g, s, r == 1 && s->len == 0 ? 2 : r);
	g->claimed = g->read;
	g->by_blocks = placed;
	if (placed) {
		g->place = place;
		pthread_cond_broadcast(&g->job);
	}
	return true;
}

/* All of a block that was there when the file was opened. */
static bool read_block(int fd, char *to, size_t size, int64_t at)
{
	while (size) {
		ssize_t n = pread(fd, to, size, at);

		if (n <= 0 && !(n < 0 && errno == EINTR))
			return false;
		n = TD_MAX(n, 0);
		to += n;
		size -= (size_t)n;
		at += n;
	}
	return true;
}

/* Reads the next block of the file, with the lock given back meanwhile. false: there is no room, or no whole block. */
static bool fill(struct ring *g)
{
	struct td_ring_slot *s = slot_at(g, g->claimed);
	struct td_stream_place place = g->place;

	if (!g->by_blocks || g->more != 1 || g->stop || s->state != TD_PART_FREE ||
	    place.end - place.at < (int64_t)g->size->bytes)
		return false;
	s->state = TD_PART_READING;
	s->dropped = false;
	g->claimed++;
	g->place.at += (int64_t)g->size->bytes;
	pthread_mutex_unlock(&g->lock);
	s->whole = read_block(place.fd, text_of(g, s), g->size->bytes, place.at);
	pthread_mutex_lock(&g->lock);
	s->state = s->dropped ? TD_PART_FREE : TD_PART_FILLED;
	return true;
}

/* One thread reads the text again, from where the last part ended. */
static void drop_blocks(struct ring *g)
{
	for (size_t part = g->read; part < g->claimed; part++) {
		struct td_ring_slot *s = slot_at(g, part);

		if (s->state == TD_PART_FILLED)
			s->state = TD_PART_FREE;
		s->dropped = true;
	}
	g->claimed = g->read;
	g->by_blocks = false;
	g->one_reads = true;
}

/* Cuts the block that comes next, with the lock given back meanwhile. false: it is not there, or
 * another thread does. */
static bool cut(struct ring *g)
{
	struct td_ring_slot *s = slot_at(g, g->read);
	int r = 0;

	if (g->more != 1 || g->reading || g->claimed == g->read || s->state != TD_PART_FILLED)
		return false;
	g->reading = true;
	pthread_mutex_unlock(&g->lock);
	if (s->whole)
		r = td_stream_block(g->in, g->ops->whole, text_of(g, s), g->size->bytes, REST_MAX,
				    &s->text, &s->len, g->err);
	s->disk_bytes = td_stream_disk_bytes(g->in);
	pthread_mutex_lock(&g->lock);
	if (r != 0) {
		was_read(g, s, r);
		return true;
	}
	g->reading = false;
	drop_blocks(g);
	return true;
}

/* Does the job that waits, with the lock given back meanwhile. false: there is none. */
static bool do_job(struct ring *g)
{
	struct td_ring_slot *s = to_finish(g);
	bool finish = s != NULL;

	if (!finish) {
		if (cut(g) || fill(g) || read_part(g))
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
		free(s->room);
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
		int r;

		s->room = malloc(g->ops->room + REST_MAX + g->size->bytes + 1);
		if (!s->room)
			return -ENOMEM;
		s->text = text_of(g, s);
		r = g->ops->init(g->ctx, s);
		if (r < 0)
			return r;
	}
	/* This thread works on parts, too, so there is one less; but it takes them in besides, so
	 * there is one at least. */
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
