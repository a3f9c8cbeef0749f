/* SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/big.h"
#include "common/cleanup.h"
#include "store/stage/run_writer.h"
#include "schema/rows.h"

#define DIGIT_BITS 11

/* Keys that insertion may move, for each that there is. */
#define MOVES_EACH 32

struct td_key {
	uint64_t time; /* since the first of those that are sorted together */
	uint32_t at; /* record */
};

void td_run_writer_clear(struct td_run_writer *pk)
{
	pk->n = 0;
	pk->last = INT64_MIN;
	pk->sorted = true;
}

void td_run_writer_init(struct td_run_writer *pk, const struct td_table *table)
{
	*pk = (struct td_run_writer){ .table = table, .pack = td_pack_of(table) };
	td_run_writer_clear(pk);
}

void td_run_writer_done(struct td_run_writer *pk)
{
	free(pk->records);
	free(pk->keys);
	free(pk->spare);
	free(pk->packed);
	pk->records = NULL;
	pk->keys = pk->spare = NULL;
	pk->packed = NULL;
	pk->cap = pk->key_cap = 0;
	td_run_writer_clear(pk);
}

/* --- what is kept --- */

struct td_run_slab {
	atomic_size_t users; /* runs in it, and who adds more */
	size_t used; /* of the bytes */
	uint8_t bytes[];
};

#define SLAB_BYTES (TD_HUGE_PAGE - sizeof(struct td_run_slab))

/* What is shorter, as of a small file, takes no slab, nor does what leaves no room for others. */
#define SLAB_RUN_MIN ((size_t)32 << 10)
#define SLAB_RUN_MAX (SLAB_BYTES / 4)

void td_run_slab_leave(struct td_run_slab *slab)
{
	if (slab && atomic_fetch_sub(&slab->users, 1) == 1)
		free(slab);
}

/* A slab with so much room; NULL: there is no memory. */
static struct td_run_slab *slab_with(struct td_run_slab *slab, size_t size)
{
	struct td_run_slab *new;

	if (slab && SLAB_BYTES - slab->used >= size)
		return slab;
	new = td_big_page();
	if (!new)
		return NULL;
	atomic_init(&new->users, 1);
	new->used = 0;
	td_run_slab_leave(slab);
	return new;
}

int td_run_room(struct td_run *run, struct td_run_slab **slab)
{
	size_t size = run->size + TD_PACK_SPARE;
	struct td_run_slab *in;

	if (size < SLAB_RUN_MIN || size > SLAB_RUN_MAX) {
		run->packed = malloc(size);
		return run->packed ? 0 : -ENOMEM;
	}
	in = slab_with(*slab, size);
	if (!in)
		return -ENOMEM;
	run->packed = in->bytes + in->used;
	run->slab = *slab = in;
	atomic_fetch_add(&in->users, 1);
	in->used += size;
	return 0;
}

static void free_packed(struct td_run *run)
{
	if (run->slab)
		td_run_slab_leave(TAKE_PTR(run->slab));
	else
		free(run->packed);
	run->packed = NULL;
}

void td_run_drop_packed(struct td_run *run)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uint8_t *packed = run->packed;
	uintptr_t first = ((uintptr_t)packed + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)packed + run->size) & ~(page - 1);

	/* a hole in the heap of some thread would be filled by nobody */
	if (!run->slab && first < end)
		(void)madvise(packed + (first - (uintptr_t)packed), end - first, MADV_DONTNEED);
	free_packed(run);
}

void td_run_done(struct td_run *run)
{
	free_packed(run);
	free(run->first);
	free(run->distinct);
	*run = (struct td_run){ 0 };
}

/* --- what is added --- */

static int grow(struct td_run_writer *pk)
{
	size_t cap = pk->cap ? pk->cap * 2 : 256;
	char *p = realloc(pk->records, cap * pk->pack.size);

	if (!p)
		return -ENOMEM;
	pk->records = p;
	pk->cap = cap;
	return 0;
}

/* Most rows are calls: their size known when this is compiled, no function has to be asked to copy them. */
static void copy_record(const struct td_run_writer *pk, char *to, const void *record)
{
	if (pk->pack.size == sizeof(struct td_call))
		memcpy(to, record, sizeof(struct td_call));
	else
		memcpy(to, record, pk->pack.size);
}

int td_run_writer_add(struct td_run_writer *pk, const void *record)
{
	int64_t t = td_record_time(pk->table, record);

	if (pk->n == pk->cap && grow(pk) < 0)
		return -ENOMEM;
	if (t < pk->last)
		pk->sorted = false;
	pk->last = t;
	copy_record(pk, pk->records + pk->n * pk->pack.size, record);
	pk->n++;
	return 0;
}

/* --- sorting --- */

/* Where among the n keys, which are sorted, one of that time belongs: behind the last that is not later. Looked for
 * from the end on, in steps that double. */
static size_t place_of(const struct td_key *keys, size_t n, uint64_t time)
{
	size_t low = n, high = n;

	for (size_t step = 1; low > 0 && keys[low - 1].time > time; step *= 2) {
		high = low - 1;
		low -= TD_MIN(step, low);
	}
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (keys[mid].time > time)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* A trace is in order of the ends of what it holds, and sorted by their begins: most keys stay where they are. false:
 * more of them have to be moved than pays, and some are not sorted. */
static bool sort_by_insertion(struct td_key *keys, size_t n)
{
	size_t moves = 0;

	for (size_t i = 1; i < n && moves < n * MOVES_EACH; i++) {
		struct td_key key = keys[i];
		size_t at;

		if (keys[i - 1].time <= key.time)
			continue;
		at = place_of(keys, i, key.time);
		memmove(&keys[at + 1], &keys[at], (i - at) * sizeof(*keys));
		keys[at] = key;
		moves += i - at;
	}
	return moves < n * MOVES_EACH;
}

/* Moves the keys to to, in order of that digit of their times, those with equal digits as they stand. */
static void sort_by_digit(const struct td_key *keys, struct td_key *to, size_t n, unsigned shift)
{
	uint32_t at[1 << DIGIT_BITS] = { 0 }, sum = 0;
	const uint64_t mask = TD_ARRAY_SIZE(at) - 1;

	for (size_t i = 0; i < n; i++)
		at[keys[i].time >> shift & mask]++;
	for (size_t d = 0; d < TD_ARRAY_SIZE(at); d++) {
		uint32_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[keys[i].time >> shift & mask]++] = keys[i];
}

/* The records' order by time; those of equal time stay as they are. Least significant digit first: a run
 * spans seconds, which is three digits. */
static const struct td_key *order(struct td_run_writer *pk)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < pk->n; i++) {
		int64_t t = td_record_time(pk->table, pk->records + i * pk->pack.size);

		pk->keys[i] = (struct td_key){ (uint64_t)t, (uint32_t)i };
		first = TD_MIN(first, t);
		last = TD_MAX(last, t);
	}
	if (pk->sorted)
		return pk->keys;
	for (size_t i = 0; i < pk->n; i++)
		pk->keys[i].time -= (uint64_t)first;
	if (sort_by_insertion(pk->keys, pk->n))
		return pk->keys;
	for (unsigned shift = 0; shift < 64 && ((uint64_t)last - (uint64_t)first) >> shift;
	     shift += DIGIT_BITS) {
		struct td_key *sorted = pk->spare;

		sort_by_digit(pk->keys, sorted, pk->n, shift);
		pk->spare = pk->keys;
		pk->keys = sorted;
	}
	return pk->keys;
}

/* --- packing --- */

static int make_room_to_pack(struct td_run_writer *pk)
{
	size_t n = pk->cap;

	if (n <= pk->key_cap)
		return 0;
	free(pk->keys);
	free(pk->spare);
	free(pk->packed);
	pk->key_cap = 0;
	pk->keys = malloc(n * sizeof(*pk->keys));
	pk->spare = malloc(n * sizeof(*pk->spare));
	pk->packed = malloc(td_pack_max(&pk->pack, n));
	if (!pk->keys || !pk->spare || !pk->packed)
		return -ENOMEM;
	pk->key_cap = n;
	return 0;
}

/* Inline, for pack_records(). */
static inline __attribute__((always_inline)) size_t
pack_sorted(const struct td_run_writer *pk, const struct td_pack *f, const struct td_key *key)
{
	static const char zeros[TD_PACK_WORDS * sizeof(uint64_t)];
	const char *last = zeros;
	uint8_t *p = pk->packed;

	for (size_t i = 0; i < pk->n; i++) {
		const char *record = pk->records + key[i].at * f->size;

		p = td_pack_put(f, last, record, p);
		last = record;
	}
	return (size_t)(p - pk->packed);
}

/* Multiplicative: the upper bits depend on all of the key, and then the lower ones on the upper. */
static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 h = (unsigned __int128)(a ^ UINT64_C(0x9e3779b97f4a7c15)) *
			      (b ^ UINT64_C(0xe7037ed1a0b428db));

	return (uint64_t)h ^ (uint64_t)(h >> 64);
}

static void sketch_calls(const struct td_run_writer *pk, struct td_sketch *distinct)
{
	const struct td_call *calls = (const void *)pk->records;

	for (size_t i = 0; i < pk->n; i++) {
		uint64_t file = (uint64_t)calls[i].file_id << 16 | calls[i].op_id;

		file = mix(file, UINT64_C(0xa0761d6478bd642f));
		td_sketch_add(&distinct[TD_DISTINCT_FILES], file);
		td_sketch_add(&distinct[TD_DISTINCT_FULL], mix(file, calls[i].process_id));
	}
}

/* Sorts the records and packs them; returns the size. Most are calls: that many words, known when this is compiled,
 * take a third of the instructions. */
static size_t pack_records(struct td_run_writer *pk, void *ret_first)
{
	static const struct td_pack call = TD_PACK_CALL;
	const struct td_key *key = order(pk);

	memcpy(ret_first, pk->records + key[0].at * pk->pack.size, pk->pack.size);
	if (pk->pack.of_calls)
		return pack_sorted(pk, &call, key);
	return pack_sorted(pk, &pk->pack, key);
}

int td_run_writer_run(struct td_run_writer *pk, struct td_run *ret)
{
	_cleanup_(td_run_done) struct td_run run = { 0 };
	int r;

	*ret = run;
	if (!pk->n)
		return 0;
	r = make_room_to_pack(pk);
	run.first = malloc(pk->pack.size);
	if (r < 0 || !run.first)
		return -ENOMEM;
	if (pk->table == &td_tables[TD_KIND_CALL]) {
		run.distinct = calloc(TD_NDISTINCT, sizeof(*run.distinct));
		if (!run.distinct)
			return -ENOMEM;
		sketch_calls(pk, run.distinct);
	}
	run.size = pack_records(pk, run.first);
	run.n = pk->n;
	td_run_writer_clear(pk);
	*ret = run;
	run = (struct td_run){ 0 };
	return 0;
}
