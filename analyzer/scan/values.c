/* SPDX-License-Identifier: MIT */
#include "analyzer/scan/values.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/parallel.h"
#include "common/sort_few.h"

#define FEW 24 /* are sorted by insertion */

int td_values_reserve(struct td_values *v, size_t more)
{
	size_t cap = TD_MAX(v->n + more, v->cap * 2);
	struct td_value_of *items;

	if (v->n + more <= v->cap)
		return 0;
	items = realloc(v->items, cap * sizeof(*items));
	if (!items)
		return -ENOMEM;
	v->items = items;
	v->cap = cap;
	return 0;
}

int td_values_add_large(struct td_values *v, uint32_t group, int64_t value)
{
	if (td_grow(&v->large, &v->large_cap, v->nlarge) < 0)
		return -ENOMEM;
	v->large[v->nlarge++] = (struct td_large_of){ group, value };
	v->items[v->n++] = (struct td_value_of){ group, UINT32_MAX };
	return 0;
}

void td_values_done(struct td_values *v)
{
	free(v->items);
	free(v->large);
	*v = (struct td_values){ 0 };
}

static int compare_large(const void *a, const void *b)
{
	const struct td_large_of *x = a, *y = b;

	if (x->group != y->group)
		return (x->group > y->group) - (x->group < y->group);
	return (x->value > y->value) - (x->value < y->value);
}

static int sort_large(const struct td_values_part *parts, size_t nparts, struct td_sorted_values *s)
{
	size_t n = 0;

	for (size_t p = 0; p < nparts; p++)
		n += parts[p].values->nlarge;
	s->large = malloc((n + 1) * sizeof(*s->large));
	if (!s->large)
		return -ENOMEM;
	for (size_t p = 0; p < nparts; p++)
		for (size_t i = 0; i < parts[p].values->nlarge; i++)
			s->large[s->nlarge++] = (struct td_large_of){
				parts[p].groups[parts[p].values->large[i].group],
				parts[p].values->large[i].value,
			};
	qsort(s->large, s->nlarge, sizeof(*s->large), compare_large);
	return 0;
}

struct sorting {
	const struct td_values_part *parts;
	size_t nparts;
	size_t **
		at; /* owned, of each part: how many of its group, then where the next one of these goes */
	uint32_t *items; /* borrowed */
};

static void sorting_done(struct sorting *s)
{
	for (size_t p = 0; s->at && p < s->nparts; p++)
		free(s->at[p]);
	free(s->at);
}

static int count_part(void *arg, size_t p)
{
	struct sorting *s = arg;
	const struct td_values *v = s->parts[p].values;

	s->at[p] = calloc(s->parts[p].ngroups + 1, sizeof(*s->at[p]));
	if (!s->at[p])
		return -ENOMEM;
	for (size_t i = 0; i < v->n; i++)
		s->at[p][v->items[i].group]++;
	return 0;
}

static int put_part(void *arg, size_t p)
{
	struct sorting *s = arg;
	const struct td_values *v = s->parts[p].values;

	for (size_t i = 0; i < v->n; i++)
		s->items[s->at[p][v->items[i].group]++] = v->items[i].value;
	td_values_done(s->parts[p].values);
	return 0;
}

/* From how many each part has of each group to where these begin: group after group, in it part after part. */
static void find_places(const struct sorting *s, size_t ngroups, size_t *first)
{
	/* counted one place further, so that the places where groups begin are where they end when all are given */
	for (size_t p = 0; p < s->nparts; p++)
		for (size_t g = 0; g < s->parts[p].ngroups; g++)
			first[s->parts[p].groups[g] + 2] += s->at[p][g];
	for (size_t g = 0; g < ngroups; g++)
		first[g + 2] += first[g + 1];
	for (size_t p = 0; p < s->nparts; p++)
		for (size_t g = 0; g < s->parts[p].ngroups; g++) {
			size_t *next = &first[s->parts[p].groups[g] + 1], n = s->at[p][g];

			s->at[p][g] = *next;
			*next += n;
		}
}

int td_values_sort(const struct td_values_part *parts, size_t nparts, size_t ngroups,
		   struct td_sorted_values *ret)
{
	_cleanup_(td_sorted_values_done) struct td_sorted_values s = { 0 };
	_cleanup_(sorting_done) struct sorting sorting = { .parts = parts, .nparts = nparts };
	int r;

	s.first = calloc(ngroups + 2, sizeof(*s.first));
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
	sorting.at = calloc(nparts + 1, sizeof(*sorting.at));
	if (!s.first || !sorting.at || sort_large(parts, nparts, &s) < 0)
		return -ENOMEM;
	r = td_parallel(nparts, count_part, &sorting);
	if (r < 0)
		return r;
	find_places(&sorting, ngroups, s.first);
	sorting.items = s.items = malloc((s.first[ngroups] + 1) * sizeof(*s.items));
	if (!s.items)
		return -ENOMEM;
	r = td_parallel(nparts, put_part, &sorting);
	if (r < 0)
		return r;
	*ret = s;
	s = (struct td_sorted_values){ 0 };
	return 0;
}

void td_sorted_values_done(struct td_sorted_values *s)
{
	free(s->first);
	free(s->items);
	free(s->large);
	*s = (struct td_sorted_values){ 0 };
}

size_t td_sorted_count(const struct td_sorted_values *s, size_t group)
{
	return s->first[group + 1] - s->first[group];
}

static uint32_t median3(uint32_t a, uint32_t b, uint32_t c)
{
	return a < b ? (b < c ? b : TD_MAX(a, c)) : (a < c ? a : TD_MAX(b, c));
}

/* C.A.R. Hoare's "Find" (1961): puts the k-th smallest of n (from 0) at k, none larger before it, none smaller behind it.
 * Values that equal the pivot stop both scans, so many equal ones are cut in halves, too. */
static void find(uint32_t *v, size_t n, size_t k)
{
	while (n > FEW) {
		uint32_t pivot = median3(v[n / 4], v[n / 2], v[n - n / 4 - 1]);
		ptrdiff_t i = 0, j = (ptrdiff_t)n - 1;

		while (i <= j) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i <= j) {
				uint32_t x = v[i];

				v[i++] = v[j];
				v[j--] = x;
			}
		}
		if ((ptrdiff_t)k <= j) {
			n = (size_t)j + 1;
		} else if ((ptrdiff_t)k >= i) {
			v += i;
			n -= (size_t)i;
			k -= (size_t)i;
		} else {
			return;
		}
	}
	td_sort_few(v, n);
}

/* The first of the group's large values; how many there are before the others are counted is n. */
static const struct td_large_of *first_large(const struct td_sorted_values *s, size_t group)
{
	size_t lo = 0, hi = s->nlarge;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->large[mid].group < group)
			lo = mid + 1;
		else
			hi = mid;
	}
	return s->large + lo;
}

void td_sorted_ranks(const struct td_sorted_values *s, size_t group, const uint64_t *ranks,
		     size_t n, int64_t *ret)
{
	uint32_t *v = s->items + s->first[group];
	size_t count = td_sorted_count(s, group), done = 0, nlarge = 0;
	const struct td_large_of *large = first_large(s, group);

	while (large + nlarge < s->large + s->nlarge && large[nlarge].group == group)
		nlarge++;
	for (size_t i = 0; i < n; i++) {
		size_t k = ranks[i] - 1;

		if (k >= done) /* else it is the one of before */
			find(v + done, count - done, k - done);
		ret[i] = v[k] == UINT32_MAX ? large[k - (count - nlarge)].value : (int64_t)v[k];
		done = TD_MAX(done, k + 1);
	}
}
