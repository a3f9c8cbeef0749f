/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>

#include "schema/heap.h"
#include "tests/unit/check.h"

#define MIB (1 << 20)
#define LIMIT (64 * MIB)

static void test_limit(void)
{
	char *half = sqlite3_malloc(LIMIT / 2), *grown;

	TD_CASE("no more than the limit");
	TD_CHECK(half != NULL);
	TD_CHECK(!sqlite3_malloc(LIMIT / 2 + MIB));
	half[0] = half[LIMIT / 2 - 1] = 'x';
	TD_CHECK(!sqlite3_realloc(half, LIMIT + MIB));
	TD_CHECK(half[0] == 'x' && half[LIMIT / 2 - 1] == 'x'); /* what there was stays */
	grown = sqlite3_realloc(half, LIMIT - 4 * MIB);
	TD_CHECK(grown != NULL);
	TD_CHECK(!sqlite3_malloc(5 * MIB));
	grown = sqlite3_realloc(grown, MIB);
	TD_CHECK(grown && grown[0] == 'x');
	sqlite3_free(grown);
}

/* Small ones, too: 1000 bytes at a time there is room for 67,108 of them, less what the allocator
 * keeps and 256 KiB for each thread. */
static void test_small(void)
{
	enum { MOST = LIMIT / 1000 };
	static void *blocks[MOST + 1];
	int n = 0;

	TD_CASE("small blocks add up");
	while (n <= MOST && (blocks[n] = sqlite3_malloc(1000)))
		n++;
	TD_CHECK(n <= MOST);
	TD_CHECK(n > MOST * 95 / 100);
	while (n > 0)
		sqlite3_free(blocks[--n]);
}

/* Around the sizes up to which blocks come from a thread's own chunks, 504 bytes and 8 less for each step of 16. */
#define SIZES 1100

static bool is_full_of(const unsigned char *p, size_t n, unsigned char what)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != what)
			return false;
	return true;
}

static void test_apart(void)
{
	static unsigned char *blocks[SIZES];
	bool same = true;

	TD_CASE("blocks of all sizes keep what they hold, also while they grow and shrink");
	for (size_t n = 1; n < SIZES; n++) {
		blocks[n] = sqlite3_malloc((int)n);
		memset(blocks[n], (int)(n & 0xff), n);
	}
	for (size_t n = 1; n < SIZES; n++) {
		same = same && (uintptr_t)blocks[n] % 8 == 0;
		same = same && sqlite3_msize(blocks[n]) >= n && sqlite3_msize(blocks[n]) < n + 24;
		blocks[n] = sqlite3_realloc(blocks[n], (int)(2 * n));
		same = same && is_full_of(blocks[n], n, n & 0xff);
		memset(blocks[n], (int)(n & 0xff), 2 * n);
	}
	for (size_t n = 1; n < SIZES; n++) {
		same = same && is_full_of(blocks[n], 2 * n, n & 0xff);
		blocks[n] = sqlite3_realloc(blocks[n], (int)(n + 1) / 2);
		same = same && is_full_of(blocks[n], (n + 1) / 2, n & 0xff);
	}
	TD_CHECK(same);
	for (size_t n = 1; n < SIZES; n++)
		sqlite3_free(blocks[n]);
}

#define NTHREADS 8
#define PAIRS 10000
static void *slots[NTHREADS][64];

/* What one thread takes the next one frees, so that all of them count in wrong places. */
static void *take(void *arg)
{
	void **mine = arg;

	for (size_t i = 0; i < 64; i++)
		mine[i] = sqlite3_malloc(100000);
	return NULL;
}

static void *take_and_free(void *arg)
{
	(void)arg;
	for (int i = 0; i < PAIRS; i++)
		sqlite3_free(sqlite3_malloc(i % 3000 + 1));
	return NULL;
}

static void in_threads(void *(*what)(void *arg))
{
	pthread_t threads[NTHREADS];

	for (size_t t = 0; t < NTHREADS; t++)
		TD_CHECK_INT(pthread_create(&threads[t], NULL, what, slots[t]), 0);
	for (size_t t = 0; t < NTHREADS; t++)
		(void)pthread_join(threads[t], NULL);
}

static void test_threads(void)
{
	void *all;

	TD_CASE("nothing is lost between threads");
	for (int round = 0; round < 10; round++) {
		in_threads(take); /* 51 MB */
		TD_CHECK(!sqlite3_malloc(LIMIT / 2));
		for (size_t t = 0; t < NTHREADS; t++)
			for (size_t i = 0; i < 64; i++)
				sqlite3_free(slots[t][i]);
	}
	/* Who comes takes over what who went has kept: 20 MiB, were each to begin anew. */
	for (int round = 0; round < 10; round++)
		in_threads(take_and_free);
	/* Chunks stay, 256 KiB of each thread and up to 1 MiB of this one. */
	all = sqlite3_malloc(LIMIT - 4 * MIB);
	TD_CHECK(all != NULL);
	sqlite3_free(all);
}

int main(void)
{
	td_sqlite_heap_use(LIMIT);
	test_limit();
	test_apart();
	test_small();
	test_threads();
	return td_check_result();
}
