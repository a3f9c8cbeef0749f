/* SPDX-License-Identifier: MIT */
#include "analyzer/derive_nesting.h"
#include "common/array.h"
#include "schema/ops.h"
#include "schema/store_private.h"

/* Calls of one process that are in progress and may contain others. */
struct open_call {
	int64_t end_ns;
	uint32_t thread_id;
	uint16_t op_id;
};

struct process {
	struct open_call *calls;
	size_t n, cap;
};

struct td_nesting {
	const struct td_store *st;
	bool *contains; /* by op id: there are operations of an inner layer and the same family */
	bool *contained; /* by op id: likewise of an outer layer */
	struct process *processes; /* by process id */
	size_t nprocesses;
};

int td_nesting_new(struct td_nesting **ret)
{
	struct td_nesting *n = calloc(1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	*ret = n;
	return 0;
}

void td_nesting_free(struct td_nesting *n)
{
	if (!n)
		return;
	for (size_t i = 0; n->processes && i < n->nprocesses; i++)
		free(n->processes[i].calls);
	free(n->processes);
	free(n->contains);
	free(n->contained);
	free(n);
}

static bool may_contain(const struct td_op *outer, const struct td_op *inner)
{
	return outer->layer < inner->layer && outer->info->family && inner->info->family &&
	       strcmp(outer->info->family, inner->info->family) == 0;
}

int td_nesting_begin(struct td_nesting *n, struct td_store *st)
{
	n->st = st;
	n->nprocesses = st->nprocesses + 1;
	n->processes = calloc(n->nprocesses, sizeof(*n->processes));
	n->contains = calloc(st->nops + 1, sizeof(bool));
	n->contained = calloc(st->nops + 1, sizeof(bool));
	if (!n->processes || !n->contains || !n->contained)
		return -ENOMEM;
	for (size_t a = 0; a < st->nops; a++) {
		for (size_t b = 0; b < st->nops; b++) {
			if (!may_contain(&st->ops[a], &st->ops[b]))
				continue;
			n->contains[a + 1] = true;
			n->contained[b + 1] = true;
		}
	}
	return 0;
}

static bool within(const struct td_nesting *n, const struct open_call *o, const struct td_call *c)
{
	int64_t end = c->dur_ns == TD_NULL ? c->start_ns : c->start_ns + c->dur_ns;

	return end <= o->end_ns &&
	       (!o->thread_id || !c->thread_id || o->thread_id == c->thread_id) &&
	       may_contain(&n->st->ops[o->op_id - 1], &n->st->ops[c->op_id - 1]);
}

/* Forgets the calls that ended before the time. */
static void expire(struct process *p, int64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->calls[i].end_ns >= now_ns)
			p->calls[kept++] = p->calls[i];
	p->n = kept;
}

int td_nesting_mark(struct td_nesting *n, struct td_call *c)
{
	struct process *p = &n->processes[c->process_id];
	int r;

	c->nested = 0;
	if (!n->contains[c->op_id] && !n->contained[c->op_id])
		return 0;
	expire(p, c->start_ns);
	for (size_t i = 0; i < p->n && n->contained[c->op_id] && !c->nested; i++)
		c->nested = within(n, &p->calls[i], c);
	if (!n->contains[c->op_id] || c->dur_ns == TD_NULL)
		return 0;
	r = td_grow(&p->calls, &p->cap, p->n);
	if (r < 0)
		return r;
	p->calls[p->n++] = (struct open_call){
		.end_ns = c->start_ns + c->dur_ns,
		.thread_id = c->thread_id,
		.op_id = c->op_id,
	};
	return 0;
}
