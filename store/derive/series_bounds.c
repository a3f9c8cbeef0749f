/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "store/derive/series_private.h"
#include "common/caldate.h"

#define DRIFT_NS (TD_SEC_NS / 10) /* per line, at most */
#define LATE_LINES 4 /* in so many a tool that is slow comes later by one place, at most */

/* --- placing --- */

/* Where the period of a sample ends, by one of the ways to place them. */
static int64_t end_of(const struct td_series *s, size_t i, unsigned place)
{
	return s->points[i].end_min_ns + s->later_ns[place];
}

/* And where it begins; at its end, if its length is not known. */
static int64_t start_of(const struct td_series *s, size_t i, unsigned place)
{
	int64_t dur_ns = s->points[i].dur_ns;

	if (td_series_joined(s, i))
		return end_of(s, i - 1, place);
	return end_of(s, i, place) - (dur_ns == TD_NULL ? 0 : dur_ns);
}

int td_series_points(const struct td_series *s, struct td_times *times)
{
	int r = 0;

	if (s->sampler->basis == TD_BASIS_ESTIMATE)
		return 0;
	for (size_t i = 0; i < s->n && r >= 0; i++) {
		for (unsigned place = 0; place < s->places && r >= 0; place++) {
			r = td_times_add(times, end_of(s, i, place));
			if (r >= 0 && s->points[i].dur_ns != TD_NULL && !td_series_joined(s, i))
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
static struct td_range part_of(const struct td_point *p, int64_t length, int64_t part)
{
	int64_t low = (int64_t)floor((double)length * p->low);
	int64_t high = (int64_t)ceil((double)length * p->high);

	return (struct td_range){ TD_MAX(low - (length - part), 0), TD_MIN(high, part) };
}

/* A sample in a window by each of the ways to place it: where its period begins and ends, and how
 * much of that is in the window. */
struct placed {
	const struct td_point *point;
	int64_t start_ns[TD_PLACES_MAX], end_ns[TD_PLACES_MAX];
	struct part {
		int64_t ns;
		size_t at; /* in the table of I/O */
	} from[TD_PLACES_MAX], to[TD_PLACES_MAX];
};

static void place_sample(const struct td_series *s, size_t i, struct td_interval window,
			 struct td_gathered *g, struct placed *ret)
{
	size_t from_near = g->window_at, to_near = 0;

	ret->point = &s->points[i];
	for (unsigned place = 0; place < s->places; place++) {
		int64_t start_ns = start_of(s, i, place), end_ns = end_of(s, i, place);
		struct part from = { .ns = TD_MAX(start_ns, window.start_ns) };
		struct part to = { .ns = TD_MIN(end_ns, window.end_ns) };

		/* a period begins where the one before it ended, and a little behind where it does
		 * in the place before, so the search is over at once; what is not in the window has
		 * no part that is asked for */
		from_near = TD_MAX(from_near, g->at[place]);
		if (from.ns < window.end_ns)
			from_near = td_io_table_find(g->io, from_near, from.ns);
		to_near = TD_MAX(to_near, from_near);
		if (to.ns > window.start_ns)
			to_near = td_io_table_find(g->io, to_near, to.ns);
		from.at = from_near;
		to.at = to_near;
		ret->start_ns[place] = start_ns;
		ret->end_ns[place] = end_ns;
		ret->from[place] = from;
		ret->to[place] = to;
		g->at[place] = to.at;
	}
}

/* It begins where the one before it was in its place, and ends in its own. */
static void add_part(struct td_overlap *sum, const struct placed *of, unsigned before,
		     unsigned place, const struct td_io_table *io)
{
	const struct part *from = &of->from[before], *to = &of->to[place];
	int64_t length = of->end_ns[place] - of->start_ns[before];
	int64_t in_progress[TD_IO_LAYERS + 1];

	if (to->ns <= from->ns)
		return;
	td_io_table_used(io, from->at, to->at, in_progress);
	td_overlap_add_stretch(sum, to->ns - from->ns, in_progress, td_io_table_layers(io),
			       part_of(of->point, length, to->ns - from->ns));
}

/* Can a sample be in one place when the one before it was in another? The stamps tell how far the tool is behind
 * only until it leaves out a second or is held up; one that drifts comes later with every line, and one that is
 * slow by so little that it never leaves out a second does so now and then. */
static bool may_follow(const struct td_series *s, size_t i, unsigned before, unsigned place)
{
	const struct td_point *p = &s->points[i];

	if (before == place)
		return true;
	if (!td_series_joined(s, i))
		return false;
	if (td_series_leap(s, p))
		return end_of(s, i, place) - end_of(s, i - 1, before) >= s->cadence_ns / 2;
	if (s->drifts)
		return place > before && end_of(s, i, place) - end_of(s, i, before) <= DRIFT_NS;
	return s->sampler->pace > 0 && place == before + 1 && i % LATE_LINES == 0;
}

/* Is it where the one before it was, whichever that is? Nearly all are. */
static bool stays(const struct td_series *s, size_t i)
{
	return !td_series_joined(s, i) || (!td_series_leap(s, &s->points[i]) && !s->drifts &&
					   (s->sampler->pace <= 0 || i % LATE_LINES != 0));
}

static void copy_layers(struct td_overlap *to, const struct td_overlap *from, unsigned n)
{
	to->busy = from->busy;
	memcpy(to->both, from->both, n * sizeof(*to->both));
	memcpy(to->neither, from->neither, n * sizeof(*to->neither));
}

/* Which places may_follow() need be asked about, besides its own: from *ret_first up to, not
 * including, what is returned. */
static unsigned others_before(const struct td_series *s, size_t i, unsigned place,
			      unsigned *ret_first)
{
	bool later = !td_series_leap(s, &s->points[i]);

	*ret_first = later && !s->drifts && place ? place - 1 : 0;
	return later ? place : s->places;
}

/* All that may have come before a place, taken together. */
static void add_from_others(const struct td_series *s, size_t i, unsigned place,
			    const struct placed *of, const struct td_gathered *g,
			    struct td_overlap *ret)
{
	unsigned layers = td_io_table_layers(g->io);
	unsigned before, end = others_before(s, i, place, &before);

	copy_layers(ret, &g->places[place], layers);
	add_part(ret, of, place, place, g->io);
	for (; before < end; before++) {
		struct td_overlap sum;

		if (before == place || !may_follow(s, i, before, place))
			continue;
		copy_layers(&sum, &g->places[before], layers);
		add_part(&sum, of, before, place, g->io);
		td_overlap_widen(ret, &sum, layers);
	}
}

static void add_sample(const struct td_series *s, size_t i, struct td_interval window,
		       struct td_gathered *g)
{
	struct td_overlap after[TD_PLACES_MAX];
	struct placed of;

	place_sample(s, i, window, g, &of);
	if (stays(s, i)) {
		for (unsigned place = 0; place < s->places; place++)
			add_part(&g->places[place], &of, place, place, g->io);
		return;
	}
	for (unsigned place = 0; place < s->places; place++)
		add_from_others(s, i, place, &of, g, &after[place]);
	for (unsigned place = 0; place < s->places; place++)
		copy_layers(&g->places[place], &after[place], td_io_table_layers(g->io));
}

/* By how many places the tool may have come later from the sample before g->next, at which it was seen, to the one at
 * i. */
static unsigned lateness(const struct td_series *s, size_t i, const struct td_gathered *g)
{
	if (!g->next || i <= g->next)
		return 0;
	if (s->drifts || s->points[i].leaps != s->points[g->next - 1].leaps)
		return s->places;
	return s->sampler->pace > 0 ? (unsigned)TD_MIN((i - g->next) / LATE_LINES + 1, s->places)
				    : 0;
}

/* The places of the samples from g->next up to i are not known. One that leaves out a second begins anew. */
static void skip_samples(const struct td_series *s, size_t i, struct td_gathered *g)
{
	unsigned late = lateness(s, i, g);

	for (unsigned place = s->places; place-- > 0;)
		for (unsigned k = 0; k < s->places; k++)
			if (late == s->places || (k < place && place - k <= late))
				td_overlap_widen(&g->places[place], &g->places[k],
						 td_io_table_layers(g->io));
}

static void gather_bounds(const struct td_series *s, struct td_interval window,
			  struct td_gathered *g)
{
	size_t i = first_behind(s, window.start_ns, s->places - 1);

	if (i < s->n)
		skip_samples(s, i, g);
	for (; i < s->n && start_of(s, i, 0) < window.end_ns; i++) {
		add_sample(s, i, window, g);
		g->next = i + 1;
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

static void clear_layers(struct td_overlap *o, unsigned n)
{
	o->busy = (struct td_range){ 0 };
	memset(o->both, 0, n * sizeof(*o->both));
	memset(o->neither, 0, n * sizeof(*o->neither));
}

/* The whole of it is 14 KiB, of which most tables use two layers of 15. */
void td_series_begin(const struct td_series *s, const struct td_io_table *io,
		     struct td_gathered *ret)
{
	ret->wall_ns = 0;
	memset(ret->io_ns, 0, sizeof(ret->io_ns));
	ret->io = io;
	for (unsigned place = 0; place < s->places; place++) {
		clear_layers(&ret->places[place], td_io_table_layers(io));
		ret->at[place] = 0;
	}
	ret->next = ret->window_at = 0;
	ret->n = ret->sum = ret->steps = ret->last = 0;
}

void td_series_gather(const struct td_series *s, int64_t from_ns, int64_t to_ns,
		      struct td_gathered *g)
{
	struct td_interval window = { from_ns, to_ns };
	int64_t in_progress[TD_IO_LAYERS];

	g->window_at = td_io_table_find(g->io, g->window_at, from_ns);
	td_io_table_between(g->io, from_ns, to_ns, in_progress);
	g->wall_ns += to_ns - from_ns;
	for (int l = 0; l < TD_IO_LAYERS; l++)
		g->io_ns[l] += in_progress[l];
	if (s->sampler->basis == TD_BASIS_ESTIMATE) {
		gather_estimate(s, window, g);
		return;
	}
	gather_bounds(s, window, g);
}

/* The mean share of the time, by samples of some of it. Neighbours are alike, so what differs between them tells
 * how well they stand for the time between (as with any systematic sample). The constants are those with which
 * 93 to 98 % of made-up epochs hold: bursts from 2 ms to 2 s, waiting for I/O or in step with it, idle and full. */
static struct td_range estimate(const struct td_gathered *g)
{
	double mean, half;

	if (g->n < 3)
		return (struct td_range){ 0, g->wall_ns };
	mean = g->sum / g->n;
	half = 1.3 * (1 + 1.2 / (g->n - 1.8)) *
		       sqrt((g->steps / (2 * (g->n - 1)) + 0.005 / g->n) / g->n) +
	       0.0075; /* of whole percents, cut or rounded */
	return (struct td_range){
		.min = (int64_t)floor((double)g->wall_ns * TD_MAX(mean - half, 0)),
		.max = (int64_t)ceil((double)g->wall_ns * TD_MIN(mean + half, 1)),
	};
}

/* Where lines come later than they say, the time between them is longer: busy time, or idle time. */
static int64_t off_by(const struct td_sampler *sampler, int64_t wall_ns, struct td_range busy)
{
	int64_t changes = TD_MIN(busy.max, wall_ns - busy.min);

	return sampler->off_ns + (int64_t)(sampler->pace * (double)changes);
}

/* Between two ways to place the samples lie others: where I/O begins and ends with what the GPU does, each sample can
 * differ by that. Of how long the GPU was busy only the window's ends do, which off_ns allows for. */
static int64_t half_a_place(const struct td_series *s)
{
	int64_t spread = s->sampler->after_max_ns - s->sampler->after_min_ns;

	return s->places > 1 ? spread / (s->places - 1) / 2 : 0;
}

/* Wherever the samples are, of all layers. */
static struct td_overlap all_places(const struct td_series *s, const struct td_gathered *g)
{
	unsigned layers = td_io_table_layers(g->io);
	struct td_overlap used, ret;

	copy_layers(&used, &g->places[0], layers);
	for (unsigned place = 1; place < s->places; place++)
		td_overlap_widen(&used, &g->places[place], layers);
	ret.busy = used.busy;
	for (int l = 0; l < TD_IO_LAYERS; l++) {
		ret.both[l] = used.both[g->io->at[l]];
		ret.neither[l] = used.neither[g->io->at[l]];
	}
	return ret;
}

struct td_overlap td_series_conclude(const struct td_series *s, const struct td_gathered *g)
{
	struct td_overlap o = { 0 };
	int64_t off;

	if (s->sampler->basis == TD_BASIS_ESTIMATE) {
		td_overlap_add_stretch(&o, g->wall_ns, g->io_ns, TD_IO_LAYERS, estimate(g));
		return o;
	}
	o = all_places(s, g);
	off = off_by(s->sampler, g->wall_ns, o.busy);
	td_overlap_loosen(&o, g->wall_ns, g->io_ns, off, off + half_a_place(s));
	return o;
}
