/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/scan/values.h"
#include "common/array.h"
#include "common/big.h"
#include "common/cleanup.h"
#include "common/sort_few.h"

#define FEW 24 /* are sorted by insertion */
#define MANY 2048 /* from here on those that cannot be it are left out first */

/* --- one thread's --- */

int td_values_resize(struct td_values *v, size_t ngroups)
{
	if (ngroups > v->cap) {
		size_t cap = TD_MAX(ngroups, v->cap * 2);
		struct td_value_list *lists =
			td_big_realloc(v->lists, v->n * sizeof(*lists), cap * sizeof(*lists));

		if (!lists)
			return -ENOMEM;
		v->lists = lists;
		v->cap = cap;
	}
	if (ngroups > v->n)
		memset(v->lists + v->n, 0, (ngroups - v->n) * sizeof(*v->lists));
	v->n = ngroups;
	return 0;
}

/* --- chunks --- */

struct chunk {
	struct chunk *before;
	uint32_t items[];
};

/* How many of n values, which are more than a few, are before the chunk that has the last one. */
static size_t before_chunk(size_t n)
{
	size_t last = n - 1;

	if (last < 2 * TD_VALUES_FEW)
		return 0;
	return last < TD_VALUES_CHUNK ? (size_t)1 << (63 - __builtin_clzll(last))
				      : last & ~(size_t)(TD_VALUES_CHUNK - 1);
}

static struct chunk *last_chunk(const struct td_value_list *l)
{
	size_t n = l->n - before_chunk(l->n);

	return (struct chunk *)((char *)(l->next - n) - offsetof(struct chunk, items));
}

/* Room for one more, where there may be none. */
static int grow(struct td_values *v, struct td_value_list *l)
{
	bool is_first = l->n == TD_VALUES_FEW;
	size_t n = TD_MIN(is_first ? 2 * l->n : l->n, (size_t)TD_VALUES_CHUNK);
	struct chunk *chunk;

	if (l->n < TD_VALUES_FEW || (!is_first && before_chunk(l->n + 1) != l->n))
		return 0;
	chunk = td_pool_take(&v->chunks, sizeof(*chunk) + n * sizeof(*chunk->items));
	if (!chunk)
		return -ENOMEM;
	chunk->before = is_first ? NULL : last_chunk(l);
	if (is_first)
		memcpy(chunk->items, l->few, sizeof(l->few));
	l->next = chunk->items + (is_first ? l->n : 0);
	return 0;
}

int td_values_add_rarely(struct td_values *v, uint32_t group, int64_t value)
{
	struct td_value_list *l = &v->lists[group];
	bool is_large = value >= UINT32_MAX;
	uint32_t kept = is_large ? UINT32_MAX : (uint32_t)value;

	if (grow(v, l) < 0 || (is_large && td_grow(&v->large, &v->large_cap, v->nlarge) < 0))
		return -ENOMEM;
	if (is_large)
		v->large[v->nlarge++] = (struct td_large_of){ group, value };
	if (l->n < TD_VALUES_FEW)
		l->few[l->n] = kept;
	else
		*l->next++ = kept;
	l->n++;
	return 0;
}

void td_values_done(struct td_values *v)
{
	td_pool_done(&v->chunks);
	free(v->lists);
	free(v->large);
	*v = (struct td_values){ 0 };
}

/* Values of a list that lie together; begins with { 0 }, the last ones come first. */
struct run {
	const uint32_t *items;
	size_t n;
	const struct chunk *chunk; /* they are in; NULL: they are few */
	size_t left; /* before them */
};

/* The next ones; false: there are none. */
static bool next_run(const struct td_value_list *l, struct run *run)
{
	bool is_first = !run->items;
	size_t n = is_first ? l->n : run->left;

	if (n == 0)
		return false;
	if (is_first && n <= TD_VALUES_FEW) {
		*run = (struct run){ l->few, n, NULL, 0 };
		return true;
	}
	run->chunk = is_first ? last_chunk(l) : run->chunk->before;
	run->left = before_chunk(n);
	run->items = run->chunk->items;
	run->n = n - run->left;
	return true;
}

/* One run after the other of a group's, of all parts. */
#define FOR_EACH_RUN(a, group, run)                                                                \
	for (size_t p = 0; p < (a)->nparts; p++)                                                   \
		for (struct run run = { 0 };                                                       \
		     (a)->lists[(group) * (a)->nparts + p] &&                                      \
		     next_run((a)->lists[(group) * (a)->nparts + p], &run);)

/* --- all threads' --- */

static int compare_large(const void *a, const void *b)
{
	const struct td_large_of *x = a, *y = b;

	if (x->group != y->group)
		return (x->group > y->group) - (x->group < y->group);
	return (x->value > y->value) - (x->value < y->value);
}

static int sort_large(struct td_all_values *a)
{
	size_t n = 0;

	for (size_t p = 0; p < a->nparts; p++)
		n += a->parts[p].values->nlarge;
	a->large = malloc((n + 1) * sizeof(*a->large));
	if (!a->large)
		return -ENOMEM;
	for (size_t p = 0; p < a->nparts; p++) {
		const struct td_values *v = a->parts[p].values;

		for (size_t i = 0; i < v->nlarge; i++)
			a->large[a->nlarge++] =
				(struct td_large_of){ a->parts[p].groups[v->large[i].group],
						      v->large[i].value };
	}
	qsort(a->large, a->nlarge, sizeof(*a->large), compare_large);
	return 0;
}

int td_all_values_open(const struct td_values_part *parts, size_t nparts, size_t ngroups,
		       struct td_all_values *ret)
{
	_cleanup_(td_all_values_done) struct td_all_values a = { .parts = parts, .nparts = nparts };

	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
	a.lists = calloc(ngroups * nparts + 1, sizeof(*a.lists));
	if (!a.lists || sort_large(&a) < 0)
		return -ENOMEM;
	for (size_t p = 0; p < nparts; p++)
		for (size_t g = 0; g < parts[p].values->n; g++) {
			struct td_value_list *l = &parts[p].values->lists[g];

			a.lists[parts[p].groups[g] * nparts + p] = l;
			a.n += l->n;
		}
	*ret = a;
	a = (struct td_all_values){ 0 };
	return 0;
}

void td_all_values_done(struct td_all_values *a)
{
	free(a->lists);
	free(a->large);
	*a = (struct td_all_values){ 0 };
}

size_t td_all_values_count(const struct td_all_values *a, size_t group)
{
	size_t n = 0;

	for (size_t p = 0; p < a->nparts; p++) {
		const struct td_value_list *l = a->lists[group * a->nparts + p];

		n += l ? l->n : 0;
	}
	return n;
}

/* --- the k-th smallest of few --- */

static uint32_t median3(uint32_t a, uint32_t b, uint32_t c)
{
	return a < b ? (b < c ? b : TD_MAX(a, c)) : (a < c ? a : TD_MAX(b, c));
}

/* C.A.R. Hoare's "Find" (1961): puts the k-th smallest of n (from 0) at k, none larger before it,
 * none smaller behind it. Values that equal the pivot stop both scans, so many equal ones are cut
 * in halves, too. */
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

static void find_among_few(const struct td_all_values *a, size_t group, const uint64_t *ranks,
			   size_t n, uint32_t *ret)
{
	uint32_t v[MANY];
	size_t count = 0, done = 0;

	FOR_EACH_RUN(a, group, run)
	{
		memcpy(v + count, run.items, run.n * sizeof(*v));
		count += run.n;
	}
	for (size_t i = 0; i < n; i++) {
		size_t k = ranks[i] - 1;

		if (k >= done) /* else it is the one of before */
			find(v + done, count - done, k - done);
		ret[i] = v[k];
		done = k + 1;
	}
}

/* --- the k-th smallest of many --- */

/* 64 bins for each power of two, so that few values are in the one that is wanted; as of a binary
 * floating point number, the bits behind the first one that is set. Ascends with the value. */
#define BIN_BITS 6
#define BINS ((32 - BIN_BITS + 1) << BIN_BITS)

static unsigned bin_of(uint32_t v)
{
	unsigned shift = v >> BIN_BITS ? 31 - BIN_BITS - (unsigned)__builtin_clz(v) : 0;

	return (shift << BIN_BITS) + (v >> shift);
}

/* A bin that has the value of a rank. */
struct wanted {
	unsigned bin;
	size_t n, before; /* values in it, and in those below */
	size_t next; /* where in the buffer its next value goes */
};

static void count_bins(const struct td_all_values *a, size_t group, size_t *counts)
{
	memset(counts, 0, BINS * sizeof(*counts));
	FOR_EACH_RUN(a, group, run)
	for (size_t i = 0; i < run.n; i++)
		counts[bin_of(run.items[i])]++;
}

/* The bins of the ranks, which ascend; of: for each rank which of them; nvalues: in all of them.
 * Returns how many bins there are. */
static size_t choose_wanted(const size_t *counts, const uint64_t *ranks, size_t n,
			    struct wanted *ret, size_t *of, size_t *nvalues)
{
	size_t before = 0, nwanted = 0, next = 0;
	unsigned bin = 0;

	for (size_t i = 0; i < n; i++) {
		while (before + counts[bin] < ranks[i])
			before += counts[bin++];
		if (!nwanted || ret[nwanted - 1].bin != bin) {
			ret[nwanted++] = (struct wanted){ bin, counts[bin], before, next };
			next += counts[bin];
		}
		of[i] = nwanted - 1;
	}
	*nvalues = next;
	return nwanted;
}

/* The values of the bins that are wanted, bin after bin. NULL: no memory. */
static uint32_t *take_wanted(const struct td_all_values *a, size_t group, struct wanted *wanted,
			     size_t nwanted, size_t nvalues)
{
	uint8_t which[BINS] = { 0 }; /* from 1 */
	uint32_t *buffer = malloc((nvalues + 1) * sizeof(*buffer));

	if (!buffer)
		return NULL;
	for (size_t i = 0; i < nwanted; i++)
		which[wanted[i].bin] = (uint8_t)(i + 1);
	FOR_EACH_RUN(a, group, run)
	for (size_t i = 0; i < run.n; i++) {
		unsigned of = which[bin_of(run.items[i])];

		if (of)
			buffer[wanted[of - 1].next++] = run.items[i];
	}
	return buffer;
}

static int find_among_many(const struct td_all_values *a, size_t group, const uint64_t *ranks,
			   size_t n, uint32_t *ret)
{
	size_t counts[BINS], of[TD_RANKS_MAX], nwanted, nvalues;
	struct wanted wanted[TD_RANKS_MAX];
	_cleanup_free_ uint32_t *buffer = NULL;

	count_bins(a, group, counts);
	nwanted = choose_wanted(counts, ranks, n, wanted, of, &nvalues);
	buffer = take_wanted(a, group, wanted, nwanted, nvalues);
	if (!buffer)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct wanted *w = &wanted[of[i]];
		uint32_t *v = buffer + w->next - w->n; /* next is behind its last one now */
		size_t k = ranks[i] - 1 - w->before;

		find(v, w->n, k);
		ret[i] = v[k];
	}
	return 0;
}

/* --- both --- */

/* Behind the group's last one among the large ones. */
static size_t large_end(const struct td_all_values *a, size_t group)
{
	size_t lo = 0, hi = a->nlarge;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (a->large[mid].group <= group)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The k-th smallest of all of the group, which is among the large ones. */
static int64_t large_of(const struct td_all_values *a, size_t group, size_t k, size_t count)
{
	return a->large[large_end(a, group) - (count - k)].value;
}

int td_all_values_ranks(const struct td_all_values *a, size_t group, const uint64_t *ranks,
			size_t n, int64_t *ret)
{
	size_t count = td_all_values_count(a, group);
	uint32_t found[TD_RANKS_MAX];
	int r = 0;

	if (count < MANY)
		find_among_few(a, group, ranks, n, found);
	else
		r = find_among_many(a, group, ranks, n, found);
	for (size_t i = 0; i < n && r == 0; i++)
		ret[i] = found[i] == UINT32_MAX ? large_of(a, group, ranks[i] - 1, count)
						: (int64_t)found[i];
	return r;
}

void td_all_values_each(const struct td_all_values *a, size_t group,
			void (*fn)(void *arg, int64_t value), void *arg)
{
	FOR_EACH_RUN(a, group, run)
	for (size_t i = 0; i < run.n; i++)
		if (run.items[i] != UINT32_MAX)
			fn(arg, run.items[i]);
	for (size_t i = large_end(a, group); i > 0 && a->large[i - 1].group == group; i--)
		fn(arg, a->large[i - 1].value);
}
