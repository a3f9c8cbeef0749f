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
};

/* Room for so many more keys: then td_keys_add() does not fail. 0 or -ENOMEM. */
int td_keys_reserve(struct td_keys *k, size_t more);

/* Asks for the memory that td_keys_add() will look at. */
void td_keys_fetch(const struct td_keys *k, struct td_key key);

/* Number of the key, which is new if it is the n of before. */
uint32_t td_keys_add(struct td_keys *k, struct td_key key);

void td_keys_done(struct td_keys *k);
