/* SPDX-License-Identifier: MIT */
/*
 * What is unknown about a clock, by kind (enum td_clock):
 *   UTC        nothing
 *   LOCAL      the zone
 *   LOCAL_TOD  the zone and the date
 *   BOOT       the time of boot; readings of the local time of day beside it (anchors) make it a
 *              LOCAL_TOD clock, with the fitted offset
 *   RELATIVE   everything
 * Zone and date are found by laying time ranges over each other: files of one run begin and end at
 * about the same time, zones are multiples of 15 minutes and nearly always of an hour.
 */
#include <math.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/align.h"
#include "schema/clock.h"

#define ZONE_STEP_S 900
#define ZONE_MIN_S (-12 * 3600)
#define ZONE_MAX_S (14 * 3600)

struct range {
	int64_t from, to; /* ns; from > to: empty */
};
static const struct range empty_range = { INT64_MAX, INT64_MIN };

struct aligner {
	struct td_store *st;
	const struct td_import_options *options;
	struct td_clock_fit boot; /* of the boot clock, against boot_wall */
	enum td_clock boot_wall; /* TD_CLOCK_NONE: no fit */
	struct range utc; /* of all UTC sources */
	int64_t zone_s; /* TD_NULL: not known */
	const char *zone_basis;
	bool zone_needed;
};

static bool timed(const struct td_source *s)
{
	return s->first_native_ns != TD_NULL;
}

static void extend(struct range *r, int64_t from, int64_t to)
{
	r->from = TD_MIN(r->from, from);
	r->to = TD_MAX(r->to, to);
}

static bool is_empty(const struct range *r)
{
	return r->from > r->to;
}

static int64_t distance(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

/* How badly two ranges agree: how far their begins and their ends are apart. */
static int64_t mismatch(struct range a, struct range b)
{
	return distance(a.from, b.from) / 2 + distance(a.to, b.to) / 2;
}

static bool overlaps(struct range a, struct range b)
{
	return a.from <= b.to && b.from <= a.to;
}

static struct range shift(struct range r, int64_t by)
{
	return (struct range){ r.from + by, r.to + by };
}

static struct range native_range(const struct td_source *s)
{
	return (struct range){ s->first_native_ns, s->last_native_ns };
}

/* Quarter-hour zones are rare: one has to fit better by this much than a whole hour. */
static int64_t zone_penalty(int64_t zone_s)
{
	if (zone_s % 3600 == 0)
		return 0;
	return (zone_s % 1800 == 0 ? 10 : 20) * 60 * TD_SEC_NS;
}

/* --- the boot clock --- */

static bool is_boot_anchor(struct aligner *al, const struct td_anchor *a, enum td_clock wall)
{
	return a->wall == wall && td_store_source_at(al->st, a->source_id)->clock == TD_CLOCK_BOOT;
}

/* Two sources may count days from different midnights: bring the bound to the day of the first one. */
static struct td_clock_bound bound_of(const struct td_anchor *a, const struct td_clock_bound *first)
{
	struct td_clock_bound b = {
		.at_ns = a->after_ns,
		.low_ns = a->wall_ns - a->after_ns,
		.high_ns = a->wall_ns - a->before_ns,
	};
	int64_t days;

	if (!first || a->wall != TD_CLOCK_LOCAL_TOD)
		return b;
	days = (int64_t)llround((double)(first->low_ns - b.low_ns) / (double)TD_DAY_NS);
	b.low_ns += days * TD_DAY_NS;
	b.high_ns += days * TD_DAY_NS;
	return b;
}

/* Fits the boot clock against one kind of wall clock; -ENODATA if there is no anchor. */
static int fit_against(struct aligner *al, enum td_clock wall)
{
	_cleanup_free_ struct td_clock_bound *bounds = NULL;
	const struct td_anchor *anchors;
	size_t total, n = 0;
	int r;

	anchors = td_store_anchors(al->st, &total);
	bounds = calloc(total + 1, sizeof(*bounds));
	if (!bounds)
		return -ENOMEM;
	for (size_t i = 0; i < total; i++) {
		if (!is_boot_anchor(al, &anchors[i], wall))
			continue;
		bounds[n] = bound_of(&anchors[i], n ? &bounds[0] : NULL);
		n++;
	}
	r = td_clock_fit(bounds, n, &al->boot);
	if (r == 0)
		al->boot_wall = wall;
	return r;
}

static int fit_boot(struct aligner *al)
{
	static const enum td_clock order[] = { TD_CLOCK_UTC, TD_CLOCK_LOCAL, TD_CLOCK_LOCAL_TOD };

	for (size_t i = 0; i < TD_ARRAY_SIZE(order); i++) {
		int r = fit_against(al, order[i]);

		if (r != -ENODATA)
			return r;
	}
	return 0;
}

/* --- zone and date --- */

/* The clock that decides what is unknown about a source: a boot clock with anchors counts as the wall
 * clock that they read. */
static enum td_clock wall_of(const struct aligner *al, const struct td_source *s)
{
	return s->clock == TD_CLOCK_BOOT && al->boot_wall != TD_CLOCK_NONE ? al->boot_wall
									   : s->clock;
}

/* Native range in terms of wall_of(). */
static struct range wall_range(const struct aligner *al, const struct td_source *s)
{
	struct range r = native_range(s);

	return s->clock == TD_CLOCK_BOOT ? shift(r, al->boot.offset_ns) : r;
}

/* Calls f for every timed source whose wall clock is of the kind. */
#define for_each_source(al, s, kind)                                                               \
	for (uint16_t _i = 1; _i <= td_store_nsources((al)->st); _i++)                             \
		if ((s) = td_store_source_at((al)->st, _i),                                        \
		    timed(s) && wall_of((al), (s)) == (kind))

static void find_utc_range(struct aligner *al)
{
	const struct td_source *s;

	for_each_source(al, s, TD_CLOCK_UTC) {
		struct range r = wall_range(al, s);

		extend(&al->utc, r.from, r.to);
	}
}

/* How well the LOCAL sources lie over the UTC ones in that zone: sources that overlap, less is worse. */
static size_t try_zone(struct aligner *al, int64_t zone_s, int64_t *ret_mismatch)
{
	const struct td_source *s;
	size_t n = 0;

	*ret_mismatch = zone_penalty(zone_s);
	for_each_source(al, s, TD_CLOCK_LOCAL) {
		struct range r = shift(wall_range(al, s), -zone_s * TD_SEC_NS);

		if (overlaps(r, al->utc)) {
			n++;
			*ret_mismatch += mismatch(r, al->utc);
		}
	}
	return n;
}

/* Zone from sources with a local date, against those in UTC. */
static void zone_from_dated(struct aligner *al)
{
	int64_t best_mismatch = INT64_MAX;
	size_t best = 0;

	for (int64_t z = ZONE_MIN_S; z <= ZONE_MAX_S; z += ZONE_STEP_S) {
		int64_t m;
		size_t n = try_zone(al, z, &m);

		if (n > best || (n && n == best && m < best_mismatch)) {
			best = n;
			best_mismatch = m;
			al->zone_s = z;
			al->zone_basis = "sources";
		}
	}
}

/* Zone from sources with a time of day only, against those in UTC: the shift that lays them best over
 * each other is a number of days less the zone. */
static void zone_from_undated(struct aligner *al)
{
	struct range all = empty_range;
	const struct td_source *s;
	int64_t best = INT64_MAX, k0;

	for_each_source(al, s, TD_CLOCK_LOCAL_TOD) {
		struct range r = wall_range(al, s);

		extend(&all, r.from, r.to);
	}
	if (is_empty(&all))
		return;
	k0 = (al->utc.from - all.from) / TD_SEC_NS / ZONE_STEP_S;
	for (int64_t k = k0 - 96; k <= k0 + 96; k++) {
		struct range r = shift(all, k * ZONE_STEP_S * TD_SEC_NS);
		int64_t m = mismatch(r, al->utc) + zone_penalty(k * ZONE_STEP_S);

		if (!overlaps(r, al->utc) || m >= best)
			continue;
		best = m;
		al->zone_s = -(k * ZONE_STEP_S) % 86400;
		if (al->zone_s > ZONE_MAX_S)
			al->zone_s -= 86400;
		if (al->zone_s < ZONE_MIN_S)
			al->zone_s += 86400;
		al->zone_basis = "sources";
	}
}

static void find_zone(struct aligner *al)
{
	const struct td_source *s;

	for (uint16_t i = 1; i <= td_store_nsources(al->st); i++) {
		s = td_store_source_at(al->st, i);
		if (timed(s) &&
		    (wall_of(al, s) == TD_CLOCK_LOCAL || wall_of(al, s) == TD_CLOCK_LOCAL_TOD))
			al->zone_needed = true;
	}
	if (!al->zone_needed)
		return;
	if (al->options->utc_offset_s != TD_NULL) {
		al->zone_s = al->options->utc_offset_s;
		al->zone_basis = "given";
		return;
	}
	if (!is_empty(&al->utc)) {
		zone_from_dated(al);
		if (al->zone_s == TD_NULL)
			zone_from_undated(al);
	}
	if (al->zone_s == TD_NULL) {
		al->zone_s = 0;
		al->zone_basis = "assumed";
	}
}

/* The range that undated sources are laid over, in local time: the UTC sources, and those with a local
 * date that agree with them (a file of another day that strayed into the folder does not count). */
static struct range reference(struct aligner *al)
{
	struct range ref = shift(al->utc, al->zone_s * TD_SEC_NS);
	struct range dated = empty_range;
	const struct td_source *s;

	if (is_empty(&al->utc))
		ref = empty_range;
	for_each_source(al, s, TD_CLOCK_LOCAL) {
		struct range r = wall_range(al, s);

		if (is_empty(&ref) || overlaps(r, ref))
			extend(&dated, r.from, r.to);
	}
	return is_empty(&dated) ? ref : dated;
}

/* The midnight to add to a time of day; TD_NULL if nothing tells. */
static int64_t find_midnight(struct aligner *al, struct range tod, struct range ref)
{
	int64_t best = INT64_MAX, ret = TD_NULL, day0;

	if (al->options->date_days != TD_NULL)
		return al->options->date_days * TD_DAY_NS - tod.from / TD_DAY_NS * TD_DAY_NS;
	if (is_empty(&ref))
		return TD_NULL;
	day0 = (ref.from - tod.from) / TD_DAY_NS;
	for (int64_t d = day0 - 1; d <= day0 + 1; d++) {
		int64_t m = mismatch(shift(tod, d * TD_DAY_NS), ref);

		if (m < best) {
			best = m;
			ret = d * TD_DAY_NS;
		}
	}
	return ret;
}

/* --- results --- */

/* Grain of the printed times: whole seconds, milliseconds or finer. */
static int64_t resolution(const struct td_source *s)
{
	static const int64_t grains[] = { TD_SEC_NS, 1000000, 1000 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(grains); i++)
		if (s->first_native_ns % grains[i] == 0 && s->last_native_ns % grains[i] == 0)
			return grains[i];
	return 1;
}

static int explain(struct td_source *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int explain(struct td_source *s, const char *fmt, ...)
{
	va_list ap;
	char *text = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	free(s->clock_basis);
	s->clock_basis = text;
	return 0;
}

static void format_zone(char *buf, size_t size, int64_t zone_s)
{
	int64_t a = zone_s < 0 ? -zone_s : zone_s;

	(void)snprintf(buf, size, "UTC%c%02d:%02d", zone_s < 0 ? '-' : '+', (int)(a / 3600),
		       (int)(a / 60 % 60));
}

static const char *zone_words(const struct aligner *al)
{
	if (strcmp(al->zone_basis, "assumed") == 0)
		return is_empty(&al->utc) ? "assumed, as no source is in UTC: --tz gives it"
					  : "assumed: --tz gives it";
	return strcmp(al->zone_basis, "given") == 0 ? "given"
						    : "found from the sources that are in UTC";
}

static int set_utc(struct aligner *al, struct td_source *s)
{
	s->offset_ns = 0;
	s->error_ns = resolution(s);
	return explain(s, "printed in UTC");
}

static int set_local(struct aligner *al, struct td_source *s)
{
	struct range r = shift(native_range(s), -al->zone_s * TD_SEC_NS);
	char zone[16];

	format_zone(zone, sizeof(zone), al->zone_s);
	s->offset_ns = -al->zone_s * TD_SEC_NS;
	if (!is_empty(&al->utc) && !overlaps(r, al->utc) && strcmp(al->zone_basis, "given") != 0) {
		s->error_ns = TD_NULL;
		return explain(s,
			       "printed in local time that overlaps no other source in any zone; "
			       "%s (%s)",
			       zone, zone_words(al));
	}
	s->error_ns = resolution(s);
	return explain(s, "printed in local time, %s (%s)", zone, zone_words(al));
}

static int set_local_tod(struct aligner *al, struct td_source *s, struct range ref)
{
	int64_t midnight = find_midnight(al, native_range(s), ref);
	char zone[16];

	format_zone(zone, sizeof(zone), al->zone_s);
	s->offset_ns = (midnight == TD_NULL ? 0 : midnight) - al->zone_s * TD_SEC_NS;
	if (midnight == TD_NULL) {
		s->error_ns = TD_NULL;
		return explain(s, "printed as time of day, date unknown: --date gives it; %s (%s)",
			       zone, zone_words(al));
	}
	s->error_ns = resolution(s);
	return explain(s, "printed as time of day, date %s; %s (%s)",
		       al->options->date_days != TD_NULL ? "given" : "found from the other sources",
		       zone, zone_words(al));
}

static int set_boot(struct aligner *al, struct td_source *s, int64_t boot_to_utc_ns,
		    const char *words)
{
	int64_t gain = (int64_t)(al->boot.drift * (double)(s->first_native_ns - al->boot.from_ns));

	if (al->boot_wall == TD_CLOCK_NONE) {
		s->error_ns = TD_NULL;
		return explain(
			s, "time since boot, never seen beside a wall clock: --clock boot=NS, or a "
			   "trace_time_align file, gives it");
	}
	s->offset_ns = boot_to_utc_ns + gain;
	s->drift_ppb = al->boot.drift != 0 ? al->boot.drift * 1e9 : NAN;
	s->error_ns = words ? al->boot.error_ns : TD_NULL;
	return explain(s, "time since boot, fitted to %zu of %zu readings of the wall clock%s%s",
		       al->boot.used, al->boot.total,
		       words ? words : ", date unknown: --date gives it",
		       al->boot.drift != 0 ? ", with drift" : "");
}

static int set_relative(struct aligner *al, struct td_source *s, struct range ref)
{
	s->error_ns = TD_NULL;
	if (is_empty(&ref))
		return explain(s, "begin unknown");
	s->offset_ns = ref.from - al->zone_s * TD_SEC_NS - s->first_native_ns;
	return explain(s, "begin unknown, put at the begin of the run");
}

/* UTC of boot from the fit: the readings may lack the zone and the date. *ret_words: how, NULL: the
 * date is not known. */
static int64_t boot_offset(struct aligner *al, struct range ref, const char **ret_words)
{
	struct range all = empty_range;
	const struct td_source *s;
	int64_t midnight;

	*ret_words = "";
	if (al->boot_wall == TD_CLOCK_UTC || al->boot_wall == TD_CLOCK_NONE)
		return al->boot.offset_ns;
	if (al->boot_wall == TD_CLOCK_LOCAL)
		return al->boot.offset_ns - al->zone_s * TD_SEC_NS;
	for (uint16_t i = 1; i <= td_store_nsources(al->st); i++) {
		s = td_store_source_at(al->st, i);
		if (timed(s) && s->clock == TD_CLOCK_BOOT)
			extend(&all, s->first_native_ns + al->boot.offset_ns,
			       s->last_native_ns + al->boot.offset_ns);
	}
	midnight = find_midnight(al, all, ref);
	*ret_words = midnight == TD_NULL ? NULL : ", zone and date found from the other sources";
	return al->boot.offset_ns + (midnight == TD_NULL ? 0 : midnight) - al->zone_s * TD_SEC_NS;
}

static int set_all(struct aligner *al)
{
	const char *boot_words;
	struct range ref = reference(al);
	int64_t boot_ns = boot_offset(al, ref, &boot_words);

	for (uint16_t i = 1; i <= td_store_nsources(al->st); i++) {
		struct td_source *s = td_store_source_at(al->st, i);
		int r = 0;

		if (!timed(s))
			continue;
		switch (s->clock) {
		case TD_CLOCK_UTC:
			r = set_utc(al, s);
			break;
		case TD_CLOCK_LOCAL:
			r = set_local(al, s);
			break;
		case TD_CLOCK_LOCAL_TOD:
			r = set_local_tod(al, s, ref);
			break;
		case TD_CLOCK_BOOT:
			r = set_boot(al, s, boot_ns, boot_words);
			break;
		case TD_CLOCK_RELATIVE:
			r = set_relative(al, s, ref);
			break;
		case TD_CLOCK_NONE:
		case TD_NCLOCKS:
			break;
		}
		if (r < 0)
			return r;
	}
	return 0;
}

/* --clock boot=NS */
static int given_boot(struct aligner *al, struct td_err *err)
{
	struct td_scan s;
	int64_t ns;

	if (!al->options->clock)
		return 0;
	s = td_scan_of(al->options->clock, strlen(al->options->clock));
	if (!td_scan_literal(&s, "boot=") || !td_scan_i64(&s, &ns) || !td_scan_done(&s))
		return td_err_set(err, -EINVAL,
				  "--clock '%s': expected boot=NANOSECONDS (UTC time of boot)",
				  al->options->clock);
	al->boot = (struct td_clock_fit){ .offset_ns = ns };
	al->boot_wall = TD_CLOCK_UTC;
	return 0;
}

int td_align(struct td_store *st, const struct td_import_options *options, struct td_alignment *ret,
	     struct td_err *err)
{
	struct aligner al = {
		.st = st,
		.options = options,
		.utc = empty_range,
		.zone_s = TD_NULL,
	};
	int r;

	r = given_boot(&al, err);
	if (r < 0)
		return r;
	if (al.boot_wall == TD_CLOCK_NONE) {
		r = fit_boot(&al);
		if (r < 0)
			return r;
	}
	find_utc_range(&al);
	find_zone(&al);
	ret->utc_offset_s = al.zone_s;
	ret->utc_offset_basis = al.zone_basis;
	if (al.zone_s == TD_NULL)
		al.zone_s = 0;
	return set_all(&al);
}
