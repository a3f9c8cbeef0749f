/* SPDX-License-Identifier: MIT */
/* Groups of combos: those with equal key, process and sub, which derive/groups.c chooses. */
#include <math.h>

#include "store/derive/groups_private.h"
#include "common/array.h"

/* A batch is full with so many groups, or so many combos in them. */
#define BATCH_GROUPS 64
#define BATCH_MEMBERS 1024
/* Groupings of more combos wait for those before, as each takes 20 bytes. */
#define MEMBERS_MAX ((size_t)1 << 18)

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
static int sort_members(struct td_grouping *g)
{
	static const size_t fields[] = {
		offsetof(struct td_group_member, sub),
		offsetof(struct td_group_member, process_id),
		offsetof(struct td_group_member, key),
	};

	_cleanup_free_ struct td_group_member *spare = calloc(g->n + 1, sizeof(*spare));

	if (!spare)
		return -ENOMEM;
	for (size_t f = 0; f < TD_ARRAY_SIZE(fields) && g->n; f++) {
		uint32_t first = field_of(&g->members[0], fields[f]), differ = 0;

		for (size_t i = 0; i < g->n; i++)
			differ |= field_of(&g->members[i], fields[f]) ^ first;
		for (unsigned shift = 0; shift < 32; shift += 8) {
			struct td_group_member *sorted = spare;

			if (!(differ >> shift & 0xff))
				continue;
			sort_by_byte(g->members, sorted, g->n, fields[f], shift);
			spare = g->members;
			g->members = sorted;
		}
	}
	return 0;
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

/* count: zeroed, as it is left. */
static int find_percentiles(struct td_call_group *group, struct td_histogram_count *count)
{
	const struct td_grouping *g = group->grouping;
	struct td_group_percentiles *ret = &group->percentiles;
	uint32_t *sets = g->sets + group->first;
	size_t nsets = 0;
	uint64_t n = 0;
	int64_t found[4] = { 0 };
	int r;

	*ret = (struct td_group_percentiles){ NAN, TD_NULL, TD_NULL };
	for (size_t i = group->first; i < group->end; i++) {
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
			       found, g->of_files ? 3 : 4);
	if (r < 0)
		return r;
	*ret = (struct td_group_percentiles){ ((double)found[0] + (double)found[1]) / 2, found[3],
					      found[2] };
	r = group->durations
		    ? td_durations_pack(g->f->durations, sets, nsets, count, group->durations)
		    : 0;
	return TD_MIN(r, 0);
}

/* --- steps of a batch of groups --- */

static void sum_up(struct td_call_group *group)
{
	const struct td_grouping *g = group->grouping;

	group->of = g->members[group->first];
	group->sums = td_sums_none;
	for (size_t i = group->first; i < group->end; i++) {
		uint32_t combo = g->members[i].combo;

		if (g->f->combos[combo].nested == g->nested)
			add_combo(g->f, group, combo);
		else
			group->others += g->f->calls[combo].calls;
	}
}

static int find_groups(void *unused, struct td_row_batch *b)
{
	struct td_call_group *groups = b->records;
	struct td_histogram_count count = { 0 };
	int r = 0;

	(void)unused;
	for (size_t i = 0; i < b->n && r >= 0; i++) {
		sum_up(&groups[i]);
		if (groups[i].grouping->percentiles)
			r = find_percentiles(&groups[i], &count);
	}
	return r;
}

static int write_groups(void *unused, struct td_row_batch *b)
{
	struct td_call_group *groups = b->records;
	int r = 0;

	(void)unused;
	for (size_t i = 0; i < b->n && r >= 0; i++) {
		if (groups[i].sums.calls)
			r = groups[i].grouping->write(groups[i].grouping, &groups[i]);
		if (groups[i].durations)
			td_strbuf_done(groups[i].durations);
	}
	return r;
}

static int open_steps(struct td_grouper *g)
{
	struct td_row_work work = {
		.record_size = sizeof(struct td_call_group),
		.threads = g->c->threads,
	};
	unsigned found = td_row_work_add(&work, find_groups, NULL, false, 0);

	(void)td_row_work_add(&work, write_groups, NULL, true, found);
	return td_row_steps_open(&work, &g->steps);
}

/* --- groupings --- */

static void add_group(struct td_row_batch *b, const struct td_grouping *g, size_t first, size_t end)
{
	struct td_call_group *groups = b->records;

	groups[b->n++] = (struct td_call_group){
		.grouping = g,
		.first = first,
		.end = end,
		.durations = g->durations ? &g->durations[first] : NULL,
	};
}

/* Batch by batch, at work with the threads meanwhile. */
static int hand_out(struct td_grouper *g, const struct td_grouping *by)
{
	for (size_t i = 0, j; i < by->n;) {
		size_t first = i;
		struct td_row_batch *b;
		int r = td_row_steps_room(g->steps, &b);

		if (r < 0)
			return r;
		for (; i < by->n && b->n < BATCH_GROUPS && i - first < BATCH_MEMBERS; i = j) {
			for (j = i; j < by->n && same_group(&by->members[i], &by->members[j]); j++)
				;
			add_group(b, by, i, j);
		}
		td_row_steps_filled(g->steps);
	}
	return 0;
}

int td_grouper_begin(struct td_grouper *g, const struct td_grouping *how, struct td_grouping **ret)
{
	struct td_grouping *new;
	int r = 0;

	if (g->n == TD_GROUPINGS_MAX || g->nmembers + how->f->ncombos > MEMBERS_MAX)
		r = td_grouper_end(g);
	if (r < 0)
		return r;
	new = &g->groupings[g->n++];
	*new = *how;
	new->members = calloc((size_t)how->f->ncombos + 1, sizeof(*new->members));
	*ret = new;
	return new->members ? 0 : -ENOMEM;
}

int td_grouper_group(struct td_grouper *g, struct td_grouping *by)
{
	int r = sort_members(by);

	g->nmembers += by->n;
	by->sets = calloc(by->n + 1, sizeof(*by->sets));
	if (by->hists)
		by->durations = calloc(by->n + 1, sizeof(*by->durations));
	if (!by->sets || (by->hists && !by->durations))
		r = -ENOMEM;
	if (r >= 0 && !g->steps)
		r = open_steps(g);
	return r < 0 ? r : hand_out(g, by);
}

static void grouping_done(struct td_grouping *g)
{
	for (size_t i = 0; g->durations && i < g->n; i++)
		td_strbuf_done(&g->durations[i]);
	free(g->durations);
	free(g->members);
	free(g->sets);
}

int td_grouper_end(struct td_grouper *g)
{
	int r = g->steps ? td_row_steps_close(TAKE_PTR(g->steps)) : 0;

	while (g->n > 0)
		grouping_done(&g->groupings[--g->n]);
	g->nmembers = 0;
	return r;
}

void td_grouper_done(struct td_grouper *g)
{
	(void)td_grouper_end(g);
	td_row_builder_done(&g->stmt);
}
