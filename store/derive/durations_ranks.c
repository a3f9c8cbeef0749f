/* SPDX-License-Identifier: MIT */
/*
 * Nothing is sorted: the values of a large set are put in order of bucket, part by part, and where each
 * bucket ends is kept. Of a group of sets that tells in which bucket a rank lies, and only the values of that
 * bucket are looked at.
 */
#include <assert.h>

#include "store/derive/durations_private.h"
#include "common/array.h"
#include "common/histogram.h"
#include "common/parallel.h"
#include "common/sort_few.h"

/* Looking at fewer values than this costs less than keeping where their buckets end. */
#define ORDERED_MIN 64
/* No more parts than that (32 MiB): else only sets that are larger have them. */
#define PARTS_MAX ((size_t)(32 << 20) / sizeof(struct td_duration_ends))
#define PARTS_AT_ONCE 16
/* Groups of so few values are looked at as they are. */
#define FEW 64
/* So few values are sorted. */
#define SORTED_MAX 24

static unsigned bucket_of(uint32_t v)
{
	unsigned shift = 28 - (unsigned)__builtin_clz(v | 8); /* leaves 4 bits */

	return (shift << 3) + (v >> shift);
}

/* The bits of a value that its bucket leaves open. */
static unsigned bits_of_bucket(unsigned bucket)
{
	return bucket < 16 ? 0 : (bucket >> 3) - 1;
}

static uint32_t bucket_low(unsigned bucket)
{
	unsigned shift = bits_of_bucket(bucket);

	return (uint32_t)(bucket - (shift << 3)) << shift;
}

/* --- order --- */

static size_t parts_of(size_t n, size_t min)
{
	return n < min ? 0 : (n + TD_DURATION_PART - 1) / TD_DURATION_PART;
}

/* The smallest size from which on sets can have parts. */
static size_t ordered_min(const struct td_durations *d)
{
	size_t min = ORDERED_MIN, n;

	for (;; min *= 2) {
		n = 0;
		for (uint32_t s = 0; s < d->nsets; s++)
			n += parts_of(td_durations_kept(d, s), min);
		/* Beyond a part's size a larger min saves nothing: only sets of full parts are left. */
		if (n <= PARTS_MAX || min > TD_DURATION_PART)
			return min;
	}
}

static void order_part(uint32_t *v, uint32_t *tmp, size_t n, struct td_duration_ends *ends)
{
	uint16_t counts[TD_DURATION_BUCKETS] = { 0 };
	uint16_t sum = 0;

	for (size_t i = 0; i < n; i++)
		counts[bucket_of(v[i])]++;
	for (unsigned b = 0; b < TD_DURATION_BUCKETS; b++) {
		ends->at[b] = sum; /* its begin, for now */
		sum = (uint16_t)(sum + counts[b]);
	}
	for (size_t i = 0; i < n; i++)
		tmp[ends->at[bucket_of(v[i])]++] = v[i];
	memcpy(v, tmp, n * sizeof(*v));
}

/* The set of a part. */
static uint32_t set_of_part(const struct td_durations *d, uint32_t part)
{
	size_t low = 0, high = d->nsets;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (d->first_part[mid] <= part)
			low = mid;
		else
			high = mid;
	}
	return (uint32_t)low;
}

static int order_parts(void *arg, size_t i)
{
	const struct td_durations *d = arg;
	_cleanup_free_ uint32_t *tmp = malloc(TD_DURATION_PART * sizeof(*tmp));
	uint32_t part = (uint32_t)(i * PARTS_AT_ONCE);
	uint32_t end = (uint32_t)TD_MIN(part + PARTS_AT_ONCE, d->first_part[d->nsets]);

	if (!tmp)
		return -ENOMEM;
	for (uint32_t set = set_of_part(d, part); part < end; part++) {
		size_t first;

		while (d->first_part[set + 1] <= part)
			set++;
		first = (part - d->first_part[set]) * TD_DURATION_PART;
		order_part(d->values + d->first[set] + first, tmp,
			   TD_MIN(td_durations_kept(d, set) - first, TD_DURATION_PART),
			   &d->ends[part]);
	}
	return 0;
}

int td_durations_order(struct td_durations *d)
{
	size_t min = ordered_min(d), nparts;

	d->first_part = calloc(d->nsets + 1, sizeof(*d->first_part));
	if (!d->first_part)
		return -ENOMEM;
	for (uint32_t s = 0; s < d->nsets; s++)
		d->first_part[s + 1] =
			d->first_part[s] + (uint32_t)parts_of(td_durations_kept(d, s), min);
	nparts = d->first_part[d->nsets];
	d->ends = malloc((nparts + 1) * sizeof(*d->ends));
	if (!d->ends)
		return -ENOMEM;
	return td_parallel((nparts + PARTS_AT_ONCE - 1) / PARTS_AT_ONCE, order_parts, d);
}

/* --- ranks --- */

/* The values that have that digit, to to. */
static size_t keep_digit(const uint32_t *v, uint32_t *to, size_t n, uint32_t low, unsigned shift,
			 uint32_t digit)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t x = v[i]; /* v may be to */

		to[kept] = x;
		kept += (x - low) >> shift == digit;
	}
	return kept;
}

/* The k-th smallest (from 0) of values in low .. low + 2^bits - 1, digit by digit from the top. tmp has room
 * for n. */
static uint32_t nth(const uint32_t *v, uint32_t *tmp, size_t n, size_t k, uint32_t low,
		    unsigned bits)
{
	while (n > SORTED_MAX && bits) {
		unsigned width = TD_MIN(n < 512 ? 4U : 8U, bits), shift = bits - width;
		uint32_t counts[256], digit = 0;

		memset(counts, 0, sizeof(*counts) << width);
		for (size_t i = 0; i < n; i++)
			counts[(v[i] - low) >> shift]++;
		while (k >= counts[digit])
			k -= counts[digit++];
		n = keep_digit(v, tmp, n, low, shift, digit);
		v = tmp;
		low += digit << shift;
		bits = shift;
	}
	if (!bits)
		return low;
	if (v != tmp)
		memcpy(tmp, v, n * sizeof(*v));
	td_sort_few(tmp, n);
	return tmp[k];
}

/* A group of sets, and the ranks that are asked for. */
struct question {
	const struct td_durations *d;
	const uint32_t *sets;
	size_t nsets;
	const uint64_t *ranks;
	uint32_t *ret;
	size_t n;
};

static void ranks_of_few(const struct question *q)
{
	uint32_t v[FEW] = { 0 }, tmp[FEW], any = 0;
	size_t n = 0;

	for (size_t s = 0; s < q->nsets; s++) {
		const uint32_t *from = q->d->values + q->d->first[q->sets[s]];

		for (size_t i = 0; i < td_durations_kept(q->d, q->sets[s]); i++)
			any |= v[n++] = from[i];
	}
	for (size_t i = 0; i < q->n; i++)
		q->ret[i] = nth(v, tmp, n, q->ranks[i] - 1, 0,
				any ? 32 - (unsigned)__builtin_clz(any) : 0);
}

/* Numbers of 16 bits are added faster than those of 32. */
struct counters {
	uint32_t sum[TD_DURATION_BUCKETS];
	uint16_t few[TD_DURATION_BUCKETS]; /* not in sum yet ... */
	size_t nfew; /* ... and so many values can be in it at most */
};

static void add_few(struct counters *c)
{
	for (unsigned b = 0; b < TD_DURATION_BUCKETS; b++)
		c->sum[b] += c->few[b];
	memset(c->few, 0, sizeof(c->few));
	c->nfew = 0;
}

static void add_part(struct counters *c, const struct td_duration_ends *ends)
{
	size_t n = ends->at[TD_DURATION_BUCKETS - 1];

	if (c->nfew + n > UINT16_MAX)
		add_few(c);
	c->nfew += n;
	for (unsigned b = 0; b < TD_DURATION_BUCKETS; b++)
		c->few[b] = (uint16_t)(c->few[b] + ends->at[b]);
}

/* How many values of the group are in each bucket or in one before it. */
static void count_up(const struct question *q, struct counters *c)
{
	uint32_t loose[TD_DURATION_BUCKETS] = { 0 }, sum = 0;

	memset(c, 0, sizeof(*c));
	for (size_t s = 0; s < q->nsets; s++) {
		const struct td_durations *d = q->d;
		uint32_t set = q->sets[s], part = d->first_part[set];

		if (part == d->first_part[set + 1])
			for (uint64_t i = d->first[set]; i < d->first[set + 1]; i++)
				loose[bucket_of(d->values[i])]++;
		for (; part < d->first_part[set + 1]; part++)
			add_part(c, &d->ends[part]);
	}
	add_few(c);
	for (unsigned b = 0; b < TD_DURATION_BUCKETS; b++)
		c->sum[b] += sum += loose[b];
}

/* The first bucket up to which there are so many values. */
static unsigned bucket_of_rank(const uint32_t *counts, uint64_t rank)
{
	unsigned low = 0, high = TD_DURATION_BUCKETS - 1;

	while (low < high) {
		unsigned mid = (low + high) / 2;

		if (counts[mid] < rank)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Number of values of the set that are in the bucket; they go to to. */
static size_t values_in_bucket(const struct td_durations *d, uint32_t set, unsigned bucket,
			       uint32_t *to)
{
	const uint32_t *v = d->values + d->first[set];
	size_t n = 0;

	if (d->first_part[set] == d->first_part[set + 1])
		return keep_digit(v, to, td_durations_kept(d, set), bucket_low(bucket),
				  bits_of_bucket(bucket), 0);
	for (uint32_t part = d->first_part[set]; part < d->first_part[set + 1]; part++) {
		const uint16_t *ends = d->ends[part].at;
		size_t first = bucket ? ends[bucket - 1] : 0, end = ends[bucket];

		memcpy(to + n, v + first, (end - first) * sizeof(*v));
		n += end - first;
		v += TD_DURATION_PART;
	}
	return n;
}

/* Those of all sets; there are size of them. v has room for one more. */
static void group_in_bucket(const struct question *q, unsigned bucket, uint32_t *v)
{
	for (size_t s = 0; s < q->nsets; s++)
		v += values_in_bucket(q->d, q->sets[s], bucket, v);
}

static int ranks_by_bucket(const struct question *q)
{
	_cleanup_free_ uint32_t *v = NULL; /* the values of a bucket, and as much again */
	unsigned bucket, in_v = TD_DURATION_BUCKETS;
	struct counters c;
	size_t cap = 0;

	count_up(q, &c);
	for (size_t i = 0; i < q->n; i++) {
		size_t before, n;

		bucket = bucket_of_rank(c.sum, q->ranks[i]);
		before = bucket ? c.sum[bucket - 1] : 0;
		n = c.sum[bucket] - before;
		if (n > cap || !v) {
			free(v);
			cap = n;
			v = calloc(2 * cap + 1, sizeof(*v));
			if (!v)
				return -ENOMEM;
		}
		if (bucket != in_v)
			group_in_bucket(q, bucket, v);
		in_v = bucket;
		q->ret[i] = nth(v, v + cap + 1, n, q->ranks[i] - 1 - before, bucket_low(bucket),
				bits_of_bucket(bucket));
	}
	return 0;
}

/* --- large durations --- */

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

static int by_duration(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Values of the group that stand for a large duration. */
static size_t count_larges(const struct question *q)
{
	size_t n = 0;

	for (size_t s = 0; s < q->nsets; s++) {
		const uint32_t *v = q->d->values + q->d->first[q->sets[s]];

		for (size_t i = 0; i < td_durations_kept(q->d, q->sets[s]); i++)
			n += v[i] == TD_DURATION_LARGE;
	}
	return n;
}

/* The rank-th of the large durations of the sets; there are few, and seldom any. */
static int large_rank(const struct question *q, uint64_t rank, int64_t *ret)
{
	const struct td_durations *d = q->d;
	_cleanup_free_ int64_t *l = calloc(d->nlarges + 1, sizeof(*l));
	size_t n = 0;

	if (!l)
		return -ENOMEM;
	for (size_t s = 0; s < q->nsets; s++)
		for (size_t i = first_large(d, q->sets[s]);
		     i < d->nlarges && d->larges[i].set == q->sets[s]; i++)
			l[n++] = d->larges[i].dur_ns;
	qsort(l, n, sizeof(*l), by_duration);
	*ret = n ? l[TD_MIN(rank - 1, n - 1)] : TD_DURATION_LARGE;
	return 0;
}

int td_durations_ranks(const struct td_durations *d, const uint32_t *sets, size_t nsets,
		       const uint64_t *ranks, int64_t *ret, size_t n)
{
	uint64_t kept_ranks[8];
	uint32_t values[8];
	const struct question q = { d, sets, nsets, kept_ranks, values, n };
	size_t total = 0;
	int r = 0;

	assert(n <= TD_ARRAY_SIZE(values));
	for (size_t s = 0; s < nsets; s++)
		total += td_durations_kept(d, sets[s]);
	for (size_t i = 0; i < n; i++)
		kept_ranks[i] = TD_MIN((ranks[i] + d->stride - 1) / d->stride, total);
	if (total <= FEW)
		ranks_of_few(&q);
	else
		r = ranks_by_bucket(&q);
	for (size_t i = 0; i < n && r >= 0; i++) {
		ret[i] = values[i];
		if (values[i] == TD_DURATION_LARGE)
			r = large_rank(&q, kept_ranks[i] - (total - count_larges(&q)), &ret[i]);
	}
	return r;
}

/* --- how many there are of which size --- */

static void count_set(const struct td_durations *d, uint32_t set, struct td_histogram_count *c)
{
	const uint32_t *v = d->values + d->first[set];

	for (size_t i = 0; i < td_durations_kept(d, set); i++)
		if (v[i] != TD_DURATION_LARGE)
			td_histogram_count_bucket(c, td_histogram_bucket(v[i]));
	for (size_t i = first_large(d, set); i < d->nlarges && d->larges[i].set == set; i++)
		td_histogram_count_bucket(c, td_histogram_bucket(d->larges[i].dur_ns));
}

int td_durations_pack(const struct td_durations *d, const uint32_t *sets, size_t nsets,
		      struct td_histogram_count *c, struct td_strbuf *to)
{
	_cleanup_(td_histogram_done) struct td_histogram h = { 0 };

	if (d->stride > 1)
		return 1;
	for (size_t s = 0; s < nsets; s++)
		count_set(d, sets[s], c);
	if (td_histogram_take(c, &h) < 0)
		return -ENOMEM;
	td_histogram_pack(&h, to);
	return td_strbuf_error(to);
}
