/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The functions of the CUDA driver and of NCCL that are hooked by uprobes, with what their
 * arguments mean after cuda.h and nccl.h. Also compiled into the BPF object; collector/sets/cuda.c
 * knows their names.
 */
#pragma once

#include "collector/bpf/libc.h"

enum td_cuda_what {
	TD_CUDA_LAUNCH, /* only counted, unless it takes long */
	TD_CUDA_WORK, /* copies, waits, allocates */
	TD_NCCL_COLLECTIVE,
	TD_NCCL_GROUP, /* where the collectives begun in it are launched */
	TD_NCCL_INIT, /* a communicator comes of it */
	TD_NCCL_INIT_ALL, /* several do, with ranks from 0 on */
};

/*
 * FUNCTION(name, what, bytes, shift, type, comm): arguments count from 1, 0: it has none such.
 * bytes: how many, shifted to the left by shift, or, with type, so many elements of that
 * ncclDataType_t.
 * comm: the communicator. Of TD_NCCL_INIT: where its address goes; the rank is argument 3 (what is
 * before it, an ncclUniqueId of 128 bytes, is in memory on x86-64; elsewhere its address takes a
 * place).
 */
#define TD_CUDA_FUNCTIONS(FUNCTION)                                                                \
	FUNCTION(cuLaunchKernel, TD_CUDA_LAUNCH, 0, 0, 0, 0)                                       \
	FUNCTION(cuLaunchKernel_ptsz, TD_CUDA_LAUNCH, 0, 0, 0, 0)                                  \
	FUNCTION(cuLaunchKernelEx, TD_CUDA_LAUNCH, 0, 0, 0, 0)                                     \
	FUNCTION(cuLaunchKernelEx_ptsz, TD_CUDA_LAUNCH, 0, 0, 0, 0)                                \
	FUNCTION(cuLaunchCooperativeKernel, TD_CUDA_LAUNCH, 0, 0, 0, 0)                            \
	FUNCTION(cuGraphLaunch, TD_CUDA_LAUNCH, 0, 0, 0, 0)                                        \
	FUNCTION(cuGraphLaunch_ptsz, TD_CUDA_LAUNCH, 0, 0, 0, 0)                                   \
	FUNCTION(cuMemcpy, TD_CUDA_WORK, 3, 0, 0, 0)                                               \
	FUNCTION(cuMemcpyAsync, TD_CUDA_WORK, 3, 0, 0, 0)                                          \
	FUNCTION(cuMemcpyAsync_ptsz, TD_CUDA_WORK, 3, 0, 0, 0)                                     \
	FUNCTION(cuMemcpyHtoD_v2, TD_CUDA_WORK, 3, 0, 0, 0)                                        \
	FUNCTION(cuMemcpyHtoDAsync_v2, TD_CUDA_WORK, 3, 0, 0, 0)                                   \
	FUNCTION(cuMemcpyHtoDAsync_v2_ptsz, TD_CUDA_WORK, 3, 0, 0, 0)                              \
	FUNCTION(cuMemcpyDtoH_v2, TD_CUDA_WORK, 3, 0, 0, 0)                                        \
	FUNCTION(cuMemcpyDtoHAsync_v2, TD_CUDA_WORK, 3, 0, 0, 0)                                   \
	FUNCTION(cuMemcpyDtoHAsync_v2_ptsz, TD_CUDA_WORK, 3, 0, 0, 0)                              \
	FUNCTION(cuMemcpyDtoD_v2, TD_CUDA_WORK, 3, 0, 0, 0)                                        \
	FUNCTION(cuMemcpyDtoDAsync_v2, TD_CUDA_WORK, 3, 0, 0, 0)                                   \
	FUNCTION(cuMemcpyDtoDAsync_v2_ptsz, TD_CUDA_WORK, 3, 0, 0, 0)                              \
	FUNCTION(cuMemcpyPeerAsync, TD_CUDA_WORK, 5, 0, 0, 0)                                      \
	FUNCTION(cuMemcpy2DAsync_v2, TD_CUDA_WORK, 0, 0, 0, 0)                                     \
	FUNCTION(cuMemcpy3DAsync_v2, TD_CUDA_WORK, 0, 0, 0, 0)                                     \
	FUNCTION(cuMemsetD8_v2, TD_CUDA_WORK, 3, 0, 0, 0)                                          \
	FUNCTION(cuMemsetD8Async, TD_CUDA_WORK, 3, 0, 0, 0)                                        \
	FUNCTION(cuMemsetD32_v2, TD_CUDA_WORK, 3, 2, 0, 0)                                         \
	FUNCTION(cuMemsetD32Async, TD_CUDA_WORK, 3, 2, 0, 0)                                       \
	FUNCTION(cuCtxSynchronize, TD_CUDA_WORK, 0, 0, 0, 0)                                       \
	FUNCTION(cuStreamSynchronize, TD_CUDA_WORK, 0, 0, 0, 0)                                    \
	FUNCTION(cuStreamSynchronize_ptsz, TD_CUDA_WORK, 0, 0, 0, 0)                               \
	FUNCTION(cuEventSynchronize, TD_CUDA_WORK, 0, 0, 0, 0)                                     \
	FUNCTION(cuMemAlloc_v2, TD_CUDA_WORK, 2, 0, 0, 0)                                          \
	FUNCTION(cuMemAllocAsync, TD_CUDA_WORK, 2, 0, 0, 0)                                        \
	FUNCTION(cuMemAllocAsync_ptsz, TD_CUDA_WORK, 2, 0, 0, 0)                                   \
	FUNCTION(cuMemAllocManaged, TD_CUDA_WORK, 2, 0, 0, 0)                                      \
	FUNCTION(cuMemAllocPitch_v2, TD_CUDA_WORK, 0, 0, 0, 0)                                     \
	FUNCTION(cuMemAllocHost_v2, TD_CUDA_WORK, 2, 0, 0, 0)                                      \
	FUNCTION(cuMemHostAlloc, TD_CUDA_WORK, 2, 0, 0, 0)                                         \
	FUNCTION(cuMemHostRegister_v2, TD_CUDA_WORK, 2, 0, 0, 0)                                   \
	FUNCTION(cuMemCreate, TD_CUDA_WORK, 2, 0, 0, 0)                                            \
	FUNCTION(cuMemFree_v2, TD_CUDA_WORK, 0, 0, 0, 0)                                           \
	FUNCTION(cuMemFreeAsync, TD_CUDA_WORK, 0, 0, 0, 0)                                         \
	FUNCTION(cuMemFreeHost, TD_CUDA_WORK, 0, 0, 0, 0)                                          \
	FUNCTION(ncclAllReduce, TD_NCCL_COLLECTIVE, 3, 0, 4, 6)                                    \
	FUNCTION(ncclReduce, TD_NCCL_COLLECTIVE, 3, 0, 4, 7)                                       \
	FUNCTION(ncclReduceScatter, TD_NCCL_COLLECTIVE, 3, 0, 4, 6)                                \
	FUNCTION(ncclAllGather, TD_NCCL_COLLECTIVE, 3, 0, 4, 5)                                    \
	FUNCTION(ncclBroadcast, TD_NCCL_COLLECTIVE, 3, 0, 4, 6)                                    \
	FUNCTION(ncclBcast, TD_NCCL_COLLECTIVE, 2, 0, 3, 5)                                        \
	FUNCTION(ncclAlltoAll, TD_NCCL_COLLECTIVE, 3, 0, 4, 5)                                     \
	FUNCTION(ncclGather, TD_NCCL_COLLECTIVE, 3, 0, 4, 6)                                       \
	FUNCTION(ncclScatter, TD_NCCL_COLLECTIVE, 3, 0, 4, 6)                                      \
	FUNCTION(ncclSend, TD_NCCL_COLLECTIVE, 2, 0, 3, 5)                                         \
	FUNCTION(ncclRecv, TD_NCCL_COLLECTIVE, 2, 0, 3, 5)                                         \
	FUNCTION(ncclGroupEnd, TD_NCCL_GROUP, 0, 0, 0, 0)                                          \
	FUNCTION(ncclCommInitRank, TD_NCCL_INIT, 0, 0, 0, 1)                                       \
	FUNCTION(ncclCommInitRankConfig, TD_NCCL_INIT, 0, 0, 0, 1)                                 \
	FUNCTION(ncclCommInitRankScalable, TD_NCCL_INIT, 0, 0, 0, 1)                               \
	FUNCTION(ncclCommInitAll, TD_NCCL_INIT_ALL, 2, 0, 0, 1)

#define TD_CUDA_NUMBER(name, ...) TD_FN_##name,
enum td_cuda_function { TD_CUDA_FUNCTIONS(TD_CUDA_NUMBER) TD_NCUDA };
#undef TD_CUDA_NUMBER

#define TD_CUDA_NLAUNCHES 7 /* the first so many */
#define TD_NCCL_FROM TD_FN_ncclAllReduce /* and the rest */

/* offset_bytes of a call of NCCL (TD_WIRE_CALL_COMM): the address of the communicator, which has 48
 * bits, and above it its rank + 1; 0: not known. */
#define TD_COMM_RANK_SHIFT 48
