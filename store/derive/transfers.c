/* SPDX-License-Identifier: MIT */
/* What calls transferred, by combo: sizes, and which went on where the one before ended. */
#include <endian.h>

#include "store/derive/calls_private.h"

/* Lists of sizes are asked for so many calls ahead. */
#define AHEAD_SIZES 8

/* Index of the bucket, TD_SIZES_EACH if it is not there. The lowest byte that is zero of eight, from the
 * borrow that subtracting one from each makes. */
static unsigned find_bucket(const struct td_size_counts *s, uint8_t bucket)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t v;

	memcpy(&v, s->buckets, sizeof(v));
	v = le64toh(v) ^ ones * bucket;
	v = (v - ones) & ~v & ones << 7;
	return v ? (unsigned)__builtin_ctzll(v) / 8 : TD_SIZES_EACH;
}

/* Room for a bucket that the combo does not have yet; NULL when out of memory. */
static uint32_t *new_bucket(struct td_family *f, struct td_combo_transfers *k, uint8_t bucket)
{
	struct td_size_counts *s = k->sizes ? &f->sizes[k->sizes - 1] : NULL;
	unsigned i = s ? find_bucket(s, TD_SIZES_FREE) : TD_SIZES_EACH;

	if (i == TD_SIZES_EACH) {
		if (td_combo_room((void **)&f->sizes, &f->sizes_cap, f->nsizes, sizeof(*s)) < 0)
			return NULL;
		s = &f->sizes[f->nsizes++];
		*s = (struct td_size_counts){ .next = k->sizes };
		memset(s->buckets, TD_SIZES_FREE, sizeof(s->buckets));
		k->sizes = (uint32_t)f->nsizes;
		i = 0;
	}
	s->buckets[i] = bucket;
	return &s->calls[i];
}

static int count_size(struct td_family *f, struct td_combo_transfers *k, uint8_t bucket)
{
	uint32_t *calls = NULL;

	for (uint32_t at = k->sizes; at && !calls; at = f->sizes[at - 1].next) {
		unsigned i = find_bucket(&f->sizes[at - 1], bucket);

		if (i < TD_SIZES_EACH)
			calls = &f->sizes[at - 1].calls[i];
	}
	if (!calls)
		calls = new_bucket(f, k, bucket);
	if (!calls)
		return -ENOMEM;
	(*calls)++;
	return 0;
}

static int add_bytes(struct td_family *f, struct td_combo_transfers *k, const struct td_call *call,
		     enum td_step step)
{
	int64_t bytes = call->done_bytes;

	k->min_bytes = TD_MIN(k->min_bytes, bytes);
	k->max_bytes = TD_MAX(k->max_bytes, bytes);
	k->sequential += step == TD_STEP_SEQUENTIAL;
	k->random += step == TD_STEP_RANDOM;
	k->calls++;
	if (call->offset_bytes != TD_NULL) {
		k->placed++;
		k->end_bytes = TD_MAX(k->end_bytes, td_plus(call->offset_bytes, bytes));
	}
	return count_size(f, k, (uint8_t)td_size_bucket(bytes));
}

/* Only the kernel tells: most runs have no such call. */
static int add_cold(struct td_family *f, uint32_t combo, int64_t bytes, int64_t cold)
{
	struct td_combo_cold *k;

	for (; f->ncold <= combo; f->ncold++) {
		if (td_combo_room((void **)&f->cold, &f->cold_cap, f->ncold, sizeof(*f->cold)) < 0)
			return -ENOMEM;
		f->cold[f->ncold] = (struct td_combo_cold){ 0 };
	}
	k = &f->cold[combo];
	k->known++;
	k->hits += cold == 0;
	k->hit_bytes = td_plus(k->hit_bytes, TD_MAX(bytes - cold, INT64_C(0)));
	k->cold_bytes = td_plus(k->cold_bytes, TD_MIN(bytes, cold));
	k->ahead_bytes = td_plus(k->ahead_bytes, TD_MAX(cold - bytes, INT64_C(0)));
	return 0;
}

int td_transfers_begin(struct td_family *f, size_t ncombos)
{
	while (f->ntransfers < ncombos) {
		if (td_combo_room((void **)&f->transfers, &f->transfers_cap, f->ntransfers,
				  sizeof(*f->transfers)) < 0)
			return -ENOMEM;
		f->transfers[f->ntransfers++] = (struct td_combo_transfers){
			.min_bytes = INT64_MAX,
			.max_bytes = TD_NULL,
			.end_bytes = TD_NULL,
		};
	}
	return 0;
}

static void fetch_sizes(const struct td_family *f, const struct td_combo_transfers *k)
{
	if (k->sizes)
		__builtin_prefetch(&f->sizes[k->sizes - 1], 1);
}

int td_family_transfer(struct td_family *f, const struct td_call *calls, const uint32_t *combos,
		       const uint8_t *steps, size_t n)
{
	int r = td_transfers_begin(f, td_combos_end(combos, n));

	for (size_t i = 0; i < n && r >= 0; i++) {
		if (i + TD_AHEAD_COMBO < n)
			__builtin_prefetch(&f->transfers[combos[i + TD_AHEAD_COMBO]], 1);
		if (i + AHEAD_SIZES < n)
			fetch_sizes(f, &f->transfers[combos[i + AHEAD_SIZES]]);
		if (calls[i].done_bytes == TD_NULL)
			continue;
		r = add_bytes(f, &f->transfers[combos[i]], &calls[i], steps[i]);
		if (r >= 0 && calls[i].cold_bytes != INT32_MIN)
			r = add_cold(f, combos[i], calls[i].done_bytes, calls[i].cold_bytes);
	}
	return r;
}
