/* SPDX-License-Identifier: MIT */
/* Which transfers go on where the one before of the same process, file and verb ended, the first one at 0. */
#include "store/derive/calls_private.h"

#define AHEAD 16

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
	struct td_positions larger = { .n = p->n, .size = p->size ? p->size * 2 : 1024 };

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

static void give_up(struct td_positions *p)
{
	free(p->items);
	*p = (struct td_positions){ .given_up = true };
}

/* Has the call a place in the file, and does it count? */
static bool is_followed(const struct td_call *call)
{
	return call->offset_bytes != TD_NULL && call->done_bytes != TD_NULL && !call->nested;
}

static enum td_step step(struct td_positions *p, const struct td_call *call, uint32_t verb_id)
{
	struct td_position *at = &p->items[find(p, call->process_id, call->file_id, verb_id)];
	bool sequential;

	if (!at->verb_id) {
		*at = (struct td_position){ call->process_id, call->file_id, verb_id, 0 };
		p->n++;
	}
	sequential = at->end == call->offset_bytes;
	at->end = td_plus(call->offset_bytes, call->done_bytes);
	return sequential ? TD_STEP_SEQUENTIAL : TD_STEP_RANDOM;
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

	memset(steps, TD_STEP_UNKNOWN, n);
	if (p->given_up)
		return 0;
	while ((p->n + n) * 4 / 3 >= p->size)
		if (grow(p) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (i + AHEAD < n)
			fetch(c, &calls[i + AHEAD]);
		if (is_followed(&calls[i]))
			steps[i] = (uint8_t)step(p, &calls[i], c->verb_ids[calls[i].op_id]);
	}
	/* then only looking at the calls tells */
	if (p->n > c->positions_max)
		give_up(p);
	return 0;
}
