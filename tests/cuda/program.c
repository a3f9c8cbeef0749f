/* SPDX-License-Identifier: MIT */
/*
 * A program that 'uses CUDA' for cuda.py: it begins as libcuda does, by the library that
 * CUDA_INJECTION64_PATH names, and has the fake CUPTI tell of work that is the same each time, at
 * times that it prints: 'begin NS'. The argument says what else it does.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/cuda/cupti_abi.h"
#include "collector/cuda/flusher.h"
#include "tests/cuda/fake-cupti.h"

#define MS UINT64_C(1000000)

static int begin_cuda(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_NOW) : NULL;
	int (*begin)(void) = NULL;

	if (library)
		*(void **)&begin = dlsym(library, "InitializeInjection");
	return begin ? begin() : 0;
}

/* As if nobody needed the library any more, oftener than it was opened. */
static int close_library(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_NOW) : NULL;

	for (int i = 0; library && i < 5 && dlclose(library) == 0; i++)
		;
	return !library;
}

/* Two GPUs with a context each; the numbers are in cuda.py, too. */
static void work(uint64_t t)
{
	fake_call(1, t, 5000, (uint32_t)getpid(), 11, 0);
	fake_kernel("_Z4gemmPfi", t + 20000, 3000, 11, 0, 1);
	fake_call(2, t + 30000, 40000, (uint32_t)getpid(), 12, 0);
	fake_copy(t + 40000, 7000, 4096, 12);
	fake_set(t + 50000, 500, 64, 13);
	fake_kernel("relu", t + 60000, 1000, 14, 1, 2);
	fake_kernel("relu", t + 62000, 1100, 15, 1, 2);
	fake_call(3, t + 70000, 999, (uint32_t)getpid(), 17, 0); /* too short to be told */
	fake_call(3, t + 72000, 1000, (uint32_t)getpid(), 18, 700);
	fake_call(5, t + 75000, 2000, (uint32_t)getpid(), 19, 0); /* nobody asks for it */
}

#define KIND_DEVICE 3 /* CUpti_ActivityMemoryKind */
#define KIND_PINNED 2

/* Records that do not come in the order of their times, and calls that run out of memory. */
static void allocate(uint64_t t)
{
	fake_memory(t + 1000, 4096, KIND_DEVICE, 0);
	fake_memory(t + 5000, 1024, KIND_DEVICE, 1);
	fake_memory(t + 3000, 1024, KIND_DEVICE, 0);
	fake_memory(t + 4000, 512, KIND_PINNED, 0);
	fake_memory(t + 6000, 64, 1, 0); /* pageable: nobody asks */
	fake_call(4, t + 8000, 500, (uint32_t)getpid(), 31, TD_CUDA_OUT_OF_MEMORY);
	fake_driver_call(2, t + 9000, 300, (uint32_t)getpid(), 32, TD_CUDA_OUT_OF_MEMORY);
	fake_call(1, t + 10000, 500, (uint32_t)getpid(), 33, TD_CUDA_NOT_READY);
	fake_driver_call(1, t + 11000, 2000, (uint32_t)getpid(), 34, 0);
	fake_driver_call(3, t + 13000, 2000, (uint32_t)getpid(), 35, 0); /* the runtime's own */
	fake_driver_call(4, t + 15000, 2000, (uint32_t)getpid(), 36, 0);
	fake_graph(5, t + 16000, 700, 36);
	fake_driver_call(5, t + 18000, 2000, (uint32_t)getpid(), 37, 0);
}

static void theirs(uint8_t **buffer, size_t *size, size_t *max)
{
	static uint8_t bytes[4096];

	*buffer = bytes;
	*size = sizeof(bytes);
	*max = 0;
}

static unsigned taken;

static void take(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	(void)context;
	(void)stream;
	(void)buffer;
	(void)size;
	for (void *r = NULL; valid && cuptiActivityGetNextRecord(buffer, valid, &r) == 0;)
		taken += *(uint32_t *)r == TD_CUPTI_KERNEL;
}

static uint64_t their_clock(void)
{
	return 1;
}

/* A profiler of the program's own: it gets what comes after, and none of our buffers. */
static int profile(void)
{
	if (cuptiActivityRegisterTimestampCallback(their_clock) != 0 ||
	    cuptiActivityRegisterCallbacks(theirs, take) != 0 ||
	    cuptiActivityEnable(TD_CUPTI_KERNEL) != 0)
		return 1;
	fake_kernel("mine", fake_now(), 10, 1, 0, 1);
	(void)cuptiActivityFlushAll(0);
	printf("taken %u\n", taken);
	return 0;
}

/* The same of one that looks up what it calls, so that nobody is in front of CUPTI. */
static int profile_unseen(uint64_t t)
{
	void *library = dlopen("libcupti.so.12", RTLD_LAZY);
	int (*function)(td_cupti_requested *, td_cupti_completed *) = NULL;

	if (library)
		*(void **)&function = dlsym(library, "cuptiActivityRegisterCallbacks");
	if (!function)
		return 1;
	fake_kernel("lost", t + 95000, 10, 22, 0, 1);
	return function(theirs, take);
}

static int in_child(void)
{
	pid_t pid = fork();
	int status = 1;

	if (pid == 0)
		exit(0); /* with what was registered for the exit */
	(void)waitpid(pid, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "plain";
	uint64_t t;

	if (strcmp(what, "profile-first") == 0 && profile() != 0)
		return 1;
	(void)begin_cuda();
	if (strcmp(what, "close") == 0 && close_library() != 0)
		return 1;
	t = fake_now() - MS;
	printf("begin %llu\n", (unsigned long long)t);
	work(t);
	if (strcmp(what, "profile") != 0 &&
	    strcmp(what, "kill") != 0) /* whose work is still with CUPTI then */
		(void)cuptiActivityFlushAll(0);
	printf("taken-in-all %u\n", taken);
	if (strcmp(what, "fork") == 0 && in_child() != 0)
		return 1;
	if (strcmp(what, "profile") == 0 && profile() != 0)
		return 1;
	if (strcmp(what, "profile-unseen") == 0 && profile_unseen(t) != 0)
		return 1;
	if (strcmp(what, "memory") == 0)
		allocate(t);
	if (strcmp(what, "many") == 0)
		for (int i = 0; i < 400000; i++)
			fake_kernel("many", t + 100000 + (uint64_t)i, 1, 20, 0, 1);
	(void)fflush(stdout);
	if (strcmp(what, "kill") == 0) {
		(void)usleep(1000 * 4 * TD_FLUSH_MS);
		abort();
	}
	return 0;
}
