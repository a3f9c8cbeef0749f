/* SPDX-License-Identifier: MIT */
/*
 * Asks for memory N times in each way, and prints what for, as JSON that compare-malloc.py reads.
 * Others ask, too (the C library, the dynamic linker): what counts is the difference that N makes.
 *
 *     known-malloc TRUTH N
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* so that the compiler does not know what these do, and leaves them as they are */
static void *(*volatile do_malloc)(size_t) = malloc;
static void *(*volatile do_calloc)(size_t, size_t) = calloc;
static void *(*volatile do_realloc)(void *, size_t) = realloc;
static void *(*volatile do_memalign)(size_t, size_t) = memalign;
static void *(*volatile do_aligned_alloc)(size_t, size_t) = aligned_alloc;
static int (*volatile do_posix_memalign)(void **, size_t, size_t) = posix_memalign;
static void (*volatile do_free)(void *) = free;

static void ask(size_t i)
{
	void *p = NULL;

	do_free(do_malloc(i));
	do_free(do_malloc(100000));
	do_free(do_calloc(10, 30));
	p = do_realloc(NULL, 64); /* which is malloc(64) */
	p = do_realloc(p, 5000);
	do_free(p);
	do_free(do_memalign(64, 1000));
	do_free(do_aligned_alloc(64, 2048));
	if (do_posix_memalign(&p, 64, 4096) == 0)
		do_free(p);
	do_free(NULL); /* nothing is freed */
}

int main(int argc, char **argv)
{
	FILE *truth = argc > 2 ? fopen(argv[1], "w") : NULL;
	size_t n = truth ? strtoul(argv[2], NULL, 10) : 0;

	if (!truth)
		return 2;
	for (size_t i = 0; i < n; i++)
		ask(i);
	/* calls and bytes in all; aligned_alloc() may be another name for memalign() */
	fprintf(truth,
		"{\"pid\":%d,\"malloc\":[%zu,%zu],\"calloc\":[%zu,%zu],\"realloc\":[%zu,%zu],"
		"\"aligned\":[%zu,%zu],\"posix_memalign\":[%zu,%zu],\"free\":[%zu,0]}\n",
		getpid(), 3 * n, n * (n - 1) / 2 * (n > 0) + n * 100064, n, n * 300, n, n * 5000,
		2 * n, n * 3048, n, n * 4096, 7 * n);
	fclose(truth);
	return 0;
}
