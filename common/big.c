/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/big.h"

void *td_big_alloc(size_t size)
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

void *td_big_page(void)
{
	void *p = aligned_alloc(TD_HUGE_PAGE, TD_HUGE_PAGE);

	if (p)
		(void)madvise(p, TD_HUGE_PAGE, MADV_HUGEPAGE);
	return p;
}

void *td_big_zeroed(size_t size)
{
	void *p;

	if (size < TD_BIG)
		return calloc(1, size);
	p = td_big_alloc(size);
	return p ? memset(p, 0, size) : NULL;
}

/* Copies, and gives back the pages of from on the way: old and new are not there at the same time. */
static void move_pages(char *to, char *from, size_t size)
{
	size_t skip = -(uintptr_t)from & (TD_HUGE_PAGE - 1), done = size < skip ? size : skip;

	memcpy(to, from, done);
	for (; size - done >= TD_HUGE_PAGE; done += TD_HUGE_PAGE) {
		memcpy(to + done, from + done, TD_HUGE_PAGE);
		(void)madvise(from + done, TD_HUGE_PAGE, MADV_DONTNEED);
	}
	memcpy(to + done, from + done, size - done);
}

void *td_big_realloc(void *p, size_t used, size_t size)
{
	void *to;

	if (size < TD_BIG)
		return realloc(p, size);
	to = td_big_alloc(size);
	if (to && p) {
		move_pages(to, p, used);
		free(p);
	}
	return to;
}
