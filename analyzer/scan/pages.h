/* SPDX-License-Identifier: MIT */
/*
 * Pages and records of a table b-tree, byte by byte: https://www.sqlite.org/fileformat2.html,
 * sections 1.6 and 2.1 (common/sqlite_page.h). What is read may lie behind the end of a page by TD_PAGE_PADDING bytes,
 * which buffers have room for; whether it does is looked at afterwards.
 */
#pragma once

#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "common/sqlite_page.h"

#define TD_PAGE_PADDING 512

/* Number of bytes, 1 to 9. */
static inline unsigned td_varint(const uint8_t *p, uint64_t *ret)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < 8; i++) {
		v = v << 7 | (p[i] & 0x7f);
		if (!(p[i] & 0x80)) {
			*ret = v;
			return i + 1;
		}
	}
	*ret = v << 8 | p[8];
	return 9;
}

/* A signed integer of 1 to 8 bytes. */
static inline int64_t td_be_signed(const uint8_t *p, unsigned len)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return (int64_t)be64toh(v) >> (64 - 8 * len);
}

/*
 * Calls fn with each record of a leaf page: it begins at p and ends before end, both on the page,
 * of whose bytes 'usable' count. 0, what fn returned if that is not 0, or -EOPNOTSUPP: it is no
 * leaf, or a record goes on on another page. What is on the page is checked in the order in which
 * it is used. Inlined with fn: a scan spends its time here.
 */
static inline __attribute__((always_inline)) int
td_page_records(const uint8_t *page, uint32_t usable,
		int (*fn)(void *arg, const uint8_t *p, const uint8_t *end, int64_t rowid),
		void *arg)
{
	unsigned ncells = td_be16(page + TD_PAGE_NCELLS);
	int rc = 0;

	if (page[0] != TD_PAGE_LEAF || TD_PAGE_LEAF_CELLS + 2 * ncells > usable)
		return -EOPNOTSUPP;
	for (unsigned i = 0; i < ncells && rc == 0; i++) {
		unsigned at = td_be16(page + TD_PAGE_LEAF_CELLS + 2 * i);
		const uint8_t *cell = page + at;
		uint64_t size, rowid;

		if (at >= usable)
			return -EOPNOTSUPP;
		cell += td_varint(cell, &size);
		cell += td_varint(cell, &rowid);
		if (size > usable - 35 || cell + size > page + usable)
			return -EOPNOTSUPP;
		rc = fn(arg, cell, cell + size, (int64_t)rowid);
	}
	return rc;
}
