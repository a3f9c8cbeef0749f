/* SPDX-License-Identifier: MIT */
/* When a GPU was busy: intervals in order of time that do not touch, in 8 bytes each. There can be
 * one for each piece of its work. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/derive/meter.h"

struct td_busy_piece;
struct td_busy_block;

struct td_busy {
	struct td_busy_piece *pieces; /* owned */
	size_t n, cap;
	struct td_busy_block *blocks; /* owned; each is of some pieces that follow each other */
	size_t nblocks, blocks_cap;
};

/* A place among the intervals; { 0 } is that of the first one. */
struct td_busy_place {
	size_t i; /* which one: counts up from one to the next */
	size_t block; /* at most the one that it is in: td_busy_get() finds it from there */
};

void td_busy_done(struct td_busy *b);

/* Adds [start, end) in ns, which must not begin before the one that was added last; what it touches
 * becomes one with it. 0 or -ENOMEM. */
int td_busy_add(struct td_busy *b, int64_t start_ns, int64_t end_ns);

/* The interval at the place. false: that is behind the last one. */
bool td_busy_get(const struct td_busy *b, struct td_busy_place *at, struct td_interval *ret);

/* The place of the first one that ends after that; behind the last one if none does. */
struct td_busy_place td_busy_find(const struct td_busy *b, int64_t ns);
