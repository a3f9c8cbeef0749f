/* SPDX-License-Identifier: MIT */
#include "common/arena.h"
#include "common/big.h"
#include "common/cleanup.h"

#define CHUNK_SIZE ((size_t)64 * 1024)
/* Behind so many, chunks are of large pages. */
#define SMALL_CHUNKS (TD_BIG / CHUNK_SIZE)

struct td_arena_chunk {
	struct td_arena_chunk *next;
	size_t used, size;
	size_t before; /* chunks */
	char bytes[];
};

char *td_arena_take(struct td_arena *a, size_t len)
{
	struct td_arena_chunk *c = a->chunks;
	char *to;

	if (!c || c->size - c->used < len) {
		size_t before = c ? c->before + 1 : 0;
		size_t size = TD_MAX(len, before < SMALL_CHUNKS ? CHUNK_SIZE : TD_BIG - sizeof(*c));

		c = td_big_alloc(sizeof(*c) + size);
		if (!c)
			return NULL;
		*c = (struct td_arena_chunk){ .next = a->chunks, .size = size, .before = before };
		a->chunks = c;
	}
	to = c->bytes + c->used;
	c->used += len;
	return to;
}

static void free_behind(struct td_arena_chunk *c)
{
	while (c) {
		struct td_arena_chunk *next = c->next;

		free(c);
		c = next;
	}
}

void td_arena_clear(struct td_arena *a)
{
	if (!a->chunks)
		return;
	free_behind(a->chunks->next);
	a->chunks->next = NULL;
	a->chunks->used = a->chunks->before = 0;
}

void td_arena_done(struct td_arena *a)
{
	free_behind(a->chunks);
	*a = (struct td_arena){ 0 };
}
