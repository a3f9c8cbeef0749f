/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>

#include "analyzer/scan/stat_scan.h"
#include "common/cleanup.h"
#include "common/parallel.h"
#include "schema/stat_math.h"

/* Of all groups; a thread that has found the percentiles of one takes the next. */
#define PIECES_MAX 256
#define VALUES_OF_PIECE 16384 /* fewer are not worth a thread */

static int gather_durations(struct td_stat_scan *s)
{
	s->values = calloc(s->nparts, sizeof(*s->values));
	if (!s->values)
		return -ENOMEM;
	for (size_t i = 0; i < s->nparts; i++)
		s->values[i] = (struct td_values_part){
			.values = &s->parts[i].durations,
			.groups = s->parts[i].groups,
		};
	return td_all_values_open(s->values, s->nparts, s->stat->keys.n, &s->all);
}

/* All sizes are in those of the first part afterwards, whose groups have the numbers that they have among all. */
static int gather_sizes(struct td_stat_scan *s, struct td_buckets **ret)
{
	struct td_buckets *to = &s->parts[0].sizes;
	int r = td_buckets_resize(to, s->stat->keys.n);

	for (size_t i = 1; i < s->nparts && r == 0; i++)
		r = td_buckets_merge(to, &s->parts[i].sizes, s->parts[i].groups);
	*ret = to;
	return r;
}

static int find_percentiles_of(const struct td_stat_scan *s, size_t group)
{
	uint64_t n = td_all_values_count(&s->all, group);
	const uint64_t ranks[] = { (n + 1) / 2, n / 2 + 1, td_nearest_rank(n, 95),
				   td_nearest_rank(n, 99) };
	int64_t found[TD_ARRAY_SIZE(ranks)];
	int r;

	if (n == 0)
		return 0;
	r = td_all_values_ranks(&s->all, group, ranks, TD_ARRAY_SIZE(ranks), found);
	if (r < 0)
		return r;
	s->stat->p50_ns[group] = ((double)found[0] + (double)found[1]) / 2;
	s->stat->p95_ns[group] = found[2];
	s->stat->p99_ns[group] = found[3];
	return 0;
}

struct finding {
	const struct td_stat_scan *s;
	size_t npieces;
};

static int find_piece(void *arg, size_t i)
{
	const struct finding *f = arg;
	size_t n = f->s->stat->keys.n;
	int r = 0;

	for (size_t g = i * n / f->npieces; g < (i + 1) * n / f->npieces && r == 0; g++)
		r = find_percentiles_of(f->s, g);
	return r;
}

int td_stat_all_percentiles(struct td_stat_scan *s)
{
	struct td_stat *to = s->stat;
	size_t n = to->keys.n;
	struct finding finding = { s, 1 };
	int r = gather_durations(s);

	to->p50_ns = malloc((n + 1) * sizeof(*to->p50_ns));
	to->p95_ns = malloc((n + 1) * sizeof(*to->p95_ns));
	to->p99_ns = malloc((n + 1) * sizeof(*to->p99_ns));
	if (r < 0 || !to->p50_ns || !to->p95_ns || !to->p99_ns)
		return -ENOMEM;
	for (size_t g = 0; g < n; g++) {
		to->p50_ns[g] = NAN;
		to->p95_ns[g] = to->p99_ns[g] = TD_NULL;
	}
	finding.npieces = TD_MIN(s->all.n / VALUES_OF_PIECE + 1, PIECES_MAX);
	return td_parallel(finding.npieces, find_piece, &finding);
}

int td_stat_all_sizes(struct td_stat_scan *s)
{
	struct td_stat *to = s->stat;
	struct td_buckets *sizes;
	int r = gather_sizes(s, &sizes);

	to->p50_bytes_low = malloc((to->keys.n + 1) * sizeof(*to->p50_bytes_low));
	if (r < 0 || !to->p50_bytes_low)
		return -ENOMEM;
	for (size_t g = 0; g < to->keys.n; g++) {
		unsigned bucket = td_buckets_median(sizes, g);

		to->p50_bytes_low[g] = bucket < TD_BUCKETS ? td_size_low(bucket) : TD_NULL;
	}
	return 0;
}

/* --- histograms --- */

static void count_value(void *arg, int64_t value)
{
	td_histogram_count_bucket(arg, td_histogram_bucket(value));
}

static int find_histograms(struct td_stat_scan *s)
{
	_cleanup_free_ struct td_histogram_count *count = calloc(1, sizeof(*count));
	size_t n = s->stat->keys.n;
	int r = count ? gather_durations(s) : -ENOMEM;

	s->stat->durations = calloc(n + 1, sizeof(*s->stat->durations));
	if (r < 0 || !s->stat->durations)
		return -ENOMEM;
	for (size_t g = 0; g < n && r == 0; g++) {
		td_all_values_each(&s->all, g, count_value, count);
		r = td_histogram_take(count, &s->stat->durations[g]);
	}
	return r;
}

/* What the histograms count are numbers of buckets. */
static int find_size_histograms(struct td_stat_scan *s)
{
	_cleanup_free_ struct td_histogram_count *count = calloc(1, sizeof(*count));
	size_t n = s->stat->keys.n;
	struct td_buckets *sizes;
	int r = count ? gather_sizes(s, &sizes) : -ENOMEM;

	s->stat->sizes = calloc(n + 1, sizeof(*s->stat->sizes));
	if (r < 0 || !s->stat->sizes)
		return -ENOMEM;
	for (size_t g = 0; g < n && r == 0; g++) {
		uint64_t counts[TD_BUCKETS];

		td_buckets_get(sizes, g, counts);
		for (uint32_t b = 0; b < TD_BUCKETS; b++)
			td_histogram_count_more(count, td_histogram_bucket(b), counts[b]);
		r = td_histogram_take(count, &s->stat->sizes[g]);
	}
	return r;
}

int td_stat_all_histograms(struct td_stat_scan *s)
{
	int r = s->durations ? find_histograms(s) : 0;

	return s->sizes && r == 0 ? find_size_histograms(s) : r;
}
