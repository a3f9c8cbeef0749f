/* SPDX-License-Identifier: MIT */
/*
 * Asks a CUDA and an NCCL that do nothing (fake-cuda.c) for work, and prints what, as JSON that compare-cuda.py reads.
 *
 *     known-cuda TRUTH LAUNCHES     so many launches that take no time, with the CPU time that they took in all
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/collector/fake-cuda.h"

#define LONG_US 300000 /* longer than another one has the CPU meanwhile */

static unsigned long long now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (unsigned long long)t.tv_sec * 1000000000 + (unsigned long long)t.tv_nsec;
}

int main(int argc, char **argv)
{
	FILE *truth = argc > 2 ? fopen(argv[1], "w") : NULL;
	unsigned long n = truth ? strtoul(argv[2], NULL, 10) : 0;
	unsigned long long begin, end;
	struct fake_id id = { { 1 } };
	void *comm;
	uint64_t memory;

	if (!truth)
		return 2;
	begin = now_ns();
	for (unsigned long i = 0; i < n; i++)
		(void)fake_launch(0);
	end = now_ns();
	(void)fake_launch(LONG_US);
	(void)cuMemcpyHtoDAsync_v2(0, &memory, 12345, NULL);
	(void)cuMemsetD32Async(0, 0, 1000, NULL);
	(void)cuStreamSynchronize((void *)(uintptr_t)LONG_US);
	(void)cuMemAlloc_v2(&memory, 1 << 20);
	(void)cuMemAlloc_v2(&memory, (size_t)1 << 41);
	(void)ncclCommInitRank(&comm, 4, id, 3);
	(void)ncclAllReduce(NULL, NULL, 1000, FAKE_FLOAT16, 0, comm, NULL);
	(void)ncclReduce(NULL, NULL, 1000, FAKE_INT64, 0, 0, comm, NULL);
	(void)ncclAllReduce(NULL, NULL, 7, FAKE_FLOAT16, 0, &id,
			    NULL); /* of before: its rank is not known */
	fprintf(truth, "{\"pid\":%d,\"comm\":%llu,\"other\":%llu,\"loop_ns\":%llu}\n", getpid(),
		(unsigned long long)(uintptr_t)comm, (unsigned long long)(uintptr_t)&id,
		end - begin);
	fclose(truth);
	return 0;
}
