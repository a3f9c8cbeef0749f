/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/parallel.h"

#define THREADS_MAX 16

struct work {
	int (*piece)(void *arg, size_t i);
	void *arg;
	size_t n;
	atomic_size_t next;
	pthread_mutex_t lock; /* guards what follows */
	size_t failed; /* the lowest piece that has; n: none */
	int r;
};

static void note_failure(struct work *w, size_t i, int r)
{
	pthread_mutex_lock(&w->lock);
	if (i < w->failed) {
		w->failed = i;
		w->r = r;
	}
	pthread_mutex_unlock(&w->lock);
	atomic_store(&w->next, w->n);
}

static _Thread_local bool busy; /* at work on a piece */

static void *work(void *arg)
{
	struct work *w = arg;
	bool was_busy = busy;
	size_t i;

	busy = busy || w->n > 1;

	while ((i = atomic_fetch_add(&w->next, 1)) < w->n) {
		int r = w->piece(w->arg, i);

		if (r < 0)
			note_failure(w, i, r);
	}
	busy = was_busy;
	return NULL;
}

unsigned td_cpus(void)
{
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		return (unsigned)CPU_COUNT(&cpus);
	return (unsigned)TD_MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L); /* which opens a file */
}

unsigned td_parallel_width(void)
{
	return busy ? 1 : TD_MIN(td_cpus(), (unsigned)THREADS_MAX);
}

int td_parallel(size_t n, int (*piece)(void *arg, size_t i), void *arg)
{
	struct work w = { .piece = piece, .arg = arg, .n = n, .failed = n };
	size_t wanted = n > 1 ? TD_MIN((size_t)td_parallel_width(), n) : 1, made = 0;
	pthread_t threads[THREADS_MAX];

	pthread_mutex_init(&w.lock, NULL);
	while (made + 1 < wanted && pthread_create(&threads[made], NULL, work, &w) == 0)
		made++;
	(void)work(&w);
	while (made > 0)
		(void)pthread_join(threads[--made], NULL);
	pthread_mutex_destroy(&w.lock);
	return w.r;
}
