/* SPDX-License-Identifier: MIT */
/* The same work on many pieces, on as many threads as there are CPUs. */
#pragma once

#include <stddef.h>

/* CPUs that this process may use: those of its affinity (taskset, cpuset), or where there are more
 * than 1024 in the machine, all of them. At least 1. */
unsigned td_cpus(void);

/* On how many threads td_parallel() would work now: on one where this thread is at work on a piece already. */
unsigned td_parallel_width(void);

/* Calls piece(arg, i) once for every i below n, in any order and several at a time; after a failure
 * (-errno) no more are begun. 0 or the failure of the lowest piece that failed. Where no thread can
 * be made, this one does it all; so does one that is at work on a piece of another td_parallel(),
 * which keeps the CPUs busy. */
int td_parallel(size_t n, int (*piece)(void *arg, size_t i), void *arg);
