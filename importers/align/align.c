/* SPDX-License-Identifier: MIT */
/*
 * What is unknown about a clock, by kind (enum td_clock):
 *   UTC        nothing; offset_ns is set by the importer and stays
 *   LOCAL      the zone; which of day and month is which, in some dates (importers/align/dates.c)
 *   LOCAL_TOD  the zone and the date
 *   BOOT       the time of boot; readings of the local time of day beside it (anchors) make it a
 *              LOCAL_TOD clock, with the fitted offset
 *   RELATIVE   everything
 * importers/align/find.c finds zone and date from the time ranges of the sources.
 */
#include <math.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/scan.h"
#include "importers/align/align.h"
#include "importers/align/boot.h"
#include "importers/align/dates.h"
#include "importers/align/runs.h"

enum basis { BASIS_NONE, BASIS_GIVEN, BASIS_SOURCES, BASIS_ASSUMED };

/* A zone (seconds) or a date (days), and how it is known. */
struct place {
	enum basis basis;
	int64_t value, error; /* error: how far the true one may be off */
};

struct aligner {
	struct td_store *st;
	const struct td_clock_options *options;
	struct td_clock_fit boot; /* of the boot clock, against boot_wall */
	enum td_clock boot_wall; /* TD_CLOCK_NONE: no fit */
	bool boot_given;
	struct td_range utc; /* of all UTC sources */
	bool is_open; /* nothing with a certain date */
	struct place zone; /* BASIS_NONE: no source needs it */
};

static bool timed(const struct td_source *s)
{
	return s->first_native_ns != TD_NULL;
}

static bool is_local(enum td_clock clock)
{
	return clock == TD_CLOCK_LOCAL || clock == TD_CLOCK_LOCAL_TOD;
}

static struct td_range native_range(const struct td_source *s)
{
	return td_range_shift((struct td_range){ s->first_native_ns, s->last_native_ns },
			      s->date_shift_ns);
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
static struct td_range wall_range(const struct aligner *al, const struct td_source *s)
{
	struct td_range r = native_range(s);

	if (s->clock == TD_CLOCK_UTC)
		return td_range_shift(r, s->offset_ns);
	return s->clock == TD_CLOCK_BOOT ? td_range_shift(r, al->boot.offset_ns) : r;
}

/* For every timed source whose wall clock is of the kind. */
#define for_each_source(al, s, kind)                                                               \
	for (size_t _i = 1; _i <= td_store_contents((al)->st)->nsources; _i++)                     \
		if ((s) = td_store_source_at((al)->st, _i),                                        \
		    timed(s) && wall_of((al), (s)) == (kind))

static void find_utc_range(struct aligner *al)
{
	const struct td_source *s;

	for_each_source(al, s, TD_CLOCK_UTC)
		td_range_extend(&al->utc, wall_range(al, s));
}

/* Reads each date that can be read two ways in the way that fits the sources whose dates are certain. */
static int find_dates(struct aligner *al)
{
	_cleanup_free_ struct td_range *dated =
		calloc(td_store_contents(al->st)->nsources + 1, sizeof(*dated));
	size_t n = 0;

	if (!dated)
		return -ENOMEM;
	for (size_t i = 1; i <= td_store_contents(al->st)->nsources; i++) {
		const struct td_source *s = td_store_source_at(al->st, i);
		enum td_clock wall = wall_of(al, s);
		bool certain = s->date_basis == TD_DATE_CLEAR || s->date_basis == TD_DATE_BY_FILE;

		if (timed(s) && certain && (wall == TD_CLOCK_UTC || wall == TD_CLOCK_LOCAL))
			dated[n++] = wall_range(al, s);
	}
	td_align_dates(al->st, al->options, dated, n);
	return td_store_error(al->st);
}

/* All boot sources together, in terms of their wall clock: they are on one clock, so one of them that
 * began late says nothing. */
static struct td_range boot_range(const struct aligner *al)
{
	struct td_range all = td_range_empty;

	for (size_t i = 1; i <= td_store_contents(al->st)->nsources; i++) {
		const struct td_source *s = td_store_source_at(al->st, i);

		if (timed(s) && s->clock == TD_CLOCK_BOOT)
			td_range_extend(&all, wall_range(al, s));
	}
	return all;
}

/* What there is in local time, in an array for the caller to free. */
static int local_ranges(const struct aligner *al, struct td_local_range **ret, size_t *ret_n)
{
	struct td_local_range *ranges =
		calloc(td_store_contents(al->st)->nsources + 1, sizeof(*ranges));
	struct td_range boot = boot_range(al);
	size_t n = 0;

	if (!ranges)
		return -ENOMEM;
	for (size_t i = 1; i <= td_store_contents(al->st)->nsources; i++) {
		const struct td_source *s = td_store_source_at(al->st, i);

		if (timed(s) && is_local(s->clock))
			ranges[n++] = (struct td_local_range){ s->clock == TD_CLOCK_LOCAL,
							       native_range(s) };
	}
	if (!td_range_is_empty(boot) && is_local(al->boot_wall))
		ranges[n++] = (struct td_local_range){ al->boot_wall == TD_CLOCK_LOCAL, boot };
	*ret = ranges;
	*ret_n = n;
	return 0;
}

static struct place place_of(struct td_guess g)
{
	return (struct place){ g.error ? BASIS_ASSUMED : BASIS_SOURCES, g.value, g.error };
}

static int find_zone(struct aligner *al)
{
	_cleanup_free_ struct td_local_range *ranges = NULL;
	struct td_guess g = { 0 };
	size_t n;
	int r;

	r = local_ranges(al, &ranges, &n);
	if (r < 0 || n == 0)
		return r;
	if (al->options->utc_offset_s != TD_NULL) {
		al->zone = (struct place){ BASIS_GIVEN, al->options->utc_offset_s, 0 };
		return 0;
	}
	if (!td_range_is_empty(al->utc))
		g = td_find_zone(ranges, n, al->utc);
	al->zone = g.overlapping ? place_of(g) : (struct place){ BASIS_ASSUMED, 0, 0 };
	return 0;
}

/* The range that undated sources are laid over, in local time: the UTC sources, and those with a local
 * date that agree with them (a file of another day that strayed into the folder does not count). If there
 * are none, those whose date may be one of two: the sources then lie right to each other at least. */
static struct td_range reference(struct aligner *al)
{
	struct td_range ref = td_range_empty, dated = td_range_empty, open = td_range_empty;
	const struct td_source *s;

	if (!td_range_is_empty(al->utc))
		ref = td_range_shift(al->utc, al->zone.value * TD_SEC_NS);
	for_each_source(al, s, TD_CLOCK_LOCAL) {
		struct td_range r = wall_range(al, s);

		if (s->date_basis == TD_DATE_OPEN)
			td_range_extend(&open, r);
		else if (td_range_is_empty(ref) || td_range_overlaps(r, ref))
			td_range_extend(&dated, r);
	}
	al->is_open = td_range_is_empty(ref) && td_range_is_empty(dated);
	return al->is_open ? open : td_range_is_empty(dated) ? ref : dated;
}

/* The day of the midnight that times of day count from. */
static struct place find_day(const struct aligner *al, struct td_range tod, struct td_range ref)
{
	struct place day;

	if (al->options->date_days != TD_NULL)
		return (struct place){ BASIS_GIVEN, al->options->date_days - td_day_of(tod.from),
				       0 };
	if (td_range_is_empty(ref))
		return (struct place){ BASIS_NONE, 0, 0 };
	day = place_of(td_find_day(tod, ref));
	day.basis = al->is_open ? BASIS_NONE : day.basis;
	return day;
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

/* "UTC-05:00 (given)" */
static const char *zone_words(const struct aligner *al, char *buf, size_t size)
{
	static const char *const how[] = {
		[BASIS_GIVEN] = "given",
		[BASIS_SOURCES] = "found from the sources that are in UTC",
		[BASIS_ASSUMED] = "assumed: --tz gives it",
	};
	int64_t zone = al->zone.value, a = llabs(zone);

	(void)snprintf(buf, size, "UTC%c%02d:%02d (%s)", zone < 0 ? '-' : '+', (int)(a / 3600),
		       (int)(a / 60 % 60), how[al->zone.basis]);
	return buf;
}

static const char *day_words(struct place day)
{
	static const char *const words[] = {
		[BASIS_NONE] = "date unknown: --date gives it",
		[BASIS_GIVEN] = "date given",
		[BASIS_SOURCES] = "date found from the other sources",
		[BASIS_ASSUMED] = "date assumed: --date gives it",
	};

	return words[day.basis];
}

/* The error bar of a source whose own clock is known to error_ns, but its zone and day less well. */
static int64_t error_with(const struct aligner *al, int64_t error_ns, struct place day)
{
	int64_t zone_ns = al->zone.error * TD_SEC_NS, day_ns = day.error * TD_DAY_NS;

	return TD_MAX(error_ns, zone_ns + day_ns);
}

/* Of a clock that says the date itself. */
static const struct place no_day = { BASIS_GIVEN, 0, 0 };

/* Does a dated source lie elsewhere than the sources in UTC, in the zone that was found? A sampler may have been started
 * after the last line of the log: what is nearer than zones are apart belongs to it, where the zone is certain. */
static bool is_elsewhere(const struct aligner *al, struct td_range utc)
{
	int64_t near = al->zone.basis == BASIS_SOURCES ? TD_ZONE_STEP_S * TD_SEC_NS : 0;
	struct td_range around = { al->utc.from - near, al->utc.to + near };

	return !td_range_is_empty(al->utc) && !td_range_overlaps(utc, around);
}

/* The importer has set the offset, if there is one. */
static int set_utc(struct aligner *al, struct td_source *s)
{
	s->error_ns = resolution(s);
	return explain(s, "printed in UTC%s", s->offset_ns ? ", since a base in the file" : "");
}

static int set_local(struct aligner *al, struct td_source *s)
{
	int64_t zone_ns = al->zone.value * TD_SEC_NS;
	struct td_range utc = td_range_shift(native_range(s), -zone_ns);
	bool is_open = s->date_basis == TD_DATE_OPEN;
	bool alone = is_elsewhere(al, utc) && al->zone.basis != BASIS_GIVEN;
	char zone[128], date[192];

	s->offset_ns = s->date_shift_ns - zone_ns;
	s->error_ns = alone || is_open ? TD_NULL : error_with(al, resolution(s), no_day);
	return explain(s, "printed in %s%s, %s", td_align_date_words(s, date, sizeof(date)),
		       alone && !is_open ? " that overlaps no other source in any zone" : "",
		       zone_words(al, zone, sizeof(zone)));
}

static int set_local_tod(struct aligner *al, struct td_source *s, struct td_range ref)
{
	struct place day = find_day(al, native_range(s), ref);
	char zone[128];

	s->offset_ns = day.value * TD_DAY_NS - al->zone.value * TD_SEC_NS;
	s->error_ns = day.basis == BASIS_NONE ? TD_NULL : error_with(al, resolution(s), day);
	return explain(s, "printed as time of day, %s; %s", day_words(day),
		       zone_words(al, zone, sizeof(zone)));
}

/* The offset that the fit lacks because the wall clock lacks zone or date, and the words for it. */
static int64_t boot_to_utc(struct aligner *al, struct place day, char *words, size_t size)
{
	char zone[128];

	words[0] = '\0';
	if (al->boot_wall == TD_CLOCK_UTC)
		return 0;
	(void)snprintf(words, size, "; %s%s%s",
		       al->boot_wall == TD_CLOCK_LOCAL_TOD ? day_words(day) : "",
		       al->boot_wall == TD_CLOCK_LOCAL_TOD ? "; " : "",
		       zone_words(al, zone, sizeof(zone)));
	return day.value * TD_DAY_NS - al->zone.value * TD_SEC_NS;
}

/* It looked at the clock of UTC itself, so it needs no other source, which may be of another boot. */
static int set_recorded(struct td_source *s, const struct td_clock_fit *fit)
{
	s->offset_ns = fit->offset_ns;
	s->error_ns = TD_MAX(fit->error_ns, 1);
	return explain(s, "time since boot, recorded with UTC beside it: %zu of %zu readings agree",
		       fit->used, fit->total);
}

static int set_boot(struct aligner *al, struct td_source *s, struct place day)
{
	double since_ns = (double)(s->first_native_ns - al->boot.from_ns);
	int64_t error_ns;
	char words[256];

	if (al->boot_wall == TD_CLOCK_NONE) {
		s->error_ns = TD_NULL;
		return explain(
			s, "time since boot, never seen beside a wall clock: --clock boot=NS, or a "
			   "trace_time_align file, gives it");
	}
	s->offset_ns = al->boot.offset_ns + (int64_t)(al->boot.drift * since_ns) +
		       boot_to_utc(al, day, words, sizeof(words));
	if (al->boot_given) {
		s->error_ns = 0;
		return explain(s, "time since boot, the time of boot given");
	}
	s->drift_ppb = al->boot.drift != 0 ? al->boot.drift * 1e9 : NAN;
	error_ns = td_clock_error(&al->boot, s->first_native_ns, s->last_native_ns);
	s->error_ns = day.basis == BASIS_NONE ? TD_NULL : error_with(al, error_ns, day);
	return explain(s, "time since boot, fitted to %zu of %zu readings of the wall clock%s%s",
		       al->boot.used, al->boot.total, al->boot.drift != 0 ? ", with drift" : "",
		       words);
}

static int set_relative(struct aligner *al, struct td_source *s, struct td_range ref)
{
	s->error_ns = TD_NULL;
	if (td_range_is_empty(ref))
		return explain(s, "begin unknown");
	s->offset_ns = ref.from - al->zone.value * TD_SEC_NS - s->first_native_ns;
	return explain(s, "begin unknown, put at the begin of the run");
}

static int set_all(struct aligner *al)
{
	struct td_range ref = reference(al);
	struct place boot_day =
		al->boot_wall == TD_CLOCK_LOCAL_TOD ? find_day(al, boot_range(al), ref) : no_day;

	for (size_t i = 1; i <= td_store_contents(al->st)->nsources; i++) {
		struct td_source *s = td_store_source_at(al->st, i);
		struct td_clock_fit own;
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
			r = al->boot_given ? -ENODATA : td_align_boot_of(al->st, (uint16_t)i, &own);
			r = r == 0          ? set_recorded(s, &own)
			    : r == -ENODATA ? set_boot(al, s, boot_day)
					    : r;
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
	al->boot_given = true;
	al->boot_wall = TD_CLOCK_UTC;
	return 0;
}

int td_align(struct td_store *st, const struct td_clock_options *options, struct td_alignment *ret,
	     struct td_err *err)
{
	static const char *const bases[] = { NULL, "given", "sources", "assumed" };
	struct aligner al = { .st = st, .options = options, .utc = td_range_empty };
	int r;

	r = given_boot(&al, err);
	if (r < 0)
		return r;
	if (al.boot_wall == TD_CLOCK_NONE) {
		r = td_align_boot(st, &al.boot, &al.boot_wall);
		if (r < 0)
			return r;
	}
	r = find_dates(&al);
	if (r < 0)
		return r;
	find_utc_range(&al);
	r = find_zone(&al);
	if (r < 0)
		return r;
	ret->utc_offset_s = al.zone.basis == BASIS_NONE ? TD_NULL : al.zone.value;
	ret->utc_offset_basis = bases[al.zone.basis];
	r = set_all(&al);
	return r < 0 ? r : td_align_runs(st);
}
