/* SPDX-License-Identifier: MIT */
/* Functions of the C library that are hooked: their names, and what is only counted of them (collector/bpf/libc.bpf.c). */
#pragma once

#include "collector/bpf/shared.h"
#include "collector/probes/probes.h"

extern const char *const td_libc_names[TD_NLIBC];

/* Which ones wait (set pthread) and which ones are about memory (set malloc). */
static inline enum td_set td_libc_set(enum td_libc function)
{
	return function < TD_LIBC_MALLOC ? TD_SET_PTHREAD : TD_SET_MALLOC;
}

/* TD_WIRE_SUMMARY records of what one process called one function for:
 *
 *     pthread.calls, malloc.calls  key 'PID FUNCTION': number of calls, by their time (ns) or the bytes asked for,
 *                                  from low up to high; of free() without
 *     pthread.time                 ns in all
 *     malloc.bytes                 bytes in all
 *
 * 0 or what the sink returns. */
int td_libc_summaries(const struct td_libc_key *key, const struct td_libc_totals *totals,
		      td_sink *sink, void *arg);

/* The same for all that are in the BPF map, of processes that are still there. map_fd below 0: none. 0, -errno or
 * what the sink returns. */
int td_libc_rest(int map_fd, td_sink *sink, void *arg);
