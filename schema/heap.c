/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/sanitized.h"
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

/* What is in front of each block. next: while it is free, at the place of what it holds. */
struct block {
	uint64_t size; /* bytes that it has room for, a multiple of 8; | POOLED */
	struct block *next;
};
#define HEAD offsetof(struct block, next)
#define POOLED UINT64_C(1)

/* Small blocks come from chunks that belong to one thread at a time and are kept. For the schema of
 * a file SQLite takes and frees tens of thousands of them, by malloc() a third of all instructions
 * of a short report. */
#define STEP 16
#if TD_SANITIZED
#define NSIZES 1 /* none: it is to see each block by itself */
#else
#define NSIZES 33 /* with their heads 16, 32 ... 512 bytes */
#endif
#define CHUNK_BYTES (256 * 1024) /* their pages come at once; one by one the kernel takes longer */
#define CHUNKS_MAX 32 /* of a pool; what is more comes from malloc() */

struct pool {
	struct pool *next; /* that has no thread */
	char *rest; /* of the last chunk */
	size_t nrest;
	unsigned nchunks;
	struct block *free[NSIZES];
};

static _Thread_local struct pool *mine;
static pthread_key_t key; /* whose destructor gives a thread's pool to those that come */
static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool *idle;

static void give_pool(void *pool)
{
	struct pool *p = pool;

	mine = NULL;
	pthread_mutex_lock(&idle_lock);
	p->next = idle;
	idle = p;
	pthread_mutex_unlock(&idle_lock);
}

/* Of this thread; NULL: there is no memory for one. */
static struct pool *take_pool(void)
{
	struct pool *p;

	pthread_mutex_lock(&idle_lock);
	p = idle;
	if (p)
		idle = p->next;
	pthread_mutex_unlock(&idle_lock);
	if (!p)
		p = calloc(1, sizeof(*p));
	if (p && pthread_setspecific(key, p) != 0) {
		give_pool(p);
		return NULL;
	}
	mine = p;
	return p;
}

static bool add_chunk(struct pool *p)
{
	char *chunk;

	if (p->nchunks == CHUNKS_MAX)
		return false;
	chunk = count(CHUNK_BYTES) ? mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)
				   : MAP_FAILED;
	if (chunk == MAP_FAILED) {
		(void)count(-CHUNK_BYTES);
		return false;
	}
	p->nchunks++;
	p->rest = chunk;
	p->nrest = CHUNK_BYTES;
	return true;
}

/* bytes: with its head, a multiple of STEP. NULL: the pool has none. */
static struct block *pool_block(size_t bytes)
{
	struct pool *p = mine ? mine : take_pool();
	struct block *b = p ? p->free[bytes / STEP] : NULL;

	if (b) {
		p->free[bytes / STEP] = b->next;
		return b;
	}
	if (!p || (p->nrest < bytes && !add_chunk(p)))
		return NULL;
	b = (struct block *)p->rest;
	p->rest += bytes;
	p->nrest -= bytes;
	b->size = (bytes - HEAD) | POOLED;
	return b;
}

static struct block *block_of(void *p)
{
	return (struct block *)((char *)p - HEAD);
}

static size_t size_of(void *p)
{
	return block_of(p)->size & ~POOLED;
}

static void heap_free(void *p)
{
	struct block *b = block_of(p);
	struct pool *pool = b->size & POOLED ? mine ? mine : take_pool() : NULL;

	if (pool) {
		struct block **head = &pool->free[(size_of(p) + HEAD) / STEP];

		b->next = *head;
		*head = b;
	} else if (!(b->size & POOLED)) {
		(void)count(-(long long)(b->size + HEAD));
		free(b);
	}
}

static int round_up(int n)
{
	return (n + 7) & ~7;
}

static void *heap_alloc(int n)
{
	size_t small = ((size_t)n + HEAD + STEP - 1) & ~(size_t)(STEP - 1);
	size_t bytes = (size_t)round_up(n) + HEAD;
	struct block *b = small / STEP < NSIZES ? pool_block(small) : NULL;

	if (b)
		return &b->next;
	b = count((long long)bytes) ? malloc(bytes) : NULL;
	if (!b) {
		(void)count(-(long long)bytes);
		return NULL;
	}
	b->size = bytes - HEAD;
	return &b->next;
}

/* What there was stays where there is no room. */
static void *heap_resize(void *p, int n)
{
	size_t before = size_of(p), size = (size_t)round_up(n);
	long long more = (long long)size - (long long)before;
	struct block *b;
	void *grown;

	if (block_of(p)->size & POOLED) {
		grown = size <= before ? p : heap_alloc(n);
		if (grown && grown != p) {
			memcpy(grown, p, before);
			heap_free(p);
		}
		return grown;
	}
	b = count(more) ? realloc(block_of(p), size + HEAD) : NULL;
	if (!b) {
		(void)count(-more);
		return NULL;
	}
	b->size = size;
	return &b->next;
}

static int heap_size(void *p)
{
	return (int)size_of(p);
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

	if (pthread_key_create(&key, give_pool) != 0 ||
	    sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK)
		return;
	max_bytes = (long long)max;
	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
