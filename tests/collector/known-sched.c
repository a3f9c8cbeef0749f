/* SPDX-License-Identifier: MIT */
/*
 * Threads that leave the CPU and come back as is known: they sleep, wait for each other at pipes, share a CPU, and
 * move. What the kernel itself counts of each stretch (getrusage, schedstat) is printed beside it, as lines of
 * JSON that compare-sched.py reads.
 *
 *     known-sched TRUTH
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SLEEPS 10
#define SLEEP_NS 5000000 /* the n-th sleep takes n times this */
#define ROUNDS 500
#define SPIN_NS 300000000
#define MOVES 20

static FILE *truth;
static pthread_mutex_t truth_lock = PTHREAD_MUTEX_INITIALIZER;

/* What the kernel says of this thread. */
struct stats {
	uint64_t now_ns;
	long voluntary, involuntary;
	uint64_t run_ns, delay_ns; /* Documentation/scheduler/sched-stats.rst */
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static long tid(void)
{
	return syscall(SYS_gettid);
}

/* Not by fopen(), whose locks two threads may wait for: that would be a wait nobody expects. */
static void read_schedstat(struct stats *s)
{
	char path[64], text[128];
	ssize_t n = -1;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%ld/schedstat", tid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	if (sscanf(text, "%" SCNu64 " %" SCNu64, &s->run_ns, &s->delay_ns) != 2)
		s->run_ns = s->delay_ns = 0;
}

/* The clock and the counts of one moment: nothing happened between reading one and the other. */
static struct stats stats(void)
{
	struct stats s = { 0 };
	struct rusage before, after;

	do {
		getrusage(RUSAGE_THREAD, &before);
		read_schedstat(&s);
		s.now_ns = now_ns();
		getrusage(RUSAGE_THREAD, &after);
	} while (before.ru_nvcsw != after.ru_nvcsw || before.ru_nivcsw != after.ru_nivcsw);
	s.voluntary = after.ru_nvcsw;
	s.involuntary = after.ru_nivcsw;
	return s;
}

static void print(const char *what, const struct stats *from, const char *more)
{
	struct stats to = stats();

	pthread_mutex_lock(&truth_lock);
	fprintf(truth,
		"{\"what\":\"%s\",\"tid\":%ld,\"from\":%" PRIu64 ",\"to\":%" PRIu64
		",\"voluntary\":%ld,\"involuntary\":%ld,\"run\":%" PRIu64 ",\"delay\":%" PRIu64
		"%s}\n",
		what, tid(), from->now_ns, to.now_ns, to.voluntary - from->voluntary,
		to.involuntary - from->involuntary, to.run_ns - from->run_ns,
		to.delay_ns - from->delay_ns, more);
	pthread_mutex_unlock(&truth_lock);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* --- what the threads do --- */

static void sleeps(void)
{
	struct stats from = stats();
	char more[512] = ",\"least_ns\":[";

	for (int i = 1; i <= SLEEPS; i++) {
		struct timespec t = { 0, (long)i * SLEEP_NS };

		clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
		(void)snprintf(more + strlen(more), sizeof(more) - strlen(more), "%s%ld",
			       i > 1 ? "," : "", t.tv_nsec);
	}
	(void)snprintf(more + strlen(more), sizeof(more) - strlen(more), "]");
	print("sleeps", &from, more);
}

struct player {
	int in, out, cpu;
	const char *name;
	_Atomic long tid;
	struct player *other;
};

static void *play(void *arg)
{
	struct player *p = arg;
	struct stats from;
	char c = 0, more[64];

	pin(p->cpu);
	p->tid = tid();
	while (!p->other->tid)
		sched_yield();
	from = stats();
	for (int i = 0; i < ROUNDS; i++)
		if (read(p->in, &c, 1) != 1 || write(p->out, &c, 1) != 1)
			abort();
	(void)snprintf(more, sizeof(more), ",\"other\":%ld", p->other->tid);
	print(p->name, &from, more);
	return NULL;
}

/* Each waits for the other: on one CPU every read has to wait; on two it may be woken while it goes to sleep. */
static void ping_pong(const char *name, int cpu)
{
	struct player a = { .name = name }, b = { .name = name, .other = &a, .cpu = cpu };
	pthread_t threads[2];
	int there[2], back[2];

	a.other = &b;
	if (pipe(there) < 0 || pipe(back) < 0)
		abort();
	a.in = back[0];
	a.out = there[1];
	b.in = there[0];
	b.out = back[1];
	if (write(back[1], "", 1) != 1)
		abort();
	pthread_create(&threads[0], NULL, play, &a);
	pthread_create(&threads[1], NULL, play, &b);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

static void *spin(void *arg)
{
	struct stats from;
	uint64_t end;

	(void)arg;
	pin(0);
	from = stats();
	end = now_ns() + SPIN_NS;
	while (now_ns() < end)
		;
	print("spin", &from, "");
	return NULL;
}

/* Two that never wait on one CPU: it is taken from them. */
static void share_cpu(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, spin, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* From one CPU to another and back, if there are two. */
static void *move(void *arg)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct stats from;
	char more[64];

	(void)arg;
	pin(0);
	from = stats();
	for (int i = 1; i <= MOVES && cpus > 1; i++)
		pin(i % 2);
	(void)snprintf(more, sizeof(more), ",\"moves\":%d", cpus > 1 ? MOVES : 0);
	print("moves", &from, more);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2 || !(truth = fopen(argv[1], "w")))
		return 2;
	sleeps();
	ping_pong("one cpu", 0);
	ping_pong("two cpus", sysconf(_SC_NPROCESSORS_ONLN) > 1);
	share_cpu();
	pthread_create(&thread, NULL, move, NULL);
	pthread_join(thread, NULL);
	fclose(truth);
	return 0;
}
