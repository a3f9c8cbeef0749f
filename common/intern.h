/* SPDX-License-Identifier: MIT */
/*
 * Text to small number and back: ids count from 1 in the order of first sight, 0 means "none".
 * Texts live in an arena that only grows; pointers stay valid until td_intern_done().
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/scan.h"

struct td_intern_slot {
	uint32_t id; /* 0: empty */
	uint32_t hash; /* beside it, so that another text is seldom looked at */
};

struct td_intern {
	struct td_str *items; /* items[id - 1] */
	uint32_t *hashes; /* of items, for td_intern_add_from() and so on */
	size_t n, cap;
	struct td_intern_slot *slots; /* open addressing, power of two */
	size_t nslots;
	struct td_arena texts;
	uint32_t last; /* the id found last: repeats are common in traces */
};

#define TD_INTERN_INIT                                                                             \
	{                                                                                          \
		0                                                                                  \
	}

/* The id of the text, which is copied if new: > 0, or 0 when out of memory or beyond 2^32-2 texts. */
uint32_t td_intern_add(struct td_intern *t, const char *p, size_t len);

/* The id of a known text, 0 if it is not there. */
uint32_t td_intern_find(const struct td_intern *t, const char *p, size_t len);

/* Both for the text that has that id in another interner: it is not hashed again. */
uint32_t td_intern_add_from(struct td_intern *t, const struct td_intern *from, uint32_t id);
uint32_t td_intern_find_from(const struct td_intern *t, const struct td_intern *from, uint32_t id);

/* Asks for the memory in which td_intern_add_from() will look for the text's place. */
static inline void td_intern_ahead_from(const struct td_intern *t, const struct td_intern *from,
					uint32_t id)
{
	if (t->nslots)
		__builtin_prefetch(&t->slots[from->hashes[id - 1] & (t->nslots - 1)], 1);
}

/* td_intern_find_from() of all ids: ids[i] is that of from's text i, i = 1 .. from->n. Among many
 * texts each takes several lines of memory that no cache holds: here they are asked for some texts
 * ahead. */
void td_intern_find_all_from(const struct td_intern *t, const struct td_intern *from,
			     uint32_t *ids);

/* The text of an id in 1..n; NUL-terminated. */
static inline struct td_str td_intern_get(const struct td_intern *t, uint32_t id)
{
	return t->items[id - 1];
}

/* Forgets all texts, which ends the pointers to them, and keeps the memory for those that come next. */
void td_intern_clear(struct td_intern *t);

/* Forgets all texts but keeps them where they are: pointers to them stay valid, and what only finding them takes is free. */
void td_intern_close(struct td_intern *t);

void td_intern_done(struct td_intern *t);
