/* SPDX-License-Identifier: MIT */
/*
 * A CUPTI without a GPU: 'launches' become activity records of the layouts of CUDA 12, in buffers
 * as the client hands them out, on its clock. $FAKE_CUPTI says what it is like: 'old' (CUDA 11.5),
 * 'taken' (somebody is subscribed), 'broken' (it does not work here), 'own-clock' (none can be
 * registered, and its own is a second ahead of CLOCK_BOOTTIME), 'all-calls' (no functions of the
 * APIs can be chosen). $FAKE_CUPTI_VERSION is what it says to be; FAKE_OLD is built as that of CUDA
 * 11.6:
 * without what came later; FAKE_LACKS as one that lacks a function. What is in a buffer stays here
 * until it is full or somebody asks, as with the real one.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/cuda/cupti_abi.h"
#include "tests/cuda/fake-cupti.h"

#define EXPORT __attribute__((visibility("default")))
#define AHEAD_NS 1000000000
#define FUNCTIONS 6 /* of each API, the first of which is none */

static pthread_mutex_t lock; /* of the buffer; recursive */

__attribute__((constructor)) static void begin(void)
{
	pthread_mutexattr_t recursive;

	(void)pthread_mutexattr_init(&recursive);
	(void)pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	(void)pthread_mutex_init(&lock, &recursive);
	(void)pthread_mutexattr_destroy(&recursive);
}

static td_cupti_requested *request;
static td_cupti_completed *complete;
static uint64_t (*clock_of_client)(void);
static uint8_t *buffer;
static size_t size, used;
static uint32_t enabled[64];
static uint8_t enabled_functions[64][FUNCTIONS]; /* by kind */

static int is(const char *what)
{
	const char *mode = getenv("FAKE_CUPTI");

	return mode && strcmp(mode, what) == 0;
}

/* 16 to 18: CUDA 11.6 to 11.8; 24: 12.6; 130000: 13.0 */
static uint32_t version(void)
{
	const char *text = getenv("FAKE_CUPTI_VERSION");

	return text ? (uint32_t)strtoul(text, NULL, 10) : 24;
}

static size_t size_of(uint32_t kind)
{
	switch (kind) {
	case TD_CUPTI_KERNEL: /* they grow from version to version */
		return version() < 18 ? 184 : version() < 130000 ? 208 : 232;
	case TD_CUPTI_MEMCPY:
	case TD_CUPTI_MEMSET:
		return 88;
	case TD_CUPTI_MEMORY:
		return 136;
	case TD_CUPTI_GRAPH:
		return 56;
	default:
		return 40; /* calls */
	}
}

EXPORT int cuptiActivityFlushAll(uint32_t flags)
{
	(void)flags;
	(void)pthread_mutex_lock(&lock);
	if (buffer)
		complete(NULL, 0, buffer, size, used);
	buffer = NULL;
	(void)pthread_mutex_unlock(&lock);
	return 0;
}

static int is_enabled(const void *record)
{
	const struct td_cupti_api *r = record;
	int is_call = r->kind == TD_CUPTI_RUNTIME || r->kind == TD_CUPTI_DRIVER;

	return enabled[r->kind] || (is_call && enabled_functions[r->kind][r->function]);
}

static void add(const void *record, size_t len)
{
	uint32_t kind = *(const uint32_t *)record;
	size_t whole = size_of(kind);

	if (!request || !is_enabled(record))
		return;
	(void)pthread_mutex_lock(&lock);
	if (buffer && size - used < whole)
		(void)cuptiActivityFlushAll(0);
	if (!buffer) {
		size_t max;

		request(&buffer, &size, &max);
		used = 0;
	}
	memset(buffer + used, 0x5a, whole); /* what the client does not know is not zero */
	memcpy(buffer + used, record, len);
	used += whole;
	(void)pthread_mutex_unlock(&lock);
}

EXPORT uint64_t fake_now(void)
{
	struct timespec t;

	if (clock_of_client)
		return clock_of_client();
	(void)clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec + AHEAD_NS;
}

EXPORT void fake_kernel(const char *name, uint64_t start, uint64_t dur, uint32_t correlation,
			uint32_t device, uint32_t context)
{
	struct td_cupti_kernel k = { .kind = TD_CUPTI_KERNEL,
				     .start = start,
				     .end = start + dur,
				     .device = device,
				     .context = context,
				     .stream = 7,
				     .correlation = correlation,
				     .name = name };

	add(&k, sizeof(k));
}

EXPORT void fake_copy(uint64_t start, uint64_t dur, uint64_t bytes, uint32_t correlation)
{
	struct td_cupti_memcpy c = { .kind = TD_CUPTI_MEMCPY,
				     .copy_kind = 1,
				     .bytes = bytes,
				     .start = start,
				     .end = start + dur,
				     .context = 1,
				     .stream = 7,
				     .correlation = correlation };

	add(&c, sizeof(c));
}

EXPORT void fake_set(uint64_t start, uint64_t dur, uint64_t bytes, uint32_t correlation)
{
	struct td_cupti_memset c = { .kind = TD_CUPTI_MEMSET,
				     .bytes = bytes,
				     .start = start,
				     .end = start + dur,
				     .context = 1,
				     .stream = 7,
				     .correlation = correlation };

	add(&c, sizeof(c));
}

EXPORT void fake_graph(uint32_t graph, uint64_t start, uint64_t dur, uint32_t correlation)
{
	struct td_cupti_graph g = { .kind = TD_CUPTI_GRAPH,
				    .correlation = correlation,
				    .start = start,
				    .end = start + dur,
				    .graph = graph,
				    .context = 1,
				    .stream = 7 };

	add(&g, sizeof(g));
}

EXPORT void fake_memory(uint64_t time, uint64_t bytes, uint32_t memory_kind, int is_release)
{
	struct td_cupti_memory m = { .kind = TD_CUPTI_MEMORY,
				     .operation = is_release ? TD_CUPTI_RELEASES : 1,
				     .memory_kind = memory_kind,
				     .bytes = bytes,
				     .time = time };

	add(&m, sizeof(m));
}

EXPORT void fake_driver_call(uint32_t function, uint64_t start, uint64_t dur, uint32_t tid,
			     uint32_t correlation, uint32_t result)
{
	struct td_cupti_api c = { .kind = TD_CUPTI_DRIVER,
				  .function = function,
				  .start = start,
				  .end = start + dur,
				  .tid = tid,
				  .correlation = correlation,
				  .result = result };

	add(&c, sizeof(c));
}

EXPORT void fake_call(uint32_t function, uint64_t start, uint64_t dur, uint32_t tid,
		      uint32_t correlation, uint32_t result)
{
	struct td_cupti_api c = { .kind = TD_CUPTI_RUNTIME,
				  .function = function,
				  .start = start,
				  .end = start + dur,
				  .tid = tid,
				  .correlation = correlation,
				  .result = result };

	add(&c, sizeof(c));
}

/* --- what a client calls --- */

EXPORT int cuptiGetVersion(uint32_t *ret)
{
	*ret = is("old") ? 15 : version();
	return 0;
}

EXPORT int cuptiSubscribe(void **subscriber, void *callback, void *arg)
{
	(void)callback;
	(void)arg;
	*subscriber = enabled;
	if (is("broken"))
		return 15; /* CUPTI_ERROR_NOT_INITIALIZED: it finds no driver */
	return is("taken") ? TD_CUPTI_MULTIPLE_SUBSCRIBERS : 0;
}

EXPORT int cuptiUnsubscribe(void *subscriber)
{
	return subscriber == enabled ? 0 : 1;
}

EXPORT int cuptiActivityRegisterCallbacks(td_cupti_requested *requested,
					  td_cupti_completed *completed)
{
	request = requested;
	complete = completed;
	return 0;
}

EXPORT int cuptiActivityEnable(uint32_t kind)
{
	if (kind >= 64 || (kind == TD_CUPTI_GRAPH && version() < 17))
		return 21; /* CUPTI_ERROR_INVALID_KIND */
	enabled[kind] = 1;
	return 0;
}

EXPORT int cuptiActivityDisable(uint32_t kind)
{
	return kind < 64 ? (int)(enabled[kind] = 0) : 21;
}

EXPORT int cuptiActivityGetNextRecord(uint8_t *p, size_t valid, void **record)
{
	uint8_t *at = *record;

	at = at ? at + size_of(*(uint32_t *)at) : p;
	if (at >= p + valid)
		return TD_CUPTI_MAX_LIMIT_REACHED;
	*record = at;
	return 0;
}

EXPORT int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped)
{
	(void)context;
	(void)stream;
	*dropped = 0;
	return 0;
}

EXPORT int cuptiGetCallbackName(uint32_t domain, uint32_t function, const char **name)
{
	static const char *const names[][FUNCTIONS] = {
		[TD_CUPTI_DOMAIN_DRIVER] = { NULL, "cuLaunchKernel", "cuMemCreate",
					     "cuCtxGetDevice", "cuGraphLaunch",
					     "cuStreamSynchronize" },
		[TD_CUPTI_DOMAIN_RUNTIME] = { NULL, "cudaLaunchKernel_v7000", "cudaMemcpy_v3020",
					      "cudaGraphLaunch_v10000", "cudaMalloc_v3020",
					      "cudaGetLastError_v3020" },
	};

	if (domain > TD_CUPTI_DOMAIN_RUNTIME || function == 0 || function >= FUNCTIONS)
		return 1;
	*name = names[domain][function];
	return 0;
}

#ifndef FAKE_LACKS
EXPORT int cuptiGetTimestamp(uint64_t *ns)
{
	*ns = fake_now();
	return 0;
}
#endif

#ifndef FAKE_OLD
static int enable_function(uint32_t kind, uint32_t function, uint8_t enable)
{
	if (is("all-calls"))
		return 1;
	enabled_functions[kind][function] = enable;
	return 0;
}

EXPORT int cuptiActivityEnableRuntimeApi(uint32_t function, uint8_t enable);
EXPORT int cuptiActivityEnableRuntimeApi(uint32_t function, uint8_t enable)
{
	return enable_function(TD_CUPTI_RUNTIME, function, enable);
}

EXPORT int cuptiActivityEnableDriverApi(uint32_t function, uint8_t enable);
EXPORT int cuptiActivityEnableDriverApi(uint32_t function, uint8_t enable)
{
	return enable_function(TD_CUPTI_DRIVER, function, enable);
}

/* As CUDA 13's: what is in the buffer has no times any more. */
static void spoil_times(void)
{
	for (size_t at = 0; buffer && at < used; at += size_of(*(uint32_t *)(buffer + at)))
		if (*(uint32_t *)(buffer + at) == TD_CUPTI_KERNEL)
			memset(buffer + at + offsetof(struct td_cupti_kernel, start), 0, 16);
}

EXPORT int cuptiActivityRegisterTimestampCallback(uint64_t (*now)(void))
{
	if (is("own-clock"))
		return 1;
	spoil_times();
	clock_of_client = now;
	return 0;
}
#endif
