/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/align/boot.h"

static bool is_boot_anchor(struct td_store *st, const struct td_anchor *a, enum td_clock wall)
{
	return a->wall == wall && td_store_source_at(st, a->source_id)->clock == TD_CLOCK_BOOT;
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

/* Fits the boot clock against one kind of wall clock, seen by one source (0: by all); -ENODATA if there is no
 * anchor. */
static int fit_against(struct td_store *st, enum td_clock wall, uint16_t source_id,
		       struct td_clock_fit *ret)
{
	_cleanup_free_ struct td_clock_bound *bounds = NULL;
	const struct td_contents *in = td_store_contents(st);
	size_t n = 0;

	bounds = calloc(in->nanchors + 1, sizeof(*bounds));
	if (!bounds)
		return -ENOMEM;
	for (size_t i = 0; i < in->nanchors; i++) {
		const struct td_anchor *a = &in->anchors[i];

		if (!is_boot_anchor(st, a, wall) || (source_id && a->source_id != source_id))
			continue;
		bounds[n] = bound_of(a, n ? &bounds[0] : NULL);
		n++;
	}
	return td_clock_fit(bounds, n, ret);
}

int td_align_boot(struct td_store *st, struct td_clock_fit *ret, enum td_clock *ret_wall)
{
	static const enum td_clock order[] = { TD_CLOCK_UTC, TD_CLOCK_LOCAL, TD_CLOCK_LOCAL_TOD };

	for (size_t i = 0; i < TD_ARRAY_SIZE(order); i++) {
		int r = fit_against(st, order[i], 0, ret);

		if (r == -ENODATA)
			continue;
		if (r == 0)
			*ret_wall = order[i];
		return r;
	}
	return 0;
}

int td_align_boot_of(struct td_store *st, uint16_t source_id, struct td_clock_fit *ret)
{
	return fit_against(st, TD_CLOCK_UTC, source_id, ret);
}
