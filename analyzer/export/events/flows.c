/* SPDX-License-Identifier: MIT */
#include "analyzer/export/events/events_private.h"
#include "common/array.h"

#define NUMBERS 512 /* an item: they ascend, so it is about a byte per 4 of them */
#define ITEMS_MAX (1U << 20) /* 128 MiB, of numbers that are nowhere near each other */

struct key {
	int64_t process_id, block;
};

static struct key key_of(int64_t process_id, int64_t correlation)
{
	return (struct key){ process_id, correlation / NUMBERS };
}

static uint64_t bit_of(int64_t correlation)
{
	return UINT64_C(1) << (correlation % 64);
}

int td_flows_add(struct td_flows *f, int64_t process_id, int64_t correlation)
{
	struct key key = key_of(process_id, correlation);
	size_t n = f->keys.n;
	uint32_t id;

	if (correlation < 0)
		return 1;
	id = n < ITEMS_MAX ? td_intern_add(&f->keys, (const char *)&key, sizeof(key))
			   : td_intern_find(&f->keys, (const char *)&key, sizeof(key));
	if (!id)
		return n < ITEMS_MAX ? -ENOMEM : 1;
	if (f->keys.n > n) {
		if (td_grow(&f->items, &f->cap, n) < 0)
			return -ENOMEM;
		f->items[n] = (struct td_flow_bits){ 0 };
	}
	f->items[id - 1].gpu[correlation % NUMBERS / 64] |= bit_of(correlation);
	return 0;
}

uint64_t td_flows_find(struct td_flows *f, int64_t process_id, int64_t correlation, bool is_call)
{
	struct key key = key_of(process_id, correlation);
	uint64_t bit = bit_of(correlation), *call, gpu;
	uint32_t id = correlation < 0 || !f->keys.n
			      ? 0
			      : td_intern_find(&f->keys, (const char *)&key, sizeof(key));

	if (!id)
		return 0;
	gpu = f->items[id - 1].gpu[correlation % NUMBERS / 64];
	call = &f->items[id - 1].call[correlation % NUMBERS / 64];
	if (is_call && (gpu & bit))
		*call |= bit;
	return *call & bit ? (uint64_t)id * NUMBERS + (uint64_t)(correlation % NUMBERS) : 0;
}

void td_flows_done(struct td_flows *f)
{
	td_intern_done(&f->keys);
	free(f->items);
}
