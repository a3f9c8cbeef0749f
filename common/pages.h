/* SPDX-License-Identifier: MIT */
/*
 * Memory that begins at a page, and so at a cache line, and that grows: realloc() keeps neither alignment, and
 * aligned_alloc() cannot grow what it gave, so that old and new would be there at the same time.
 */
#pragma once

#include <stddef.h>
#include <sys/mman.h>

/* Makes size bytes of p's old_size, which are moved where that takes it; p NULL: new memory. What is added is
 * zeroed. NULL when out of memory, p is unchanged then. */
static inline void *td_pages_grow(void *p, size_t old_size, size_t size)
{
	void *grown =
		p ? mremap(p, old_size, size, MREMAP_MAYMOVE)
		  : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return grown == MAP_FAILED ? NULL : grown;
}

/* Takes NULL. */
static inline void td_pages_free(void *p, size_t size)
{
	if (p)
		(void)munmap(p, size);
}
