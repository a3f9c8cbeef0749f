/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <endian.h>

#include "store/derive/calls_private.h"
#include "common/array.h"
#include "common/caldate.h"
#include "common/pages.h"
#include "schema/db.h"

#define BLOCK_CALLS 4096
#define LINES_MIN 64 /* items that room is made for first */
/* So many calls are looked at together, and memory is asked for so many calls ahead. */
#define AT_ONCE 256
#define AHEAD_LISTS 8

const struct td_sums td_sums_none = {
	.done_bytes = TD_NULL,
	.min_ns = INT64_MAX,
	.max_ns = INT64_MIN,
	.min_bytes = TD_NULL,
	.max_bytes = TD_NULL,
	.first_ns = INT64_MAX,
	.last_ns = INT64_MIN,
};

int td_calls_new(const char *spill_path, struct td_calls **ret)
{
	struct td_calls *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return -ENOMEM;
	r = td_durations_new(spill_path, &c->durations);
	if (r < 0) {
		free(c);
		return r;
	}
	c->lines = td_durations_lines(c->durations);
	*ret = c;
	return 0;
}

void td_calls_free(struct td_calls *c)
{
	if (!c)
		return;
	td_intern_done(&c->position_keys);
	td_durations_free(c->durations);
	free(c->verb_ids);
	td_pages_free(c->combos, c->combos_cap * sizeof(*c->combos));
	free(c->slots);
	td_pages_free(c->sizes, c->sizes_cap * sizeof(*c->sizes));
	free(c->positions);
	free(c->latencies);
	free(c->bins);
	free(c->in_bin);
	free(c->blocks);
	free(c);
}

int td_calls_begin(struct td_calls *c, struct td_store *st)
{
	const struct td_contents *in = td_store_contents(st);

	c->st = st;
	c->in = in;
	td_bins_begin(c);
	c->latencies = calloc(in->nops + 1, sizeof(*c->latencies));
	c->verb_ids = calloc(in->nops + 1, sizeof(*c->verb_ids));
	if (!c->latencies || !c->verb_ids)
		return -ENOMEM;
	/* these become keys of file_stat, and strings are written before it */
	for (unsigned i = 0; i < TD_NCLASSES; i++)
		(void)td_store_cstr(st, td_class_names[i]);
	for (size_t i = 0; i < in->nops; i++)
		c->verb_ids[i + 1] = td_store_cstr(st, in->ops[i].info->verb);
	return td_store_error(st);
}

/* --- sums --- */

void td_sums_add(struct td_sums *to, const struct td_combo *k)
{
	to->calls += k->calls;
	to->errors += k->errors;
	to->timed += k->timed;
	to->unfinished += k->unfinished;
	to->done_bytes = td_plus_known(to->done_bytes, k->done_bytes);
	to->total_ns = td_plus(to->total_ns, k->total_ns);
	to->min_ns = TD_MIN(to->min_ns, k->min_ns);
	to->max_ns = TD_MAX(to->max_ns, k->max_ns);
	to->squares += k->squares;
	if (k->max_bytes != TD_NULL)
		to->min_bytes = to->max_bytes == TD_NULL ? k->min_bytes
							 : TD_MIN(to->min_bytes, k->min_bytes);
	to->max_bytes = TD_MAX(to->max_bytes, k->max_bytes); /* TD_NULL is the smallest */
	to->sequential += k->sequential;
	to->random += k->random;
	to->first_ns = TD_MIN(to->first_ns, k->first_ns);
	to->last_ns = TD_MAX(to->last_ns, k->last_ns);
}

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
static uint32_t *new_bucket(struct td_calls *c, struct td_combo *k, uint8_t bucket)
{
	struct td_size_counts *s = k->sizes ? &c->sizes[k->sizes - 1] : NULL;
	unsigned i = s ? find_bucket(s, TD_SIZES_FREE) : TD_SIZES_EACH;

	if (i == TD_SIZES_EACH) {
		if (grow_lines((void **)&c->sizes, &c->sizes_cap, c->nsizes, sizeof(*s)) < 0)
			return NULL;
		s = &c->sizes[c->nsizes++];
		*s = (struct td_size_counts){ .next = k->sizes };
		memset(s->buckets, TD_SIZES_FREE, sizeof(s->buckets));
		k->sizes = (uint32_t)c->nsizes;
		i = 0;
	}
	s->buckets[i] = bucket;
	return &s->calls[i];
}

static int count_size(struct td_calls *c, struct td_combo *k, uint8_t bucket)
{
	uint32_t *calls = NULL;

	for (uint32_t at = k->sizes; at && !calls; at = c->sizes[at - 1].next) {
		unsigned i = find_bucket(&c->sizes[at - 1], bucket);

		if (i < TD_SIZES_EACH)
			calls = &c->sizes[at - 1].calls[i];
	}
	if (!calls)
		calls = new_bucket(c, k, bucket);
	if (!calls)
		return -ENOMEM;
	(*calls)++;
	return 0;
}

/* Combos of several operations share a position if their verb, process and file are the same. */
static int find_position(struct td_calls *c, struct td_combo *k)
{
	const uint32_t key[] = { k->process_id, k->file_id, c->verb_ids[k->op_id] };
	uint32_t at = td_intern_add(&c->position_keys, (const char *)key, sizeof(key));

	if (!at || td_grow(&c->positions, &c->positions_cap, c->npositions) < 0)
		return -ENOMEM;
	if (at > c->npositions)
		c->positions[c->npositions++] = 0;
	k->position = at;
	return 0;
}

static int follow_position(struct td_calls *c, struct td_combo *k, const struct td_call *call)
{
	int64_t *position;
	int r;

	if (!k->position) {
		r = find_position(c, k);
		if (r < 0)
			return r;
	}
	position = &c->positions[k->position - 1];
	k->sequential += call->offset_bytes == *position;
	k->random += call->offset_bytes != *position;
	*position = td_plus(call->offset_bytes, call->done_bytes);
	return 0;
}

static int add_bytes(struct td_calls *c, struct td_combo *k, const struct td_call *call)
{
	int64_t bytes = call->done_bytes;
	int r;

	k->bin_bytes = k->bin_bytes == TD_NULL ? bytes : td_plus(k->bin_bytes, bytes);
	k->min_bytes = TD_MIN(k->min_bytes, bytes);
	k->max_bytes = TD_MAX(k->max_bytes, bytes);
	r = count_size(c, k, (uint8_t)td_size_bucket(bytes));
	if (r < 0 || call->offset_bytes == TD_NULL || k->nested)
		return r;
	return follow_position(c, k, call);
}

/* --- durations --- */

void td_combo_sum_up(struct td_calls *c, struct td_combo *k)
{
	const struct td_duration_list *list = &k->durations;
	const uint32_t *end = c->lines[list->line].cells + list->n, *v;
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
	for (v = end - n; v < end && !k->nested; v++)
		c->latencies[k->op_id][td_latency_bucket(*v)]++;
	k->timed += n;
	k->bin_ns = td_plus(k->bin_ns, sum);
	k->min_ns = min_ns;
	k->max_ns = max_ns;
	k->squares = squares;
	k->summed = list->n;
}

/* One that does not fit in a cell. */
static void sum_up_large(struct td_calls *c, struct td_combo *k, int64_t dur_ns)
{
	k->timed++;
	k->bin_ns = td_plus(k->bin_ns, dur_ns);
	k->squares += (unsigned __int128)dur_ns * (uint64_t)dur_ns;
	k->min_ns = TD_MIN(k->min_ns, dur_ns);
	k->max_ns = TD_MAX(k->max_ns, dur_ns);
	if (!k->nested)
		c->latencies[k->op_id][td_latency_bucket(dur_ns)]++;
}

static void close_durations(struct td_calls *c)
{
	for (size_t i = 0; i < c->ncombos; i++) {
		td_combo_sum_up(c, &c->combos[i]);
		td_durations_close(c->durations, &c->combos[i].durations);
	}
}

/* A large one, or the first one of a line. */
static int begin_line(struct td_calls *c, uint32_t combo, int64_t dur_ns)
{
	struct td_combo *k = &c->combos[combo];
	int r;

	td_combo_sum_up(c, k);
	r = td_durations_add(c->durations, combo, &k->durations, k->timed, dur_ns);
	if (r == 1) {
		close_durations(c);
		r = td_durations_spill(c->durations);
		if (r >= 0)
			r = td_durations_add(c->durations, combo, &k->durations, k->timed, dur_ns);
	}
	if (r < 0)
		return r;
	k->summed = (uint8_t)(k->durations.n - 1);
	if (dur_ns >= TD_DURATION_LARGE) {
		sum_up_large(c, k, dur_ns);
		k->summed++;
	}
	return 0;
}

static int add_duration(struct td_calls *c, uint32_t combo, int64_t dur_ns)
{
	struct td_duration_list *list = &c->combos[combo].durations;

	if (!td_durations_room(list) || dur_ns >= TD_DURATION_LARGE)
		return begin_line(c, combo, dur_ns);
	td_durations_put(c->lines, list, (uint32_t)dur_ns);
	return 0;
}

/* --- rows --- */

/* Calls that begin at the same time are in the same block: then those from a time on begin in the last
 * block that begins before it, or with the next one. */
static int add_to_block(struct td_calls *c, int64_t id, int64_t start_ns)
{
	struct td_block_row *last = c->nblocks ? &c->blocks[c->nblocks - 1] : NULL;
	bool same_time = start_ns == c->last_start_ns;
	int r;

	c->last_start_ns = start_ns;
	if (last && (id - last->first_id < BLOCK_CALLS || same_time)) {
		last->last_id = id;
		return 0;
	}
	r = td_grow(&c->blocks, &c->blocks_cap, c->nblocks);
	if (r < 0)
		return r;
	assert(c->blocks);
	c->blocks[c->nblocks++] = (struct td_block_row){ start_ns, id, id };
	return 0;
}

static int add_to_blocks(struct td_calls *c, int64_t id, const struct td_call *calls, size_t n)
{
	const struct td_block_row *last = c->nblocks ? &c->blocks[c->nblocks - 1] : NULL;
	int r = 0;

	/* all of them are in the last one: what is said of the others does not matter */
	if (last && id + (int64_t)n - last->first_id <= BLOCK_CALLS)
		return add_to_block(c, id + (int64_t)n - 1, calls[n - 1].start_ns);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = add_to_block(c, id + (int64_t)i, calls[i].start_ns);
	return r;
}

static uint64_t hash_combo(uint32_t process_id, uint32_t file_id, uint16_t op_id, bool nested)
{
	/* multiplicative hashing: the upper bits depend on all of the key */
	uint64_t h = ((uint64_t)process_id << 32 | file_id) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 32 ^ ((uint64_t)op_id << 1 | nested)) * UINT64_C(0x9e3779b97f4a7c15);
	return h >> 32;
}

static uint64_t hash_call(const struct td_call *call)
{
	return hash_combo(call->process_id, call->file_id, call->op_id, call->nested);
}

static int grow_slots(struct td_calls *c)
{
	size_t n = c->nslots ? c->nslots * 2 : 1024;
	uint32_t *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(c->slots);
	c->slots = slots;
	c->nslots = n;
	for (uint32_t i = 0; i < c->ncombos; i++) {
		const struct td_combo *k = &c->combos[i];
		size_t at = hash_combo(k->process_id, k->file_id, k->op_id, k->nested) & (n - 1);

		while (slots[at])
			at = (at + 1) & (n - 1);
		slots[at] = i + 1;
	}
	return 0;
}

/* Where the combo of the call is in slots, or belongs. */
static size_t find_slot(const struct td_calls *c, const struct td_call *call, uint64_t hash)
{
	size_t at = hash & (c->nslots - 1);

	for (; c->slots[at]; at = (at + 1) & (c->nslots - 1)) {
		const struct td_combo *k = &c->combos[c->slots[at] - 1];

		if (k->process_id == call->process_id && k->file_id == call->file_id &&
		    k->op_id == call->op_id && k->nested == call->nested)
			break;
	}
	return at;
}

/* Number of the combo from 1, 0 when out of memory. There is room in slots for a new one. */
static uint32_t combo_of(struct td_calls *c, const struct td_call *call, uint64_t hash)
{
	size_t at = find_slot(c, call, hash);

	if (c->slots[at])
		return c->slots[at];
	if (grow_lines((void **)&c->combos, &c->combos_cap, c->ncombos, sizeof(*c->combos)) < 0)
		return 0;
	c->combos[c->ncombos++] = (struct td_combo){
		.process_id = call->process_id,
		.file_id = call->file_id,
		.op_id = call->op_id,
		.nested = call->nested,
		.bin_at = UINT32_MAX,
		.bin_bytes = TD_NULL,
		.min_bytes = INT64_MAX,
		.max_bytes = TD_NULL,
		.first_ns = call->start_ns,
		.min_ns = INT64_MAX,
		.max_ns = INT64_MIN,
		.done_bytes = TD_NULL,
	};
	return c->slots[at] = (uint32_t)c->ncombos;
}

static int add_call(struct td_calls *c, const struct td_call *call, uint32_t combo)
{
	struct td_combo *k = &c->combos[combo];
	bool begins = !k->bin_calls;
	int r = begins ? td_bins_add(c, combo) : 0;

	k->bin_calls++;
	k->last_ns = call->start_ns;
	if (call->ret < 0 && call->ret != TD_NULL)
		k->bin_errors++;
	if (call->unfinished)
		k->unfinished++;
	if (call->done_bytes != TD_NULL && r >= 0)
		r = add_bytes(c, k, call);
	if (call->dur_ns != TD_NULL && r >= 0)
		r = add_duration(c, combo, call->dur_ns);
	return begins && r >= 0 ? td_bins_limit(c) : r;
}

/* Calls visit combos in no order, and there are more than the caches hold: those that come next are asked
 * for in time. A hint only, as the combo in the slot may be another one. */
static void fetch_combo(const struct td_calls *c, uint64_t hash)
{
	uint32_t at = c->slots[hash & (c->nslots - 1)];

	if (at)
		td_fetch(&c->combos[at - 1], sizeof(c->combos->process_id));
}

/* Number of the combo from 1; 0 if it is new. What a call changes beside it is asked for. */
static uint32_t fetch_lists(const struct td_calls *c, const struct td_call *call, uint64_t hash)
{
	uint32_t at = c->slots[find_slot(c, call, hash)];
	const struct td_combo *k;

	if (!at)
		return 0;
	k = &c->combos[at - 1];
	__builtin_prefetch(&c->lines[k->durations.line + k->durations.n / TD_DURATION_CELLS], 1);
	__builtin_prefetch(&k->bin_errors, 1); /* asking whether it is needed costs more */
	if (k->sizes)
		__builtin_prefetch(&c->sizes[k->sizes - 1], 1);
	return at;
}

/* Room in slots for so many new combos. A collision costs the cache lines of another combo. */
static int reserve_slots(struct td_calls *c, size_t n)
{
	int r = 0;

	while ((c->ncombos + n) * 4 >= c->nslots && r >= 0)
		r = grow_slots(c);
	return r;
}

/* At most AT_ONCE calls. */
static int add_some(struct td_calls *c, int64_t id, const struct td_call *calls, size_t n)
{
	uint64_t hashes[AT_ONCE];
	uint32_t combos[AT_ONCE]; /* from 1; 0: there was none when it was looked for */
	int r = reserve_slots(c, n);

	if (r >= 0)
		r = add_to_blocks(c, id, calls, n);
	for (size_t i = 0; i < n && r >= 0; i++) {
		hashes[i] = hash_call(&calls[i]);
		__builtin_prefetch(&c->slots[hashes[i] & (c->nslots - 1)]);
	}
	for (size_t i = 0; i < n + TD_AHEAD_COMBO && r >= 0; i++) {
		size_t found = i - (TD_AHEAD_COMBO - AHEAD_LISTS), added = i - TD_AHEAD_COMBO;

		if (i < n)
			fetch_combo(c, hashes[i]);
		if (found < n)
			combos[found] = fetch_lists(c, &calls[found], hashes[found]);
		if (added >= n)
			continue;
		if (!combos[added])
			combos[added] = combo_of(c, &calls[added], hashes[added]);
		if (!combos[added])
			return -ENOMEM;
		r = td_bins_go_to(c, calls[added].start_ns);
		if (r >= 0)
			r = add_call(c, &calls[added], combos[added] - 1);
	}
	return r;
}

int td_calls_add(struct td_calls *c, int64_t id, const struct td_call *calls, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i += AT_ONCE)
		r = add_some(c, id + (int64_t)i, calls + i, TD_MIN(n - i, (size_t)AT_ONCE));
	return r;
}

int td_calls_write(struct td_calls *c, const struct td_target *target, struct td_err *err)
{
	_cleanup_free_ uint64_t *counts = calloc(c->ncombos + 1, sizeof(*counts));
	int r;

	if (!counts)
		return -ENOMEM;
	r = td_bins_end(c);
	if (r < 0)
		return r;
	for (size_t i = 0; i < c->ncombos; i++)
		counts[i] = c->combos[i].timed;
	close_durations(c);
	r = td_durations_sort(c->durations, counts, c->ncombos);
	return r < 0 ? r : td_groups_write(c, target, err);
}

int td_calls_write_width(const struct td_calls *c, sqlite3 *db, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, "UPDATE run SET bin_ns = ?1", -1, &stmt, NULL);

	if (rc == SQLITE_OK) {
		(void)sqlite3_bind_int64(stmt, 1, c->bin_width_ns);
		rc = sqlite3_step(stmt);
	}
	return rc == SQLITE_DONE ? 0
				 : td_db_error(db, rc, err, "cannot write the width of the bins");
}
