/* SPDX-License-Identifier: MIT */
/*
 * Bytes of an SQLite database file as they lie there, the highest first, and where on a page of a table's b-tree is what
 * leads to the others: https://www.sqlite.org/fileformat2.html, section 1.6.
 */
#pragma once

#include <stdint.h>

#define TD_PAGE_MAX 65536 /* bytes */

enum { TD_PAGE_INTERIOR = 5, TD_PAGE_LEAF = 13 }; /* first byte */
#define TD_PAGE_NCELLS 3 /* 2 bytes */
#define TD_PAGE_RIGHTMOST 8 /* 4 bytes: the last child of an interior page */
#define TD_PAGE_LEAF_CELLS 8 /* 2 bytes each: where the cells begin */
#define TD_PAGE_INTERIOR_CELLS 12

static inline unsigned td_be16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static inline uint32_t td_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* How many pages a page of so many bytes leads to, 0: it is no interior page, or not as large as that says. */
static inline unsigned td_page_nchildren(const uint8_t *page, uint32_t page_size)
{
	unsigned ncells = td_be16(page + TD_PAGE_NCELLS);

	return page[0] == TD_PAGE_INTERIOR && TD_PAGE_INTERIOR_CELLS + 2 * ncells <= page_size
		       ? ncells + 1
		       : 0;
}

/* Number of child i of n; any number where a cell is said to be beyond the page. */
static inline uint32_t td_page_child(const uint8_t *page, uint32_t page_size, unsigned i,
				     unsigned n)
{
	unsigned at =
		i + 1 == n ? TD_PAGE_RIGHTMOST : td_be16(page + TD_PAGE_INTERIOR_CELLS + 2 * i);

	return td_be32(page + (at < page_size - 4 ? at : page_size - 4));
}
