/* SPDX-License-Identifier: MIT */
#define XXH_INLINE_ALL /* keys are short, and tracedb.so, which interns names, too, needs no library */
#include <xxhash.h>

#include "common/big.h"
#include "common/cleanup.h"
#include "common/intern.h"

static char *keep(struct td_intern *t, const char *p, size_t len)
{
	char *to = td_arena_take(&t->texts, len + 1);

	if (!to)
		return NULL;
	if (len)
		memcpy(to, p, len);
	to[len] = '\0';
	return to;
}

static bool grow_slots(struct td_intern *t)
{
	size_t n = t->nslots ? t->nslots * 2 : 1024;
	struct td_intern_slot *slots = td_big_zeroed(n * sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < t->nslots; i++) {
		size_t at = t->slots[i].hash & (n - 1);

		if (!t->slots[i].id)
			continue;
		while (slots[at].id)
			at = (at + 1) & (n - 1);
		slots[at] = t->slots[i];
	}
	free(t->slots);
	t->slots = slots;
	t->nslots = n;
	return true;
}

static bool grow_items(struct td_intern *t)
{
	size_t cap = t->cap ? t->cap * 2 : 512;
	struct td_str *items =
		td_big_realloc(t->items, t->n * sizeof(*items), cap * sizeof(*items));
	uint32_t *hashes;

	if (!items)
		return false;
	t->items = items;
	hashes = td_big_realloc(t->hashes, t->n * sizeof(*hashes), cap * sizeof(*hashes));
	if (!hashes)
		return false;
	t->hashes = hashes;
	t->cap = cap;
	return true;
}

static bool same(const struct td_intern *t, uint32_t id, const char *p, size_t len)
{
	struct td_str s = t->items[id - 1];

	return s.len == len && (len == 0 || memcmp(s.p, p, len) == 0);
}

/* Half of the bits do: there are no more slots than that, and where they agree the texts are compared. */
static uint32_t hash_of(const char *p, size_t len)
{
	return (uint32_t)(XXH3_64bits(p, len) >> 32);
}

/* The slot where the text is, or where it belongs. */
static size_t find_slot(const struct td_intern *t, uint32_t hash, const char *p, size_t len)
{
	size_t at = hash & (t->nslots - 1);

	while (t->slots[at].id && (t->slots[at].hash != hash || !same(t, t->slots[at].id, p, len)))
		at = (at + 1) & (t->nslots - 1);
	return at;
}

static uint32_t find_hashed(const struct td_intern *t, uint32_t hash, const char *p, size_t len)
{
	return t->n ? t->slots[find_slot(t, hash, p, len)].id : 0;
}

uint32_t td_intern_find(const struct td_intern *t, const char *p, size_t len)
{
	return find_hashed(t, hash_of(p, len), p, len);
}

uint32_t td_intern_find_from(const struct td_intern *t, const struct td_intern *from, uint32_t id)
{
	struct td_str s = from->items[id - 1];

	return find_hashed(t, from->hashes[id - 1], s.p, s.len);
}

/* The item that a text with that hash may be; NULL: it is not there. */
static const struct td_str *likely(const struct td_intern *t, uint32_t hash)
{
	size_t at = hash & (t->nslots - 1);

	while (t->slots[at].id && t->slots[at].hash != hash)
		at = (at + 1) & (t->nslots - 1);
	return t->slots[at].id ? &t->items[t->slots[at].id - 1] : NULL;
}

#define AHEAD_SLOT 24
#define AHEAD_ITEM 16
#define AHEAD_TEXT 8

void td_intern_find_all_from(const struct td_intern *t, const struct td_intern *from, uint32_t *ids)
{
	const struct td_str *items[AHEAD_ITEM] = { NULL };

	if (!t->n) {
		memset(ids + 1, 0, from->n * sizeof(*ids));
		return;
	}
	for (size_t i = 0; i < from->n + AHEAD_SLOT; i++) {
		size_t item = i - (AHEAD_SLOT - AHEAD_ITEM), text = i - (AHEAD_SLOT - AHEAD_TEXT),
		       found = i - AHEAD_SLOT;

		if (i < from->n)
			__builtin_prefetch(&t->slots[from->hashes[i] & (t->nslots - 1)]);
		if (item < from->n) {
			items[item % AHEAD_ITEM] = likely(t, from->hashes[item]);
			__builtin_prefetch(items[item % AHEAD_ITEM]);
		}
		if (text < from->n && items[text % AHEAD_ITEM])
			__builtin_prefetch(items[text % AHEAD_ITEM]->p);
		if (found < from->n)
			ids[found + 1] = td_intern_find_from(t, from, (uint32_t)found + 1);
	}
}

static uint32_t add_hashed(struct td_intern *t, uint32_t hash, const char *p, size_t len)
{
	size_t at;
	char *copy;

	if (t->n * 4 >= t->nslots * 3 && !grow_slots(t))
		return 0;
	at = find_slot(t, hash, p, len);
	if (t->slots[at].id)
		return t->last = t->slots[at].id;
	if (t->n >= UINT32_MAX - 1 || (t->n == t->cap && !grow_items(t)))
		return 0;
	copy = keep(t, p, len);
	if (!copy)
		return 0;
	t->items[t->n] = (struct td_str){ copy, len };
	t->hashes[t->n] = hash;
	t->n++;
	t->slots[at] = (struct td_intern_slot){ (uint32_t)t->n, hash };
	return t->last = (uint32_t)t->n;
}

uint32_t td_intern_add(struct td_intern *t, const char *p, size_t len)
{
	if (t->last && same(t, t->last, p, len))
		return t->last;
	return add_hashed(t, hash_of(p, len), p, len);
}

uint32_t td_intern_add_from(struct td_intern *t, const struct td_intern *from, uint32_t id)
{
	struct td_str s = from->items[id - 1];

	return add_hashed(t, from->hashes[id - 1], s.p, s.len);
}

void td_intern_clear(struct td_intern *t)
{
	td_arena_clear(&t->texts);
	if (t->n)
		memset(t->slots, 0, t->nslots * sizeof(*t->slots));
	t->n = 0;
	t->last = 0;
}

void td_intern_close(struct td_intern *t)
{
	struct td_arena texts = t->texts;

	t->texts = (struct td_arena){ 0 };
	td_intern_done(t);
	t->texts = texts;
}

void td_intern_done(struct td_intern *t)
{
	td_arena_done(&t->texts);
	free(t->items);
	free(t->hashes);
	free(t->slots);
	*t = (struct td_intern)TD_INTERN_INIT;
}
