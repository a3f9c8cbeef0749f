/* SPDX-License-Identifier: MIT */
#include "analyzer/flame/flame.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "schema/stat_math.h"

const struct td_flame_info td_flames[TD_NFLAMES] = {
	[TD_FLAME_CPU] = { "cpu", "samples of what CPUs executed",
			   "what 'perf record -g', then 'perf script', or 'nsys profile' has" },
	[TD_FLAME_CALLS] = { "calls", "calls that have a stack",
			     "what 'strace -f -ttt -T -k' or 'nsys profile' has" },
	[TD_FLAME_SPANS] = { "spans", "NVTX ranges, operators, Python's functions",
			     "what 'nsys profile -t nvtx', or torch.profiler with_stack=True, "
			     "has" },
	[TD_FLAME_TOTALS] = { "totals", "stacks that a tool counted itself",
			      "maps of bpftrace with ustack or kstack in their keys, or folded "
			      "stacks" },
};

/* --- nodes --- */

struct node_key {
	uint32_t parent, name, module;
};

uint32_t td_flame_child(struct td_flame *f, uint32_t parent, struct td_str name,
			struct td_str module)
{
	struct node_key key = { parent, td_intern_add(&f->texts, name.p, name.len), 0 };
	uint32_t id;

	if (module.len)
		key.module = td_intern_add(&f->texts, module.p, module.len);
	if (!key.name || (module.len && !key.module))
		return UINT32_MAX;
	if (f->n >= TD_FLAME_NODES_MAX) {
		id = td_intern_find(&f->keys, (const char *)&key, sizeof(key));
		return id ? id : parent;
	}
	id = td_intern_add(&f->keys, (const char *)&key, sizeof(key));
	if (!id || td_grow(&f->nodes, &f->cap, f->n) < 0)
		return UINT32_MAX;
	if (id == f->n)
		f->nodes[f->n++] = (struct td_flame_node){ .parent = parent,
							   .name = key.name,
							   .module = key.module };
	return id;
}

int td_flame_begin(struct td_flame *f)
{
	if (td_grow(&f->nodes, &f->cap, f->n) < 0)
		return -ENOMEM;
	f->nodes[f->n++] = (struct td_flame_node){ 0 };
	return 0;
}

/* --- order --- */

/* A child and what it is sorted by. */
struct child {
	uint32_t index;
	int64_t total;
	struct td_str name;
};

static int larger_first(const void *a, const void *b)
{
	const struct child *l = a, *r = b;
	int by_name;

	if (l->total != r->total)
		return l->total < r->total ? 1 : -1;
	by_name = strcmp(l->name.p, r->name.p);
	return by_name ? by_name : l->index < r->index ? -1 : 1;
}

/* Sums and depths; a parent comes before its children. */
static void add_up(struct td_flame *f)
{
	for (size_t i = 0; i < f->n; i++) {
		f->nodes[i].self = TD_MAX(f->nodes[i].self, 0);
		f->nodes[i].total = f->nodes[i].self;
		f->depths[i] = i ? f->depths[f->nodes[i].parent] + 1 : 0;
	}
	for (size_t i = f->n - 1; i > 0; i--) {
		struct td_flame_node *parent = &f->nodes[f->nodes[i].parent];

		parent->total = td_plus(parent->total, f->nodes[i].total);
	}
}

/* Children of a node side by side: first[i] .. first[i + 1]. */
static void group(const struct td_flame *f, uint32_t *first, struct child *children)
{
	for (size_t i = 1; i < f->n; i++)
		first[f->nodes[i].parent + 1]++;
	for (size_t i = 1; i <= f->n; i++)
		first[i] += first[i - 1];
	for (size_t i = f->n - 1; i > 0; i--) {
		const struct td_flame_node *n = &f->nodes[i];
		uint32_t at = --first[n->parent + 1];

		children[at] = (struct child){ (uint32_t)i, n->total, td_flame_text(f, n->name) };
	}
	/* each end has become a begin */
	memmove(first, first + 1, f->n * sizeof(*first));
	first[f->n] = (uint32_t)f->n - 1;
}

/* Depth first: what is on the stack comes later. */
static void walk(struct td_flame *f, const uint32_t *first, struct child *children, uint32_t *stack)
{
	size_t n = 0, done = 0;

	stack[n++] = 0;
	while (n > 0) {
		uint32_t at = stack[--n];
		struct child *of = children + first[at];
		size_t count = first[at + 1] - first[at];

		f->order[done++] = at;
		qsort(of, count, sizeof(*of), larger_first);
		for (size_t i = count; i-- > 0;)
			stack[n++] = of[i].index;
	}
}

int td_flame_finish(struct td_flame *f)
{
	_cleanup_free_ uint32_t *first = calloc(f->n + 2, sizeof(*first));
	_cleanup_free_ uint32_t *stack = calloc(f->n, sizeof(*stack));
	_cleanup_free_ struct child *children = calloc(f->n, sizeof(*children));

	f->order = calloc(f->n, sizeof(*f->order));
	f->depths = calloc(f->n, sizeof(*f->depths));
	if (!first || !stack || !children || !f->order || !f->depths)
		return -ENOMEM;
	add_up(f);
	group(f, first, children);
	walk(f, first, children, stack);
	return 0;
}

void td_flame_done(struct td_flame *f)
{
	td_intern_done(&f->texts);
	td_intern_done(&f->keys);
	free(f->nodes);
	free(f->order);
	free(f->depths);
	free(f->title);
	free(f->tool_unit);
	free(f->notes);
	*f = (struct td_flame){ 0 };
}
