/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The functions of the C library that are hooked, and what libc.bpf.c counts of them for collector/sets/libc.c. */
#pragma once

#include "collector/bpf/shared.h"

/* Functions of the C library; their names are in collector/sets/libc.c. */
enum td_libc {
	TD_LIBC_MUTEX_LOCK,
	TD_LIBC_MUTEX_TIMEDLOCK,
	TD_LIBC_COND_WAIT,
	TD_LIBC_COND_TIMEDWAIT,
	TD_LIBC_COND_CLOCKWAIT,
	TD_LIBC_RWLOCK_RDLOCK,
	TD_LIBC_RWLOCK_WRLOCK,
	TD_LIBC_BARRIER_WAIT,
	TD_LIBC_SEM_WAIT,
	TD_LIBC_SEM_TIMEDWAIT,
	TD_LIBC_SEM_CLOCKWAIT,
	TD_LIBC_JOIN,
	TD_LIBC_MALLOC,
	TD_LIBC_CALLOC,
	TD_LIBC_REALLOC,
	TD_LIBC_MEMALIGN,
	TD_LIBC_ALIGNED_ALLOC,
	TD_LIBC_POSIX_MEMALIGN,
	TD_LIBC_FREE,
	TD_NLIBC,
};

/* What is only counted of a function: bytes, or nanoseconds. Bucket 0 is for 0, bucket i for 2^(i-1) up to 2^i. */
#define TD_NBUCKETS 64
struct td_libc_totals {
	uint64_t calls, sum;
	uint64_t buckets[TD_NBUCKETS];
};

struct td_libc_key {
	uint32_t pid;
	uint32_t function; /* enum td_libc */
};

/* The totals of a process that has ended; TD_WIRE_SUMMARY records are made of it. */
struct td_raw_totals {
	struct td_wire_head head; /* kind TD_RAW_OF_SET() of the function's */
	struct td_libc_key key;
	struct td_libc_totals totals;
};

/* Which ones wait and which ones are about memory. */
static inline enum td_set td_libc_set(enum td_libc function)
{
	return function < TD_LIBC_MALLOC ? TD_SET_PTHREAD : TD_SET_MALLOC;
}
