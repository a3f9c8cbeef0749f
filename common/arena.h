/* SPDX-License-Identifier: MIT */
/* Memory for many texts that are let go of together. */
#pragma once

#include <stddef.h>

struct td_arena {
	struct td_arena_chunk *chunks; /* owned; the one in use first */
};

/* Room for so many bytes, at any address, until the arena is cleared; NULL: no memory. */
char *td_arena_take(struct td_arena *a, size_t len);

/* Lets go of all, and keeps some of the memory for what comes next. */
void td_arena_clear(struct td_arena *a);

void td_arena_done(struct td_arena *a);
