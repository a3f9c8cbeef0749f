/* SPDX-License-Identifier: MIT */
/* Groups of combos: those with equal key, process and sub, which derive/groups.c chooses. */
#include <math.h>

#include "store/derive/groups_private.h"
#include "common/array.h"
#include "common/parallel.h"

/* So many groups are summed up at a time, on all CPUs, and then written. */
#define GROUPS_AT_ONCE ((size_t)8192)

int td_grouper_prepare(struct td_grouper *g)
{
	size_t n = 1;

	for (size_t i = 0; i < g->c->nfamilies; i++)
		n = TD_MAX(n, g->c->families[i].ncombos);
	g->members = calloc(n, sizeof(*g->members));
	g->spare = calloc(n, sizeof(*g->spare));
	g->sets = calloc(n, sizeof(*g->sets));
	g->groups = malloc(TD_MIN(n, GROUPS_AT_ONCE) * sizeof(*g->groups));
	return g->members && g->spare && g->sets && g->groups ? 0 : -ENOMEM;
}

void td_grouper_done(struct td_grouper *g)
{
	td_row_builder_done(&g->stmt);
	free(g->members);
	free(g->spare);
	free(g->sets);
	free(g->stretches);
	free(g->groups);
}

/* --- order --- */

static uint32_t field_of(const struct td_group_member *m, size_t offset)
{
	uint32_t v;

	memcpy(&v, (const char *)m + offset, sizeof(v));
	return v;
}

/* One pass of sort_members(): by a byte of one field, equal ones in the order that they have. */
static void sort_by_byte(const struct td_group_member *from, struct td_group_member *to, size_t n,
			 size_t field, unsigned shift)
{
	size_t at[256] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[field_of(&from[i], field) >> shift & 0xff]++;
	for (size_t d = 0; d < TD_ARRAY_SIZE(at); d++) {
		size_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[field_of(&from[i], field) >> shift & 0xff]++] = from[i];
}

/* Sorts by key, process and sub; members of a group stay in the order of their combos. Ids are small and
 * dense, so that few bytes differ at all: the others take no pass. */
static void sort_members(struct td_grouper *g, size_t n)
{
	static const size_t fields[] = {
		offsetof(struct td_group_member, sub),
		offsetof(struct td_group_member, process_id),
		offsetof(struct td_group_member, key),
	};

	for (size_t f = 0; f < TD_ARRAY_SIZE(fields) && n; f++) {
		uint32_t first = field_of(&g->members[0], fields[f]), differ = 0;

		for (size_t i = 0; i < n; i++)
			differ |= field_of(&g->members[i], fields[f]) ^ first;
		for (unsigned shift = 0; shift < 32; shift += 8) {
			struct td_group_member *sorted = g->spare;

			if (!(differ >> shift & 0xff))
				continue;
			sort_by_byte(g->members, sorted, n, fields[f], shift);
			g->spare = g->members;
			g->members = sorted;
		}
	}
}

static bool same_group(const struct td_group_member *a, const struct td_group_member *b)
{
	return a->key == b->key && a->process_id == b->process_id && a->sub == b->sub;
}

static void add_combo(const struct td_family *f, struct td_call_group *group, uint32_t combo)
{
	const struct td_size_counts *s;

	td_sums_add(&group->sums, f, combo);
	for (uint32_t at = f->transfers[combo].sizes; at; at = s->next) {
		s = &f->sizes[at - 1];
		for (unsigned i = 0; i < TD_SIZES_EACH && s->buckets[i] != TD_SIZES_FREE; i++)
			group->sizes[s->buckets[i]] += s->calls[i];
	}
}

/* --- percentiles --- */

static int find_percentiles(const struct td_grouper *g, const struct td_group_stretch *s,
			    struct td_call_group *group)
{
	struct td_group_percentiles *ret = &group->percentiles;
	uint32_t *sets = g->sets + s->first;
	size_t nsets = 0;
	uint64_t n = 0;
	int64_t found[4] = { 0 };
	int r;

	*ret = (struct td_group_percentiles){ NAN, TD_NULL, TD_NULL };
	for (size_t i = s->first; i < s->end; i++) {
		uint32_t combo = g->members[i].combo;
		uint64_t timed = g->f->times[combo].timed;

		if (g->f->combos[combo].nested != g->nested || !timed)
			continue;
		sets[nsets++] = combo;
		n += timed;
	}
	if (n == 0)
		return 0;
	r = td_durations_ranks(g->f->durations, sets, nsets,
			       (const uint64_t[]){ (n + 1) / 2, n / 2 + 1, td_nearest_rank(n, 99),
						   td_nearest_rank(n, 95) },
			       found, g->of_files ? 3 : 4); /* file_stat has no p95_ns */
	if (r < 0)
		return r;
	*ret = (struct td_group_percentiles){ ((double)found[0] + (double)found[1]) / 2, found[3],
					      found[2] };
	r = g->hists ? td_durations_pack(g->f->durations, sets, nsets, &group->durations) : 0;
	return TD_MIN(r, 0);
}

/* --- groups --- */

/* Sorts n members and finds out where groups begin and end. */
static int find_groups(struct td_grouper *g, size_t n)
{
	sort_members(g, n);
	g->nstretches = 0;
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i; j < n && same_group(&g->members[i], &g->members[j]); j++)
			;
		if (td_grow(&g->stretches, &g->stretches_cap, g->nstretches) < 0)
			return -ENOMEM;
		g->stretches[g->nstretches++] = (struct td_group_stretch){ .first = i, .end = j };
	}
	return 0;
}

static void sum_up(const struct td_grouper *g, const struct td_group_stretch *s,
		   struct td_call_group *ret)
{
	*ret = (struct td_call_group){ .of = g->members[s->first], .sums = td_sums_none };
	for (size_t i = s->first; i < s->end; i++) {
		uint32_t combo = g->members[i].combo;

		if (g->f->combos[combo].nested == g->nested)
			add_combo(g->f, ret, combo);
		else
			ret->others += g->f->calls[combo].calls;
	}
}

static void forget_durations(struct td_grouper *g, size_t n)
{
	for (size_t i = 0; i < n && g->hists; i++)
		td_strbuf_done(&g->groups[i].durations);
}

static int find_group(void *arg, size_t i)
{
	const struct td_grouper *g = arg;
	const struct td_group_stretch *s = &g->stretches[g->first_group + i];

	sum_up(g, s, &g->groups[i]);
	return g->percentiles ? find_percentiles(g, s, &g->groups[i]) : 0;
}

int td_grouper_each(struct td_grouper *g, size_t n, bool nested, bool percentiles,
		    int (*write)(struct td_grouper *g, const struct td_call_group *group))
{
	int r = find_groups(g, n);

	g->nested = nested;
	g->percentiles = percentiles;
	for (size_t first = 0; first < g->nstretches && r >= 0; first += GROUPS_AT_ONCE) {
		size_t some = TD_MIN(g->nstretches - first, GROUPS_AT_ONCE);

		g->first_group = first;
		r = td_parallel(some, find_group, g);
		for (size_t i = 0; i < some && r >= 0; i++)
			if (g->groups[i].sums.calls)
				r = write(g, &g->groups[i]);
		forget_durations(g, some);
	}
	return r;
}
