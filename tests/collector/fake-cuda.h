/* SPDX-License-Identifier: MIT */
/* What fake-cuda.c has of CUDA and NCCL, with their prototypes: an argument that nothing looks at
 * says how many us to wait. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FAKE_OUT_OF_MEMORY 2
#define FAKE_FLOAT16 6 /* ncclDataType_t */
#define FAKE_INT64 4

struct fake_id {
	char bytes[128]; /* ncclUniqueId, which is passed as it is */
};

int cuLaunchKernel(void *f, unsigned wait, unsigned gy, unsigned gz, unsigned bx, unsigned by,
		   unsigned bz, unsigned shared, void *stream, void **args, void **extra);
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream);
int cuMemsetD32Async(uint64_t to, unsigned value, size_t n, void *stream);
int cuStreamSynchronize(void *wait);
int cuMemAlloc_v2(uint64_t *ret, size_t bytes);

int ncclCommInitRank(void **ret, int nranks, struct fake_id id, int rank);
int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, void *comm,
		  void *stream);
int ncclReduce(const void *from, void *to, size_t count, int type, int op, int root, void *comm,
	       void *stream);

/* NCCL launches kernels itself. */
static inline int fake_launch(unsigned wait)
{
	return cuLaunchKernel(NULL, wait, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}
