/* SPDX-License-Identifier: MIT */
#include "collector/probes/plan.h"
#include "common/cleanup.h"

/* What every set needs: whom to watch and what they have open. */
static const struct td_hook processes = {
	.name = "processes",
	.ways = { { TD_WAY_TP_BTF,
		    { "fork_btf", "exec_btf", "exit_btf_process", "rename_btf", "signal_btf",
		      "free_btf", "attach_btf" } },
		  { TD_WAY_TRACEPOINT,
		    { "fork_tracepoint", "exec_tracepoint", "exit_tracepoint_process" } } },
	.at_end = "usage_of_tasks",
};

static const struct td_hook iterators = {
	.name = "iterators",
	.ways = { { TD_WAY_ITER, { "follow_task", "found_tasks", "found_files" } } },
	.at_end = "unfinished_calls",
};

static bool has_way(const struct td_hook *h, unsigned way)
{
	return way < TD_WAYS_MAX && h->ways[way].programs[0];
}

/* --- what is tried --- */

/* The next way that may be tried. */
static void next_way(const struct td_plan *p, struct td_planned_hook *h)
{
	do
		h->way++;
	while (has_way(h->hook, h->way) && p->without & 1u << h->hook->ways[h->way].way);
	if (!has_way(h->hook, h->way))
		h->way = TD_WAYS_MAX;
}

static void add_hook(struct td_plan *p, const struct td_hook *hook)
{
	struct td_planned_hook *h = &p->hooks[p->nhooks];

	for (size_t i = 0; i < p->nhooks; i++)
		if (p->hooks[i].hook == hook)
			return;
	*h = (struct td_planned_hook){ .hook = hook };
	p->nhooks++;
	if (!(p->without & 1u << hook->ways[0].way))
		return;
	(void)snprintf(h->why, sizeof(h->why), "the best way is not to be used");
	next_way(p, h);
}

void td_plan_make(struct td_plan *p, uint32_t sets, uint32_t without)
{
	*p = (struct td_plan){ .sets = sets, .without = without };
	for (unsigned set = 0; set < TD_NSETS; set++)
		for (size_t i = 0; i < TD_SET_HOOKS_MAX && sets & 1u << set; i++)
			if (td_sets[set]->hooks[i])
				add_hook(p, td_sets[set]->hooks[i]);
	add_hook(p, &processes);
	add_hook(p, &iterators);
}

const char *td_plan_program(const struct td_planned_hook *h, size_t i)
{
	size_t n = 0;

	if (h->way == TD_WAYS_MAX)
		return NULL;
	while (n < TD_WAY_PROGRAMS_MAX && h->hook->ways[h->way].programs[n])
		n++;
	if (i < n)
		return h->hook->ways[h->way].programs[i];
	return i == n ? h->hook->at_end : NULL;
}

struct td_planned_hook *td_plan_find(struct td_plan *p, const char *program)
{
	const char *name;

	for (size_t i = 0; i < p->nhooks; i++)
		for (size_t k = 0; (name = td_plan_program(&p->hooks[i], k)); k++)
			if (strcmp(name, program) == 0)
				return &p->hooks[i];
	return NULL;
}

/* Adds to the reasons: "fentry: Operation not permitted; kprobe: ...". */
void td_plan_failed(struct td_plan *p, struct td_planned_hook *h, int error)
{
	static const char *const names[TD_NWAYS] = {
		[TD_WAY_TP_BTF] = "typed tracepoint", [TD_WAY_FENTRY] = "fentry",
		[TD_WAY_KPROBE] = "kprobe",           [TD_WAY_TRACEPOINT] = "tracepoint",
		[TD_WAY_UPROBE] = "uprobe",           [TD_WAY_ITER] = "iterator",
	};
	size_t len = strlen(h->why);
	/* what the verifier says about a program is of use to its author only */
	const char *words = error == EINVAL || error == EACCES ? "not accepted by this kernel"
							       : strerror(error);

	(void)snprintf(h->why + len, sizeof(h->why) - len, "%s%s: %s", len ? "; " : "",
		       names[h->hook->ways[h->way].way], words);
	next_way(p, h);
}

/* --- what became of it --- */

static bool needs(enum td_set set, const struct td_hook *hook)
{
	for (size_t i = 0; i < TD_SET_HOOKS_MAX; i++)
		if (td_sets[set]->hooks[i] == hook)
			return true;
	return hook == &processes || hook == &iterators;
}

bool td_plan_has(const struct td_plan *p, enum td_set set)
{
	for (size_t i = 0; i < p->nhooks; i++)
		if (p->hooks[i].way == TD_WAYS_MAX && needs(set, p->hooks[i].hook))
			return false;
	return p->sets & 1u << set;
}

/* One hook more that a set needs: the set works as well as the worst of them. */
static void add_to_status(struct td_set_status *s, const struct td_planned_hook *p)
{
	const struct td_hook *h = p->hook;
	bool best = p->way == 0 || (p->way < TD_WAYS_MAX && h->ways[p->way].as_good);
	enum td_set_state state = best ? TD_SET_WORKS : TD_SET_FALLBACK;

	if (p->way == TD_WAYS_MAX)
		state = TD_SET_IMPOSSIBLE;
	/* among hooks that do equally well the first one counts, which is the set's own */
	if (state <= s->state)
		return;
	*s = (struct td_set_status){
		.set = s->set,
		.state = state,
		.way = h->ways[p->way == TD_WAYS_MAX ? 0 : p->way].way,
	};
	(void)snprintf(s->why, sizeof(s->why), "%.20s%s%.119s", state > TD_SET_WORKS ? h->name : "",
		       state > TD_SET_WORKS ? ": " : "", p->why);
}

size_t td_plan_status(const struct td_plan *p, struct td_set_status ret[TD_NSETS])
{
	size_t n = 0;

	for (unsigned set = 0; set < TD_NSETS; set++) {
		if (!(p->sets & 1u << set))
			continue;
		ret[n] = (struct td_set_status){ .set = set };
		for (size_t i = 0; i < p->nhooks; i++)
			if (needs(set, p->hooks[i].hook))
				add_to_status(&ret[n], &p->hooks[i]);
		n++;
	}
	return n;
}
