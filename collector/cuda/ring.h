/* SPDX-License-Identifier: MIT */
/*
 * The file between a CUDA program and the recorder: libtracedb-cuda.so makes one for each process
 * that uses CUDA, in the folder that TD_CUDA_DIR names, and writes records of schema/wire.h into
 * it; the recorder empties it. What finds no room is lost and counted. The library maps it; the
 * recorder reads it, so that a program that cuts its file harms only itself.
 */
#pragma once

#include <stdint.h>

/* What the recorder puts into the environment of the command. */
#define TD_CUDA_DIR                                                                                \
	"TRACEDB_CUDA_DIR" /* folder of the files, of the user who runs the command, 0700 */
#define TD_CUDA_CUPTI "TRACEDB_CUPTI" /* the CUPTI to use; not set: it is looked for */
#define TD_CUDA_GRAPHS                                                                             \
	"TRACEDB_CUDA_GRAPHS" /* 'graph': CUDA graphs as a whole; else node by node */

#define TD_CUDA_SUFFIX ".ring" /* of the name of a file, which is the pid */
#define TD_CUDA_MAGIC "tdcuda" /* with its NUL: 7 bytes of 8 */
#define TD_CUDA_VERSION 4
#define TD_CUDA_DATA_AT 4096 /* offset of the data in the file */
#define TD_CUDA_SIZE (UINT64_C(16) << 20) /* of the data; a power of two */

enum td_cuda_kind {
	TD_CUDA_KERNELS,
	TD_CUDA_COPIES,
	TD_CUDA_SETS,
	TD_CUDA_CALLS,
	TD_CUDA_NVTX, /* begins and ends of ranges, marks */
	TD_CUDA_MEMORY, /* allocations and releases */
	TD_CUDA_NKINDS
};

struct td_cuda_ring {
	char magic[8];
	uint32_t version;
	uint32_t pid;
	uint64_t size; /* TD_CUDA_SIZE */
	uint64_t written; /* bytes so far; by the library, after they are there */
	uint64_t read; /* bytes so far; by the recorder, after it has them */
	uint64_t short_calls; /* calls that took too little time to be told */
	uint64_t uses_cuda; /* 1: it has begun to */
	struct {
		uint64_t made, lost;
	} kinds[TD_CUDA_NKINDS];
};
_Static_assert(sizeof(struct td_cuda_ring) <= TD_CUDA_DATA_AT, "the head is in front of the data");
