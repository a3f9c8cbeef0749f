/* SPDX-License-Identifier: MIT */
/* Numbers keys of 128 bits in the order in which they come, from 0. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct td_key {
	uint64_t lo, hi;
};

struct td_keys {
	struct td_key *items; /* owned; by number */
	size_t n, cap;
	uint32_t *slots; /* owned; open addressing, a power of two of them; number + 1, 0: empty */
	size_t nslots;
	unsigned direct_bits; /* not 0: a slot for each key there can be, instead */
};

#define TD_KEYS_DIRECT_BITS_MAX                                                                    \
	22 /* 16 MiB of slots, of which only those that are used take memory */

/* Says that all keys are below 2^bits, TD_KEYS_DIRECT_BITS_MAX at most: then none has to be looked
 * for. Before there are any. */
void td_keys_direct(struct td_keys *k, unsigned bits);

/* Room for so many more keys: then td_keys_add() does not fail. 0 or -ENOMEM. */
int td_keys_reserve(struct td_keys *k, size_t more);

/* Number of the key, which is new if it is the n of before. */
uint32_t td_keys_add(struct td_keys *k, struct td_key key);

/* The same of n keys at once. */
void td_keys_add_all(struct td_keys *k, const struct td_key *keys, size_t n, uint32_t *ret);

void td_keys_done(struct td_keys *k);
