/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <signal.h>

#include "collector/sink.h"
#include "collector/spool/clocks.h"
#include "collector/spool/packing.h"

#define THREADS_MAX 16
#define SLOTS ((size_t)2 * THREADS_MAX)

enum state { FREE, GIVEN, AT_WORK, PACKED };

struct slot {
	char *buffer; /* owned while it is given and not taken */
	enum state state;
	struct td_spool_packed packed;
};

struct td_spool_packing {
	struct td_spool_packer *packer; /* the caller's */
	bool may_thread;
	unsigned nthreads, max_threads;
	pthread_t threads[THREADS_MAX];
	size_t given, taken; /* the caller's, as are the next ones */
	size_t bound;
	char *free
		[SLOTS]; /* owned; the last one is the next to be used, as it may still be in a cache */
	size_t nfree;

	pthread_mutex_t lock; /* guards what follows, and the state of the slots */
	pthread_cond_t job, changed; /* there is a slot to pack; one is packed */
	size_t begun;
	unsigned idle; /* threads */
	bool stop;
	struct slot slots[SLOTS];
};

/* --- on any thread, with the lock --- */

/* Packs the oldest that waits; the lock is given back meanwhile. false: none waits. */
static bool pack_next(struct td_spool_packing *p, struct td_spool_packer *packer)
{
	struct slot *s = &p->slots[p->begun % SLOTS];

	if (s->state != GIVEN)
		return false;
	p->begun++;
	s->state = AT_WORK;
	pthread_mutex_unlock(&p->lock);
	s->packed.counts = td_spool_count(s->packed.records, s->packed.len);
	s->packed.r = td_spool_pack(packer, s->packed.records, s->packed.len, &s->packed.frame);
	pthread_mutex_lock(&p->lock);
	s->state = PACKED;
	pthread_cond_signal(&p->changed);
	return true;
}

static void *run(void *arg)
{
	struct td_spool_packing *p = arg;
	_cleanup_(td_spool_packer_freep) struct td_spool_packer *packer = NULL;

	if (td_spool_packer_new(&packer) < 0)
		return NULL; /* the others do it */
	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		if (pack_next(p, packer))
			continue;
		p->idle++;
		pthread_cond_wait(&p->job, &p->lock);
		p->idle--;
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* --- the caller's thread --- */

int td_spool_packing_new(struct td_spool_packing **ret)
{
	struct td_spool_packing *p = calloc(1, sizeof(*p));
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int r = p ? td_spool_packer_new(&p->packer) : -ENOMEM;

	if (r < 0) {
		free(p);
		return r;
	}
	p->max_threads = (unsigned)TD_MIN(TD_MAX(cpus, 1) - 1, THREADS_MAX);
	(void)pthread_mutex_init(&p->lock, NULL); /* on Linux these cannot fail */
	(void)pthread_cond_init(&p->job, NULL);
	(void)pthread_cond_init(&p->changed, NULL);
	*ret = p;
	return 0;
}

void td_spool_packing_free(struct td_spool_packing *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->job);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->nthreads; i++)
		(void)pthread_join(p->threads[i], NULL);
	for (; p->taken < p->given; p->taken++) {
		td_spool_frame_free(p->slots[p->taken % SLOTS].packed.frame);
		free(p->slots[p->taken % SLOTS].buffer);
	}
	while (p->nfree > 0)
		free(p->free[--p->nfree]);
	(void)pthread_cond_destroy(&p->changed);
	(void)pthread_cond_destroy(&p->job);
	(void)pthread_mutex_destroy(&p->lock);
	td_spool_packer_free(p->packer);
	free(p);
}

void td_spool_packing_start(struct td_spool_packing *p)
{
	p->may_thread = true;
}

/* Where no thread can be made, the caller packs what does not fit. */
static void make_thread(struct td_spool_packing *p)
{
	sigset_t all, before;

	(void)sigfillset(&all); /* signals are for the main thread */
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
		return;
	if (pthread_create(&p->threads[p->nthreads], NULL, run, p) == 0)
		p->nthreads++;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool td_spool_packing_full(const struct td_spool_packing *p)
{
	return p->given - p->taken == SLOTS;
}

int td_spool_packing_give(struct td_spool_packing *p, char **buffer, size_t len)
{
	struct slot *s = &p->slots[p->given % SLOTS];
	char *other = p->nfree ? p->free[--p->nfree] : malloc(TD_SINK_BUFFER_BYTES);
	size_t waiting;

	if (!other)
		return -ENOMEM;
	s->buffer = *buffer;
	*buffer = other;
	s->packed = (struct td_spool_packed){ s->buffer, len, .end_ns = td_boot_ns() };
	p->given++;
	p->bound += td_spool_bound(len);

	pthread_mutex_lock(&p->lock);
	s->state = GIVEN;
	waiting = p->given - p->begun;
	if (p->idle)
		pthread_cond_signal(&p->job);
	else if (p->may_thread && p->nthreads < p->max_threads)
		make_thread(p);
	if (waiting > p->nthreads) /* they do not keep up, or there are none */
		(void)pack_next(p, p->packer);
	pthread_mutex_unlock(&p->lock);
	return 0;
}

bool td_spool_packing_take(struct td_spool_packing *p, bool wait, struct td_spool_packed *ret)
{
	struct slot *s = &p->slots[p->taken % SLOTS];
	bool packed;

	if (p->taken == p->given)
		return false;
	pthread_mutex_lock(&p->lock);
	while (wait && s->state != PACKED)
		if (!pack_next(p, p->packer))
			pthread_cond_wait(&p->changed, &p->lock);
	packed = s->state == PACKED;
	if (packed)
		s->state = FREE;
	pthread_mutex_unlock(&p->lock);
	if (!packed)
		return false;
	*ret = s->packed;
	p->free[p->nfree++] = s->buffer; /* no more are free than were given once */
	p->taken++;
	p->bound -= td_spool_bound(s->packed.len);
	return true;
}

size_t td_spool_packing_bound(const struct td_spool_packing *p)
{
	return p->bound;
}
