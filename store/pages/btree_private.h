/* SPDX-License-Identifier: MIT */
/*
 * The file below store/pages/btree.c: pages are allocated at its end in the order in which they are complete,
 * whichever table they belong to, so that it is written from front to back in large pieces.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "store/pages/btree.h"

/* New pages are in pieces, in turn: one is being filled, those before it wait to be written. */
#define TD_BTREE_PIECES 4U

struct td_btree {
	int fd;
	uint32_t page_size;
	uint32_t usable; /* bytes of a page, from its start, that SQLite may use */
	uint32_t npages; /* allocated so far; also the number of the last one */
	uint32_t change_counter;
	uint32_t npages_before; /* when the file was opened */
	uint8_t *pieces; /* of piece_pages pages each, then one page of scratch */
	uint32_t piece_pages;
	uint32_t nfilling; /* pages of the piece that is being filled */
	atomic_uint filled; /* pieces so far, ... */
	atomic_uint written; /* ... of which so many, the first ones, are in the file */
	pthread_mutex_t writing; /* whoever has it writes pieces */
	uint32_t ntables; /* open */
	atomic_int error; /* what spoilt the file, or 0 */
};

/* The number that the next new page gets. */
uint32_t td_btree_next_page(const struct td_btree *b);

/* The memory of a new page, number b->npages, to be filled before the next call; NULL if b->error. */
uint8_t *td_btree_new_page(struct td_btree *b);

/* Room for a page that is no new one. */
static inline uint8_t *td_btree_scratch_page(const struct td_btree *b)
{
	return b->pieces + (size_t)TD_BTREE_PIECES * b->piece_pages * b->page_size;
}

/* The begin of a page that is in the file. 0 or -errno. */
int td_btree_read_page(const struct td_btree *b, uint32_t pgno, uint8_t *p, size_t size);

/* Replaces a page that was there when the file was opened. 0, or b->error. */
int td_btree_write_page(struct td_btree *b, uint32_t pgno, const uint8_t *page);
