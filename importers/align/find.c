/* SPDX-License-Identifier: MIT */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/align/find.h"

/* From Hawaii to New Zealand and Chatham: exactly one day of zones, so that times without a date tell
 * them apart. */
#define ZONE_STEP_S TD_ZONE_STEP_S
#define ZONE_MIN_S (-10 * 3600)
#define ZONE_MAX_S (14 * 3600 - ZONE_STEP_S)
/* All there are, for runs with a date: American Samoa and ships, Kiribati. */
#define ZONE_FIRST_S (-12 * 3600)
#define ZONE_LAST_S (14 * 3600)

/* Tools start and stop some seconds after one another: what differs by less fits equally well. */
#define EQUAL_NS (60 * TD_SEC_NS)

/* Half of what zones are apart. */
#define NEAR_NS (ZONE_STEP_S * TD_SEC_NS / 2)

/* What is laid over the reference. */
struct puzzle {
	const struct td_local_range *sources;
	size_t n;
	struct td_range reference;
};

/* How well one candidate fits. */
struct fit {
	size_t overlapping; /* sources that overlap the reference */
	int64_t mismatch; /* of these, in the mean */
};

void td_range_extend(struct td_range *r, struct td_range by)
{
	r->from = TD_MIN(r->from, by.from);
	r->to = TD_MAX(r->to, by.to);
}

int64_t td_day_of(int64_t ns)
{
	return ns / TD_DAY_NS - (ns % TD_DAY_NS < 0);
}

/* How badly two ranges agree: how far their begins and their ends are apart. */
static int64_t mismatch(struct td_range a, struct td_range b)
{
	return llabs(a.from - b.from) / 2 + llabs(a.to - b.to) / 2;
}

static bool is_better(struct fit a, struct fit b)
{
	return a.overlapping > b.overlapping ||
	       (a.overlapping == b.overlapping && a.mismatch < b.mismatch);
}

static bool is_as_good(struct fit a, struct fit best)
{
	return a.overlapping == best.overlapping && a.mismatch - EQUAL_NS <= best.mismatch;
}

/* The best of from, from + step, ... to; of several the middle. */
static struct td_guess search(struct fit (*try)(const struct puzzle *p, int64_t value),
			      const struct puzzle *p, int64_t from, int64_t to, int64_t step)
{
	struct fit best = { .mismatch = INT64_MAX };
	int64_t low = to, high = from, value;

	for (int64_t v = from; v <= to; v += step) {
		struct fit f = try(p, v);

		if (is_better(f, best))
			best = f;
	}
	for (int64_t v = from; v <= to; v += step) {
		if (!is_as_good(try(p, v), best))
			continue;
		low = TD_MIN(low, v);
		high = TD_MAX(high, v);
	}
	value = low + (high - low) / step / 2 * step;
	return (struct td_guess){ best.overlapping, value, TD_MAX(high - value, value - low) };
}

static struct fit try_day(const struct puzzle *p, int64_t day)
{
	struct td_range r = td_range_shift(p->sources[0].range, day * TD_DAY_NS);

	return (struct fit){ td_range_overlaps(r, p->reference), mismatch(r, p->reference) };
}

struct td_guess td_find_day(struct td_range tod, struct td_range reference)
{
	const struct td_local_range source = { .range = tod };
	const struct puzzle p = { &source, 1, reference };

	return search(try_day, &p, td_day_of(reference.from - tod.to),
		      td_day_of(reference.to - tod.from) + 1, 1);
}

/* Zones that are no whole hours are rare: one has to fit better by so much. */
static int64_t penalty(int64_t zone_s)
{
	if (zone_s % 3600 == 0)
		return 0;
	return (zone_s % 1800 == 0 ? 10 : 12) * 60 * TD_SEC_NS;
}

static struct fit try_zone(const struct puzzle *p, int64_t zone_s)
{
	/* a source that only just misses the reference is no reason for another zone */
	const struct td_range nearby = { p->reference.from - NEAR_NS, p->reference.to + NEAR_NS };
	struct fit f = { .mismatch = penalty(zone_s) };
	int64_t sum = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct td_range r = td_range_shift(p->sources[i].range, -zone_s * TD_SEC_NS);

		if (!p->sources[i].dated)
			r = td_range_shift(r, td_find_day(r, p->reference).value * TD_DAY_NS);
		if (!td_range_overlaps(r, nearby))
			continue;
		f.overlapping++;
		sum += mismatch(r, p->reference) / (int64_t)p->n; /* no overflow */
	}
	if (f.overlapping)
		f.mismatch += sum / (int64_t)f.overlapping * (int64_t)p->n;
	return f;
}

struct td_guess td_find_zone(const struct td_local_range *sources, size_t n, struct td_range utc)
{
	const struct puzzle p = { sources, n, utc };
	struct td_guess g = search(try_zone, &p, ZONE_FIRST_S, ZONE_LAST_S, ZONE_STEP_S);
	int64_t odd;

	/* no date tells zones of the same time of day apart */
	if (g.error)
		g = search(try_zone, &p, ZONE_MIN_S, ZONE_MAX_S, ZONE_STEP_S);
	odd = g.value % 3600;

	/* the middle of several is not meant to be a zone of its own */
	if (g.error && odd) {
		g.value -= odd;
		g.error += llabs(odd);
	}
	return g;
}
