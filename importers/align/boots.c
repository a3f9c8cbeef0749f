/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "common/array.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/align/boots.h"

/* What a source with readings says by itself. */
struct witness {
	uint16_t source_id;
	enum td_clock wall;
	struct td_clock_fit fit;
};

/* --- readings --- */

static bool is_boot(const struct td_source *s)
{
	return s->clock == TD_CLOCK_BOOT;
}

/* Puts the readings of boot clocks in the order of their sources. */
static int sort_anchors(struct td_boots *b, const struct td_contents *in)
{
	size_t at = 0;

	b->anchors = calloc(in->nanchors + 1, sizeof(*b->anchors));
	b->from = calloc(in->nsources + 2, sizeof(*b->from));
	if (!b->anchors || !b->from)
		return -ENOMEM;
	for (size_t i = 0; i < in->nanchors; i++)
		if (is_boot(&in->sources[in->anchors[i].source_id - 1]))
			b->from[in->anchors[i].source_id]++;
	for (size_t id = 0; id <= in->nsources + 1; id++) {
		size_t n = b->from[id];

		b->from[id] = at;
		at += n;
	}
	/* each source's begin moves to its end, which is the next one's begin */
	for (size_t i = 0; i < in->nanchors; i++)
		if (is_boot(&in->sources[in->anchors[i].source_id - 1]))
			b->anchors[b->from[in->anchors[i].source_id]++] = in->anchors[i];
	memmove(b->from + 1, b->from, (in->nsources + 1) * sizeof(*b->from));
	b->from[0] = 0;
	return 0;
}

/* Two sources may count days from different midnights: bring the bound to the day of the first one. */
static struct td_clock_bound bound_of(const struct td_anchor *a, const struct td_clock_bound *first)
{
	struct td_clock_bound b = {
		.at_ns = a->after_ns,
		.low_ns = a->wall_ns - a->after_ns,
		.high_ns = a->wall_ns - a->before_ns,
		.exact = a->wall == TD_CLOCK_UTC, /* only a recorder writes these */
	};
	int64_t days;

	if (!first || a->wall != TD_CLOCK_LOCAL_TOD)
		return b;
	days = (int64_t)llround((double)(first->low_ns - b.low_ns) / (double)TD_DAY_NS);
	b.low_ns += days * TD_DAY_NS;
	b.high_ns += days * TD_DAY_NS;
	return b;
}

/* Sources whose readings are fitted together: one, or it and those that follow it by next. */
struct group {
	uint16_t first;
	const uint16_t *next; /* NULL: the first only */
};

static size_t count_anchors(const struct td_boots *b, struct group g)
{
	size_t n = 0;

	for (uint16_t id = g.first; id; id = g.next ? g.next[id] : 0)
		n += b->from[id + 1] - b->from[id];
	return n;
}

/* -ENODATA if the group has no reading of that wall clock. */
static int fit_against(const struct td_boots *b, struct group g, enum td_clock wall,
		       struct td_clock_fit *ret)
{
	_cleanup_free_ struct td_clock_bound *bounds = NULL;
	size_t n = 0;

	bounds = calloc(count_anchors(b, g) + 1, sizeof(*bounds));
	if (!bounds)
		return -ENOMEM;
	for (uint16_t id = g.first; id; id = g.next ? g.next[id] : 0) {
		for (size_t i = b->from[id]; i < b->from[id + 1]; i++) {
			if (b->anchors[i].wall != wall)
				continue;
			bounds[n] = bound_of(&b->anchors[i], n ? &bounds[0] : NULL);
			n++;
		}
	}
	return td_clock_fit(bounds, n, ret);
}

/* Against the best wall clock that there is; -ENODATA if there is none. */
static int fit(const struct td_boots *b, struct group g, enum td_clock *ret_wall,
	       struct td_clock_fit *ret)
{
	static const enum td_clock order[] = { TD_CLOCK_UTC, TD_CLOCK_LOCAL, TD_CLOCK_LOCAL_TOD };
	int r = -ENODATA;

	for (size_t i = 0; i < TD_ARRAY_SIZE(order) && r == -ENODATA; i++) {
		r = fit_against(b, g, order[i], ret);
		if (r == 0)
			*ret_wall = order[i];
	}
	return r;
}

int td_boots_own_fit(const struct td_boots *b, uint16_t source_id, struct td_clock_fit *ret)
{
	return fit_against(b, (struct group){ source_id, NULL }, TD_CLOCK_UTC, ret);
}

/* --- which are of one boot --- */

/* Offsets against these two wall clocks may differ by any multiple of so much, because of a zone or a date that
 * is not known; 0: they may not differ. */
static int64_t period_of(enum td_clock a, enum td_clock b)
{
	if (a == TD_CLOCK_UTC && b == TD_CLOCK_UTC)
		return 0;
	if (a == TD_CLOCK_UTC || b == TD_CLOCK_UTC)
		return TD_ZONE_STEP_S * TD_SEC_NS;
	return a == TD_CLOCK_LOCAL && b == TD_CLOCK_LOCAL ? 0 : TD_DAY_NS;
}

static bool has_date(enum td_clock wall)
{
	return wall != TD_CLOCK_LOCAL_TOD;
}

/* Can the witness have seen the boot? */
static bool may_be_of(const struct witness *w, const struct td_boot *boot)
{
	int64_t period = period_of(w->wall, boot->wall), apart, slack;

	apart = llabs(w->fit.offset_ns - boot->fit.offset_ns);
	if (has_date(w->wall) && has_date(boot->wall) && apart > TD_DAY_NS)
		return false;
	if (period) {
		apart %= period;
		apart = TD_MIN(apart, period - apart);
	}
	slack = TD_MIN(w->fit.error_ns, TD_DAY_NS) + TD_MIN(boot->fit.error_ns, TD_DAY_NS);
	return apart <= slack + TD_BOOT_STEP_NS;
}

/* The surest first: who knows little may be of any boot that the others tell of. */
static int by_error(const void *a, const void *b)
{
	const struct witness *x = a, *y = b;

	if (x->fit.error_ns != y->fit.error_ns)
		return x->fit.error_ns < y->fit.error_ns ? -1 : 1;
	return (x->source_id > y->source_id) - (x->source_id < y->source_id);
}

static int find_witnesses(const struct td_boots *b, const struct td_contents *in,
			  struct witness *witnesses, size_t *ret_n)
{
	size_t n = 0;

	for (size_t id = 1; id <= in->nsources; id++) {
		struct witness *w = &witnesses[n];
		int r;

		w->source_id = (uint16_t)id;
		r = fit(b, (struct group){ w->source_id, NULL }, &w->wall, &w->fit);
		if (r < 0 && r != -ENODATA)
			return r;
		n += r == 0;
	}
	*ret_n = n;
	return 0;
}

/* The number of the only boot that the witness can be of; 0: there are several; -1: there is none. */
static int64_t boot_for(const struct td_boots *b, const struct witness *w)
{
	int64_t found = -1;

	for (size_t i = 0; i < b->n; i++) {
		if (!may_be_of(w, &b->items[i]))
			continue;
		if (found > 0)
			return 0;
		found = (int64_t)i + 1;
	}
	return found;
}

static int assign(struct td_boots *b, const struct witness *w)
{
	int64_t number = boot_for(b, w);
	int r;

	if (number < 0) {
		r = td_grow(&b->items, &b->cap, b->n);
		if (r < 0)
			return r;
		b->items[b->n++] = (struct td_boot){ .wall = w->wall, .fit = w->fit };
		number = (int64_t)b->n;
	}
	b->of[w->source_id] = (uint32_t)number;
	return 0;
}

/* --- their sources --- */

/* The part of the path before the name. */
static struct td_str folder_of(const struct td_contents *in, size_t source_id)
{
	const char *path = in->sources[source_id - 1].path, *slash = strrchr(path, '/');

	return (struct td_str){ path, slash ? (size_t)(slash - path) : 0 };
}

bool td_boots_same_folder(const struct td_contents *in, size_t a, size_t b)
{
	struct td_str x = folder_of(in, a), y = folder_of(in, b);

	return x.len == y.len && memcmp(x.p, y.p, x.len) == 0;
}

static bool is_timed(const struct td_source *s)
{
	return s->first_native_ns != TD_NULL;
}

static struct td_range native_range(const struct td_source *s)
{
	return is_timed(s) ? (struct td_range){ s->first_native_ns, s->last_native_ns }
			   : td_range_empty;
}

/* Links the sources of each boot, in their order. */
static int link_sources(struct td_boots *b, const struct td_contents *in)
{
	for (size_t id = in->nsources; id > 0; id--) {
		struct td_boot *boot = b->of[id] ? &b->items[b->of[id] - 1] : NULL;

		if (!boot)
			continue;
		if (!boot->first)
			boot->folder_of = (uint16_t)id;
		else if (boot->folder_of && !td_boots_same_folder(in, boot->folder_of, id))
			boot->folder_of = 0;
		b->next[id] = boot->first;
		boot->first = (uint16_t)id;
		if (td_ranges_add(&boot->native, native_range(&in->sources[id - 1])) < 0)
			return -ENOMEM;
	}
	for (size_t i = 0; i < b->n; i++)
		td_ranges_join(&b->items[i].native);
	return 0;
}

/* The number of the only boot that has such a source; 0: there is none, or there are several. */
static uint32_t only_boot(const struct td_boots *b, const struct td_contents *in, size_t source_id,
			  bool (*fits)(const struct td_contents *in, const struct td_boot *boot,
				       size_t source_id))
{
	uint32_t found = 0;

	for (size_t i = 0; i < b->n; i++) {
		if (!fits(in, &b->items[i], source_id))
			continue;
		if (found)
			return 0;
		found = (uint32_t)i + 1;
	}
	return found;
}

static bool any(const struct td_contents *in, const struct td_boot *boot, size_t source_id)
{
	return true;
}

static bool is_in_its_folder(const struct td_contents *in, const struct td_boot *boot,
			     size_t source_id)
{
	return boot->folder_of && td_boots_same_folder(in, boot->folder_of, source_id);
}

static bool is_in_its_time(const struct td_contents *in, const struct td_boot *boot,
			   size_t source_id)
{
	return td_ranges_overlap(&boot->native, native_range(&in->sources[source_id - 1]));
}

/* A source that does not tell of its boot itself. */
static uint32_t infer(const struct td_boots *b, const struct td_contents *in, size_t source_id)
{
	uint32_t number = only_boot(b, in, source_id, any);

	number = number ? number : only_boot(b, in, source_id, is_in_its_folder);
	return number ? number : only_boot(b, in, source_id, is_in_its_time);
}

static int fit_all(struct td_boots *b)
{
	int r = 0;

	for (size_t i = 0; i < b->n && r == 0; i++) {
		struct td_boot *boot = &b->items[i];

		r = fit(b, (struct group){ boot->first, b->next }, &boot->wall, &boot->fit);
	}
	return r;
}

/* --- all --- */

static int find(struct td_boots *b, const struct td_contents *in)
{
	_cleanup_free_ struct witness *witnesses = calloc(in->nsources + 1, sizeof(*witnesses));
	size_t n = 0;
	int r;

	b->of = calloc(in->nsources + 1, sizeof(*b->of));
	b->next = calloc(in->nsources + 1, sizeof(*b->next));
	if (!witnesses || !b->of || !b->next)
		return -ENOMEM;
	r = sort_anchors(b, in);
	if (r >= 0)
		r = find_witnesses(b, in, witnesses, &n);
	if (r < 0)
		return r;
	qsort(witnesses, n, sizeof(*witnesses), by_error);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = assign(b, &witnesses[i]);
	if (r < 0)
		return r;
	r = link_sources(b, in);
	return r < 0 ? r : fit_all(b);
}

/* Sources without readings of their own. Where a boot has to be told from others, what was inferred says nothing of its
 * time. */
static int infer_all(struct td_boots *b, const struct td_contents *in)
{
	int r = 0;

	for (size_t id = 1; id <= in->nsources && r >= 0; id++) {
		const struct td_source *s = &in->sources[id - 1];

		if (!is_boot(s) || !is_timed(s) || b->of[id])
			continue;
		b->of[id] = infer(b, in, id);
		if (b->n == 1)
			r = td_ranges_add(&b->items[0].native, native_range(s));
	}
	if (b->n == 1)
		td_ranges_join(&b->items[0].native);
	return r;
}

int td_boots_find(struct td_store *st, struct td_boots *ret)
{
	const struct td_contents *in = td_store_contents(st);
	struct td_boots b = { 0 };
	int r = find(&b, in);

	if (r >= 0)
		r = infer_all(&b, in);
	if (r < 0)
		td_boots_done(&b);
	else
		*ret = b;
	return r;
}

void td_boots_done(struct td_boots *b)
{
	for (size_t i = 0; i < b->n; i++)
		td_ranges_done(&b->items[i].native);
	free(b->items);
	free(b->of);
	free(b->next);
	free(b->anchors);
	free(b->from);
	*b = (struct td_boots){ 0 };
}
