/* SPDX-License-Identifier: MIT */
/*
 * Processes that have page faults, as many as they make, and what the kernel says of each of them when it has ended
 * (wait4), as lines of JSON that compare-faults.py reads.
 *
 *     known-faults TRUTH DIR
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define PAGES 2000
#define THREADS 3

static FILE *truth;
static const char *dir;

static char *fresh(size_t pages)
{
	char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	if (p == MAP_FAILED)
		_exit(1);
	madvise(p, pages * PAGE, MADV_NOHUGEPAGE);
	return p;
}

/* One fault for each page. */
static void touch(volatile char *p, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		p[i * PAGE] = 1;
}

static void pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* --- the processes --- */

static void touches(void)
{
	touch(fresh(PAGES), PAGES);
}

/* In stretches that are more than a second apart. */
static void pauses(void)
{
	touch(fresh(PAGES), PAGES);
	pause_ms(1200);
	touch(fresh(2 * PAGES), 2 * PAGES);
}

/* The pages are touched by the kernel, in a call. */
static void reads(void)
{
	char *p = fresh(PAGES);
	int fd = open("/dev/zero", O_RDONLY);

	if (fd < 0 || read(fd, p, (size_t)PAGES * PAGE) != (ssize_t)PAGES * PAGE)
		_exit(1);
}

static void *thread(void *arg)
{
	touch(arg, PAGES);
	return NULL;
}

static void threads(void)
{
	pthread_t t[THREADS];

	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, thread, fresh(PAGES));
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

/* Pages of a file that have to be read from the disk, if there is one. */
static void from_disk(void)
{
	char path[512], *p = fresh(PAGES);
	size_t size = (size_t)PAGES * PAGE;
	volatile char sum = 0;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/mapped", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || write(fd, p, size) != (ssize_t)size || fsync(fd) < 0)
		_exit(1);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		_exit(1);
	madvise(p, size, MADV_RANDOM);
	for (size_t i = 0; i < PAGES; i++)
		sum += p[i * PAGE];
	(void)sum;
	unlink(path);
}

static void killed(void)
{
	touch(fresh(PAGES), PAGES);
	raise(SIGKILL);
}

static void run(const char *name, void (*what)(void), long at_least)
{
	struct rusage used;
	pid_t pid = fork();

	if (pid == 0) {
		what();
		_exit(0);
	}
	wait4(pid, NULL, 0, &used);
	fprintf(truth, "{\"what\":\"%s\",\"pid\":%d,\"minor\":%ld,\"major\":%ld,\"least\":%ld}\n",
		name, pid, used.ru_minflt, used.ru_majflt, at_least);
}

int main(int argc, char **argv)
{
	if (argc < 3 || !(truth = fopen(argv[1], "w")))
		return 2;
	dir = argv[2];
	run("touches", touches, PAGES);
	run("pauses", pauses, 3 * PAGES);
	run("reads", reads, PAGES);
	run("threads", threads, THREADS * PAGES);
	run("from disk", from_disk, PAGES);
	run("killed", killed, PAGES);
	fclose(truth);
	return 0;
}
