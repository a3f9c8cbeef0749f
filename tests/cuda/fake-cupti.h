/* SPDX-License-Identifier: MIT */
/* What a program can have the fake CUPTI tell its client. Times are of fake_now(). */
#pragma once

#include "collector/cuda/cupti_abi.h"

uint64_t fake_now(void);
void fake_kernel(const char *name, uint64_t start, uint64_t dur, uint32_t correlation,
		 uint32_t device, uint32_t context);
void fake_copy(uint64_t start, uint64_t dur, uint64_t bytes, uint32_t correlation);
void fake_set(uint64_t start, uint64_t dur, uint64_t bytes, uint32_t correlation);
void fake_graph(uint32_t graph, uint64_t start, uint64_t dur, uint32_t correlation);
void fake_memory(uint64_t time, uint64_t bytes, uint32_t memory_kind, int is_release);
/* function: 1 cuLaunchKernel, 2 cuMemCreate, 3 cuCtxGetDevice, 4 cuGraphLaunch, 5 cuStreamSynchronize */
void fake_driver_call(uint32_t function, uint64_t start, uint64_t dur, uint32_t tid,
		      uint32_t correlation, uint32_t result);
/* function: 1 cudaLaunchKernel, 2 cudaMemcpy, 3 cudaGraphLaunch, 4 cudaMalloc, 5 cudaGetLastError */
void fake_call(uint32_t function, uint64_t start, uint64_t dur, uint32_t tid, uint32_t correlation,
	       uint32_t result);

/* What a client calls. */
int cuptiGetVersion(uint32_t *version);
int cuptiSubscribe(void **subscriber, void *callback, void *arg);
int cuptiUnsubscribe(void *subscriber);
int cuptiActivityRegisterCallbacks(td_cupti_requested *requested, td_cupti_completed *completed);
int cuptiActivityEnable(uint32_t kind);
int cuptiActivityDisable(uint32_t kind);
int cuptiActivityFlushAll(uint32_t flags);
int cuptiActivityGetNextRecord(uint8_t *p, size_t valid, void **record);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped);
int cuptiGetCallbackName(uint32_t domain, uint32_t function, const char **name);
int cuptiGetTimestamp(uint64_t *ns);
int cuptiActivityRegisterTimestampCallback(uint64_t (*now)(void));
