/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "store/derive/series_private.h"
#include "common/array.h"
#include "common/caldate.h"

#define PLACE_STEP_NS (TD_SEC_NS / 20)
#define DRIFT_LINES 50 /* one line in so many at least leaves out a second, if the tool drifts */

int td_series_new(uint16_t source_id, const struct td_sampler *sampler, struct td_series **ret)
{
	struct td_series *s = calloc(1, sizeof(*s));
	int64_t spread = sampler->after_max_ns - sampler->after_min_ns;

	if (!s)
		return -ENOMEM;
	s->source_id = source_id;
	s->sampler = sampler;
	s->places = spread ? (unsigned)(spread / PLACE_STEP_NS) + 2 : 1;
	s->places = TD_MIN(s->places, TD_PLACES_MAX);
	for (unsigned place = 1; place < s->places; place++)
		s->later_ns[place] = spread * place / (s->places - 1);
	*ret = s;
	return 0;
}

void td_series_free(struct td_series *s)
{
	if (!s)
		return;
	free(s->points);
	free(s->stretches);
	free(s);
}

uint16_t td_series_source(const struct td_series *s)
{
	return s->source_id;
}

const struct td_sampler *td_series_sampler(const struct td_series *s)
{
	return s->sampler;
}

/* --- collecting --- */

static void add_share(struct td_series *s, struct td_point *p, double percent, uint32_t process_id)
{
	if (!process_id) {
		p->whole = isnan(percent) ? p->whole : percent;
		return;
	}
	s->names_processes = true;
	if (isnan(percent)) {
		p->unsampled = true;
		return;
	}
	p->processes++;
	p->sum += percent;
	p->largest = TD_MAX(p->largest, percent);
}

int td_series_add(struct td_series *s, const struct td_sample *sample, uint32_t process_id)
{
	int r;

	if (!s->n || s->points[s->n - 1].ts_ns != sample->ts_ns) {
		r = td_grow(&s->points, &s->cap, s->n);
		if (r < 0)
			return r;
		s->points[s->n++] = (struct td_point){
			.ts_ns = sample->ts_ns,
			.dur_ns = sample->dur_ns,
			.whole = NAN,
		};
	}
	add_share(s, &s->points[s->n - 1], sample->value, process_id);
	return 0;
}

static double share(double percent)
{
	return percent < 0 ? 0 : percent > 100 ? 1 : percent / 100;
}

/* Two processes take turns on a GPU or use it at once: it is busy at least as long as the busier one, at most for
 * as long as all of them together. */
static void settle_share(const struct td_sampler *sampler, struct td_point *p)
{
	double above = sampler->above;

	if (!isnan(p->whole)) {
		p->low = share(p->whole - sampler->below);
		p->high = share(p->whole + above);
		return;
	}
	p->low = p->processes ? share(p->largest - sampler->below) : 0;
	p->high = p->unsampled ? 1 : share(p->sum + above * p->processes);
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The median of the distances; 0 if none is known. */
static int find_cadence(struct td_series *s)
{
	_cleanup_free_ int64_t *durs = calloc(s->n + 1, sizeof(*durs));
	size_t n = 0;

	if (!durs)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		if (s->points[i].dur_ns != TD_NULL)
			durs[n++] = s->points[i].dur_ns;
	qsort(durs, n, sizeof(*durs), by_size);
	s->cadence_ns = n ? durs[n / 2] : 0;
	return 0;
}

static int settle(struct td_series *s)
{
	int r = find_cadence(s);
	size_t leaps = 0;

	for (size_t i = 0; i < s->n && r >= 0; i++) {
		struct td_point *p = &s->points[i];

		settle_share(s->sampler, p);
		p->end_min_ns = p->ts_ns + s->sampler->after_min_ns;
		p->end_max_ns = p->ts_ns + s->sampler->after_max_ns;
		leaps += td_series_leap(s, p);
		p->leaps = leaps;
	}
	s->drifts = leaps > 1 && leaps * DRIFT_LINES >= s->n;
	return r;
}

/* A tool that prints '-' and never a process cannot see them. */
static bool is_blind(const struct td_series *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!isnan(s->points[i].whole))
			return false;
	return !s->names_processes;
}

/* --- where it was sampled --- */

/* A stretch of samples that follow on each other, from the one at i on: where it was surely sampled. */
static int add_stretch(struct td_series *s, size_t *i)
{
	const struct td_point *p = &s->points[*i];
	int64_t start_ns = p->end_max_ns - (p->dur_ns == TD_NULL ? 0 : p->dur_ns);
	int r;

	while (*i + 1 < s->n && td_series_joined(s, *i + 1))
		++*i;
	if (s->points[*i].end_min_ns <= start_ns)
		return 0;
	r = td_grow(&s->stretches, &s->stretches_cap, s->nstretches);
	if (r >= 0)
		s->stretches[s->nstretches++] =
			(struct td_interval){ start_ns, s->points[*i].end_min_ns };
	return r;
}

int td_series_times(struct td_series *s, struct td_times *times)
{
	int r;

	if (is_blind(s))
		s->n = 0;
	r = settle(s);
	for (size_t i = 0; i < s->n && r >= 0; i++)
		r = td_times_add(times, s->points[i].ts_ns);
	for (size_t i = 0; i < s->n && r >= 0; i++)
		r = add_stretch(s, &i);
	for (size_t i = 0; i < s->nstretches && r >= 0; i++) {
		r = td_times_add(times, s->stretches[i].start_ns);
		if (r >= 0)
			r = td_times_add(times, s->stretches[i].end_ns);
	}
	return r;
}

bool td_series_any(const struct td_series *s)
{
	return s->n > 0;
}

const struct td_interval *td_series_stretches(const struct td_series *s, size_t *n)
{
	*n = s->nstretches;
	return s->stretches;
}

/* The first stretch that ends at the time or later. */
static size_t first_stretch(const struct td_series *s, int64_t ns)
{
	size_t low = 0, high = s->nstretches;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->stretches[middle].end_ns < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool td_series_sampled(const struct td_series *s, int64_t from_ns, int64_t to_ns)
{
	size_t i = first_stretch(s, to_ns);

	return i < s->nstretches && s->stretches[i].start_ns <= from_ns;
}

bool td_series_touches(const struct td_series *s, int64_t from_ns, int64_t to_ns)
{
	size_t i = first_stretch(s, from_ns);

	return i < s->nstretches && s->stretches[i].start_ns < to_ns;
}
