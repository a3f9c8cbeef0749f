/* SPDX-License-Identifier: MIT */
/*
 * Arrays of many MiB in pages of 2 MiB, where the machine has them. Memory that is new costs a fault for each page, on a
 * virtual machine several times what the page is written for, and what realloc() moves to another address costs it
 * again. Below TD_BIG it is the C library's as ever, and free() takes all of it.
 */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define TD_HUGE_PAGE ((size_t)2 << 20)
#define TD_BIG (2 * TD_HUGE_PAGE)

/* Memory of that size, which is not zeroed; NULL: there is none. */
static inline void *td_big_alloc(size_t size)
{
	size_t whole = (size + TD_HUGE_PAGE - 1) & ~(TD_HUGE_PAGE - 1);
	void *p;

	if (size < TD_BIG || whole < size)
		return malloc(size);
	p = aligned_alloc(TD_HUGE_PAGE, whole);
	if (p)
		(void)madvise(p, whole, MADV_HUGEPAGE);
	return p;
}

/* One large page; NULL: there is no memory for it. */
static inline void *td_big_page(void)
{
	void *p = aligned_alloc(TD_HUGE_PAGE, TD_HUGE_PAGE);

	if (p)
		(void)madvise(p, TD_HUGE_PAGE, MADV_HUGEPAGE);
	return p;
}

/* As td_big_alloc(), zeroed. */
static inline void *td_big_zeroed(size_t size)
{
	void *p;

	if (size < TD_BIG)
		return calloc(1, size);
	p = td_big_alloc(size);
	return p ? memset(p, 0, size) : NULL;
}

/* Copies, and gives back the pages of from on the way: old and new are not there at the same time. */
static inline void td_big_move(char *to, char *from, size_t size)
{
	size_t skip = -(uintptr_t)from & (TD_HUGE_PAGE - 1), done = size < skip ? size : skip;

	memcpy(to, from, done);
	for (; size - done >= TD_HUGE_PAGE; done += TD_HUGE_PAGE) {
		memcpy(to + done, from + done, TD_HUGE_PAGE);
		(void)madvise(from + done, TD_HUGE_PAGE, MADV_DONTNEED);
	}
	memcpy(to + done, from + done, size - done);
}

/* As realloc() to that size, of which only the first 'used' bytes are kept. */
static inline void *td_big_realloc(void *p, size_t used, size_t size)
{
	void *to;

	if (size < TD_BIG)
		return realloc(p, size);
	to = td_big_alloc(size);
	if (to && p) {
		td_big_move(to, p, used);
		free(p);
	}
	return to;
}
