/* SPDX-License-Identifier: MIT */
/*
 * What is used of CUPTI, from CUDA 11.6 (version 16) to 13: NVIDIA's headers are nothing that could be built against
 * everywhere. Records grow at their end from version to version, and CUPTI itself steps from one to the next: so a
 * struct here is the part that all versions have. tests/cuda/offsets.py compares it with the headers of a toolkit where
 * there is one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TD_CUPTI_VERSION_MIN 16

enum td_cupti_result {
	TD_CUPTI_SUCCESS = 0,
	TD_CUPTI_MAX_LIMIT_REACHED =
		12, /* no record is left in a buffer; CUDA 11: somebody is subscribed */
	TD_CUPTI_MULTIPLE_SUBSCRIBERS = 39,
	TD_CUPTI_UNKNOWN = 999,
};

/* CUpti_ActivityKind */
enum td_cupti_kind {
	TD_CUPTI_MEMCPY = 1,
	TD_CUPTI_MEMSET = 2,
	TD_CUPTI_DRIVER = 4,
	TD_CUPTI_RUNTIME = 5,
	TD_CUPTI_KERNEL = 10, /* 'concurrent': those that run beside others are not put in a row */
	TD_CUPTI_MEMCPY2 = 22, /* from device to device */
	TD_CUPTI_MEMORY = 49, /* 'memory 2': each allocation and release, from CUDA 11.2 on */
	TD_CUPTI_GRAPH = 51, /* each launch of a CUDA graph as a whole, from CUDA 11.7 on */
};

/* CUpti_ActivityMemoryOperationType */
#define TD_CUPTI_RELEASES 2

/* cudaError_t and CUresult */
#define TD_CUDA_OUT_OF_MEMORY 2
#define TD_CUDA_NOT_READY 600

#define TD_CUPTI_DOMAIN_DRIVER 1
#define TD_CUPTI_DOMAIN_RUNTIME 2
#define TD_CUPTI_FLUSH_FORCED 1
#define TD_CUPTI_THREAD_ID_SYSTEM 1 /* thread ids are those of the kernel */

struct td_cupti_kernel {
	uint32_t kind;
	uint8_t cache_and_memory[12];
	uint64_t start, end, completed;
	uint32_t device, context, stream;
	int32_t grid[3], block[3];
	int32_t static_shared, dynamic_shared;
	uint32_t local_per_thread, local_total;
	uint32_t correlation;
	int64_t grid_id;
	const char *name;
};
_Static_assert(offsetof(struct td_cupti_kernel, start) == 16, "as CUpti_ActivityKernel9");
_Static_assert(offsetof(struct td_cupti_kernel, device) == 40, "as CUpti_ActivityKernel9");
_Static_assert(offsetof(struct td_cupti_kernel, correlation) == 92, "as CUpti_ActivityKernel9");
_Static_assert(offsetof(struct td_cupti_kernel, name) == 104, "as CUpti_ActivityKernel9");

struct td_cupti_memcpy {
	uint32_t kind;
	uint8_t copy_kind, source_kind, destination_kind, flags;
	uint64_t bytes, start, end;
	uint32_t device, context, stream;
	uint32_t correlation;
};
_Static_assert(offsetof(struct td_cupti_memcpy, correlation) == 44, "as CUpti_ActivityMemcpy5");

struct td_cupti_memcpy2 {
	uint32_t kind;
	uint8_t copy_kind, source_kind, destination_kind, flags;
	uint64_t bytes, start, end;
	uint32_t device, context, stream;
	uint32_t from_device, from_context, to_device, to_context;
	uint32_t correlation;
};
_Static_assert(offsetof(struct td_cupti_memcpy2, correlation) == 60,
	       "as CUpti_ActivityMemcpyPtoP4");

struct td_cupti_memset {
	uint32_t kind;
	uint32_t value;
	uint64_t bytes, start, end;
	uint32_t device, context, stream;
	uint32_t correlation;
};
_Static_assert(offsetof(struct td_cupti_memset, correlation) == 44, "as CUpti_ActivityMemset4");

struct td_cupti_memory {
	uint32_t kind;
	uint32_t operation;
	uint32_t memory_kind;
	uint32_t correlation;
	uint64_t address, bytes, time, pc;
	uint32_t pid, device, context, stream;
};
_Static_assert(offsetof(struct td_cupti_memory, time) == 32, "as CUpti_ActivityMemory3");
_Static_assert(offsetof(struct td_cupti_memory, device) == 52, "as CUpti_ActivityMemory3");

struct td_cupti_graph {
	uint32_t kind;
	uint32_t correlation;
	uint64_t start, end;
	uint32_t device, graph, context, stream;
};
_Static_assert(offsetof(struct td_cupti_graph, graph) == 28, "as CUpti_ActivityGraphTrace");

struct td_cupti_api {
	uint32_t kind;
	uint32_t function; /* CUpti_CallbackId, of the domain that the kind says */
	uint64_t start, end;
	uint32_t pid, tid;
	uint32_t correlation;
	uint32_t result;
};
_Static_assert(sizeof(struct td_cupti_api) == 40, "as CUpti_ActivityAPI");

typedef void td_cupti_requested(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void td_cupti_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
				size_t valid);

/* The functions, under their names without 'cupti'. Those that older versions lack are NULL there. */
struct td_cupti {
	int (*GetVersion)(uint32_t *version);
	int (*Subscribe)(void **subscriber, void *callback, void *arg);
	int (*Unsubscribe)(void *subscriber);
	int (*ActivityRegisterCallbacks)(td_cupti_requested *requested,
					 td_cupti_completed *completed);
	int (*ActivityEnable)(uint32_t kind);
	int (*ActivityDisable)(uint32_t kind);
	int (*ActivityFlushAll)(uint32_t flags);
	int (*ActivityGetNextRecord)(uint8_t *buffer, size_t valid, void **record);
	int (*ActivityGetNumDroppedRecords)(void *context, uint32_t stream, size_t *dropped);
	int (*GetCallbackName)(uint32_t domain, uint32_t function, const char **name);
	int (*GetTimestamp)(uint64_t *ns);
	int (*SetThreadIdType)(uint32_t type); /* optional */
	int (*ActivityRegisterTimestampCallback)(uint64_t (*now)(void)); /* optional */
	/* one function of an API, by its CUpti_CallbackId, in place of all that a kind has; optional */
	int (*ActivityEnableRuntimeApi)(uint32_t function, uint8_t enable);
	int (*ActivityEnableDriverApi)(uint32_t function, uint8_t enable);
};

/* Finds CUPTI: wanted (NULL: none), what the process has loaded, beside its CUDA runtime, where toolkits have it. 0, or
 * -ENOENT or -ENOSYS with what is wrong in why. It stays loaded. */
int td_cupti_load(const char *wanted, struct td_cupti *ret, char *why, size_t size);

/* The function of the CUPTI that the process has loaded already; NULL: it has none. */
void *td_cupti_loaded_function(const char *name);
