/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdlib.h>

#include "store/derive/busy.h"
#include "common/array.h"
#include "common/cleanup.h"

/* An end that is in the block: its piece is the last one there. */
#define LATE UINT32_MAX

struct td_busy_piece {
	uint32_t start, end; /* ns from the begin of the block */
};

/* From this piece on to the next block; so many seconds at most as 32 bits of nanoseconds have, but
 * for the last end. */
struct td_busy_block {
	size_t first;
	int64_t start_ns, end_ns; /* end of the last piece, if that is LATE */
};

void td_busy_done(struct td_busy *b)
{
	free(b->pieces);
	free(b->blocks);
	*b = (struct td_busy){ 0 };
}

static bool fits(const struct td_busy_block *block, int64_t ns)
{
	return (uint64_t)ns - (uint64_t)block->start_ns < LATE;
}

static struct td_interval interval_of(const struct td_busy_block *block,
				      const struct td_busy_piece *p)
{
	return (struct td_interval){
		block->start_ns + (int64_t)p->start,
		p->end == LATE ? block->end_ns : block->start_ns + (int64_t)p->end,
	};
}

static void set_end(struct td_busy_block *block, struct td_busy_piece *p, int64_t end_ns)
{
	bool late = !fits(block, end_ns);

	p->end = late ? LATE : (uint32_t)(end_ns - block->start_ns);
	if (late)
		block->end_ns = end_ns;
}

static int add_block(struct td_busy *b, int64_t start_ns)
{
	if (td_grow(&b->blocks, &b->blocks_cap, b->nblocks) < 0)
		return -ENOMEM;
	b->blocks[b->nblocks++] = (struct td_busy_block){ b->n, start_ns, start_ns };
	return 0;
}

int td_busy_add(struct td_busy *b, int64_t start_ns, int64_t end_ns)
{
	struct td_busy_block *block = b->n ? &b->blocks[b->nblocks - 1] : NULL;
	struct td_busy_piece *last = b->n ? &b->pieces[b->n - 1] : NULL;

	if (last && start_ns <= interval_of(block, last).end_ns) {
		set_end(block, last, TD_MAX(interval_of(block, last).end_ns, end_ns));
		return 0;
	}
	if ((!last || last->end == LATE || !fits(block, start_ns)) && add_block(b, start_ns) < 0)
		return -ENOMEM;
	if (td_grow(&b->pieces, &b->cap, b->n) < 0)
		return -ENOMEM;
	assert(b->pieces && b->blocks); /* clang's analyzer does not see it */
	block = &b->blocks[b->nblocks - 1];
	b->pieces[b->n] = (struct td_busy_piece){ (uint32_t)(start_ns - block->start_ns), 0 };
	set_end(block, &b->pieces[b->n++], end_ns);
	return 0;
}

static size_t first_behind(const struct td_busy *b, size_t block)
{
	return block + 1 < b->nblocks ? b->blocks[block + 1].first : b->n;
}

bool td_busy_get(const struct td_busy *b, struct td_busy_place *at, struct td_interval *ret)
{
	if (at->i >= b->n)
		return false;
	while (at->i >= first_behind(b, at->block))
		at->block++;
	*ret = interval_of(&b->blocks[at->block], &b->pieces[at->i]);
	return true;
}

/* The last block that begins then or before; the first one if none does. */
static size_t find_block(const struct td_busy *b, int64_t ns)
{
	size_t low = 0, high = b->nblocks;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (b->blocks[middle].start_ns <= ns)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct td_busy_place td_busy_find(const struct td_busy *b, int64_t ns)
{
	size_t block = find_block(b, ns), low, high;

	if (!b->n)
		return (struct td_busy_place){ 0 };
	low = b->blocks[block].first;
	high = first_behind(b, block);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (interval_of(&b->blocks[block], &b->pieces[middle]).end_ns <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return (struct td_busy_place){ low, block };
}
