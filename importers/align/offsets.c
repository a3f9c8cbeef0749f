/* SPDX-License-Identifier: MIT */
/* What is written to each source: offset, error bar and the reason, in words. */
#include <math.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/align/align_private.h"
#include "importers/align/dates.h"

/* Which sources print whole seconds only. 0 or -ENOMEM. */
static int find_seconds(struct td_aligner *al)
{
	const struct td_contents *in = td_store_contents(al->st);

	al->in_seconds = calloc(in->nsources + 1, sizeof(*al->in_seconds));
	if (!al->in_seconds)
		return -ENOMEM;
	for (size_t i = 0; i < in->nissue_counts; i++)
		if (strcmp(in->issue_counts[i].kind, TD_ISSUE_SECONDS) == 0)
			al->in_seconds[in->issue_counts[i].source_id] = true;
	return 0;
}

/* Grain of the printed times: whole seconds, milliseconds or finer. What ends by a duration ends between them. */
static int64_t resolution(const struct td_aligner *al, const struct td_source *s)
{
	static const int64_t grains[] = { TD_SEC_NS, 1000000, 1000 };

	if (al->in_seconds[td_aligner_source_id(al, s)])
		return TD_SEC_NS;
	for (size_t i = s->has_fractions; i < TD_ARRAY_SIZE(grains); i++)
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
static const char *zone_words(const struct td_aligner *al, char *buf, size_t size)
{
	static const char *const how[] = {
		[TD_PLACE_GIVEN] = "given",
		[TD_PLACE_SOURCES] = "found from the sources that are in UTC",
		[TD_PLACE_ASSUMED] = "assumed: --tz gives it",
	};
	int64_t zone = al->zone.value, a = llabs(zone);
	const char *why = "";

	if (al->zone.basis == TD_PLACE_ASSUMED && al->zone.error)
		why = al->zone.error == TD_NULL ? "overlaps no other source in any zone, "
						: "several zones fit, ";
	(void)snprintf(buf, size, "UTC%c%02d:%02d (%s%s)", zone < 0 ? '-' : '+', (int)(a / 3600),
		       (int)(a / 60 % 60), why, how[al->zone.basis]);
	return buf;
}

static const char *day_words(struct td_place day)
{
	static const char *const words[] = {
		[TD_PLACE_NONE] = "date unknown: --date gives it",
		[TD_PLACE_GIVEN] = "date given",
		[TD_PLACE_SOURCES] = "date found from the other sources",
		[TD_PLACE_ASSUMED] = "date assumed: --date gives it",
	};

	return words[day.basis];
}

/* The error bar of a source whose own clock is known to error_ns, but its zone and day less well. */
static int64_t error_with(const struct td_aligner *al, int64_t error_ns, struct td_place day)
{
	if (al->zone.error == TD_NULL)
		return TD_NULL;
	return TD_MAX(error_ns, al->zone.error * TD_SEC_NS + day.error * TD_DAY_NS);
}

/* Of a clock that says the date itself. */
static const struct td_place no_day = { TD_PLACE_GIVEN, 0, 0 };

/* Does a dated source lie elsewhere than the sources in UTC, in the zone that was found? A sampler
 * may have been started after the last line of the log: what is nearer than zones are apart belongs
 * to it, where the zone is certain. */
static bool is_elsewhere(const struct td_aligner *al, struct td_range utc)
{
	int64_t near = al->zone.basis == TD_PLACE_SOURCES ? TD_ZONE_STEP_S * TD_SEC_NS : 0;
	struct td_range around = { utc.from - near, utc.to + near };

	return al->utc.n && !td_ranges_overlap(&al->utc, around);
}

/* The importer has set the offset, if there is one. */
static int set_utc(struct td_aligner *al, struct td_source *s)
{
	s->error_ns = resolution(al, s);
	return explain(s, "printed in UTC%s", s->offset_ns ? ", since a base in the file" : "");
}

static int set_local(struct td_aligner *al, struct td_source *s)
{
	int64_t zone_ns = al->zone.value * TD_SEC_NS;
	struct td_range utc = td_range_shift(td_aligner_native(s), -zone_ns);
	bool is_open = s->date_basis == TD_DATE_OPEN;
	bool alone = is_elsewhere(al, utc) && al->zone.basis != TD_PLACE_GIVEN;
	/* what zone_words() does not say */
	bool stray = alone && !is_open && al->zone.error != TD_NULL;
	char zone[128], date[192];

	s->offset_ns = s->date_shift_ns - zone_ns;
	s->error_ns = alone || is_open ? TD_NULL : error_with(al, resolution(al, s), no_day);
	return explain(s, "printed in %s%s, %s", td_align_date_words(s, date, sizeof(date)),
		       stray ? " that overlaps no other source in any zone" : "",
		       zone_words(al, zone, sizeof(zone)));
}

static int set_local_tod(struct td_aligner *al, struct td_source *s, const struct td_ranges *refs)
{
	struct td_range native = td_aligner_native(s);
	const struct td_ranges tod = { &native, 1, 1 };
	struct td_place day = td_places_day(al, &tod, td_aligner_source_id(al, s), refs);
	char zone[128];

	/* one of a set (strace -ff) that began before midnight: the given date is that of the first file */
	if (day.basis == TD_PLACE_GIVEN && td_day_of(native.from) > 0)
		day.value += td_day_of(native.from);
	s->offset_ns = day.value * TD_DAY_NS - al->zone.value * TD_SEC_NS;
	s->error_ns = day.basis == TD_PLACE_NONE ? TD_NULL : error_with(al, resolution(al, s), day);
	return explain(s, "printed as time of day, %s; %s", day_words(day),
		       zone_words(al, zone, sizeof(zone)));
}

/* The offset that the fit lacks because the wall clock lacks zone or date, and the words for it. */
static int64_t boot_to_utc(struct td_aligner *al, enum td_clock wall, struct td_place day,
			   char *words, size_t size)
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

static int set_unknown_boot(struct td_aligner *al, struct td_source *s)
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
static int set_boot(struct td_aligner *al, struct td_source *s, const struct td_place *days)
{
	const struct td_boot *boot = td_aligner_boot_of(al, s);
	char words[256], which[64] = "";
	struct td_place day = no_day;
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
	s->error_ns = day.basis == TD_PLACE_NONE ? TD_NULL : error_with(al, error_ns, day);
	return explain(s, "time since boot%s, fitted to %zu of %zu readings of the wall clock%s%s",
		       which, boot->fit.used, boot->fit.total,
		       boot->fit.drift != 0 ? ", with drift" : "", words);
}

static int set_relative(struct td_aligner *al, struct td_source *s, const struct td_ranges *refs)
{
	s->error_ns = TD_NULL;
	if (refs->n == 0)
		return explain(s, "begin unknown");
	s->offset_ns = refs->items[0].from - al->zone.value * TD_SEC_NS - s->first_native_ns;
	return explain(s, "begin unknown, put at the begin of the run");
}

static int set_boot_or_recorded(struct td_aligner *al, uint16_t source_id,
				const struct td_place *days)
{
	struct td_source *s = td_store_source_at(al->st, source_id);
	struct td_clock_fit own;
	int r = td_aligner_all_given(al) ? -ENODATA : td_boots_own_fit(&al->boots, source_id, &own);

	if (r == -ENODATA)
		return set_boot(al, s, days);
	return r == 0 ? set_recorded(s, &own) : r;
}

int td_offsets_set(struct td_aligner *al)
{
	_cleanup_(td_ranges_done) struct td_ranges refs = { 0 };
	_cleanup_free_ struct td_place *days = calloc(al->boots.n + 1, sizeof(*days));

	if (!days || find_seconds(al) < 0 || td_places_references(al, &refs) < 0 ||
	    td_places_boot_days(al, &refs, days) < 0)
		return -ENOMEM;
	for (size_t i = 1; i <= td_store_contents(al->st)->nsources; i++) {
		struct td_source *s = td_store_source_at(al->st, i);
		int r = 0;

		if (!td_aligner_timed(s))
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
