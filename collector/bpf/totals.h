/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Calls that are counted by process and function: maps of struct td_libc_totals by struct td_libc_key. */
#pragma once

#include "collector/bpf/state.h"
#include "collector/bpf/libc.h"

static const struct td_libc_totals no_totals;

/* The number of binary digits. */
static __always_inline uint32_t bucket_of(uint64_t n)
{
	uint32_t digits = 0;

	for (uint32_t step = 32; step; step /= 2)
		if (n >> step) {
			digits += step;
			n >>= step;
		}
	return digits + (n != 0);
}

/* False: there is no room. */
static __always_inline bool add_to_map(void *map, uint32_t pid, uint32_t function, uint64_t value)
{
	struct td_libc_key key = { pid, function };
	struct td_libc_totals *t = bpf_map_lookup_elem(map, &key);

	if (!t) {
		bpf_map_update_elem(map, &key, &no_totals, BPF_NOEXIST);
		t = bpf_map_lookup_elem(map, &key);
	}
	if (!t)
		return false;
	__sync_fetch_and_add(&t->calls, 1);
	__sync_fetch_and_add(&t->sum, value);
	__sync_fetch_and_add(&t->buckets[bucket_of(value) & (TD_NBUCKETS - 1)], 1);
	return true;
}

/* What is there of a process that ends, as a record of the set. */
static __always_inline void put_totals(uint32_t set, const struct td_libc_key *key,
				       struct td_libc_totals *t)
{
	uint32_t room = td_take_scratch();
	struct td_scratch *s = scratch_at(room);
	struct td_raw_totals *r;

	if (!s) {
		count_event(set, false);
		return;
	}
	r = (struct td_raw_totals *)s->record;
	r->head = (struct td_wire_head){ .size = sizeof(*r),
					 .kind = TD_RAW_OF_SET(set),
					 .tid = key->pid };
	r->key = *key;
	r->totals = *t;
	put_critical(set, r, sizeof(*r));
	give_scratch(room);
}
