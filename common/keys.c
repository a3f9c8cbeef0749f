/* SPDX-License-Identifier: MIT */
#include <stdbool.h>

#include "common/big.h"
#include "common/cleanup.h"
#include "common/keys.h"

#define SLOTS_MIN 1024

/* Multiplicative hashing: the upper bits depend on all of the key. */
static size_t hash(struct td_key key)
{
	uint64_t h =
		(key.lo ^ key.hi * UINT64_C(0xff51afd7ed558ccd)) * UINT64_C(0x9e3779b97f4a7c15);

	return (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 24;
}

static bool same(struct td_key a, struct td_key b)
{
	return a.lo == b.lo && a.hi == b.hi;
}

void td_keys_direct(struct td_keys *k, unsigned bits)
{
	k->direct_bits = bits;
}

/* Where it is looked for first. */
static size_t first_slot(const struct td_keys *k, struct td_key key)
{
	return k->direct_bits ? key.lo : hash(key) & (k->nslots - 1);
}

/* The slot that has the key, or the empty one where it belongs. */
static size_t find_slot(const struct td_keys *k, struct td_key key)
{
	size_t at = first_slot(k, key);

	if (k->direct_bits)
		return at;

	while (k->slots[at] && !same(k->items[k->slots[at] - 1], key))
		at = (at + 1) & (k->nslots - 1);
	return at;
}

/* Where a key belongs that is not there: none has to be compared. */
static size_t empty_slot(const struct td_keys *k, struct td_key key)
{
	size_t at = first_slot(k, key);

	while (k->slots[at])
		at = (at + 1) & (k->nslots - 1);
	return at;
}

static int grow_slots(struct td_keys *k, size_t wanted)
{
	size_t n =
		k->direct_bits ? (size_t)1 << k->direct_bits : TD_MAX(k->nslots, (size_t)SLOTS_MIN);

	while (!k->direct_bits && n / 2 < wanted)
		n *= 2;
	if (n == k->nslots)
		return 0;
	free(k->slots);
	/* of direct ones only those that are used take memory */
	k->slots = k->direct_bits ? calloc(n, sizeof(*k->slots))
				  : td_big_zeroed(n * sizeof(*k->slots));
	k->nslots = k->slots ? n : 0;
	if (!k->slots)
		return -ENOMEM;
	for (size_t i = 0; i < k->n; i++)
		k->slots[empty_slot(k, k->items[i])] = (uint32_t)i + 1;
	return 0;
}

int td_keys_reserve(struct td_keys *k, size_t more)
{
	if (k->n + more > UINT32_MAX / 2)
		return -ENOMEM;
	if (k->n + more > k->cap) {
		size_t cap = TD_MAX(k->n + more, k->cap * 2);
		struct td_key *items =
			td_big_realloc(k->items, k->n * sizeof(*items), cap * sizeof(*items));

		if (!items)
			return -ENOMEM;
		k->items = items;
		k->cap = cap;
	}
	return grow_slots(k, k->n + more);
}

uint32_t td_keys_add(struct td_keys *k, struct td_key key)
{
	size_t at = find_slot(k, key);

	if (!k->slots[at]) {
		k->items[k->n++] = key;
		k->slots[at] = (uint32_t)k->n;
	}
	return k->slots[at] - 1;
}

/* Their memory is asked for before they are looked at. */
void td_keys_add_all(struct td_keys *k, const struct td_key *keys, size_t n, uint32_t *ret)
{
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&k->slots[first_slot(k, keys[i])]);
	for (size_t i = 0; i < n; i++)
		ret[i] = td_keys_add(k, keys[i]);
}

void td_keys_done(struct td_keys *k)
{
	free(k->items);
	free(k->slots);
	*k = (struct td_keys){ 0 };
}
