/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include "analyzer/durations.h"
#include "common/array.h"
#include "common/parallel.h"
#include "common/tmpfile.h"

/* Entries that stay in memory: 32 MiB. */
#define BUFFER ((size_t)4 << 20)
#define READ_ENTRIES ((size_t)65536)
#define LARGE                                                                                      \
	UINT32_MAX /* stands for a duration of 4.29 s or more, which is in the list of large ones */

struct entry {
	uint32_t set;
	uint32_t dur;
};

struct large {
	uint32_t set;
	int64_t dur_ns;
};

struct td_durations {
	const char *path; /* borrowed */
	int fd; /* -1 until the buffer was full */
	struct entry *buf;
	size_t n, cap; /* entries in buf */
	uint64_t total;
	struct large *larges;
	size_t nlarges, larges_cap;

	uint64_t stride; /* every stride-th of a set is kept */
	uint64_t *first; /* of each set in values; nsets + 1 */
	uint32_t *values; /* set by set, each ascending */
};

int td_durations_new(const char *path, struct td_durations **ret)
{
	struct td_durations *d = malloc(sizeof(*d));

	if (!d)
		return -ENOMEM;
	*d = (struct td_durations){ .path = path, .fd = -1 };
	*ret = d;
	return 0;
}

void td_durations_free(struct td_durations *d)
{
	if (!d)
		return;
	if (d->fd >= 0)
		close(d->fd);
	free(d->buf);
	free(d->larges);
	free(d->first);
	free(d->values);
	free(d);
}

static int spill(struct td_durations *d)
{
	const char *p = (const char *)d->buf;
	size_t left = d->n * sizeof(*d->buf);

	if (d->fd < 0)
		d->fd = td_tmpfile_open(d->path);
	if (d->fd < 0)
		return d->fd;
	while (left) {
		ssize_t n = write(d->fd, p, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		left -= (size_t)n;
	}
	d->n = 0;
	return 0;
}

int td_durations_add(struct td_durations *d, uint32_t set, int64_t dur_ns)
{
	int r;

	r = d->n == BUFFER ? spill(d) : td_grow(&d->buf, &d->cap, d->n);
	if (r < 0)
		return r;
	if (dur_ns >= LARGE) {
		r = td_grow(&d->larges, &d->larges_cap, d->nlarges);
		if (r < 0)
			return r;
		d->larges[d->nlarges++] = (struct large){ set, dur_ns };
	}
	d->buf[d->n++] = (struct entry){ set, dur_ns >= LARGE ? LARGE : (uint32_t)dur_ns };
	d->total++;
	return 0;
}

/* --- sorting --- */

static void insertion_sort(uint32_t *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t x = v[i];
		size_t at = i;

		for (; at > 0 && v[at - 1] > x; at--)
			v[at] = v[at - 1];
		v[at] = x;
	}
}

/* Moves v to to, in order of the digit of so many bits at shift. */
static void radix_pass(const uint32_t *v, uint32_t *to, size_t n, unsigned shift, unsigned bits)
{
	size_t at[2048], sum = 0, ndigits = (size_t)1 << bits;
	uint32_t mask = (uint32_t)ndigits - 1;

	memset(at, 0, ndigits * sizeof(*at));
	for (size_t i = 0; i < n; i++)
		at[v[i] >> shift & mask]++;
	for (size_t d = 0; d < ndigits; d++) {
		size_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[v[i] >> shift & mask]++] = v[i];
}

/* Ascending; tmp has room for n. Digits of 8 bits, or of 11 where there are enough values to pay for
 * the counters: bench/ has sets of some hundred values, and whole runs of millions. Most durations are short,
 * so the upper digits are 0 in all of them. */
static void sort_values(uint32_t *v, uint32_t *tmp, size_t n)
{
	unsigned bits = n < 4096 ? 8 : 11;
	uint32_t *from = v, *to = tmp, any = 0;

	if (n <= 32) {
		insertion_sort(v, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		any |= v[i];
	for (unsigned shift = 0; shift < 32 && any >> shift; shift += bits) {
		uint32_t *sorted = to;

		radix_pass(from, sorted, n, shift, bits);
		to = from;
		from = sorted;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
}

/* Puts n entries where their sets are. seen[set]: how many of the set came before. */
static void scatter(struct td_durations *d, const struct entry *e, size_t n, uint64_t *seen)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t at = seen[e[i].set]++;

		if (d->stride == 1) /* division is slow */
			d->values[d->first[e[i].set] + at] = e[i].dur;
		else if (at % d->stride == 0)
			d->values[d->first[e[i].set] + at / d->stride] = e[i].dur;
	}
}

static int scatter_all(struct td_durations *d, size_t nsets)
{
	_cleanup_free_ uint64_t *seen = calloc(nsets + 1, sizeof(*seen));
	_cleanup_free_ struct entry *buf = NULL;
	off_t at = 0;
	ssize_t n;

	if (!seen)
		return -ENOMEM;
	if (d->fd >= 0) {
		buf = malloc(READ_ENTRIES * sizeof(*buf));
		if (!buf)
			return -ENOMEM;
		while ((n = pread(d->fd, buf, READ_ENTRIES * sizeof(*buf), at)) != 0) {
			if (n < 0 && errno == EINTR)
				continue;
			if (n < 0)
				return -errno;
			/* the file holds whole buffers; a short read ends within an entry at worst */
			n -= n % (ssize_t)sizeof(*buf);
			if (n == 0)
				return -EIO;
			scatter(d, buf, (size_t)n / sizeof(*buf), seen);
			at += n;
		}
	}
	scatter(d, d->buf, d->n, seen);
	return 0;
}

#define SETS_A_PIECE 32

struct sorting {
	struct td_durations *d;
	size_t nsets;
};

static int sort_piece(void *arg, size_t piece)
{
	const struct sorting *sorting = arg;
	const struct td_durations *d = sorting->d;
	size_t first = piece * SETS_A_PIECE, end = TD_MIN(first + SETS_A_PIECE, sorting->nsets),
	       largest = 0;
	_cleanup_free_ uint32_t *scratch = NULL;

	for (size_t s = first; s < end; s++)
		largest = TD_MAX(largest, (size_t)(d->first[s + 1] - d->first[s]));
	scratch = malloc((largest + 1) * sizeof(*scratch));
	if (!scratch)
		return -ENOMEM;
	for (size_t s = first; s < end; s++)
		sort_values(d->values + d->first[s], scratch, d->first[s + 1] - d->first[s]);
	return 0;
}

static int by_set_and_duration(const void *a, const void *b)
{
	const struct large *x = a, *y = b;

	if (x->set != y->set)
		return x->set < y->set ? -1 : 1;
	return (x->dur_ns > y->dur_ns) - (x->dur_ns < y->dur_ns);
}

int td_durations_sort(struct td_durations *d, const uint64_t *counts, size_t nsets)
{
	int r;

	d->stride = d->total / TD_DURATIONS_EXACT + 1;
	d->first = calloc(nsets + 1, sizeof(*d->first));
	if (!d->first)
		return -ENOMEM;
	for (size_t s = 0; s < nsets; s++) {
		uint64_t kept = (counts[s] + d->stride - 1) / d->stride;

		d->first[s + 1] = d->first[s] + kept;
	}
	d->values = malloc((d->first[nsets] + 1) * sizeof(*d->values));
	if (!d->values)
		return -ENOMEM;
	r = scatter_all(d, nsets);
	if (r < 0)
		return r;
	r = td_parallel((nsets + SETS_A_PIECE - 1) / SETS_A_PIECE, sort_piece,
			&(struct sorting){ d, nsets });
	if (r < 0)
		return r;
	if (d->nlarges)
		qsort(d->larges, d->nlarges, sizeof(*d->larges), by_set_and_duration);
	return 0;
}

/* --- ranks --- */

static size_t size_of(const struct td_durations *d, uint32_t set)
{
	return d->first[set + 1] - d->first[set];
}

/* Counting more values than this costs less than sorting them. */
#define SORTED_MAX 1024

/* A few values: sort them together. */
static int ranks_by_sorting(const struct td_durations *d, const uint32_t *sets, size_t nsets,
			    size_t total, const uint64_t *ranks, uint32_t *ret, size_t n)
{
	_cleanup_free_ uint32_t *v = calloc(total * 2, sizeof(*v));
	size_t at = 0;

	if (!v)
		return -ENOMEM;
	for (size_t s = 0; s < nsets; s++) {
		memcpy(v + at, d->values + d->first[sets[s]], size_of(d, sets[s]) * sizeof(*v));
		at += size_of(d, sets[s]);
	}
	sort_values(v, v + total, total);
	for (size_t i = 0; i < n; i++)
		ret[i] = v[ranks[i] - 1];
	return 0;
}

/* Number of values of an ascending array below limit. */
static size_t below(const uint32_t *v, size_t n, uint64_t limit)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (v[mid] < limit)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Log-linear buckets: 64 per power of two, the values below 64 one each. */
#define BUCKETS (27 * 64 + 64)

static unsigned bucket_of(uint32_t v)
{
	unsigned shift;

	if (v < 64)
		return v;
	shift = 25 - (unsigned)__builtin_clz(v); /* leaves 7 bits, the highest of which is set */
	return (shift << 6) + (v >> shift);
}

/* Smallest value of a bucket; of the one behind the last: 2^32. */
static uint64_t bucket_low(unsigned bucket)
{
	unsigned shift = bucket < 128 ? 0 : (bucket >> 6) - 1;

	return (uint64_t)(bucket - (shift << 6)) << shift;
}

/* The values of one bucket, sorted together; the rank counts within the bucket. */
static int rank_in_bucket(const struct td_durations *d, const uint32_t *sets, size_t nsets,
			  unsigned bucket, size_t size, uint64_t rank, uint32_t *ret)
{
	_cleanup_free_ uint32_t *v = malloc(size * 2 * sizeof(*v));
	uint64_t low = bucket_low(bucket), high = bucket_low(bucket + 1);
	size_t at = 0;

	if (!v)
		return -ENOMEM;
	for (size_t s = 0; s < nsets; s++) {
		const uint32_t *from = d->values + d->first[sets[s]];
		size_t i = below(from, size_of(d, sets[s]), low);
		size_t n = below(from + i, size_of(d, sets[s]) - i, high);

		memcpy(v + at, from + i, n * sizeof(*v));
		at += n;
	}
	sort_values(v, v + size, size);
	*ret = v[rank - 1];
	return 0;
}

/* Many values: one pass counts them by bucket, then only the bucket of each answer is sorted. */
static int ranks_by_histogram(const struct td_durations *d, const uint32_t *sets, size_t nsets,
			      const uint64_t *ranks, uint32_t *ret, size_t n)
{
	_cleanup_free_ uint64_t *counts = calloc(BUCKETS, sizeof(*counts));
	int r = 0;

	if (!counts)
		return -ENOMEM;
	for (size_t s = 0; s < nsets; s++)
		for (uint64_t i = d->first[sets[s]]; i < d->first[sets[s] + 1]; i++)
			counts[bucket_of(d->values[i])]++;
	for (size_t i = 0; i < n && r >= 0; i++) {
		uint64_t rank = ranks[i];
		unsigned b = 0;

		while (rank > counts[b])
			rank -= counts[b++];
		if (bucket_low(b + 1) - bucket_low(b) == 1)
			ret[i] = (uint32_t)bucket_low(b);
		else
			r = rank_in_bucket(d, sets, nsets, b, counts[b], rank, &ret[i]);
	}
	return r;
}

/* The first of the large durations of the set or of a later one. */
static size_t first_large(const struct td_durations *d, uint32_t set)
{
	size_t low = 0, high = d->nlarges;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (d->larges[mid].set < set)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The rank-th of the large durations of the sets; there are few, and seldom any. */
static int large_rank(const struct td_durations *d, const uint32_t *sets, size_t nsets,
		      uint64_t rank, int64_t *ret)
{
	_cleanup_free_ struct large *l = calloc(d->nlarges + 1, sizeof(*l));
	size_t n = 0;

	if (!l)
		return -ENOMEM;
	for (size_t s = 0; s < nsets; s++)
		for (size_t i = first_large(d, sets[s]);
		     i < d->nlarges && d->larges[i].set == sets[s]; i++)
			l[n++] = (struct large){ 0, d->larges[i].dur_ns };
	qsort(l, n, sizeof(*l), by_set_and_duration);
	*ret = n ? l[TD_MIN(rank - 1, n - 1)].dur_ns : LARGE;
	return 0;
}

int td_durations_ranks(const struct td_durations *d, const uint32_t *sets, size_t nsets,
		       const uint64_t *ranks, int64_t *ret, size_t n)
{
	uint64_t kept_ranks[8];
	uint32_t values[8];
	size_t total = 0;
	int r = 0;

	assert(n <= TD_ARRAY_SIZE(values));
	for (size_t s = 0; s < nsets; s++)
		total += size_of(d, sets[s]);
	for (size_t i = 0; i < n; i++)
		kept_ranks[i] = TD_MIN((ranks[i] + d->stride - 1) / d->stride, total);
	if (nsets == 1) {
		for (size_t i = 0; i < n; i++)
			values[i] = d->values[d->first[sets[0]] + kept_ranks[i] - 1];
	} else if (total <= SORTED_MAX) {
		r = ranks_by_sorting(d, sets, nsets, total, kept_ranks, values, n);
	} else {
		r = ranks_by_histogram(d, sets, nsets, kept_ranks, values, n);
	}
	for (size_t i = 0; i < n && r >= 0; i++) {
		uint64_t smaller = 0;

		ret[i] = values[i];
		if (values[i] != LARGE)
			continue;
		for (size_t s = 0; s < nsets; s++)
			smaller += below(d->values + d->first[sets[s]], size_of(d, sets[s]), LARGE);
		r = large_rank(d, sets, nsets, kept_ranks[i] - smaller, &ret[i]);
	}
	return r;
}
