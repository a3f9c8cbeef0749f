/* SPDX-License-Identifier: MIT */
/* Calls by process, file, operation and nesting, or by some of these: a family of combos. */
#include "store/derive/calls_private.h"
#include "common/array.h"
#include "common/pages.h"

#define ITEMS_MIN 64 /* items that room is made for first */

/* What of a call says to which combo it belongs. */
struct key {
	uint32_t process_id, object;
	uint16_t op_id;
	bool nested;
};

int td_family_begin(struct td_family *f, struct td_calls *c, unsigned by)
{
	int r = td_durations_new(c->spill_path, &f->durations);

	if (r < 0)
		return r;
	f->c = c;
	f->by = by;
	f->lines = td_durations_lines(f->durations);
	td_bins_begin(f);
	return 0;
}

void td_family_done(struct td_family *f)
{
	td_durations_free(f->durations);
	td_pages_free(f->combos, f->combos_cap * sizeof(*f->combos));
	td_pages_free(f->calls, f->calls_cap * sizeof(*f->calls));
	td_pages_free(f->seldom, f->seldom_cap * sizeof(*f->seldom));
	td_pages_free(f->times, f->times_cap * sizeof(*f->times));
	td_pages_free(f->transfers, f->transfers_cap * sizeof(*f->transfers));
	td_pages_free(f->sizes, f->sizes_cap * sizeof(*f->sizes));
	td_pages_free(f->cold, f->cold_cap * sizeof(*f->cold));
	free(f->objects);
	free(f->slots);
	free(f->bins);
	free(f->in_bin);
}

int td_combo_room(void **items, size_t *cap, size_t n, size_t size)
{
	size_t more = *cap ? *cap * 2 : ITEMS_MIN;
	void *grown;

	if (n < *cap)
		return 0;
	if (n >= UINT32_MAX || more > SIZE_MAX / 2 / size)
		return -ENOMEM;
	grown = td_pages_grow(*items, *cap * size, more * size);
	if (!grown)
		return -ENOMEM;
	*items = grown;
	*cap = more;
	return 0;
}

static uint64_t hash_key(const struct key *key)
{
	/* multiplicative hashing: the upper bits depend on all of the key */
	uint64_t h = ((uint64_t)key->process_id << 32 | key->object) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 32 ^ ((uint64_t)key->op_id << 1 | key->nested)) *
	    UINT64_C(0x9e3779b97f4a7c15);
	return h >> 32;
}

static struct key key_of_combo(const struct td_combo *k)
{
	return (struct key){ k->process_id, k->object, k->op_id, k->nested };
}

static void make_keys(const struct td_family *f, const struct td_call *calls, struct key *keys,
		      size_t n)
{
	const uint32_t *objects = f->objects;
	bool by_file = f->by & TD_BY_FILE, by_process = f->by & TD_BY_PROCESS;

	for (size_t i = 0; i < n; i++)
		keys[i] = (struct key){
			.process_id = by_process ? calls[i].process_id : 0,
			.object = by_file ? calls[i].file_id : objects[calls[i].file_id],
			.op_id = calls[i].op_id,
			.nested = calls[i].nested,
		};
}

static int grow_slots(struct td_family *f)
{
	size_t n = f->nslots ? f->nslots * 2 : 1024;
	uint32_t *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(f->slots);
	f->slots = slots;
	f->nslots = n;
	for (uint32_t i = 0; i < f->ncombos; i++) {
		const struct key key = key_of_combo(&f->combos[i]);
		size_t at = hash_key(&key) & (n - 1);

		while (slots[at])
			at = (at + 1) & (n - 1);
		slots[at] = i + 1;
	}
	return 0;
}

/* Where the combo of the key is in slots, or belongs. */
static size_t find_slot(const struct td_family *f, const struct key *key, uint64_t hash)
{
	size_t at = hash & (f->nslots - 1);

	for (; f->slots[at]; at = (at + 1) & (f->nslots - 1)) {
		const struct td_combo *k = &f->combos[f->slots[at] - 1];

		if (k->process_id == key->process_id && k->object == key->object &&
		    k->op_id == key->op_id && k->nested == key->nested)
			break;
	}
	return at;
}

/* Number of the combo from 1, 0 when out of memory. There is room in slots for a new one. */
static uint32_t combo_of(struct td_family *f, const struct key *key, uint64_t hash)
{
	size_t at = find_slot(f, key, hash);

	if (f->slots[at])
		return f->slots[at];
	if (td_combo_room((void **)&f->combos, &f->combos_cap, f->ncombos, sizeof(*f->combos)) < 0)
		return 0;
	f->combos[f->ncombos++] = (struct td_combo){
		.process_id = key->process_id,
		.object = key->object,
		.op_id = key->op_id,
		.nested = key->nested,
	};
	return f->slots[at] = (uint32_t)f->ncombos;
}

/* Calls visit combos in no order, and there are more than the caches hold: those that come next are asked
 * for in time. A hint only, as the combo in the slot may be another one. */
static void fetch_combo(const struct td_family *f, uint64_t hash)
{
	uint32_t at = f->slots[hash & (f->nslots - 1)];

	if (at)
		__builtin_prefetch(&f->combos[at - 1]);
}

/* Room in slots for so many new combos. A collision costs the cache lines of another combo. */
static int reserve_slots(struct td_family *f, size_t n)
{
	int r = 0;

	while ((f->ncombos + n) * 4 >= f->nslots && r >= 0)
		r = grow_slots(f);
	return r;
}

/* Their slots are asked for. */
static void hash_calls(const struct td_family *f, const struct td_call *calls, struct key *keys,
		       uint64_t *hashes, size_t n)
{
	make_keys(f, calls, keys, n);
	for (size_t i = 0; i < n; i++) {
		hashes[i] = hash_key(&keys[i]);
		__builtin_prefetch(&f->slots[hashes[i] & (f->nslots - 1)]);
	}
}

int td_family_find(struct td_family *f, const struct td_call *calls, uint32_t *combos, size_t n)
{
	struct key keys[TD_CALLS_AT_ONCE];
	uint64_t hashes[TD_CALLS_AT_ONCE];
	int r = reserve_slots(f, n);

	if (r < 0)
		return r;
	hash_calls(f, calls, keys, hashes, n);
	for (size_t i = 0; i < n; i++) {
		uint32_t number;

		if (i + TD_AHEAD_COMBO < n)
			fetch_combo(f, hashes[i + TD_AHEAD_COMBO]);
		number = combo_of(f, &keys[i], hashes[i]);
		if (!number)
			return -ENOMEM;
		combos[i] = number - 1;
	}
	return 0;
}

void td_family_find_known(const struct td_family *f, const struct td_call *calls, uint32_t *combos,
			  size_t n)
{
	struct key keys[TD_CALLS_AT_ONCE];
	uint64_t hashes[TD_CALLS_AT_ONCE];

	hash_calls(f, calls, keys, hashes, n);
	for (size_t i = 0; i < n; i++) {
		if (i + TD_AHEAD_COMBO < n)
			fetch_combo(f, hashes[i + TD_AHEAD_COMBO]);
		combos[i] = f->slots[find_slot(f, &keys[i], hashes[i])] - 1;
	}
}

int td_family_sort(struct td_family *f)
{
	_cleanup_free_ uint64_t *counts = calloc(f->ncombos + 1, sizeof(*counts));
	int r = counts ? td_bins_end(f) : -ENOMEM;

	if (r >= 0)
		r = td_counts_begin(f, f->ncombos);
	if (r >= 0)
		r = td_times_begin(f, f->ncombos);
	if (r >= 0)
		r = td_transfers_begin(f, f->ncombos);
	if (r < 0)
		return r;
	td_times_close(f);
	for (size_t i = 0; i < f->ncombos; i++)
		counts[i] = f->times[i].timed;
	return td_durations_sort(f->durations, counts, f->ncombos);
}

void td_family_drop_durations(struct td_family *f)
{
	td_durations_free(TAKE_PTR(f->durations));
}
