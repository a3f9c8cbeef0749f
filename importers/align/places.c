/* SPDX-License-Identifier: MIT */
/* Zone and dates, by laying the time ranges of the sources over each other. */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/align/align_private.h"
#include "importers/align/dates.h"

static bool is_local(enum td_clock clock)
{
	return clock == TD_CLOCK_LOCAL || clock == TD_CLOCK_LOCAL_TOD;
}

/* The clock that decides what is unknown about a source: a boot clock with anchors counts as the wall
 * clock that they read. */
static enum td_clock wall_of(const struct td_aligner *al, const struct td_source *s)
{
	const struct td_boot *boot = td_aligner_boot_of(al, s);

	return boot ? boot->wall : s->clock;
}

/* Native range in terms of wall_of(). */
static struct td_range wall_range(const struct td_aligner *al, const struct td_source *s)
{
	const struct td_boot *boot = td_aligner_boot_of(al, s);
	struct td_range r = td_aligner_native(s);

	if (s->clock == TD_CLOCK_UTC)
		return td_range_shift(r, s->offset_ns);
	return boot ? td_range_shift(r, boot->fit.offset_ns) : r;
}

/* For every timed source whose wall clock is of the kind. */
#define for_each_source(al, s, kind)                                                               \
	for (size_t _i = 1; _i <= td_store_contents((al)->st)->nsources; _i++)                     \
		if ((s) = td_store_source_at((al)->st, _i),                                        \
		    td_aligner_timed(s) && wall_of((al), (s)) == (kind))

int td_places_utc(struct td_aligner *al)
{
	const struct td_source *s;

	for_each_source(al, s, TD_CLOCK_UTC) {
		/* what had to be given for one of several boots says nothing of the others */
		if (td_aligner_boot_of(al, s) == &al->given && !td_aligner_all_given(al))
			continue;
		if (td_ranges_add(&al->utc, wall_range(al, s)) < 0)
			return -ENOMEM;
	}
	td_ranges_join(&al->utc);
	return 0;
}

int td_places_dates(struct td_aligner *al)
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

		if (td_aligner_timed(s) && certain &&
		    (wall == TD_CLOCK_UTC || wall == TD_CLOCK_LOCAL))
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
static size_t count_boot_ranges(const struct td_aligner *al)
{
	size_t n = 0;

	for (size_t i = 0; i < al->boots.n; i++)
		n += al->boots.items[i].native.n;
	return n;
}

/* What there is in local time, in an array for the caller to free. */
static int local_ranges(const struct td_aligner *al, struct td_local_range **ret, size_t *ret_n)
{
	size_t nsources = td_store_contents(al->st)->nsources, n = 0;
	struct td_local_range *ranges =
		calloc(nsources + count_boot_ranges(al) + 1, sizeof(*ranges));

	if (!ranges)
		return -ENOMEM;
	for (size_t i = 1; i <= nsources; i++) {
		const struct td_source *s = td_store_source_at(al->st, i);

		if (td_aligner_timed(s) && is_local(s->clock))
			ranges[n++] = (struct td_local_range){ s->clock == TD_CLOCK_LOCAL,
							       td_aligner_native(s) };
	}
	for (size_t i = 0; i < al->boots.n && !td_aligner_all_given(al); i++) {
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

static struct td_place place_of(struct td_guess g)
{
	return (struct td_place){ g.error ? TD_PLACE_ASSUMED : TD_PLACE_SOURCES, g.value, g.error };
}

int td_places_zone(struct td_aligner *al)
{
	_cleanup_free_ struct td_local_range *ranges = NULL;
	struct td_guess g = { 0 };
	size_t n;
	int r;

	r = local_ranges(al, &ranges, &n);
	if (r < 0 || n == 0)
		return r;
	if (al->options->utc_offset_s != TD_NULL) {
		al->zone = (struct td_place){ TD_PLACE_GIVEN, al->options->utc_offset_s, 0 };
		return 0;
	}
	al->zone = (struct td_place){ TD_PLACE_ASSUMED, 0, 0 };
	if (al->utc.n == 0)
		return 0;
	g = td_find_zone(ranges, n, &al->utc);
	if (g.overlapping)
		al->zone = place_of(g);
	else
		al->zone.error = TD_NULL;
	return 0;
}

/* The ranges in local time of the sources with a date that agree with those in UTC (a file of another day that
 * strayed into the folder does not count; without any in UTC all do), and of those whose date may be one of two. */
static int dated_ranges(const struct td_aligner *al, const struct td_ranges *utc,
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

int td_places_references(struct td_aligner *al, struct td_ranges *ret)
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
static int find_references_beside(const struct td_aligner *al, uint16_t source_id,
				  struct td_ranges *ret)
{
	const struct td_contents *in = td_store_contents(al->st);
	int r = 0;

	for (size_t i = 1; i <= in->nsources && r == 0; i++) {
		const struct td_source *s = &in->sources[i - 1];
		enum td_clock wall = wall_of(al, s);

		if (!td_aligner_timed(s) || s->date_basis == TD_DATE_OPEN ||
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
static struct td_guess guess_day(const struct td_aligner *al, const struct td_ranges *tod,
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

struct td_place td_places_day(const struct td_aligner *al, const struct td_ranges *tod,
			      uint16_t folder_of, const struct td_ranges *refs)
{
	const struct td_place unknown = { TD_PLACE_NONE, 0, 0 };
	int64_t given = al->options->date_days;
	bool several = refs->n > 1 || al->boots.n > 1;
	struct td_guess g = { .unsure = true };

	/* of several days only one can be the given one */
	if (tod->n == 0)
		return unknown;
	if (refs->n && (given == TD_NULL || several))
		g = guess_day(al, tod, folder_of, refs);
	if (given != TD_NULL && (!several || g.unsure))
		return (struct td_place){ TD_PLACE_GIVEN, given - td_day_of(tod->items[0].from),
					  0 };
	if (refs->n == 0 || g.unsure || (al->zone.error == TD_NULL && !g.overlapping))
		return unknown;
	return al->is_open ? (struct td_place){ TD_PLACE_NONE, g.value, g.error } : place_of(g);
}

int td_places_boot_days(const struct td_aligner *al, const struct td_ranges *refs,
			struct td_place *days)
{
	for (size_t i = 0; i < al->boots.n; i++) {
		_cleanup_(td_ranges_done) struct td_ranges tod = { 0 };
		const struct td_boot *boot = &al->boots.items[i];

		if (boot->wall != TD_CLOCK_LOCAL_TOD)
			continue;
		if (boot_ranges(boot, &tod) < 0)
			return -ENOMEM;
		days[i] = td_places_day(al, &tod, boot->folder_of, refs);
	}
	return 0;
}
