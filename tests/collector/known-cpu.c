/* SPDX-License-Identifier: MIT */
/*
 * Processes that use the CPU, in user space and in the kernel, wait, and take memory; and what the
 * kernel says of each of them when it has ended (wait4), as lines of JSON that compare-cpu.py
 * reads.
 *
 *     known-cpu TRUTH
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000L
#define THREADS 3
#define SHORT_ONES 100
#define WAITS 200
#define MEMORY ((size_t)64 << 20)
#define READ ((size_t)16 << 20)

static FILE *truth;

static void pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * MS };

	nanosleep(&t, NULL);
}

static int64_t cpu_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

/* Nothing but arithmetic between the looks at the clock. */
static void compute(int64_t ns)
{
	int64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
	volatile uint64_t sum = 1;

	do
		for (int i = 0; i < 100000; i++)
			sum = sum * 3 + 1;
	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end);
}

/* --- the processes --- */

static void computes(void)
{
	compute(300 * MS);
}

/* The kernel makes zeros. */
static void reads(void)
{
	char *p = mmap(NULL, READ, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *zeros = fopen("/dev/zero", "r");

	while (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < 300 * MS)
		if (read(fileno(zeros), p, READ) <= 0)
			_exit(1);
}

/* Says of itself what it has used, at its end. */
static void *thread(void *arg)
{
	struct rusage used;

	compute((intptr_t)arg * 60 * MS);
	getrusage(RUSAGE_THREAD, &used);
	fprintf(truth,
		"{\"what\":\"thread\",\"tid\":%ld,\"user_us\":%ld,\"system_us\":%ld,\"voluntary\":%"
		"ld,"
		"\"involuntary\":%ld}\n",
		syscall(SYS_gettid), used.ru_utime.tv_sec * 1000000 + used.ru_utime.tv_usec,
		used.ru_stime.tv_sec * 1000000 + used.ru_stime.tv_usec, used.ru_nvcsw,
		used.ru_nivcsw);
	fflush(truth);
	return NULL;
}

/* The first thread ends before the others. */
static void threads(void)
{
	pthread_t t;

	for (intptr_t i = 1; i <= THREADS; i++)
		pthread_create(&t, NULL, thread, (void *)i);
	compute(30 * MS);
	syscall(SYS_exit, 0);
}

static void waits(void)
{
	for (int i = 0; i < WAITS; i++)
		pause_ms(1);
}

static void takes_memory(void)
{
	char *p = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(p, 1, MEMORY);
	munmap(p, MEMORY);
}

/* What it had before counts, too. */
static void executes(void)
{
	takes_memory();
	compute(50 * MS);
	execl("/bin/sh", "sh", "-c", ":", NULL);
	_exit(127);
}

/* Less than what is between two ticks. */
static void is_short(void)
{
	compute(MS);
}

static void run(const char *name, void (*what)(void))
{
	struct rusage used;
	pid_t pid = fork();

	if (pid == 0) {
		what();
		_exit(0);
	}
	/* until it has left its CPU */
	waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	pause_ms(5);
	wait4(pid, NULL, 0, &used);
	fprintf(truth,
		"{\"what\":\"%s\",\"pid\":%d,\"user_us\":%ld,\"system_us\":%ld,\"voluntary\":%ld,"
		"\"involuntary\":%ld,\"max_rss_kb\":%ld}\n",
		name, pid, used.ru_utime.tv_sec * 1000000 + used.ru_utime.tv_usec,
		used.ru_stime.tv_sec * 1000000 + used.ru_stime.tv_usec, used.ru_nvcsw,
		used.ru_nivcsw, used.ru_maxrss);
	fflush(truth);
}

int main(int argc, char **argv)
{
	if (argc < 2 || !(truth = fopen(argv[1], "w")))
		return 2;
	run("computes", computes);
	run("reads", reads);
	run("threads", threads);
	run("waits", waits);
	run("takes memory", takes_memory);
	run("executes", executes);
	for (int i = 0; i < SHORT_ONES; i++)
		run("short", is_short);
	fclose(truth);
	pause_ms(300); /* for the kernel to be done with them */
	return 0;
}
