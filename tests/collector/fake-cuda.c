/* SPDX-License-Identifier: MIT */
/*
 * libcuda and libnccl for known-cuda.c, of functions that do nothing, or wait: built once as each,
 * which has what its name says. The argument that says how long to wait is one that uprobes do not
 * look at.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "tests/collector/fake-cuda.h"

#define EXPORT __attribute__((visibility("default"), noinline))

#ifndef FAKE_NCCL

static int wait_us(unsigned us)
{
	struct timespec t = { .tv_nsec = (long)us * 1000 };

	while (us && nanosleep(&t, &t) < 0 && errno == EINTR)
		;
	return 0;
}

EXPORT int cuLaunchKernel(void *f, unsigned wait, unsigned gy, unsigned gz, unsigned bx,
			  unsigned by, unsigned bz, unsigned shared, void *stream, void **args,
			  void **extra)
{
	return wait_us(wait);
}

EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream)
{
	return 0;
}

EXPORT int cuMemsetD32Async(uint64_t to, unsigned value, size_t n, void *stream)
{
	return 0;
}

EXPORT int cuStreamSynchronize(void *wait)
{
	return wait_us((unsigned)(uintptr_t)wait);
}

EXPORT int cuMemAlloc_v2(uint64_t *ret, size_t bytes)
{
	*ret = 4096;
	return bytes > (size_t)1 << 40 ? FAKE_OUT_OF_MEMORY : 0;
}

#else

EXPORT int ncclCommInitRank(void **ret, int nranks, struct fake_id id, int rank)
{
	*ret = malloc((size_t)nranks);
	return 0;
}

EXPORT int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, void *comm,
			 void *stream)
{
	return fake_launch(0);
}

EXPORT int ncclReduce(const void *from, void *to, size_t count, int type, int op, int root,
		      void *comm, void *stream)
{
	return 0;
}

#endif
