/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "collector/cuda/flusher.h"

#define END_S 1

static struct {
	int (*flush)(uint32_t flags);
	pthread_t thread;
	pthread_mutex_t lock; /* of what is below; never held while CUPTI is called */
	pthread_cond_t wake;
	int runs, ends;
} f = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct timespec after_ms(clockid_t clock, long ms)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	t.tv_sec += ms / 1000;
	t.tv_nsec += ms % 1000 * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

/* False: it ends. */
static int wait_for_next(void)
{
	struct timespec until = after_ms(CLOCK_MONOTONIC, TD_FLUSH_MS);
	int r = 0, ends;

	(void)pthread_mutex_lock(&f.lock);
	while (!f.ends && r == 0)
		r = pthread_cond_timedwait(&f.wake, &f.lock, &until);
	ends = f.ends;
	(void)pthread_mutex_unlock(&f.lock);
	return !ends;
}

static void *flush_again(void *arg)
{
	while (wait_for_next())
		(void)f.flush(0);
	return arg;
}

/* The program's signals are for its own threads. */
static int start_without_signals(void)
{
	sigset_t all, before;
	int r;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&f.thread, NULL, flush_again, NULL);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -r;
}

int td_flusher_begin(int (*flush)(uint32_t flags))
{
	pthread_condattr_t monotonic;
	int r;

	(void)pthread_condattr_init(&monotonic);
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&f.wake, &monotonic);
	(void)pthread_condattr_destroy(&monotonic);
	f.flush = flush;
	r = start_without_signals();
	if (r == 0)
		(void)pthread_setname_np(f.thread, "tracedb-cuda");
	f.runs = r == 0;
	return r;
}

void td_flusher_end(void)
{
	struct timespec until = after_ms(CLOCK_REALTIME, END_S * 1000);
	int runs;

	(void)pthread_mutex_lock(&f.lock);
	runs = f.runs;
	f.runs = 0;
	f.ends = 1;
	(void)pthread_mutex_unlock(&f.lock);
	if (!runs)
		return;
	(void)pthread_cond_signal(&f.wake);
	(void)pthread_timedjoin_np(f.thread, NULL, &until);
}
