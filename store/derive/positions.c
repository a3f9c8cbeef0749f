/* SPDX-License-Identifier: MIT */
/* Which transfers go on where the one before of the same process, file and verb ended, the first one at 0. */
#include "store/derive/calls_private.h"

#define AHEAD 16
/* The upper bits of a hash of 32 are which part of the spilled ones it is of. */
#define HASH_BITS_BELOW_PART 26
_Static_assert(TD_SPILL_PARTS == 1 << (32 - HASH_BITS_BELOW_PART), "a part for each value");

static uint64_t hash_position(uint32_t process_id, uint32_t file_id, uint32_t verb_id)
{
	uint64_t h = ((uint64_t)process_id << 32 | file_id) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 32 ^ verb_id) * UINT64_C(0x9e3779b97f4a7c15);
	return h >> 32;
}

static size_t find(const struct td_positions *p, uint32_t process_id, uint32_t file_id,
		   uint32_t verb_id)
{
	size_t at = hash_position(process_id, file_id, verb_id) & (p->size - 1);

	for (; p->items[at].verb_id; at = (at + 1) & (p->size - 1)) {
		const struct td_position *i = &p->items[at];

		if (i->process_id == process_id && i->file_id == file_id && i->verb_id == verb_id)
			break;
	}
	return at;
}

static int grow(struct td_positions *p)
{
	struct td_positions larger = *p;

	larger.size = p->size ? p->size * 2 : 1024;
	larger.items = calloc(larger.size, sizeof(*larger.items));
	if (!larger.items)
		return -ENOMEM;
	for (size_t i = 0; i < p->size; i++) {
		const struct td_position *from = &p->items[i];

		if (from->verb_id)
			larger.items[find(&larger, from->process_id, from->file_id,
					  from->verb_id)] = *from;
	}
	free(p->items);
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
	struct td_position *at = &p->items[find(p, call->process_id, call->file_id, verb_id)];
	bool sequential;

	if (!at->verb_id) {
		if (p->n >= max)
			return TD_STEP_UNKNOWN;
		*at = (struct td_position){ call->process_id, call->file_id, verb_id, 0 };
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
	uint64_t hash = hash_position(call->process_id, call->file_id, c->verb_ids[call->op_id]);
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

static void fetch(const struct td_calls *c, const struct td_call *call)
{
	const struct td_positions *p = &c->positions;
	uint64_t hash = hash_position(call->process_id, call->file_id, c->verb_ids[call->op_id]);

	if (is_followed(call))
		__builtin_prefetch(&p->items[hash & (p->size - 1)], 1);
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
		if (i + AHEAD < n)
			fetch(c, &calls[i + AHEAD]);
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

struct following {
	struct td_calls *c;
	struct td_positions positions; /* owned; of a part */
};

/* Each goes to its combo in all families. */
static int count_steps(struct td_calls *c, const struct td_call *calls, const uint8_t *steps,
		       size_t n)
{
	uint32_t combos[TD_CALLS_AT_ONCE];
	int r = 0;

	for (struct td_family *f = c->families; f < c->families + c->nfamilies && r >= 0; f++) {
		r = td_family_find(f, calls, combos, n);
		for (size_t i = 0; i < n && r >= 0; i++) {
			f->transfers[combos[i]].sequential += steps[i] == TD_STEP_SEQUENTIAL;
			f->transfers[combos[i]].random += steps[i] == TD_STEP_RANDOM;
		}
	}
	return r;
}

static int follow_some(struct following *f, const struct td_spilled_transfer *t, size_t n)
{
	struct td_call calls[TD_CALLS_AT_ONCE];
	uint8_t steps[TD_CALLS_AT_ONCE];
	int r = make_room(&f->positions, n, SIZE_MAX / 4);

	for (size_t i = 0; i < n && r >= 0; i++) {
		calls[i] = (struct td_call){
			.process_id = t[i].process_id,
			.file_id = t[i].file_id,
			.op_id = t[i].op_id,
			.offset_bytes = t[i].offset_bytes,
			.done_bytes = t[i].done_bytes,
		};
		steps[i] = (uint8_t)step(&f->positions, &calls[i], f->c->verb_ids[t[i].op_id],
					 SIZE_MAX);
	}
	return r < 0 ? r : count_steps(f->c, calls, steps, n);
}

static int follow_spilled(void *arg, const struct td_spilled_transfer *t, size_t n)
{
	struct following *f = arg;
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i += TD_CALLS_AT_ONCE)
		r = follow_some(f, t + i, TD_MIN(n - i, (size_t)TD_CALLS_AT_ONCE));
	/* too many: then only looking at the calls tells */
	return r >= 0 && f->positions.n > f->c->positions_max ? -E2BIG : r;
}

/* In the table of the part before. */
static int follow_part(struct following *f, struct td_spilled_transfers *spilled, unsigned part)
{
	struct td_positions *p = &f->positions;

	if (p->size)
		memset(p->items, 0, p->size * sizeof(*p->items));
	p->n = 0;
	return td_spilled_transfers_each(spilled, part, follow_spilled, f);
}

int td_positions_end(struct td_calls *c)
{
	struct td_spilled_transfers *spilled = TAKE_PTR(c->positions.spilled);
	struct following following = { .c = c };
	int r = 0;

	td_positions_done(&c->positions);
	if (!spilled)
		return 0;
	for (struct td_family *f = c->families; f < c->families + c->nfamilies && r >= 0; f++)
		r = td_transfers_begin(f, f->ncombos);
	for (unsigned part = 0; part < TD_SPILL_PARTS && r >= 0; part++)
		r = follow_part(&following, spilled, part);
	td_positions_done(&following.positions);
	td_spilled_transfers_free(spilled);
	c->positions.given_up = r == -E2BIG;
	return r == -E2BIG ? 0 : r;
}
