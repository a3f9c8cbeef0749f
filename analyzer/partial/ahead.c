/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "analyzer/partial/ahead.h"
#include "common/parallel.h"
#include "common/sqlite_page.h"

#define FILES_AHEAD 16 /* of the one that was begun last */
/* Whose first pages have been asked for, and are needed next: so many that a disk that answers late is never idle. */
#define FILES_OPEN 16
/* Between pages of the schema lie those of tables that have few rows, or none, which are looked at, too. */
#define GAP_BYTES 131072
/* Of a file of which nothing is known: its schema, and tables that are small. */
#define FIRST_BYTES 524288
/* Between leaves of a table lie those of tables that are derived with it: a request for each leaf takes longer. */
#define LEAF_GAP_BYTES 16384

struct td_ahead {
	char *const *paths; /* borrowed */
	size_t npaths;
	struct td_db_places places;
	size_t first;
	uint8_t root[TD_PAGE_MAX]; /* the thread's */
	pthread_t thread;
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t changed;
	size_t unread; /* the first path that nobody has begun to read */
	bool stopped;
};

/* Is the byte there without waiting for a disk? A read that does not wait begins to bring what is not there, and where
 * the disk is quick has it at once; mincore(2) brings nothing, but says of files of others that all is there. */
static bool is_in_memory(int fd, int64_t at)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page, PROT_NONE, MAP_SHARED, fd, at - at % (int64_t)page);
	unsigned char is_there = 1;
	char byte;

	if (map != MAP_FAILED) {
		(void)mincore(map, page, &is_there);
		(void)munmap(map, page);
	}
	return is_there & 1 && preadv2(fd, &(struct iovec){ &byte, 1 }, 1, at, RWF_NOWAIT) == 1;
}

/* The descriptor; -1: there is nothing to ask for, as where what is there is in memory, and so most likely all of it. */
static int open_if_on_disk(const char *path, int64_t at)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 || !is_in_memory(fd, at))
		return fd;
	(void)close(fd);
	return -1;
}

void td_ahead_first(char *const *paths, size_t npaths)
{
	for (size_t i = 0; npaths > 1 && i < TD_MIN(npaths, (size_t)td_parallel_width()); i++) {
		int fd = open_if_on_disk(paths[i], 0);

		if (fd < 0)
			continue;
		(void)posix_fadvise(fd, 0, FIRST_BYTES, POSIX_FADV_WILLNEED);
		(void)close(fd);
	}
}

/* The descriptor; -1: there is nothing to ask for. */
static int ask_for_schema(const char *path, const struct td_db_places *p)
{
	int fd = open_if_on_disk(path, p->runs[p->nruns - 1].at);

	for (size_t i = 0, end = 0; i < p->nruns && fd >= 0; i = end) {
		int64_t begin = p->runs[i].at, after = begin + p->runs[i].n;

		for (end = i + 1; end < p->nruns && p->runs[end].at <= after + GAP_BYTES; end++)
			after = p->runs[end].at + p->runs[end].n;
		(void)posix_fadvise(fd, begin, after - begin, POSIX_FADV_WILLNEED);
	}
	return fd;
}

/* Pages from first to last of a file. */
static void ask_for_pages(int fd, uint32_t page_size, uint32_t first, uint32_t last)
{
	if (first > 0)
		(void)posix_fadvise(fd, (off_t)(first - 1) * page_size,
				    (off_t)(last - first + 1) * page_size, POSIX_FADV_WILLNEED);
}

/* Is child i of n of the root among the leaves that are read? In larger tables there are fewer children than leaves. */
static bool is_read(const struct td_leaves_read *r, unsigned i, unsigned n)
{
	return (!r->first && !r->last) || i < r->first || n - i <= r->last;
}

/* The leaves of a table that are read, whose root leads to them; in larger tables, what leads to them. */
static void ask_for_table(int fd, uint32_t page_size, const struct td_leaves_read *r,
			  const uint8_t *root)
{
	unsigned n = td_page_nchildren(root, page_size);
	uint32_t first = 0, last = 0;

	for (unsigned i = 0; i < n; i++) {
		uint32_t page = td_page_child(root, page_size, i, n);

		if (!is_read(r, i, n))
			continue;
		if (first && page > last && page - last - 1 <= LEAF_GAP_BYTES / page_size) {
			last = page;
			continue;
		}
		ask_for_pages(fd, page_size, first, last);
		first = last = page;
	}
	ask_for_pages(fd, page_size, first, last);
}

/* Waits for the roots. */
static void ask_for_tables(struct td_ahead *a, int fd)
{
	const struct td_db_places *p = &a->places;

	for (size_t i = 0; i < p->nroots; i++)
		if (pread(fd, a->root, p->page_size,
			  (off_t)(p->roots[i].root - 1) * p->page_size) == (ssize_t)p->page_size)
			ask_for_table(fd, p->page_size, &p->roots[i], a->root);
}

/* Waits until path i is to be asked for; returns that, or where files are read faster than they are asked for, the
 * first one that nobody has begun. As many as there are paths: it is over. */
static size_t wait_for(struct td_ahead *a, size_t i)
{
	size_t next;

	pthread_mutex_lock(&a->lock);
	while (!a->stopped && i >= a->unread + FILES_AHEAD)
		pthread_cond_wait(&a->changed, &a->lock);
	next = a->stopped ? a->npaths : TD_MAX(i, a->unread);
	pthread_mutex_unlock(&a->lock);
	return next;
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		(void)close(fd);
}

static void *run(void *arg)
{
	struct td_ahead *a = arg;
	int fds[FILES_OPEN];
	size_t from = a->first, until = from; /* those that are open */

	/* A process that closes a descriptor of a file loses its locks on it, those of SQLite among
	 * them: not so if the table of descriptors is another one. */
	if (unshare(CLONE_FILES) < 0)
		return NULL;
	for (size_t i = wait_for(a, from); i < a->npaths; i = wait_for(a, from)) {
		for (; from < TD_MIN(i, until); from++)
			close_if_open(fds[from % FILES_OPEN]);
		for (until = TD_MAX(until, i); until < TD_MIN(i + FILES_OPEN, a->npaths); until++)
			fds[until % FILES_OPEN] = ask_for_schema(a->paths[until], &a->places);
		if (fds[i % FILES_OPEN] >= 0)
			ask_for_tables(a, fds[i % FILES_OPEN]);
		close_if_open(fds[i % FILES_OPEN]);
		from = i + 1;
	}
	return NULL; /* what is open is closed with the table */
}

struct td_ahead *td_ahead_start(char *const *paths, size_t npaths, size_t next,
				const struct td_db_places *places)
{
	struct td_ahead *a = places->nruns ? calloc(1, sizeof(*a)) : NULL;

	if (!a)
		return NULL;
	a->paths = paths;
	a->npaths = npaths;
	a->places = *places;
	a->first = a->unread = next;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	if (pthread_create(&a->thread, NULL, run, a) == 0)
		return a;
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	free(a);
	return NULL;
}

void td_ahead_reached(struct td_ahead *a, size_t i)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->unread = TD_MAX(a->unread, i + 1);
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

void td_ahead_stop(struct td_ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stopped = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	(void)pthread_join(a->thread, NULL);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	free(a);
}
