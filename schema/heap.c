/* SPDX-License-Identifier: MIT */
#include <malloc.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "schema/heap.h"

/* Threads count in places of their own, several of them in one where there are more. */
#define PLACES 16
#define CHECK_BITS 16 /* all places are added up when one has got past a multiple of 64 KiB */

struct place {
	_Alignas(64) atomic_llong bytes; /* less than 0 where one thread frees what another took */
};

static struct place places[PLACES];
static atomic_uint nthreads;
static long long max_bytes;

static struct place *place_of_thread(void)
{
	static _Thread_local unsigned number; /* from 1 */

	if (!number)
		number = 1 + atomic_fetch_add_explicit(&nthreads, 1, memory_order_relaxed) % PLACES;
	return &places[number - 1];
}

/* False: that would be too much. */
static int count(long long bytes)
{
	struct place *mine = place_of_thread();
	long long before = atomic_fetch_add_explicit(&mine->bytes, bytes, memory_order_relaxed),
		  all = 0;

	if (bytes <= 0 || before >> CHECK_BITS == (before + bytes) >> CHECK_BITS)
		return 1;
	for (size_t i = 0; i < PLACES; i++)
		all += atomic_load_explicit(&places[i].bytes, memory_order_relaxed);
	return all <= max_bytes;
}

static long long size_of(void *p)
{
	return (long long)malloc_usable_size(p);
}

static void heap_free(void *p)
{
	(void)count(-size_of(p));
	free(p);
}

static void *heap_alloc(int n)
{
	void *p = malloc((size_t)n);

	if (p && !count(size_of(p))) {
		heap_free(p);
		return NULL;
	}
	return p;
}

/* What there was stays where there is no room. */
static void *heap_resize(void *p, int n)
{
	long long more = n - size_of(p);
	void *grown = count(more) ? realloc(p, (size_t)n) : NULL;

	(void)count(grown ? size_of(grown) - n : -more);
	return grown;
}

static int heap_size(void *p)
{
	return (int)size_of(p);
}

static int round_up(int n)
{
	return (n + 7) & ~7;
}

static int begin(void *unused)
{
	(void)unused;
	return SQLITE_OK;
}

static void end(void *unused)
{
	(void)unused;
}

void td_sqlite_heap_use(size_t max)
{
	static const sqlite3_mem_methods methods = { .xMalloc = heap_alloc,
						     .xFree = heap_free,
						     .xRealloc = heap_resize,
						     .xSize = heap_size,
						     .xRoundup = round_up,
						     .xInit = begin,
						     .xShutdown = end };

	if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK)
		return;
	max_bytes = (long long)max;
	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
