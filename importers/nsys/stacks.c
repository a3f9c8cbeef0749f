/* SPDX-License-Identifier: MIT */
/*
 * Stacks: a row is a frame, the innermost has stackDepth 0.
 *     OSRT_CALLCHAINS        of OSRT_API.callchainId
 *     CUDA_CALLCHAINS        of CUPTI_ACTIVITY_KIND_RUNTIME.callchainId, _DRIVER
 *     SAMPLING_CALLCHAINS    of COMPOSITE_EVENTS.id
 *
 * A frame that nsys found no symbol for has its address for a symbol, which is another one in the
 * next run: its module is what is kept.
 */
#include "common/array.h"
#include "importers/nsys/nsys.h"

#define CHAINS_MAX ((int64_t)1 << 24) /* 64 MiB; nsys counts from 1 */

enum { FRAME_CHAIN = 1, FRAME_SYMBOL, FRAME_MODULE, FRAME_UNRESOLVED };

/* All frames of a chain were read. */
static int end_chain(struct td_nsys *n)
{
	struct td_nsys_chains *c = &n->chains;
	size_t id = (size_t)c->reading;

	if (!c->frames.n)
		return 0;
	while (c->n <= id) {
		if (td_grow(&c->stacks, &c->cap, c->n) < 0)
			return -ENOMEM;
		c->stacks[c->n++] = 0;
	}
	c->stacks[id] = td_frames_stack(&c->frames, n->imp->store, 0);
	return 0;
}

static int frame_row(struct td_nsys *n, sqlite3_stmt *s)
{
	int64_t id = td_nsys_i64(s, FRAME_CHAIN);
	bool unresolved = td_nsys_i64(s, FRAME_UNRESOLVED) == 1;
	int r = 0;

	if (id <= 0 || id > CHAINS_MAX)
		return td_nsys_reject(n, s, "impossible-stack");
	if (id != n->chains.reading)
		r = end_chain(n);
	if (r < 0)
		return r;
	n->chains.reading = id;
	r = td_frames_add(&n->chains.frames,
			  unresolved ? 0 : td_nsys_string(n, td_nsys_i64(s, FRAME_SYMBOL)),
			  td_nsys_string(n, td_nsys_i64(s, FRAME_MODULE)));
	return r < 0 ? r : TD_LINE_ROW;
}

static const char *const frame_columns[] = { "id",          "symbol",     "module",
					     "?unresolved", "stackDepth", NULL };

int td_nsys_read_chains(struct td_nsys *n, const char *table)
{
	const struct td_nsys_table t = {
		.name = table,
		.columns = frame_columns,
		.order = "id",
		.then = "stackDepth",
		.row = frame_row,
	};
	int r;

	n->chains.n = n->chains.frames.n = 0;
	n->chains.reading = 0;
	r = td_nsys_read(n, &t, NULL);
	return r < 0 ? r : end_chain(n);
}

uint32_t td_nsys_stack(const struct td_nsys *n, int64_t chain)
{
	return chain > 0 && (uint64_t)chain < n->chains.n ? n->chains.stacks[chain] : 0;
}
