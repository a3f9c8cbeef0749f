/* SPDX-License-Identifier: MIT */
/* Calls by process, file, operation and nesting, or by some of these: a family of combos. */
#include <endian.h>

#include "store/derive/calls_private.h"
#include "common/array.h"
#include "common/pages.h"

#define LINES_MIN 64 /* items that room is made for first */
/* Memory is asked for so many calls ahead. */
#define AHEAD_LISTS 8

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
	free(f->objects);
	free(f->slots);
	td_pages_free(f->sizes, f->sizes_cap * sizeof(*f->sizes));
	free(f->bins);
	free(f->in_bin);
}

/* --- sizes --- */

/* Room for one more than n items, of whole cache lines each. They begin at a line, as pages do, which realloc() does
 * not know of. */
static int grow_lines(void **items, size_t *cap, size_t n, size_t size)
{
	size_t more = *cap ? *cap * 2 : LINES_MIN;
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
static uint32_t *new_bucket(struct td_family *f, struct td_combo *k, uint8_t bucket)
{
	struct td_size_counts *s = k->sizes ? &f->sizes[k->sizes - 1] : NULL;
	unsigned i = s ? find_bucket(s, TD_SIZES_FREE) : TD_SIZES_EACH;

	if (i == TD_SIZES_EACH) {
		if (grow_lines((void **)&f->sizes, &f->sizes_cap, f->nsizes, sizeof(*s)) < 0)
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

static int count_size(struct td_family *f, struct td_combo *k, uint8_t bucket)
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

static int add_bytes(struct td_family *f, struct td_combo *k, const struct td_call *call,
		     enum td_step step)
{
	int64_t bytes = call->done_bytes;

	k->bin_bytes = k->bin_bytes == TD_NULL ? bytes : td_plus(k->bin_bytes, bytes);
	k->min_bytes = TD_MIN(k->min_bytes, bytes);
	k->max_bytes = TD_MAX(k->max_bytes, bytes);
	k->sequential += step == TD_STEP_SEQUENTIAL;
	k->random += step == TD_STEP_RANDOM;
	return count_size(f, k, (uint8_t)td_size_bucket(bytes));
}

/* --- durations --- */

void td_combo_sum_up(struct td_family *f, struct td_combo *k)
{
	const struct td_duration_list *list = &k->durations;
	const uint32_t *end = f->lines[list->line].cells + list->n, *v;
	size_t n = list->n ? list->n - k->summed : 0;
	int64_t sum = 0, min_ns = k->min_ns, max_ns = k->max_ns;
	unsigned __int128 squares = k->squares;

	if (!n)
		return;
	for (v = end - n; v < end; v++) {
		sum += *v;
		squares += (uint64_t)*v * *v;
		min_ns = TD_MIN(min_ns, (int64_t)*v);
		max_ns = TD_MAX(max_ns, (int64_t)*v);
	}
	for (v = end - n; v < end && !k->nested && f->latencies; v++)
		f->latencies[k->op_id][td_histogram_bucket(*v)]++;
	k->timed += n;
	k->bin_ns = td_plus(k->bin_ns, sum);
	k->min_ns = min_ns;
	k->max_ns = max_ns;
	k->squares = squares;
	k->summed = list->n;
}

/* One that does not fit in a cell. */
static void sum_up_large(struct td_family *f, struct td_combo *k, int64_t dur_ns)
{
	k->timed++;
	k->bin_ns = td_plus(k->bin_ns, dur_ns);
	k->squares += (unsigned __int128)dur_ns * (uint64_t)dur_ns;
	k->min_ns = TD_MIN(k->min_ns, dur_ns);
	k->max_ns = TD_MAX(k->max_ns, dur_ns);
	if (!k->nested && f->latencies)
		f->latencies[k->op_id][td_histogram_bucket(dur_ns)]++;
}

static void close_durations(struct td_family *f)
{
	for (size_t i = 0; i < f->ncombos; i++) {
		td_combo_sum_up(f, &f->combos[i]);
		td_durations_close(f->durations, &f->combos[i].durations);
	}
}

/* A large one, or the first one of a line. */
static int begin_line(struct td_family *f, uint32_t combo, int64_t dur_ns)
{
	struct td_combo *k = &f->combos[combo];
	int r;

	td_combo_sum_up(f, k);
	r = td_durations_add(f->durations, combo, &k->durations, k->timed, dur_ns);
	if (r == 1) {
		close_durations(f);
		r = td_durations_spill(f->durations);
		if (r >= 0)
			r = td_durations_add(f->durations, combo, &k->durations, k->timed, dur_ns);
	}
	if (r < 0)
		return r;
	k->summed = (uint8_t)(k->durations.n - 1);
	if (dur_ns >= TD_DURATION_LARGE) {
		sum_up_large(f, k, dur_ns);
		k->summed++;
	}
	return 0;
}

static int add_duration(struct td_family *f, uint32_t combo, int64_t dur_ns)
{
	struct td_duration_list *list = &f->combos[combo].durations;

	if (!td_durations_room(list) || dur_ns >= TD_DURATION_LARGE)
		return begin_line(f, combo, dur_ns);
	td_durations_put(f->lines, list, (uint32_t)dur_ns);
	return 0;
}

/* --- combos --- */

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
static uint32_t combo_of(struct td_family *f, const struct key *key, uint64_t hash,
			 int64_t start_ns)
{
	size_t at = find_slot(f, key, hash);

	if (f->slots[at])
		return f->slots[at];
	if (grow_lines((void **)&f->combos, &f->combos_cap, f->ncombos, sizeof(*f->combos)) < 0)
		return 0;
	f->combos[f->ncombos++] = (struct td_combo){
		.process_id = key->process_id,
		.object = key->object,
		.op_id = key->op_id,
		.nested = key->nested,
		.bin_at = UINT32_MAX,
		.bin_bytes = TD_NULL,
		.min_bytes = INT64_MAX,
		.max_bytes = TD_NULL,
		.first_ns = start_ns,
		.min_ns = INT64_MAX,
		.max_ns = INT64_MIN,
		.done_bytes = TD_NULL,
	};
	return f->slots[at] = (uint32_t)f->ncombos;
}

static int add_call(struct td_family *f, const struct td_call *call, uint32_t combo,
		    enum td_step step)
{
	struct td_combo *k = &f->combos[combo];
	bool begins = !k->bin_calls;
	int r = begins ? td_bins_add(f, combo) : 0;

	k->bin_calls++;
	k->last_ns = call->start_ns;
	if (call->ret < 0 && call->ret != TD_NULL)
		k->bin_errors++;
	if (call->unfinished)
		k->unfinished++;
	if (call->done_bytes != TD_NULL && r >= 0)
		r = add_bytes(f, k, call, step);
	if (call->dur_ns != TD_NULL && r >= 0)
		r = add_duration(f, combo, call->dur_ns);
	return begins && r >= 0 ? td_bins_limit(f) : r;
}

/* Calls visit combos in no order, and there are more than the caches hold: those that come next are asked
 * for in time. A hint only, as the combo in the slot may be another one. */
static void fetch_combo(const struct td_family *f, uint64_t hash)
{
	uint32_t at = f->slots[hash & (f->nslots - 1)];

	if (at)
		td_fetch(&f->combos[at - 1], sizeof(f->combos->process_id));
}

/* Number of the combo from 1; 0 if it is new. What a call changes beside it is asked for. */
static uint32_t fetch_lists(const struct td_family *f, const struct key *key, uint64_t hash)
{
	uint32_t at = f->slots[find_slot(f, key, hash)];
	const struct td_combo *k;

	if (!at)
		return 0;
	k = &f->combos[at - 1];
	__builtin_prefetch(&f->lines[k->durations.line + k->durations.n / TD_DURATION_CELLS], 1);
	__builtin_prefetch(&k->bin_errors, 1); /* asking whether it is needed costs more */
	if (k->sizes)
		__builtin_prefetch(&f->sizes[k->sizes - 1], 1);
	return at;
}

/* Room in slots for so many new combos. A collision costs the cache lines of another combo. */
static int reserve_slots(struct td_family *f, size_t n)
{
	int r = 0;

	while ((f->ncombos + n) * 4 >= f->nslots && r >= 0)
		r = grow_slots(f);
	return r;
}

int td_family_add(struct td_family *f, const struct td_call *calls, const uint8_t *steps, size_t n)
{
	struct key keys[TD_CALLS_AT_ONCE];
	uint64_t hashes[TD_CALLS_AT_ONCE];
	uint32_t combos[TD_CALLS_AT_ONCE]; /* from 1; 0: there was none when it was looked for */
	int r = reserve_slots(f, n);

	if (r < 0)
		return r;
	make_keys(f, calls, keys, n);
	for (size_t i = 0; i < n; i++) {
		hashes[i] = hash_key(&keys[i]);
		__builtin_prefetch(&f->slots[hashes[i] & (f->nslots - 1)]);
	}
	for (size_t i = 0; i < n + TD_AHEAD_COMBO && r >= 0; i++) {
		size_t found = i - (TD_AHEAD_COMBO - AHEAD_LISTS), added = i - TD_AHEAD_COMBO;

		if (i < n)
			fetch_combo(f, hashes[i]);
		if (found < n)
			combos[found] = fetch_lists(f, &keys[found], hashes[found]);
		if (added >= n)
			continue;
		if (!combos[added])
			combos[added] =
				combo_of(f, &keys[added], hashes[added], calls[added].start_ns);
		if (!combos[added])
			return -ENOMEM;
		r = td_bins_go_to(f, calls[added].start_ns);
		if (r >= 0)
			r = add_call(f, &calls[added], combos[added] - 1, steps[added]);
	}
	return r;
}

int td_family_sort(struct td_family *f)
{
	_cleanup_free_ uint64_t *counts = calloc(f->ncombos + 1, sizeof(*counts));
	int r = counts ? td_bins_end(f) : -ENOMEM;

	if (r < 0)
		return r;
	for (size_t i = 0; i < f->ncombos; i++)
		counts[i] = f->combos[i].timed;
	close_durations(f);
	return td_durations_sort(f->durations, counts, f->ncombos);
}

void td_family_drop_durations(struct td_family *f)
{
	td_durations_free(TAKE_PTR(f->durations));
}
