/* SPDX-License-Identifier: MIT */
/* Which transfers go on where the one before of the same process, file and verb ended, the first one at 0. */
#include <pthread.h>

#include "common/parallel.h"
#include "store/derive/calls_private.h"

/* Tags and places are asked for so many calls ahead. */
#define AHEAD_TAGS 32
#define AHEAD_ITEM 16

/* The upper bits of a hash of 32 are which part of the spilled ones it is of. */
#define HASH_BITS_BELOW_PART 26
_Static_assert(TD_SPILL_PARTS == 1 << (32 - HASH_BITS_BELOW_PART), "a part for each value");

static uint64_t hash_position(uint32_t process_id, uint32_t file_id, uint32_t verb_id)
{
	uint64_t h = ((uint64_t)process_id << 32 | file_id) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 32 ^ verb_id) * UINT64_C(0x9e3779b97f4a7c15);
	return h >> 32;
}

static uint64_t hash_call(const struct td_calls *c, const struct td_call *call)
{
	return hash_position(call->process_id, call->file_id, c->verb_ids[call->op_id]);
}

/* Bits that neither the place of most tables nor the part depends on. */
static uint8_t tag_of(uint64_t hash)
{
	return (uint8_t)(0x80 | hash >> 18);
}

/* Most that are looked for in a full table are not there, which the tags say: these are in a cache, the items are not. */
static size_t find(const struct td_positions *p, uint64_t hash, uint32_t process_id,
		   uint32_t file_id, uint32_t verb_id)
{
	size_t at = hash & (p->size - 1);
	uint8_t tag = tag_of(hash);

	for (; p->tags[at]; at = (at + 1) & (p->size - 1)) {
		const struct td_position *i = &p->items[at];

		if (p->tags[at] == tag && i->process_id == process_id && i->file_id == file_id &&
		    i->verb_id == verb_id)
			break;
	}
	return at;
}

static int grow(struct td_positions *p)
{
	struct td_positions larger = *p;

	larger.size = p->size ? p->size * 2 : 1024;
	larger.items = calloc(larger.size, sizeof(*larger.items));
	larger.tags = calloc(larger.size, sizeof(*larger.tags));
	if (!larger.items || !larger.tags) {
		free(larger.items);
		free(larger.tags);
		return -ENOMEM;
	}
	for (size_t i = 0; i < p->size; i++) {
		const struct td_position *from = &p->items[i];
		uint64_t hash;
		size_t at;

		if (!p->tags[i])
			continue;
		hash = hash_position(from->process_id, from->file_id, from->verb_id);
		at = find(&larger, hash, from->process_id, from->file_id, from->verb_id);
		larger.items[at] = *from;
		larger.tags[at] = p->tags[i];
	}
	free(p->items);
	free(p->tags);
	*p = larger;
	return 0;
}

/* Room for so many more, but for no more than there may be. */
static int make_room(struct td_positions *p, size_t more, size_t max)
{
	int r = 0;

	while (TD_MIN(p->n + more, max) * 4 / 3 >= p->size && r >= 0)
		r = grow(p);
	return r;
}

void td_positions_done(struct td_positions *p)
{
	free(p->items);
	free(p->tags);
	td_spilled_transfers_free(p->spilled);
	*p = (struct td_positions){ .given_up = p->given_up };
}

static void give_up(struct td_positions *p)
{
	p->given_up = true;
	td_positions_done(p);
}

/* Has the call a place in the file, and does it count? */
static bool is_followed(const struct td_call *call)
{
	return call->offset_bytes != TD_NULL && call->done_bytes != TD_NULL && !call->nested;
}

/* Of those that are in the table, or may come in. */
static enum td_step step(struct td_positions *p, const struct td_call *call, uint32_t verb_id,
			 size_t max)
{
	uint64_t hash = hash_position(call->process_id, call->file_id, verb_id);
	size_t place = find(p, hash, call->process_id, call->file_id, verb_id);
	struct td_position *at = &p->items[place];
	bool sequential;

	if (!p->tags[place]) {
		if (p->n >= max)
			return TD_STEP_UNKNOWN;
		*at = (struct td_position){ call->process_id, call->file_id, verb_id, 0 };
		p->tags[place] = tag_of(hash);
		p->n++;
	}
	sequential = at->end == call->offset_bytes;
	at->end = td_plus(call->offset_bytes, call->done_bytes);
	return sequential ? TD_STEP_SEQUENTIAL : TD_STEP_RANDOM;
}

/* There is no room for it now: what it is is found at the end, part by part. 0 or -errno. */
static int spill(struct td_calls *c, const struct td_call *call)
{
	struct td_positions *p = &c->positions;
	uint64_t hash = hash_call(c, call);
	const struct td_spilled_transfer t = {
		.offset_bytes = call->offset_bytes,
		.done_bytes = (uint32_t)call->done_bytes,
		.process_id = call->process_id,
		.file_id = call->file_id,
		.op_id = call->op_id,
	};
	int r = p->spilled ? 0 : td_spilled_transfers_new(c->spill_path, &p->spilled);

	/* no call of a kernel transfers so much */
	if (call->done_bytes > UINT32_MAX) {
		give_up(p);
		return 0;
	}
	/* the table has what is in the lower bits */
	return r < 0 ? r
		     : td_spilled_transfers_add(p->spilled,
						(unsigned)(hash >> HASH_BITS_BELOW_PART), &t);
}

/* Asks for the tags that step() will look at first. */
static void fetch_tags(const struct td_calls *c, const struct td_positions *p,
		       const struct td_call *call)
{
	__builtin_prefetch(&p->tags[hash_call(c, call) & (p->size - 1)], 1);
}

/* Asks for what is there by the tags, or may come there. */
static void fetch_item(const struct td_calls *c, const struct td_positions *p,
		       const struct td_call *call, size_t max)
{
	uint64_t hash = hash_call(c, call);
	size_t at = hash & (p->size - 1);
	uint8_t tag = tag_of(hash);

	while (p->tags[at] && p->tags[at] != tag)
		at = (at + 1) & (p->size - 1);
	if (p->tags[at] || p->n < max)
		__builtin_prefetch(&p->items[at], 1);
}

int td_positions_follow(struct td_calls *c, const struct td_call *calls, uint8_t *steps, size_t n)
{
	struct td_positions *p = &c->positions;
	int r;

	memset(steps, TD_STEP_UNKNOWN, n);
	if (p->given_up)
		return 0;
	r = make_room(p, n, c->positions_max);
	for (size_t i = 0; i < n && r >= 0 && !p->given_up; i++) {
		if (i + AHEAD_TAGS < n)
			fetch_tags(c, p, &calls[i + AHEAD_TAGS]);
		if (i + AHEAD_ITEM < n && is_followed(&calls[i + AHEAD_ITEM]))
			fetch_item(c, p, &calls[i + AHEAD_ITEM], c->positions_max);
		if (!is_followed(&calls[i]))
			continue;
		steps[i] =
			(uint8_t)step(p, &calls[i], c->verb_ids[calls[i].op_id], c->positions_max);
		if (steps[i] == TD_STEP_UNKNOWN)
			r = spill(c, &calls[i]);
	}
	return r;
}

/* --- those that were spilled --- */

/* What a thread needs for a part, and what it has counted. */
struct follower {
	struct td_positions positions; /* owned; of the part */
	struct {
		uint32_t sequential, random;
	} * counts[TD_FAMILIES_MAX]; /* owned; by combo */
	struct follower *next; /* that nobody needs now */
};

struct following {
	struct td_calls *c;
	struct td_spilled_transfers *spilled;
	pthread_mutex_t lock; /* guards idle */
	struct follower *idle; /* owned */
};

static void follower_free(struct follower *f)
{
	td_positions_done(&f->positions);
	for (size_t i = 0; i < TD_FAMILIES_MAX; i++)
		free(f->counts[i]);
	free(f);
}

static struct follower *new_follower(const struct td_calls *c)
{
	struct follower *f = calloc(1, sizeof(*f));
	bool all = f;

	for (size_t i = 0; i < c->nfamilies && all; i++) {
		f->counts[i] = calloc(c->families[i].ncombos + 1, sizeof(*f->counts[i]));
		all = f->counts[i];
	}
	if (f && !all)
		follower_free(TAKE_PTR(f));
	return f;
}

/* One that has been at work already, if there is any: its memory is not new. NULL when out of memory. */
static struct follower *take_follower(struct following *g)
{
	struct follower *f;

	pthread_mutex_lock(&g->lock);
	f = g->idle;
	if (f)
		g->idle = f->next;
	pthread_mutex_unlock(&g->lock);
	return f ? f : new_follower(g->c);
}

static void give_back(struct following *g, struct follower *f)
{
	pthread_mutex_lock(&g->lock);
	f->next = g->idle;
	g->idle = f;
	pthread_mutex_unlock(&g->lock);
}

/* Each goes to its combo in all families. */
static void count_steps(const struct td_calls *c, struct follower *f, const struct td_call *calls,
			const uint8_t *steps, size_t n)
{
	uint32_t combos[TD_CALLS_AT_ONCE];

	for (size_t k = 0; k < c->nfamilies; k++) {
		td_family_find_known(&c->families[k], calls, combos, n);
		for (size_t i = 0; i < n; i++) {
			f->counts[k][combos[i]].sequential += steps[i] == TD_STEP_SEQUENTIAL;
			f->counts[k][combos[i]].random += steps[i] == TD_STEP_RANDOM;
		}
	}
}

static int follow_some(const struct td_calls *c, struct follower *f,
		       const struct td_spilled_transfer *t, size_t n)
{
	struct td_call calls[TD_CALLS_AT_ONCE];
	uint8_t steps[TD_CALLS_AT_ONCE];
	int r = make_room(&f->positions, n, SIZE_MAX / 4);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		calls[i] = (struct td_call){
			.process_id = t[i].process_id,
			.file_id = t[i].file_id,
			.op_id = t[i].op_id,
			.offset_bytes = t[i].offset_bytes,
			.done_bytes = t[i].done_bytes,
		};
		fetch_tags(c, &f->positions, &calls[i]);
	}
	for (size_t i = 0; i < n; i++)
		fetch_item(c, &f->positions, &calls[i], SIZE_MAX);
	for (size_t i = 0; i < n; i++)
		steps[i] =
			(uint8_t)step(&f->positions, &calls[i], c->verb_ids[t[i].op_id], SIZE_MAX);
	count_steps(c, f, calls, steps, n);
	return 0;
}

/* A follower, and what it belongs to. */
struct at_work {
	const struct td_calls *c;
	struct follower *f;
};

static int follow_spilled(void *arg, const struct td_spilled_transfer *t, size_t n)
{
	const struct at_work *w = arg;
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i += TD_CALLS_AT_ONCE)
		r = follow_some(w->c, w->f, t + i, TD_MIN(n - i, (size_t)TD_CALLS_AT_ONCE));
	/* too many: then only looking at the calls tells */
	return r >= 0 && w->f->positions.n > w->c->positions_max ? -E2BIG : r;
}

/* On any thread: no process, file and verb is in two parts. */
static int follow_part(void *arg, size_t part)
{
	struct following *g = arg;
	struct at_work w = { g->c, take_follower(g) };
	struct td_positions *p;
	int r;

	if (!w.f)
		return -ENOMEM;
	p = &w.f->positions;
	if (p->size)
		memset(p->tags, 0, p->size * sizeof(*p->tags));
	p->n = 0;
	r = td_spilled_transfers_each(g->spilled, (unsigned)part, follow_spilled, &w);
	give_back(g, w.f);
	return r;
}

static void add_counts(struct td_calls *c, const struct follower *f)
{
	for (size_t k = 0; k < c->nfamilies; k++)
		for (size_t i = 0; i < c->families[k].ncombos; i++) {
			c->families[k].transfers[i].sequential += f->counts[k][i].sequential;
			c->families[k].transfers[i].random += f->counts[k][i].random;
		}
}

static void following_done(struct following *g)
{
	while (g->idle) {
		struct follower *f = g->idle;

		g->idle = f->next;
		follower_free(f);
	}
	td_spilled_transfers_free(g->spilled);
	pthread_mutex_destroy(&g->lock);
}

int td_positions_end(struct td_calls *c)
{
	struct following g = { .c = c, .spilled = TAKE_PTR(c->positions.spilled) };
	int r = 0;

	td_positions_done(&c->positions);
	if (!g.spilled)
		return 0;
	pthread_mutex_init(&g.lock, NULL);
	for (struct td_family *f = c->families; f < c->families + c->nfamilies && r >= 0; f++)
		r = td_transfers_begin(f, f->ncombos);
	if (r >= 0)
		r = td_parallel(TD_SPILL_PARTS, follow_part, &g);
	for (const struct follower *f = g.idle; f && r >= 0; f = f->next)
		add_counts(c, f);
	following_done(&g);
	c->positions.given_up = r == -E2BIG;
	return r == -E2BIG ? 0 : r;
}
