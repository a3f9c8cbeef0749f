/* SPDX-License-Identifier: MIT */
/*
 * Makes a thread wait, requests to a disk and cold reads whose numbers it knows, and prints one line of JSON for
 * each of them: known-system DIR. What DIR's file system cannot do is left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHUNK 65536
#define NCHUNKS 16
#define NSLEEPS 5
#define SLEEP_NS 20000000

static long now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

#define AT_ONCE_NS 20000 /* readings of two clocks are of the same moment */

/* How often this thread left the CPU and how long it ran, at a time between two equal answers; the machine may be
 * taken away between any two of them, by interrupts or by another guest. */
static long switches(long *ret_now_ns, long *ret_cpu_ns)
{
	struct rusage a, b;
	long late_ns;

	do {
		getrusage(RUSAGE_THREAD, &a);
		*ret_now_ns = now_ns(CLOCK_BOOTTIME);
		*ret_cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
		late_ns = now_ns(CLOCK_BOOTTIME) - *ret_now_ns;
		getrusage(RUSAGE_THREAD, &b);
	} while (late_ns > AT_ONCE_NS || a.ru_nvcsw + a.ru_nivcsw != b.ru_nvcsw + b.ru_nivcsw);
	return b.ru_nvcsw + b.ru_nivcsw;
}

static void known_sleeps(void)
{
	struct timespec t = { 0, SLEEP_NS };
	long from, to, cpu, cpu_end, n = switches(&from, &cpu);
	volatile unsigned x = 0;

	for (int i = 0; i < NSLEEPS; i++) {
		syscall(SYS_nanosleep, &t, NULL);
		while (x % 3000000 != 2999999)
			x++;
		x++;
	}
	n = switches(&to, &cpu_end) - n;
	printf("{\"what\":\"sched\",\"tid\":%ld,\"from\":%ld,\"to\":%ld,\"switches\":%ld,\"cpu_"
	       "ns\":%ld,"
	       "\"sleeps\":%d,\"sleep_ns\":%d}\n",
	       syscall(SYS_gettid), from, to, n, cpu_end - cpu, NSLEEPS, SLEEP_NS);
}

static void known_requests(const char *path, char *buf)
{
	int fd = open(path, O_RDWR | O_CREAT | O_DIRECT, 0600);
	struct stat st;
	long from;

	/* so that nothing but data is to be written below */
	if (fd < 0 || fallocate(fd, 0, 0, (off_t)NCHUNKS * CHUNK) < 0 || fsync(fd) < 0)
		return;
	from = now_ns(CLOCK_BOOTTIME);
	for (int i = 0; i < NCHUNKS; i++)
		if (pwrite(fd, buf, CHUNK, (off_t)i * CHUNK) != CHUNK)
			return;
	for (int i = 0; i < NCHUNKS; i++)
		if (pread(fd, buf, CHUNK, (off_t)i * CHUNK) != CHUNK)
			return;
	fstat(fd, &st);
	printf("{\"what\":\"block\",\"tid\":%ld,\"from\":%ld,\"to\":%ld,\"bytes\":%d,\"dev\":%u}\n",
	       syscall(SYS_gettid), from, now_ns(CLOCK_BOOTTIME), NCHUNKS * CHUNK,
	       major(st.st_dev) << 20 | minor(st.st_dev));
	close(fd);
}

/* Every page is read once from the disk and once from memory. */
static void known_cold_reads(const char *path, char *buf)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	unsigned char cold[NCHUNKS * CHUNK / 4096];
	void *map;

	if (fd < 0)
		return;
	for (int i = 0; i < NCHUNKS; i++)
		if (pwrite(fd, buf, CHUNK, (off_t)i * CHUNK) != CHUNK)
			return;
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	map = mmap(NULL, sizeof(cold) * 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED || mincore(map, sizeof(cold) * 4096, cold) < 0)
		return;
	for (size_t i = 0; i < sizeof(cold); i++)
		if (cold[i] & 1)
			return; /* as on tmpfs */
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < NCHUNKS; i++)
			if (pread(fd, buf, CHUNK, (off_t)i * CHUNK) != CHUNK)
				return;
	printf("{\"what\":\"cold\",\"path\":\"%s\",\"pages\":%zu}\n", path, sizeof(cold));
	close(fd);
}

int main(int argc, char **argv)
{
	char path[512], *buf = aligned_alloc(4096, CHUNK);

	if (argc != 2 || !buf)
		return 2;
	memset(buf, 'x', CHUNK);
	known_sleeps();
	(void)snprintf(path, sizeof(path), "%s/direct", argv[1]);
	known_requests(path, buf);
	(void)snprintf(path, sizeof(path), "%s/cold", argv[1]);
	known_cold_reads(path, buf);
	free(buf);
	return 0;
}
