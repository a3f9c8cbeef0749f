/* SPDX-License-Identifier: MIT */
#include "common/arena.h"
#include "common/cleanup.h"

#define CHUNK_SIZE (64 * 1024)

struct td_arena_chunk {
	struct td_arena_chunk *next;
	size_t used, size;
	char bytes[];
};

char *td_arena_take(struct td_arena *a, size_t len)
{
	struct td_arena_chunk *c = a->chunks;
	char *to;

	if (!c || c->size - c->used < len) {
		size_t size = TD_MAX(len, (size_t)CHUNK_SIZE);

		c = malloc(sizeof(*c) + size);
		if (!c)
			return NULL;
		*c = (struct td_arena_chunk){ .next = a->chunks, .size = size };
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
	a->chunks->used = 0;
}

void td_arena_done(struct td_arena *a)
{
	free_behind(a->chunks);
	*a = (struct td_arena){ 0 };
}
