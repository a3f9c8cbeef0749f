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

/* offset: of the values in struct td_stat_part. */
static int gather_values(struct td_stat_scan *s, size_t offset)
{
	size_t nparts = s->nparts;

	td_all_values_done(&s->all);
	free(s->values);
	s->values = calloc(nparts, sizeof(*s->values));
	if (!s->values)
		return -ENOMEM;
	for (size_t i = 0; i < nparts; i++)
		s->values[i] = (struct td_values_part){
			.values = (struct td_values *)((char *)&s->parts[i] + offset),
			.groups = s->parts[i].groups,
		};
	return td_all_values_open(s->values, nparts, s->stat->keys.n, &s->all);
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

/* Of an even number the lower of the middle two. */
static int find_size_of(const struct td_stat_scan *s, size_t group)
{
	uint64_t n = td_all_values_count(&s->all, group), rank = (n + 1) / 2;
	int64_t bucket;
	int r = n ? td_all_values_ranks(&s->all, group, &rank, 1, &bucket) : 0;

	if (n && r == 0)
		s->stat->p50_bytes_low[group] = td_size_low((unsigned)bucket);
	return r;
}

struct finding {
	const struct td_stat_scan *s;
	int (*find)(const struct td_stat_scan *s, size_t group);
	size_t npieces;
};

static int find_piece(void *arg, size_t i)
{
	const struct finding *f = arg;
	size_t n = f->s->stat->keys.n;
	int r = 0;

	for (size_t g = i * n / f->npieces; g < (i + 1) * n / f->npieces && r == 0; g++)
		r = f->find(f->s, g);
	return r;
}

static int find_all(const struct td_stat_scan *s,
		    int (*find)(const struct td_stat_scan *s, size_t group))
{
	struct finding f = { s, find, TD_MIN(s->all.n / VALUES_OF_PIECE + 1, PIECES_MAX) };

	return td_parallel(f.npieces, find_piece, &f);
}

int td_stat_all_percentiles(struct td_stat_scan *s)
{
	struct td_stat *to = s->stat;
	size_t n = to->keys.n;
	int r = gather_values(s, offsetof(struct td_stat_part, durations));

	to->p50_ns = malloc((n + 1) * sizeof(*to->p50_ns));
	to->p95_ns = malloc((n + 1) * sizeof(*to->p95_ns));
	to->p99_ns = malloc((n + 1) * sizeof(*to->p99_ns));
	if (r < 0 || !to->p50_ns || !to->p95_ns || !to->p99_ns)
		return -ENOMEM;
	for (size_t g = 0; g < n; g++) {
		to->p50_ns[g] = NAN;
		to->p95_ns[g] = to->p99_ns[g] = TD_NULL;
	}
	return find_all(s, find_percentiles_of);
}

int td_stat_all_sizes(struct td_stat_scan *s)
{
	struct td_stat *to = s->stat;
	int r = gather_values(s, offsetof(struct td_stat_part, sizes));

	to->p50_bytes_low = malloc((to->keys.n + 1) * sizeof(*to->p50_bytes_low));
	if (r < 0 || !to->p50_bytes_low)
		return -ENOMEM;
	for (size_t g = 0; g < to->keys.n; g++)
		to->p50_bytes_low[g] = TD_NULL;
	return find_all(s, find_size_of);
}

/* --- histograms --- */

static void count_value(void *arg, int64_t value)
{
	td_histogram_count_bucket(arg, td_histogram_bucket(value));
}

static int find_histograms(const struct td_stat_scan *s, struct td_histogram **ret)
{
	_cleanup_free_ struct td_histogram_count *count = calloc(1, sizeof(*count));
	size_t n = s->stat->keys.n;
	int r = 0;

	*ret = calloc(n + 1, sizeof(**ret));
	if (!count || !*ret)
		return -ENOMEM;
	for (size_t g = 0; g < n && r == 0; g++) {
		td_all_values_each(&s->all, g, count_value, count);
		r = td_histogram_take(count, &(*ret)[g]);
	}
	return r;
}

int td_stat_all_histograms(struct td_stat_scan *s)
{
	int r = 0;

	if (s->durations)
		r = gather_values(s, offsetof(struct td_stat_part, durations));
	if (s->durations && r == 0)
		r = find_histograms(s, &s->stat->durations);
	if (s->sizes && r == 0)
		r = gather_values(s, offsetof(struct td_stat_part, sizes));
	if (s->sizes && r == 0)
		r = find_histograms(s, &s->stat->sizes);
	return r;
}
