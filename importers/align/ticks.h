/* SPDX-License-Identifier: MIT */
/*
 * Readings of a coarse wall clock beside native times, reduced to what says something about the
 * offset between the two: the native time before which the wall clock cannot have ticked over to a
 * second, and the native time at which it had.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

struct td_tick {
	int64_t unit; /* reading of the wall clock, in units of its resolution */
	int64_t first_ns,
		last_ns; /* native times of the first and the last event with that reading */
};

struct td_ticks {
	enum td_clock wall;
	int64_t resolution_ns;
	struct td_tick *items; /* ascending units; owned */
	size_t n, cap;
	size_t last; /* the one that was added last */
};

/* 0 or -ENOMEM. */
int td_ticks_add(struct td_ticks *t, int64_t native_ns, int64_t unit);

/* Adds another event with the reading that was added last. */
static inline void td_ticks_again(struct td_ticks *t, int64_t native_ns)
{
	struct td_tick *k = &t->items[t->last];

	if (native_ns < k->first_ns)
		k->first_ns = native_ns;
	if (native_ns > k->last_ns)
		k->last_ns = native_ns;
}

/* Writes at most TD_TICKS_ANCHORS anchors to the store, the narrowest of each stretch of time. */
#define TD_TICKS_ANCHORS 1024
int td_ticks_anchors(const struct td_ticks *t, struct td_store *st, uint16_t source_id);

void td_ticks_done(struct td_ticks *t);
