/* SPDX-License-Identifier: MIT */
#include "common/big.h"
#include "common/cleanup.h"
#include "common/pool.h"

/* Each block is twice as large as the one before. */
#define BLOCK_MIN ((size_t)32 * 1024)
#define BLOCK_MAX ((size_t)32 * 1024 * 1024)

struct td_pool_block {
	struct td_pool_block *before;
	size_t used, size;
	_Alignas(8) char bytes[];
};

static int add_block(struct td_pool *p, size_t len)
{
	size_t size = p->blocks ? TD_MIN(p->blocks->size * 2, BLOCK_MAX) : BLOCK_MIN;
	struct td_pool_block *b;

	while (size < len + sizeof(*b))
		size *= 2;
	b = td_big_alloc(size);
	if (!b)
		return -ENOMEM;
	*b = (struct td_pool_block){ p->blocks, sizeof(*b), size };
	p->blocks = b;
	return 0;
}

void *td_pool_take(struct td_pool *p, size_t len)
{
	void *to;

	len = (len + 7) & ~(size_t)7;
	if ((!p->blocks || p->blocks->size - p->blocks->used < len) && add_block(p, len) < 0)
		return NULL;
	to = (char *)p->blocks + p->blocks->used;
	p->blocks->used += len;
	return to;
}

void td_pool_done(struct td_pool *p)
{
	while (p->blocks) {
		struct td_pool_block *before = p->blocks->before;

		free(p->blocks);
		p->blocks = before;
	}
}
