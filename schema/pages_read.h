/* SPDX-License-Identifier: MIT */
/*
 * Which pages of a database are read, and which of the leaves of its tables they are. Format:
 * https://www.sqlite.org/fileformat2.html, section 1.6 (b-tree pages).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_PAGES_READ_TABLES_MAX 16

struct td_pages_read {
	uint32_t page_size;
	uint8_t *bits; /* owned; of each page from 1 on; memory for size of them */
	size_t size;
	struct {
		uint32_t number;
		uint8_t *page; /* owned */
	} tables[TD_PAGES_READ_TABLES_MAX]; /* pages that lead to others: as many as there is room for */
	size_t ntables;
};

/* Of a table whose root leads to its leaves, or what else it leads to. */
struct td_leaves_read {
	uint32_t root; /* page */
	/* so many are read from the first one on, and so many at the end; both 0: all */
	uint32_t first, last;
};

/* Bytes of the file from a place on have been read. Where there is no memory they are not noted. */
void td_pages_read_note(struct td_pages_read *p, const void *bytes, size_t n, int64_t at);

/* Has this page (from 1) been read? */
bool td_pages_read_has(const struct td_pages_read *p, uint32_t number);

/* The tables of which leaves have been read; returns how many. Of few leaves, of which some in the
 * middle have been read, all count; of many in that case none but those at both ends. */
size_t td_pages_read_leaves(const struct td_pages_read *p,
			    struct td_leaves_read ret[TD_PAGES_READ_TABLES_MAX]);

void td_pages_read_done(struct td_pages_read *p);
