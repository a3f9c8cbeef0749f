/* SPDX-License-Identifier: MIT */
/*
 * Memory for what one thread uses for every row while another one changes what happens to lie next to it: a
 * cache line that both want goes back and forth between their CPUs, which costs more than what is done with it.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

/* Cache lines have 64 bytes, and some CPUs fetch two at a time. */
#define TD_APART ((size_t)128)

/* As calloc(1, size_bytes), but in cache lines of its own. free() frees it. */
static inline void *td_calloc_apart(size_t size_bytes)
{
	size_t whole = (size_bytes + TD_APART - 1) / TD_APART * TD_APART;
	void *p = aligned_alloc(TD_APART, whole);

	return p ? memset(p, 0, whole) : NULL;
}
