/* SPDX-License-Identifier: MIT */
#include "store/derive/nesting.h"
#include "common/apart.h"
#include "common/array.h"
#include "schema/ops.h"

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

/* What matters of an operation. */
struct op {
	uint32_t family; /* 0: none */
	enum td_layer layer;
	bool contains; /* there are operations of an inner layer and the same family */
	bool contained; /* likewise of an outer layer */
};

struct td_nesting {
	struct op *ops; /* by op id */
	struct process *processes; /* by process id */
	size_t nprocesses;
};

int td_nesting_new(struct td_nesting **ret)
{
	struct td_nesting *n = td_calloc_apart(sizeof(*n));

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
	free(n->ops);
	free(n);
}

static int find_families(struct td_nesting *n, const struct td_contents *in)
{
	_cleanup_(td_intern_done) struct td_intern names = TD_INTERN_INIT;
	_cleanup_free_ unsigned *layers = calloc(in->nops + 1, sizeof(*layers)); /* by family */

	if (!layers)
		return -ENOMEM;
	for (size_t i = 0; i < in->nops; i++) {
		const char *family = in->ops[i].info->family;
		struct op *op = &n->ops[i + 1];

		op->layer = in->ops[i].layer;
		if (!family)
			continue;
		op->family = td_intern_add(&names, family, strlen(family));
		if (!op->family)
			return -ENOMEM;
		layers[op->family] |= 1u << op->layer;
	}
	for (size_t i = 1; i <= in->nops; i++) {
		struct op *op = &n->ops[i];
		unsigned present = op->family ? layers[op->family] : 0;

		op->contains = present >> op->layer > 1;
		op->contained = present & ((1u << op->layer) - 1);
	}
	return 0;
}

int td_nesting_begin(struct td_nesting *n, struct td_store *st)
{
	const struct td_contents *in = td_store_contents(st);

	n->nprocesses = in->nprocesses + 1;
	n->processes = calloc(n->nprocesses, sizeof(*n->processes));
	n->ops = calloc(in->nops + 1, sizeof(*n->ops));
	return n->processes && n->ops ? find_families(n, in) : -ENOMEM;
}

static bool within(const struct td_nesting *n, const struct open_call *o, const struct td_call *c)
{
	int64_t end = c->dur_ns == TD_NULL ? c->start_ns : c->start_ns + c->dur_ns;
	const struct op *outer = &n->ops[o->op_id], *inner = &n->ops[c->op_id];

	return end <= o->end_ns && outer->family == inner->family && outer->layer < inner->layer &&
	       (!o->thread_id || !c->thread_id || o->thread_id == c->thread_id);
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

/* A call of an operation that contains others, or is contained in others. */
static int mark(struct td_nesting *n, const struct op *op, struct td_call *c)
{
	struct process *p = &n->processes[c->process_id];
	int r;

	expire(p, c->start_ns);
	for (size_t i = 0; i < p->n && op->contained && !c->nested; i++)
		c->nested = within(n, &p->calls[i], c);
	if (!op->contains || c->dur_ns == TD_NULL)
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

int td_nesting_mark(struct td_nesting *n, struct td_call *c)
{
	const struct op *op = &n->ops[c->op_id];

	c->nested = 0;
	return op->contains || op->contained ? mark(n, op, c) : 0;
}
