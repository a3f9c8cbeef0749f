/* SPDX-License-Identifier: MIT */
#include "analyzer/partial/fold.h"

/* The group of each one of the question. */
static int find_groups(const struct td_partial *p, size_t question, unsigned dims,
		       struct td_partial_folded *to, uint32_t *groups)
{
	const struct td_partial_groups *from = &p->groups[question];
	uint8_t all[TD_NDIMS];
	unsigned nall = td_partial_question_columns(&p->head.questions[question], all);

	for (size_t g = 0; g < from->keys.n; g++) {
		int64_t key[TD_NDIMS] = { 0 }, folded[TD_NDIMS] = { 0 };
		struct td_str bytes = td_intern_get(&from->keys, (uint32_t)g + 1);
		size_t n = 0;
		uint32_t id;

		memcpy(key, bytes.p, bytes.len);
		for (unsigned d = 0; d < nall; d++) /* cells that stay are in the same order */
			if (dims & 1u << all[d])
				folded[n++] = key[d];
		id = td_intern_add(&to->groups.keys, (const char *)folded, n * sizeof(*folded));
		if (!id)
			return -ENOMEM;
		groups[g] = id - 1;
	}
	return td_group_sums_resize(&to->groups.sums, to->groups.keys.n);
}

static int fold_histograms(const struct td_partial_groups *from, const uint32_t *groups,
			   struct td_partial_groups *to)
{
	int r = 0;

	if (from->durations)
		to->durations = calloc(to->keys.n + 1, sizeof(*to->durations));
	if (from->sizes)
		to->sizes = calloc(to->keys.n + 1, sizeof(*to->sizes));
	if ((from->durations && !to->durations) || (from->sizes && !to->sizes))
		return -ENOMEM;
	for (size_t g = 0; g < from->keys.n && r == 0; g++) {
		if (from->durations)
			r = td_histogram_merge(&to->durations[groups[g]], &from->durations[g]);
		if (from->sizes && r == 0)
			r = td_histogram_merge(&to->sizes[groups[g]], &from->sizes[g]);
	}
	return r;
}

/* TD_DIM_FILE is the first one of the key. What is nested alone is on no file. */
static int add_files(const struct td_partial_groups *from, const uint32_t *groups,
		     struct td_partial_folded *to)
{
	to->files = malloc((to->groups.keys.n + 1) * sizeof(*to->files));
	if (!to->files)
		return -ENOMEM;
	for (size_t g = 0; g < to->groups.keys.n; g++)
		to->files[g] = (struct td_busiest_file){ 0, TD_NULL, TD_NULL };
	for (size_t g = 0; g < from->keys.n; g++) {
		int64_t file;

		memcpy(&file, td_intern_get(&from->keys, (uint32_t)g + 1).p, sizeof(file));
		if (file != TD_NULL && td_group_sums_get(&from->sums, g, TD_SUM_CALLS) > 0)
			td_busiest_file_add(&to->files[groups[g]], file,
					    td_group_sums_get(&from->sums, g, TD_SUM_TOTAL));
	}
	return 0;
}

int td_partial_fold(const struct td_partial *p, size_t question, unsigned dims,
		    struct td_partial_folded *ret)
{
	const struct td_partial_groups *from = &p->groups[question];
	_cleanup_free_ uint32_t *groups = malloc((from->keys.n + 1) * sizeof(*groups));
	_cleanup_(td_partial_folded_done) struct td_partial_folded to = { 0 };
	int r;

	if (!groups)
		return -ENOMEM;
	td_group_sums_init(&to.groups.sums, p->head.questions[question].measures);
	r = find_groups(p, question, dims, &to, groups);
	if (r < 0)
		return r;
	td_group_sums_merge(&to.groups.sums, &from->sums, groups);
	r = fold_histograms(from, groups, &to.groups);
	if (r == 0)
		r = add_files(from, groups, &to);
	if (r < 0)
		return r;
	*ret = to;
	to = (struct td_partial_folded){ 0 };
	return 0;
}

void td_partial_folded_done(struct td_partial_folded *f)
{
	td_partial_groups_done(&f->groups);
	free(f->files);
}
