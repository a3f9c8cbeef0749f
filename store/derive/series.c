/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "store/derive/series.h"
#include "common/array.h"
#include "common/caldate.h"

#define PLACE_STEP_NS (TD_SEC_NS / 10)

/* What was printed about the GPU at one time. */
struct point {
	int64_t ts_ns; /* as printed */
	int64_t dur_ns; /* since the one before; TD_NULL: unknown */
	double sum, largest, whole; /* over processes; of the whole GPU, NaN: not told */
	unsigned processes;
	bool unsampled; /* a process was there, for which '-' was printed */
	double low, high; /* share of the period that the GPU was busy, 0 .. 1 */
	int64_t end_min_ns, end_max_ns; /* the period ends between these */
};

struct td_series {
	uint16_t source_id;
	const struct td_sampler *sampler;
	struct point *points;
	size_t n, cap;
	unsigned places; /* ways to place them */
	bool names_processes;
	struct td_interval *stretches; /* surely sampled */
	size_t nstretches, stretches_cap;
};

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

static void add_share(struct td_series *s, struct point *p, double percent, uint32_t process_id)
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
		s->points[s->n++] = (struct point){
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
static void settle_share(const struct td_sampler *sampler, struct point *p)
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

static bool is_joined(const struct td_series *s, size_t i)
{
	const struct point *p = &s->points[i];

	return i && p->dur_ns != TD_NULL && p->ts_ns - p->dur_ns <= p[-1].ts_ns;
}

static void settle(struct td_series *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct point *p = &s->points[i];

		settle_share(s->sampler, p);
		p->end_min_ns = p->ts_ns + s->sampler->after_min_ns;
		p->end_max_ns = p->ts_ns + s->sampler->after_max_ns;
	}
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
	const struct point *p = &s->points[*i];
	int64_t start_ns = p->end_max_ns - (p->dur_ns == TD_NULL ? 0 : p->dur_ns);
	int r;

	while (*i + 1 < s->n && is_joined(s, *i + 1))
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
	int r = 0;

	if (is_blind(s))
		s->n = 0;
	settle(s);
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

/* --- placing --- */

/* Where the period of a sample ends, by one of the ways to place them. */
static int64_t end_of(const struct td_series *s, size_t i, unsigned place)
{
	const struct point *p = &s->points[i];

	if (s->places == 1)
		return p->end_min_ns;
	return p->end_min_ns + (p->end_max_ns - p->end_min_ns) * place / (s->places - 1);
}

/* And where it begins; it has a known length. */
static int64_t start_of(const struct td_series *s, size_t i, unsigned place)
{
	return is_joined(s, i) ? end_of(s, i - 1, place)
			       : end_of(s, i, place) - s->points[i].dur_ns;
}

int td_series_points(const struct td_series *s, struct td_times *times)
{
	int r = 0;

	if (s->sampler->basis == TD_BASIS_ESTIMATE)
		return 0;
	for (size_t i = 0; i < s->n && r >= 0; i++) {
		for (unsigned place = 0; place < s->places && r >= 0; place++) {
			r = td_times_add(times, end_of(s, i, place));
			if (r >= 0 && s->points[i].dur_ns != TD_NULL && !is_joined(s, i))
				r = td_times_add(times, start_of(s, i, place));
		}
	}
	return r;
}

/* The first sample whose period ends behind the time. */
static size_t first_behind(const struct td_series *s, int64_t ns, unsigned place)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (end_of(s, middle, place) <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* --- what they say --- */

/* Of the busy time b of a period of length p, a part of length l holds at least b - (p - l), namely when
 * the rest is busy throughout, and at most the smaller of b and l. */
static struct td_range part_of(const struct point *p, int64_t length, int64_t part)
{
	int64_t low = (int64_t)floor((double)length * p->low);
	int64_t high = (int64_t)ceil((double)length * p->high);

	return (struct td_range){ TD_MAX(low - (length - part), 0), TD_MIN(high, part) };
}

static void gather_place(const struct td_series *s, struct td_interval window, unsigned place,
			 const struct td_meter io[TD_IO_LAYERS], struct td_overlap *sum)
{
	for (size_t i = first_behind(s, window.start_ns, place); i < s->n; i++) {
		int64_t start = start_of(s, i, place), end = end_of(s, i, place);
		int64_t from = TD_MAX(start, window.start_ns), to = TD_MIN(end, window.end_ns);
		int64_t in_progress[TD_IO_LAYERS];

		if (start >= window.end_ns)
			return;
		if (to <= from)
			continue;
		for (int l = 0; l < TD_IO_LAYERS; l++)
			in_progress[l] = td_meter_between(&io[l], from, to);
		td_overlap_add_stretch(sum, to - from, in_progress,
				       part_of(&s->points[i], end - start, to - from));
	}
}

static void gather_estimate(const struct td_series *s, struct td_interval window,
			    struct td_gathered *g)
{
	unsigned middle = s->places / 2;

	for (size_t i = first_behind(s, window.start_ns - 1, middle); i < s->n; i++) {
		double x = (s->points[i].low + s->points[i].high) / 2;

		if (end_of(s, i, middle) >= window.end_ns)
			return;
		if (g->n > 0)
			g->steps += (x - g->last) * (x - g->last);
		g->n++;
		g->sum += x;
		g->last = x;
	}
}

void td_series_gather(const struct td_series *s, int64_t from_ns, int64_t to_ns,
		      const struct td_meter io[TD_IO_LAYERS], struct td_gathered *g)
{
	struct td_interval window = { from_ns, to_ns };

	g->any = true;
	g->wall_ns += to_ns - from_ns;
	for (int l = 0; l < TD_IO_LAYERS; l++)
		g->io_ns[l] += td_meter_between(&io[l], from_ns, to_ns);
	if (s->sampler->basis == TD_BASIS_ESTIMATE) {
		gather_estimate(s, window, g);
		return;
	}
	for (unsigned place = 0; place < s->places; place++)
		gather_place(s, window, place, io, &g->places[place]);
}

/* The mean share of the time, by samples of some of it. */
static struct td_overlap estimate(const struct td_gathered *g)
{
	struct td_overlap o = { 0 };
	struct td_range busy = { 0, g->wall_ns };

	if (g->n >= 2) {
		double mean = g->sum / g->n;
		double variance = g->steps / (2 * (g->n - 1)) + 0.25 / g->n;
		double half = 2 * sqrt(variance / g->n);

		busy.min = (int64_t)floor((double)g->wall_ns * TD_MAX(mean - half, 0));
		busy.max = (int64_t)ceil((double)g->wall_ns * TD_MIN(mean + half, 1));
	}
	td_overlap_add_stretch(&o, g->wall_ns, g->io_ns, busy);
	return o;
}

struct td_overlap td_series_conclude(const struct td_series *s, const struct td_gathered *g)
{
	struct td_overlap o;

	if (s->sampler->basis == TD_BASIS_ESTIMATE)
		return estimate(g);
	o = g->places[0];
	for (unsigned place = 1; place < s->places; place++)
		td_overlap_widen(&o, &g->places[place]);
	return o;
}
