/* SPDX-License-Identifier: MIT */
/*
 * What is unknown about a clock, by kind (enum td_clock):
 *   UTC        nothing; offset_ns is set by the importer and stays
 *   LOCAL      the zone; which of day and month is which, in some dates (importers/align/dates.c)
 *   LOCAL_TOD  the zone and the date
 *   BOOT       the time of boot; readings of the local time of day beside it (anchors) make it a
 *              LOCAL_TOD clock, with the fitted offset. importers/align/boots.c tells which boot
 *   RELATIVE   everything
 * importers/align/places.c finds zone and date from the time ranges of the sources, offsets.c writes what comes of it.
 */
#include "common/cleanup.h"
#include "common/scan.h"
#include "importers/align/align_private.h"
#include "importers/align/runs.h"

/* --clock boot=NS, before the year 2096, so that what is added to it cannot overflow */
#define BOOT_MAX_NS INT64_C(4000000000000000000)

static int given_boot(struct td_aligner *al, struct td_err *err)
{
	struct td_scan s;
	int64_t ns;

	if (!al->options->clock)
		return 0;
	s = td_scan_of(al->options->clock, strlen(al->options->clock));
	if (!td_scan_literal(&s, "boot=") || !td_scan_i64(&s, &ns) || !td_scan_done(&s) || ns < 0 ||
	    ns > BOOT_MAX_NS)
		return td_err_set(err, -EINVAL,
				  "--clock '%s': expected boot=NANOSECONDS (UTC time of boot)",
				  al->options->clock);
	al->given = (struct td_boot){ .wall = TD_CLOCK_UTC, .fit = { .offset_ns = ns } };
	return 0;
}

static void aligner_done(struct td_aligner *al)
{
	td_boots_done(&al->boots);
	td_ranges_done(&al->utc);
	free(al->in_seconds);
}

int td_align(struct td_store *st, const struct td_clock_options *options, struct td_alignment *ret,
	     struct td_err *err)
{
	static const char *const bases[] = { NULL, "given", "sources", "assumed" };
	_cleanup_(aligner_done) struct td_aligner al = { .st = st, .options = options };
	int r;

	r = given_boot(&al, err);
	if (r >= 0)
		r = td_boots_find(st, &al.boots);
	if (r >= 0)
		r = td_places_dates(&al);
	if (r >= 0)
		r = td_places_utc(&al);
	if (r >= 0)
		r = td_places_zone(&al);
	if (r >= 0)
		r = td_offsets_set(&al);
	if (r < 0)
		return r;
	ret->utc_offset_s = al.zone.basis == TD_PLACE_NONE ? TD_NULL : al.zone.value;
	ret->utc_offset_basis = bases[al.zone.basis];
	ret->boots = al.boots.n;
	return td_align_runs(st);
}
