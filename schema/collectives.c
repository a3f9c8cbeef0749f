/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "schema/collectives.h"
#include "schema/stat_math.h"

#define CLOCKS_ALIKE_NS                                                                            \
	1000 /* clocks of one machine that are known so well have no difference that matters */

/* --- names --- */

static bool begins(struct td_str s, const char *with)
{
	return s.len >= strlen(with) && memcmp(s.p, with, strlen(with)) == 0;
}

/* _Z, the length of the name, the name */
static bool is_mangled(struct td_str s)
{
	struct td_str name = s;

	if (!begins(s, "_Z"))
		return false;
	for (name.p += 2, name.len -= 2; name.len && *name.p >= '0' && *name.p <= '9'; name.p++)
		name.len--;
	return name.p > s.p + 2 && begins(name, "nccl");
}

struct td_str td_collective_name(struct td_str kernel)
{
	struct td_str name = kernel;
	size_t depth = 0;

	if (begins(name, "void ")) {
		name.p += strlen("void ");
		name.len -= strlen("void ");
	}
	if (!begins(name, "nccl") && !is_mangled(name))
		return (struct td_str){ NULL, 0 };
	/* arguments of a template may have a cast in parentheses */
	for (size_t i = 0; i < name.len; i++) {
		if (name.p[i] == '(' && depth == 0)
			name.len = i;
		else if (name.p[i] == '<')
			depth++;
		else if (name.p[i] == '>' && depth > 0)
			depth--;
	}
	return name;
}

/* --- what belongs together --- */

/* All groups of a collective. */
struct collective {
	uint32_t of_id;
	size_t groups;
	size_t least, most; /* kernels of a group */
	size_t from; /* up to so many not all groups have as many */
	size_t at; /* its first instance */
};

/* The n-th kernels of all groups. */
struct instance {
	size_t n, timed;
	int64_t first_ns, last_ns,
		before_ns; /* before_ns: of the last but one; TD_NULL: there is one only */
	int64_t ends_ns; /* when the first one ended */
	int64_t error_ns;
};

struct matching {
	struct td_collectives *c;
	const struct td_collective_clock *clocks;
	size_t nclocks;
	struct collective *collectives; /* owned */
	size_t ncollectives, cap;
	struct instance *instances; /* owned */
};

void td_collectives_done(struct td_collectives *c)
{
	free(c->groups);
	free(c->kernels);
	*c = (struct td_collectives){ 0 };
}

int td_collectives_add_group(struct td_collectives *c, uint32_t of_id, uint32_t device_id,
			     uint32_t process_id, int64_t rank)
{
	if (td_grow(&c->groups, &c->groups_cap, c->ngroups) < 0)
		return -ENOMEM;
	c->groups[c->ngroups++] = (struct td_collective_group){
		.of_id = of_id, .device_id = device_id, .process_id = process_id, .rank = rank
	};
	return 0;
}

/* Sources of one machine that are off by the same have the same clock. */
static bool clocks_agree(const struct td_collective_clock *clocks, size_t n)
{
	size_t used = 0, known = 0, moved = 0;
	int64_t least = INT64_MAX, most = INT64_MIN;
	const char *host = NULL;
	bool one_host = true;

	for (size_t i = 0; i < n; i++) {
		const struct td_collective_clock *k = &clocks[i];

		if (!k->is_used)
			continue;
		used++;
		moved += k->is_moved;
		if (k->own_error_ns != TD_NULL) {
			known++;
			least = TD_MIN(least, k->own_error_ns);
			most = TD_MAX(most, k->own_error_ns);
		}
		one_host = one_host && (!host || !k->host || strcmp(host, k->host) == 0);
		host = k->host ? k->host : host;
	}
	return used == 1 || (used && used == moved) ||
	       (used && used == known && one_host && (least == most || most <= CLOCKS_ALIKE_NS));
}

/* NULL: of a source that nobody told of. */
static const struct td_collective_clock *clock_of(const struct matching *m,
						  const struct td_collective_kernel *k)
{
	return k->source_id < m->nclocks ? &m->clocks[k->source_id] : NULL;
}

static int64_t moved(const struct td_collective_clock *clock, int64_t ns)
{
	return clock && clock->is_moved ? ns - clock->ahead_ns : ns;
}

static int by_collective(const void *a, const void *b)
{
	const struct td_collective_group *x = *(const struct td_collective_group *const *)a;
	const struct td_collective_group *y = *(const struct td_collective_group *const *)b;

	return (x->of_id > y->of_id) - (x->of_id < y->of_id);
}

static int add_collective(struct matching *m, struct td_collective_group *g)
{
	size_t last = m->ncollectives - 1;
	struct collective *of;

	if (!m->ncollectives || m->collectives[last].of_id != g->of_id) {
		if (td_grow(&m->collectives, &m->cap, m->ncollectives) < 0)
			return -ENOMEM;
		last = m->ncollectives++;
		m->collectives[last] = (struct collective){ .of_id = g->of_id, .least = SIZE_MAX };
	}
	of = &m->collectives[last];
	of->groups++;
	of->least = TD_MIN(of->least, g->seen);
	of->most = TD_MAX(of->most, g->seen);
	g->collective = last;
	return 0;
}

/* Which groups are of one collective, and room for their instances. */
static int find_collectives(struct matching *m)
{
	struct td_collectives *c = m->c;
	_cleanup_free_ struct td_collective_group **sorted =
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
		malloc(TD_MAX(c->ngroups, (size_t)1) * sizeof(*sorted));
	size_t instances = 0;
	int r = sorted ? 0 : -ENOMEM;

	for (size_t i = 0; i < c->ngroups && r == 0; i++)
		sorted[i] = &c->groups[i];
	if (r == 0)
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): likewise */
		qsort(sorted, c->ngroups, sizeof(*sorted), by_collective);
	for (size_t i = 0; i < c->ngroups && r == 0; i++)
		r = add_collective(m, sorted[i]);
	for (size_t i = 0; i < m->ncollectives && r == 0; i++) {
		m->collectives[i].at = instances;
		instances += m->collectives[i].most;
	}
	for (size_t i = 0; i < c->ngroups && r == 0; i++) {
		struct collective *of = &m->collectives[c->groups[i].collective];

		if (c->groups[i].seen < of->most)
			of->from = TD_MAX(of->from, c->groups[i].seen);
	}
	m->instances = r == 0 ? calloc(TD_MAX(instances, (size_t)1), sizeof(*m->instances)) : NULL;
	return m->instances ? 0 : -ENOMEM;
}

static void add_to_instance(struct instance *in, const struct td_collective_kernel *k,
			    const struct td_collective_clock *clock)
{
	int64_t start_ns = moved(clock, k->start_ns);

	if (!in->n++) {
		*in = (struct instance){ .n = 1,
					 .first_ns = start_ns,
					 .last_ns = start_ns,
					 .before_ns = TD_NULL,
					 .ends_ns = INT64_MAX };
	} else if (start_ns >= in->last_ns) {
		in->before_ns = in->last_ns;
		in->last_ns = start_ns;
	} else {
		in->before_ns = TD_MAX(in->before_ns, start_ns); /* TD_NULL is the smallest */
		in->first_ns = TD_MIN(in->first_ns, start_ns);
	}
	if (k->dur_ns != TD_NULL) {
		in->timed++;
		in->ends_ns = TD_MIN(in->ends_ns, td_plus(start_ns, k->dur_ns));
	}
	if (clock && clock->is_moved)
		in->error_ns = TD_MAX(in->error_ns, clock->error_ns);
}

/* The instance that the next kernel of its group is of. *nth: which one of the group it is, from 1. */
static struct instance *next_instance(const struct matching *m, struct td_collective_group *g,
				      size_t *nth)
{
	*nth = ++g->seen;
	return &m->instances[m->collectives[g->collective].at + *nth - 1];
}

static void start_again(struct td_collectives *c)
{
	for (size_t i = 0; i < c->ngroups; i++)
		c->groups[i].seen = 0;
}

/* Kernels of clocks that nobody can compare are of no instance. */
static bool can_be_matched(const struct td_collectives *c, const struct td_collective_clock *clock)
{
	return c->clocks_agree || (clock && clock->is_moved);
}

static void fill_instances(struct matching *m)
{
	struct td_collectives *c = m->c;

	start_again(c);
	for (size_t i = 0; i < c->n; i++) {
		const struct td_collective_clock *clock = clock_of(m, &c->kernels[i]);
		size_t nth;
		struct instance *in = next_instance(m, &c->groups[c->kernels[i].group], &nth);

		if (can_be_matched(c, clock))
			add_to_instance(in, &c->kernels[i], clock);
	}
}

/* --- sums --- */

static void clear(const struct matching *m, struct td_collective_group *g)
{
	const struct collective *of = &m->collectives[g->collective];

	assert(m->collectives); /* as there is a group */
	*g = (struct td_collective_group){
		.of_id = g->of_id,
		.device_id = g->device_id,
		.process_id = g->process_id,
		.rank = g->rank,
		.collective = g->collective,
		.max_ns = TD_NULL,
		.worst_ns = TD_NULL,
		.worst_start_ns = TD_NULL,
		.clock_error_ns = TD_NULL,
		.alike = of->groups > 1 && of->least == of->most,
	};
}

static void add_last(struct td_collective_group *g, const struct instance *in)
{
	int64_t cost_ns = in->last_ns - in->before_ns;

	g->last++;
	g->late_ns = td_plus(g->late_ns, in->last_ns - in->first_ns);
	g->cost_ns = td_plus(g->cost_ns, cost_ns);
	/* kernels of several machines need not come in order */
	if (cost_ns > g->worst_ns || (cost_ns == g->worst_ns && in->last_ns < g->worst_start_ns)) {
		g->worst_ns = cost_ns;
		g->worst_start_ns = in->last_ns;
	}
}

static void add_kernel(struct td_collective_group *g, const struct td_collective_kernel *k,
		       int64_t start_ns, const struct instance *in, bool is_matched)
{
	g->kernels++;
	if (k->dur_ns != TD_NULL) {
		g->timed++;
		g->total_ns = td_plus(g->total_ns, k->dur_ns);
		g->max_ns = TD_MAX(g->max_ns, k->dur_ns);
	}
	if (!is_matched)
		return;
	g->matched++;
	g->behind_ns = td_plus(g->behind_ns, start_ns - in->first_ns);
	g->waited_ns = td_plus(g->waited_ns, in->last_ns - start_ns);
	if (start_ns == in->last_ns)
		add_last(g, in);
}

static void add_up(struct matching *m, const struct td_collective_filter *filter)
{
	struct td_collectives *c = m->c;

	for (size_t i = 0; i < c->ngroups; i++)
		clear(m, &c->groups[i]);
	for (size_t i = 0; i < c->n; i++) {
		const struct td_collective_kernel *k = &c->kernels[i];
		const struct td_collective_clock *clock = clock_of(m, k);
		struct td_collective_group *g = &c->groups[k->group];
		int64_t start_ns = moved(clock, k->start_ns);
		size_t nth;
		const struct instance *in = next_instance(m, g, &nth);
		bool is_matched = can_be_matched(c, clock) && in->n > 1 && in->n == in->timed &&
				  nth > m->collectives[g->collective].from &&
				  in->last_ns <= td_plus(in->ends_ns, in->error_ns);

		if (filter && !filter->counts(filter->arg, g, start_ns))
			continue;
		add_kernel(g, k, start_ns, in, is_matched);
		if (clock && clock->is_moved)
			g->clock_error_ns = TD_MAX(g->clock_error_ns, clock->error_ns);
	}
}

int td_collectives_sum(struct td_collectives *c, struct td_collective_clock *clocks, size_t nclocks,
		       const struct td_collective_filter *filter)
{
	struct matching m = { .c = c, .clocks = clocks, .nclocks = nclocks };
	int r;

	start_again(c);
	for (size_t i = 0; i < c->n; i++) {
		c->groups[c->kernels[i].group].seen++;
		if (c->kernels[i].source_id < nclocks)
			clocks[c->kernels[i].source_id].is_used = true;
	}
	c->clocks_agree = clocks_agree(clocks, nclocks);
	r = find_collectives(&m);
	if (r == 0) {
		fill_instances(&m);
		add_up(&m, filter);
	}
	free(m.collectives);
	free(m.instances);
	return r;
}
