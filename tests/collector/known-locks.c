/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait for each other as is known: which function, how long at least, for what, and with which result;
 * and how often each function was called. As lines of JSON that compare-locks.py reads. The C library locks
 * mutexes of its own, too: what counts is the difference that N, the number of quick calls, makes.
 *
 *     known-locks TRUTH N
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 30

static FILE *truth;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, quick = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;

static void pause_ms(long ms)
{
	struct timespec t = { 0, ms * 1000000 };

	nanosleep(&t, NULL);
}

static struct timespec in_ms(clockid_t clock, long ms)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A call that waits, between two readings of the clock. */
#define waits(function, object, ...)                                                               \
	do {                                                                                       \
		uint64_t from = now_ns();                                                          \
		int ret = function(object, ##__VA_ARGS__);                                         \
		uint64_t to = now_ns();                                                            \
                                                                                                   \
		fprintf(truth,                                                                     \
			"{\"op\":\"" #function "\",\"tid\":%ld,\"ret\":%d,\"address\":%" PRIuPTR   \
			",\"from\":%" PRIu64 ",\"to\":%" PRIu64 "}\n",                             \
			(long)syscall(SYS_gettid), ret, (uintptr_t)(object), from, to);            \
	} while (0)

/* --- what the other thread does meanwhile --- */

static void *hold_mutex(void *arg)
{
	pthread_mutex_lock(&mutex);
	sem_post(arg);
	pause_ms(WAIT_MS);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *hold_rwlock(void *arg)
{
	pthread_rwlock_wrlock(&rwlock);
	sem_post(arg);
	pause_ms(WAIT_MS);
	pthread_rwlock_unlock(&rwlock);
	return NULL;
}

static void *signal_late(void *arg)
{
	(void)arg;
	pause_ms(WAIT_MS);
	pthread_mutex_lock(&mutex);
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *post_late(void *arg)
{
	pause_ms(WAIT_MS);
	sem_post(arg);
	return NULL;
}

static void *come_late(void *arg)
{
	(void)arg;
	pause_ms(WAIT_MS);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void *end_late(void *arg)
{
	(void)arg;
	pause_ms(WAIT_MS);
	return NULL;
}

static pthread_t start(void *(*what)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, what, arg))
		abort();
	return thread;
}

/* --- */

static void wait_for_mutex(void)
{
	pthread_t thread = start(hold_mutex, &sem);

	while (sem_trywait(&sem))
		sched_yield();
	waits(pthread_mutex_lock, &mutex);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
}

static void wait_for_rwlock(void)
{
	pthread_t thread = start(hold_rwlock, &sem);

	while (sem_trywait(&sem))
		sched_yield();
	waits(pthread_rwlock_rdlock, &rwlock);
	pthread_rwlock_unlock(&rwlock);
	pthread_join(thread, NULL);
}

static void wait_for_cond(void)
{
	pthread_t thread = start(signal_late, NULL);
	struct timespec t;

	pthread_mutex_lock(&mutex);
	waits(pthread_cond_wait, &cond, &mutex);
	t = in_ms(CLOCK_REALTIME, WAIT_MS);
	waits(pthread_cond_timedwait, &cond, &mutex, &t);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
}

static void wait_for_sem(void)
{
	pthread_t thread = start(post_late, &sem);
	struct timespec t;

	waits(sem_wait, &sem);
	t = in_ms(CLOCK_REALTIME, WAIT_MS);
	waits(sem_timedwait, &sem, &t);
	pthread_join(thread, NULL);
}

static void wait_for_barrier(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	thread = start(come_late, NULL);
	waits(pthread_barrier_wait, &barrier);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 3 || !(truth = fopen(argv[1], "w")))
		return 2;
	sem_init(&sem, 0, 0);
	wait_for_mutex();
	wait_for_rwlock();
	wait_for_cond();
	wait_for_sem();
	wait_for_barrier();
	thread = start(end_late, NULL);
	waits(pthread_join, thread, NULL);
	for (int i = 0; i < strtol(argv[2], NULL, 10); i++) {
		pthread_mutex_lock(&quick);
		pthread_mutex_unlock(&quick);
	}
	/* as above, of both threads together */
	fprintf(truth,
		"{\"pid\":%d,\"calls\":{\"pthread_rwlock_wrlock\":1,\"pthread_rwlock_rdlock\":1,"
		"\"pthread_cond_wait\":1,\"pthread_cond_timedwait\":1,"
		"\"sem_wait\":1,\"sem_timedwait\":1,\"pthread_barrier_wait\":2,"
		"\"pthread_join\":6}}\n",
		getpid());
	fclose(truth);
	return 0;
}
