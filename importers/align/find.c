/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/align/find.h"

/* Local minus UTC, minutes: all that clocks anywhere showed from 2010 to 2027, by tzdata, and that of ships in the far
 * west. */
static const int16_t zones[] = {
	-720, -660, -600, -570, -540, -480, -420, -360, -300, -270, -240, -210, -180, -150, -120,
	-60,  0,    60,   120,  180,  210,  240,  270,  300,  330,  345,  360,  390,  420,  480,
	510,  525,  540,  570,  600,  630,  660,  690,  720,  765,  780,  825,  840,
};
#define FIRST_ZONE 0
#define LAST_ZONE ((int64_t)TD_ARRAY_SIZE(zones) - 1)
/* From Hawaii to New Zealand and Chatham: exactly one day of zones, so that times without a date tell
 * them apart. */
#define FIRST_UNDATED_ZONE 2
#define LAST_UNDATED_ZONE (LAST_ZONE - 1)

/* Tools start and stop some seconds after one another: what differs by less fits equally well. */
#define EQUAL_NS (60 * TD_SEC_NS)

/* A zone fits as well as the best one, unless a source begins and ends further from what was known by more than that,
 * and by twice as much. */
#define CLEARLY_NS (5 * 60 * TD_SEC_NS)

/* Half of what zones are apart. */
#define NEAR_NS (TD_ZONE_STEP_S * TD_SEC_NS / 2)

/* Closer to each other than that, two references are one: no date is needed to tell which of them it is. */
#define APART_NS (TD_DAY_NS / 2)

/* Among more references than that, a time of day does not tell the date. */
#define MAX_REFERENCES 32

/* What is laid over the references. */
struct puzzle {
	const struct td_local_range *sources;
	size_t n;
	const struct td_ranges *references;
};

/* How well one candidate fits. */
struct fit {
	size_t overlapping; /* sources that overlap the reference, or nearly so */
	size_t inside; /* of these, that do overlap it */
	int64_t mismatch; /* of these, in the mean */
	int64_t outside; /* of one source: how far it sticks out of the reference, or that out of it */
};

void td_range_extend(struct td_range *r, struct td_range by)
{
	r->from = TD_MIN(r->from, by.from);
	r->to = TD_MAX(r->to, by.to);
}

int td_ranges_add(struct td_ranges *rs, struct td_range r)
{
	int e;

	if (td_range_is_empty(r))
		return 0;
	e = td_grow(&rs->items, &rs->cap, rs->n);
	if (e < 0)
		return e;
	rs->items[rs->n++] = r;
	return 0;
}

static int by_begin(const void *a, const void *b)
{
	const struct td_range *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

void td_ranges_join(struct td_ranges *rs)
{
	size_t n = 0;

	if (rs->n)
		qsort(rs->items, rs->n, sizeof(*rs->items), by_begin);
	for (size_t i = 0; i < rs->n; i++) {
		if (n && rs->items[i].from - APART_NS < rs->items[n - 1].to)
			td_range_extend(&rs->items[n - 1], rs->items[i]);
		else
			rs->items[n++] = rs->items[i];
	}
	rs->n = n;
}

/* The first that ends at that time or later. */
static size_t find_range(const struct td_ranges *rs, int64_t ns)
{
	size_t low = 0, high = rs->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (rs->items[mid].to < ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool td_ranges_overlap(const struct td_ranges *rs, struct td_range r)
{
	size_t i = find_range(rs, r.from);

	return i < rs->n && rs->items[i].from <= r.to;
}

void td_ranges_done(struct td_ranges *rs)
{
	free(rs->items);
	*rs = (struct td_ranges){ 0 };
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

/* The part of the mismatch that is not for one being longer than the other. */
static int64_t outside(struct td_range a, struct td_range b)
{
	return mismatch(a, b) - llabs((a.to - a.from) / 2 - (b.to - b.from) / 2);
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

static struct fit try_day(const struct puzzle *p, int64_t day)
{
	struct td_range r = td_range_shift(p->sources[0].range, day * TD_DAY_NS);
	struct td_range to = p->references->items[0];

	return (struct fit){ .overlapping = td_range_overlaps(r, to), .mismatch = mismatch(r, to) };
}

/* The best day; of several the middle. */
static struct td_guess find_day(struct td_range tod, struct td_range reference)
{
	const struct td_local_range source = { .range = tod };
	const struct td_ranges references = { &reference, 1, 1 };
	const struct puzzle p = { &source, 1, &references };
	int64_t from = td_day_of(reference.from - tod.to);
	int64_t to = td_day_of(reference.to - tod.from) + 1, low = to, high = from, value;
	struct fit best = { .mismatch = INT64_MAX };

	for (int64_t day = from; day <= to; day++) {
		struct fit f = try_day(&p, day);

		if (is_better(f, best))
			best = f;
	}
	for (int64_t day = from; day <= to; day++) {
		if (!is_as_good(try_day(&p, day), best))
			continue;
		low = TD_MIN(low, day);
		high = TD_MAX(high, day);
	}
	value = low + (high - low) / 2;
	return (struct td_guess){ best.overlapping, value, TD_MAX(high - value, value - low) };
}

/* How many of the times of day lie over a reference on that day. */
static size_t count_fitting(const struct td_ranges *tod, int64_t day,
			    const struct td_ranges *references)
{
	size_t n = 0;

	for (size_t i = 0; i < tod->n; i++)
		n += td_ranges_overlap(references, td_range_shift(tod->items[i], day * TD_DAY_NS));
	return n;
}

struct td_guess td_find_day(const struct td_ranges *tod, const struct td_ranges *references)
{
	struct td_guess found = { .unsure = true };
	size_t most = 0;

	if (references->n == 1 && tod->n == 1)
		return find_day(tod->items[0], references->items[0]);
	for (size_t i = 0; i < references->n && references->n <= MAX_REFERENCES; i++) {
		struct td_guess g = find_day(tod->items[0], references->items[i]);
		size_t n = count_fitting(tod, g.value, references);

		if (n == 0 || n < most)
			continue;
		found.unsure = n == most && (found.unsure || g.value != found.value);
		found.overlapping = n;
		found.value = g.value;
		found.error = g.error;
		most = n;
	}
	return found;
}

/* Zones that are no whole hours are rare: one has to fit better by so much. */
static int64_t penalty(int64_t zone)
{
	if (zones[zone] % 60 == 0)
		return 0;
	return (zones[zone] % 30 == 0 ? 10 : 12) * 60 * TD_SEC_NS;
}

/* How well the source fits the reference that it fits best, in UTC but for the day. A source that only just misses
 * one is no reason for another zone. */
static struct fit fit_source(const struct puzzle *p, size_t source, int64_t zone)
{
	const struct td_ranges *rs = p->references;
	const bool dated = p->sources[source].dated;
	struct td_range r = td_range_shift(p->sources[source].range, -zones[zone] * 60 * TD_SEC_NS);
	struct fit best = { .mismatch = INT64_MAX };

	if (!dated && rs->n > MAX_REFERENCES)
		return best;
	for (size_t i = dated ? find_range(rs, r.from - NEAR_NS) : 0; i < rs->n; i++) {
		const struct td_range to = rs->items[i];
		const struct td_range nearby = { to.from - NEAR_NS, to.to + NEAR_NS };
		int64_t day_ns = dated ? 0 : find_day(r, to).value * TD_DAY_NS;
		struct td_range at = td_range_shift(r, day_ns);
		struct fit f = { td_range_overlaps(at, nearby), td_range_overlaps(at, to),
				 mismatch(at, to), outside(at, to) };

		if (f.overlapping && is_better(f, best))
			best = f;
		if (dated && !f.overlapping)
			break; /* nor do those that are later */
	}
	return best;
}

static struct fit try_zone(const struct puzzle *p, int64_t zone)
{
	struct fit all = { .mismatch = penalty(zone) };
	int64_t sum = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct fit f = fit_source(p, i, zone);

		if (!f.overlapping)
			continue;
		all.overlapping++;
		all.inside += f.inside;
		sum += f.mismatch / (int64_t)p->n; /* no overflow */
	}
	if (all.overlapping)
		all.mismatch += sum / (int64_t)all.overlapping * (int64_t)p->n;
	return all;
}

static bool is_clearly_more(int64_t a, int64_t b)
{
	return a / 2 - CLEARLY_NS / 2 > b;
}

/* May it as well be this zone? Every source has to lie over what it lies over in the best one, and about as well. */
static bool also_fits(const struct puzzle *p, int64_t zone, int64_t best)
{
	for (size_t i = 0; i < p->n; i++) {
		struct fit f = fit_source(p, i, zone), b = fit_source(p, i, best);

		if (!b.overlapping)
			continue;
		if (!f.overlapping || is_clearly_more(f.mismatch, b.mismatch) ||
		    is_clearly_more(f.outside, b.outside))
			return false;
	}
	return true;
}

/* The best of these zones, in which a source has to overlap a reference; of several the middle. */
static struct td_guess find_zone(const struct puzzle *p, int64_t from, int64_t to)
{
	struct fit fit = { .mismatch = INT64_MAX };
	int64_t best = 0, low = INT64_MAX, high = INT64_MIN, value;

	for (int64_t i = from; i <= to; i++) {
		struct fit f = try_zone(p, i);

		if (!f.inside || !is_better(f, fit))
			continue;
		fit = f;
		best = i;
	}
	if (!fit.overlapping)
		return (struct td_guess){ 0 };
	for (int64_t i = from; i <= to; i++) {
		if (!also_fits(p, i, best))
			continue;
		low = TD_MIN(low, zones[i] * INT64_C(60));
		high = TD_MAX(high, zones[i] * INT64_C(60));
	}
	value = low + (high - low) / 2;
	return (struct td_guess){ fit.overlapping, value, high - value };
}

struct td_guess td_find_zone(const struct td_local_range *sources, size_t n,
			     const struct td_ranges *utc)
{
	const struct puzzle p = { sources, n, utc };
	struct td_guess g = find_zone(&p, FIRST_ZONE, LAST_ZONE);
	int64_t odd;

	/* no date tells zones of the same time of day apart */
	if (g.error)
		g = find_zone(&p, FIRST_UNDATED_ZONE, LAST_UNDATED_ZONE);
	odd = g.value % 3600;

	/* the middle of several is not meant to be a zone of its own */
	if (g.error && odd) {
		g.value -= odd;
		g.error += llabs(odd);
	}
	return g;
}
