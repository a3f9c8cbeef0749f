/* SPDX-License-Identifier: MIT */
/*
 * What is unknown about a clock, by kind (enum td_clock):
 *   UTC        nothing; offset_ns is set by the importer and stays
 *   LOCAL      the zone; which of day and month is which, in some dates (importers/align/dates.c)
 *   LOCAL_TOD  the zone and the date
 *   BOOT       the time of boot; readings of the local time of day beside it (anchors) make it a
 *              LOCAL_TOD clock, with the fitted offset. importers/align/boots.c tells which boot
 *   RELATIVE   everything
 * importers/align/find.c finds zone and date from the time ranges of the sources.
 */
#include <math.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/scan.h"
#include "importers/align/align.h"
#include "importers/align/boots.h"
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
	struct td_boots boots;
	struct td_boot given; /* what the user says of the boot; wall is TD_CLOCK_NONE: nothing */
	struct td_ranges utc; /* of all UTC sources */
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

/* What the user says of the boot is of all sources, unless there are several boots. */
static bool all_given(const struct aligner *al)
{
	return al->given.wall != TD_CLOCK_NONE && al->boots.n <= 1;
}

static uint16_t source_id_of(const struct aligner *al, const struct td_source *s)
{
	return (uint16_t)(s - td_store_contents(al->st)->sources + 1);
}

/* The boot that a source counts from; NULL: it does not, or nothing tells. */
static const struct td_boot *boot_of(const struct aligner *al, const struct td_source *s)
{
	uint32_t number = al->boots.of[source_id_of(al, s)];

	if (s->clock != TD_CLOCK_BOOT)
		return NULL;
	if (number && !all_given(al))
		return &al->boots.items[number - 1];
	return al->given.wall != TD_CLOCK_NONE ? &al->given : NULL;
}

/* The clock that decides what is unknown about a source: a boot clock with anchors counts as the wall
 * clock that they read. */
static enum td_clock wall_of(const struct aligner *al, const struct td_source *s)
{
	const struct td_boot *boot = boot_of(al, s);

	return boot ? boot->wall : s->clock;
}

/* Native range in terms of wall_of(). */
static struct td_range wall_range(const struct aligner *al, const struct td_source *s)
{
	const struct td_boot *boot = boot_of(al, s);
	struct td_range r = native_range(s);

	if (s->clock == TD_CLOCK_UTC)
		return td_range_shift(r, s->offset_ns);
	return boot ? td_range_shift(r, boot->fit.offset_ns) : r;
}

/* For every timed source whose wall clock is of the kind. */
#define for_each_source(al, s, kind)                                                               \
	for (size_t _i = 1; _i <= td_store_contents((al)->st)->nsources; _i++)                     \
		if ((s) = td_store_source_at((al)->st, _i),                                        \
		    timed(s) && wall_of((al), (s)) == (kind))

static int find_utc_ranges(struct aligner *al)
{
	const struct td_source *s;

	for_each_source(al, s, TD_CLOCK_UTC) {
		/* what had to be given for one of several boots says nothing of the others */
		if (boot_of(al, s) == &al->given && !all_given(al))
			continue;
		if (td_ranges_add(&al->utc, wall_range(al, s)) < 0)
			return -ENOMEM;
	}
	td_ranges_join(&al->utc);
	return 0;
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

/* What there is of a boot in terms of its wall clock: its sources are on one clock, so one of them that began late
 * says nothing. */
static int boot_ranges(const struct td_boot *boot, struct td_ranges *ret)
{
	int r = 0;

	for (size_t i = 0; i < boot->native.n && r == 0; i++)
		r = td_ranges_add(ret, td_range_shift(boot->native.items[i], boot->fit.offset_ns));
	return r;
}

/* How many ranges of boots there are at most. */
static size_t count_boot_ranges(const struct aligner *al)
{
	size_t n = 0;

	for (size_t i = 0; i < al->boots.n; i++)
		n += al->boots.items[i].native.n;
	return n;
}

/* What there is in local time, in an array for the caller to free. */
static int local_ranges(const struct aligner *al, struct td_local_range **ret, size_t *ret_n)
{
	size_t nsources = td_store_contents(al->st)->nsources, n = 0;
	struct td_local_range *ranges =
		calloc(nsources + count_boot_ranges(al) + 1, sizeof(*ranges));

	if (!ranges)
		return -ENOMEM;
	for (size_t i = 1; i <= nsources; i++) {
		const struct td_source *s = td_store_source_at(al->st, i);

		if (timed(s) && is_local(s->clock))
			ranges[n++] = (struct td_local_range){ s->clock == TD_CLOCK_LOCAL,
							       native_range(s) };
	}
	for (size_t i = 0; i < al->boots.n && !all_given(al); i++) {
		const struct td_boot *boot = &al->boots.items[i];

		for (size_t k = 0; k < boot->native.n && is_local(boot->wall); k++)
			ranges[n++] = (struct td_local_range){
				boot->wall == TD_CLOCK_LOCAL,
				td_range_shift(boot->native.items[k], boot->fit.offset_ns),
			};
	}
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
	if (al->utc.n)
		g = td_find_zone(ranges, n, &al->utc);
	al->zone = g.overlapping ? place_of(g) : (struct place){ BASIS_ASSUMED, 0, 0 };
	return 0;
}

/* The ranges in local time of the sources with a date that agree with those in UTC (a file of another day that
 * strayed into the folder does not count; without any in UTC all do), and of those whose date may be one of two. */
static int dated_ranges(const struct aligner *al, const struct td_ranges *utc,
			struct td_ranges *dated, struct td_ranges *open)
{
	const struct td_source *s;

	for_each_source(al, s, TD_CLOCK_LOCAL) {
		struct td_range r = wall_range(al, s);
		bool is_open = s->date_basis == TD_DATE_OPEN;

		if (!is_open && utc->n && !td_ranges_overlap(utc, r))
			continue;
		if (td_ranges_add(is_open ? open : dated, r) < 0)
			return -ENOMEM;
	}
	td_ranges_join(dated);
	td_ranges_join(open);
	return 0;
}

/* The ranges that undated sources are laid over, in local time: of the UTC sources, or in their place those of the
 * sources with a local date there. If there are none, of those whose date may be one of two: the sources then lie
 * right to each other at least. */
static int find_references(struct aligner *al, struct td_ranges *ret)
{
	_cleanup_(td_ranges_done) struct td_ranges utc = { 0 }, dated = { 0 }, open = { 0 };
	int r = 0;

	for (size_t i = 0; i < al->utc.n && r == 0; i++)
		r = td_ranges_add(&utc,
				  td_range_shift(al->utc.items[i], al->zone.value * TD_SEC_NS));
	if (r == 0)
		r = dated_ranges(al, &utc, &dated, &open);
	for (size_t i = 0; i < dated.n && r == 0; i++)
		r = td_ranges_add(ret, dated.items[i]);
	for (size_t i = 0; i < utc.n && r == 0; i++)
		if (!td_ranges_overlap(&dated, utc.items[i]))
			r = td_ranges_add(ret, utc.items[i]);
	al->is_open = r == 0 && ret->n == 0;
	for (size_t i = 0; i < open.n && r == 0 && al->is_open; i++)
		r = td_ranges_add(ret, open.items[i]);
	td_ranges_join(ret);
	return r;
}

/* The references in the folder of a source. */
static int find_references_beside(const struct aligner *al, uint16_t source_id,
				  struct td_ranges *ret)
{
	const struct td_contents *in = td_store_contents(al->st);
	int r = 0;

	for (size_t i = 1; i <= in->nsources && r == 0; i++) {
		const struct td_source *s = &in->sources[i - 1];
		enum td_clock wall = wall_of(al, s);

		if (!timed(s) || s->date_basis == TD_DATE_OPEN ||
		    !td_boots_same_folder(in, i, source_id))
			continue;
		if (wall == TD_CLOCK_UTC)
			r = td_ranges_add(
				ret, td_range_shift(wall_range(al, s), al->zone.value * TD_SEC_NS));
		else if (wall == TD_CLOCK_LOCAL)
			r = td_ranges_add(ret, wall_range(al, s));
	}
	td_ranges_join(ret);
	return r;
}

/* By the references beside the source where all of them leave it open. 0: in the import's folder, or in several. */
static struct td_guess guess_day(const struct aligner *al, const struct td_ranges *tod,
				 uint16_t source_id, const struct td_ranges *refs)
{
	_cleanup_(td_ranges_done) struct td_ranges beside = { 0 };
	struct td_guess g = td_find_day(tod, refs), by_folder = { .unsure = true };

	if (!g.unsure || !source_id)
		return g;
	if (find_references_beside(al, source_id, &beside) == 0 && beside.n == 1)
		by_folder = td_find_day(tod, &beside);
	return by_folder.overlapping ? by_folder : g;
}

/* The day of the midnight that times of day count from. folder_of: source in whose folder all are that do; 0: none. */
static struct place find_day(const struct aligner *al, const struct td_ranges *tod,
			     uint16_t folder_of, const struct td_ranges *refs)
{
	const struct place unknown = { BASIS_NONE, 0, 0 };
	int64_t given = al->options->date_days;
	bool several = refs->n > 1 || al->boots.n > 1;
	struct td_guess g = { .unsure = true };

	/* of several days only one can be the given one */
	if (tod->n == 0)
		return unknown;
	if (refs->n && (given == TD_NULL || several))
		g = guess_day(al, tod, folder_of, refs);
	if (given != TD_NULL && (!several || g.unsure))
		return (struct place){ BASIS_GIVEN, given - td_day_of(tod->items[0].from), 0 };
	if (refs->n == 0 || g.unsure)
		return unknown;
	return al->is_open ? (struct place){ BASIS_NONE, g.value, g.error } : place_of(g);
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
	struct td_range around = { utc.from - near, utc.to + near };

	return al->utc.n && !td_ranges_overlap(&al->utc, around);
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

static int set_local_tod(struct aligner *al, struct td_source *s, const struct td_ranges *refs)
{
	struct td_range native = native_range(s);
	const struct td_ranges tod = { &native, 1, 1 };
	struct place day = find_day(al, &tod, source_id_of(al, s), refs);
	char zone[128];

	s->offset_ns = day.value * TD_DAY_NS - al->zone.value * TD_SEC_NS;
	s->error_ns = day.basis == BASIS_NONE ? TD_NULL : error_with(al, resolution(s), day);
	return explain(s, "printed as time of day, %s; %s", day_words(day),
		       zone_words(al, zone, sizeof(zone)));
}

/* The offset that the fit lacks because the wall clock lacks zone or date, and the words for it. */
static int64_t boot_to_utc(struct aligner *al, enum td_clock wall, struct place day, char *words,
			   size_t size)
{
	char zone[128];

	words[0] = '\0';
	if (wall == TD_CLOCK_UTC)
		return 0;
	(void)snprintf(words, size, "; %s%s%s", wall == TD_CLOCK_LOCAL_TOD ? day_words(day) : "",
		       wall == TD_CLOCK_LOCAL_TOD ? "; " : "", zone_words(al, zone, sizeof(zone)));
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

static int set_unknown_boot(struct aligner *al, struct td_source *s)
{
	s->error_ns = TD_NULL;
	if (al->boots.n == 0)
		return explain(
			s, "time since boot, never seen beside a wall clock: --clock boot=NS, or a "
			   "trace_time_align file, gives it");
	/* it may have been appended to since its boot was the only one */
	s->offset_ns = 0;
	s->drift_ppb = NAN;
	return explain(s,
		       "time since one of %zu boots, nothing tells which: --clock boot=NS, or a "
		       "file of the same boot in a folder with it, gives it",
		       al->boots.n);
}

/* days: of the boots' midnights. */
static int set_boot(struct aligner *al, struct td_source *s, const struct place *days)
{
	const struct td_boot *boot = boot_of(al, s);
	char words[256], which[64] = "";
	struct place day = no_day;
	int64_t error_ns;
	double since_ns;

	if (!boot)
		return set_unknown_boot(al, s);
	if (boot == &al->given) {
		s->offset_ns = boot->fit.offset_ns;
		s->error_ns = 0;
		return explain(s, "time since boot, the time of boot given");
	}
	if (boot->wall == TD_CLOCK_LOCAL_TOD)
		day = days[boot - al->boots.items];
	if (al->boots.n > 1)
		(void)snprintf(which, sizeof(which), ", one of %zu", al->boots.n);
	since_ns = (double)(s->first_native_ns - boot->fit.from_ns);
	s->offset_ns = boot->fit.offset_ns + (int64_t)(boot->fit.drift * since_ns) +
		       boot_to_utc(al, boot->wall, day, words, sizeof(words));
	s->drift_ppb = boot->fit.drift != 0 ? boot->fit.drift * 1e9 : NAN;
	error_ns = td_clock_error(&boot->fit, s->first_native_ns, s->last_native_ns);
	s->error_ns = day.basis == BASIS_NONE ? TD_NULL : error_with(al, error_ns, day);
	return explain(s, "time since boot%s, fitted to %zu of %zu readings of the wall clock%s%s",
		       which, boot->fit.used, boot->fit.total,
		       boot->fit.drift != 0 ? ", with drift" : "", words);
}

static int set_relative(struct aligner *al, struct td_source *s, const struct td_ranges *refs)
{
	s->error_ns = TD_NULL;
	if (refs->n == 0)
		return explain(s, "begin unknown");
	s->offset_ns = refs->items[0].from - al->zone.value * TD_SEC_NS - s->first_native_ns;
	return explain(s, "begin unknown, put at the begin of the run");
}

/* By boot: the day of the midnight that its wall clock counts from. */
static int find_boot_days(const struct aligner *al, const struct td_ranges *refs,
			  struct place *days)
{
	for (size_t i = 0; i < al->boots.n; i++) {
		_cleanup_(td_ranges_done) struct td_ranges tod = { 0 };
		const struct td_boot *boot = &al->boots.items[i];

		if (boot->wall != TD_CLOCK_LOCAL_TOD)
			continue;
		if (boot_ranges(boot, &tod) < 0)
			return -ENOMEM;
		days[i] = find_day(al, &tod, boot->folder_of, refs);
	}
	return 0;
}

static int set_boot_or_recorded(struct aligner *al, uint16_t source_id, const struct place *days)
{
	struct td_source *s = td_store_source_at(al->st, source_id);
	struct td_clock_fit own;
	int r = all_given(al) ? -ENODATA : td_boots_own_fit(&al->boots, source_id, &own);

	if (r == -ENODATA)
		return set_boot(al, s, days);
	return r == 0 ? set_recorded(s, &own) : r;
}

static int set_all(struct aligner *al)
{
	_cleanup_(td_ranges_done) struct td_ranges refs = { 0 };
	_cleanup_free_ struct place *days = calloc(al->boots.n + 1, sizeof(*days));

	if (!days || find_references(al, &refs) < 0 || find_boot_days(al, &refs, days) < 0)
		return -ENOMEM;
	for (size_t i = 1; i <= td_store_contents(al->st)->nsources; i++) {
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
			r = set_local_tod(al, s, &refs);
			break;
		case TD_CLOCK_BOOT:
			r = set_boot_or_recorded(al, (uint16_t)i, days);
			break;
		case TD_CLOCK_RELATIVE:
			r = set_relative(al, s, &refs);
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
	al->given = (struct td_boot){ .wall = TD_CLOCK_UTC, .fit = { .offset_ns = ns } };
	return 0;
}

static void aligner_done(struct aligner *al)
{
	td_boots_done(&al->boots);
	td_ranges_done(&al->utc);
}

int td_align(struct td_store *st, const struct td_clock_options *options, struct td_alignment *ret,
	     struct td_err *err)
{
	static const char *const bases[] = { NULL, "given", "sources", "assumed" };
	_cleanup_(aligner_done) struct aligner al = { .st = st, .options = options };
	int r;

	r = given_boot(&al, err);
	if (r >= 0)
		r = td_boots_find(st, &al.boots);
	if (r >= 0)
		r = find_dates(&al);
	if (r >= 0)
		r = find_utc_ranges(&al);
	if (r >= 0)
		r = find_zone(&al);
	if (r >= 0)
		r = set_all(&al);
	if (r < 0)
		return r;
	ret->utc_offset_s = al.zone.basis == BASIS_NONE ? TD_NULL : al.zone.value;
	ret->utc_offset_basis = bases[al.zone.basis];
	ret->boots = al.boots.n;
	return td_align_runs(st);
}
