/* SPDX-License-Identifier: MIT */
/*
 * Makes reads of one byte of /dev/zero, so many a second, for a recorder to keep up with. Each
 * thread has opened the file
 * itself: where all read from one, they wait for the counter of its users, recorded or not.
 *
 * usage: bench-calls THREADS SECONDS RATE      RATE: calls a second of all threads together; 0: all
 * that can be had
 *
 * Prints how many it made.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/cleanup.h"

#define THREADS_MAX 64
#define BATCH 100
#define AHEAD_NS 1000000 /* a thread that is ahead by less does not sleep */

struct worker {
	pthread_t thread;
	int64_t begin_ns, end_ns;
	double gap_ns; /* between two calls of this thread; 0: none */
	int fd;
	uint64_t made;
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void wait_until(int64_t due_ns)
{
	struct timespec t = { .tv_sec = due_ns / 1000000000, .tv_nsec = due_ns % 1000000000 };

	if (due_ns - now_ns() >= AHEAD_NS)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	char c;

	while (now_ns() < w->end_ns) {
		for (int i = 0; i < BATCH; i++)
			w->made += read(w->fd, &c, 1) == 1;
		wait_until(w->begin_ns + (int64_t)((double)w->made * w->gap_ns));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct worker workers[THREADS_MAX] = { 0 };
	long nthreads = argc == 4 ? strtol(argv[1], NULL, 10) : 0;
	int64_t begin_ns = now_ns();
	uint64_t made = 0;
	double seconds, rate;

	if (nthreads < 1 || nthreads > THREADS_MAX)
		return 2;
	seconds = strtod(argv[2], NULL);
	rate = strtod(argv[3], NULL);
	for (long i = 0; i < nthreads; i++) {
		workers[i] = (struct worker){
			.begin_ns = begin_ns,
			.end_ns = begin_ns + (int64_t)(seconds * 1e9),
			.gap_ns = rate > 0 ? (double)nthreads * 1e9 / rate : 0,
			.fd = open("/dev/zero", O_RDONLY | O_CLOEXEC),
		};
		if (workers[i].fd < 0 ||
		    pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	}
	for (long i = 0; i < nthreads; i++) {
		pthread_join(workers[i].thread, NULL);
		made += workers[i].made;
	}
	printf("%" PRIu64 " calls in %.3f s\n", made, (double)(now_ns() - begin_ns) * 1e-9);
	return 0;
}
