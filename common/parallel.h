/* SPDX-License-Identifier: MIT */
/* The same work on many pieces, on as many threads as there are CPUs. */
#pragma once

#include <stddef.h>

/* Calls piece(arg, i) once for every i below n, in any order and several at a time; after a failure (-errno) no more
 * are begun. 0 or the failure of the lowest piece that failed. Where no thread can be made, this one does it all; so does one
 * that is at work on a piece of another td_parallel(), which keeps the CPUs busy. */
int td_parallel(size_t n, int (*piece)(void *arg, size_t i), void *arg);
