/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "store/derive/samplers.h"
#include "common/caldate.h"
#include "common/cleanup.h"

#define MS_NS INT64_C(1000000)

static const struct td_sampler table[] = {
	/* NVML's buffered samples of 200 ms, which have the driver's time at their end. */
	{ .importer = "record",
	  .rank = 1,
	  .basis = TD_BASIS_BOUNDS,
	  .after_min_ns = -5 * MS_NS,
	  .after_max_ns = 5 * MS_NS,
	  .below = 2,
	  .above = 2 },
	/* Drivers that print the columns jpg and ofa: a moving mean of about 1.6 s up to some 0.2 s ago, of which
	 * the last is lost when the process ends. */
	{ .importer = "nvidia-smi",
	  .layout = "pmon-ofa",
	  .rank = 2,
	  .basis = TD_BASIS_BOUNDS,
	  .after_min_ns = -300 * MS_NS,
	  .after_max_ns = TD_SEC_NS,
	  .below = 0.5,
	  .above = 1,
	  .off_ns = 500 * MS_NS,
	  .pace = 0.006,
	  .by_process = true },
	/* Older ones: the mean since the line before. The stamp is the whole second in which the line was made. */
	{ .importer = "nvidia-smi",
	  .layout = "pmon",
	  .rank = 2,
	  .basis = TD_BASIS_BOUNDS,
	  .after_min_ns = -100 * MS_NS,
	  .after_max_ns = TD_SEC_NS,
	  .below = 0.5,
	  .above = 1,
	  .off_ns = 36 * MS_NS,
	  .pace = 0.006,
	  .by_process = true },
	/* 0.1 to 0.2 s that ended 0.2 s before the line was printed, somewhere in the second of the stamp. */
	{ .importer = "nvidia-smi",
	  .layout = "dmon",
	  .rank = 4,
	  .basis = TD_BASIS_ESTIMATE,
	  .after_min_ns = -300 * MS_NS,
	  .after_max_ns = 800 * MS_NS,
	  .below = 0.5,
	  .above = 1 },
	/* The same, and the stamp has milliseconds. */
	{ .importer = "nvidia-query",
	  .rank = 3,
	  .basis = TD_BASIS_ESTIMATE,
	  .after_min_ns = -300 * MS_NS,
	  .after_max_ns = -100 * MS_NS,
	  .below = 0.5,
	  .above = 1 },
	{ .rank = 5, .basis = TD_BASIS_BOUNDS, .below = 0.5, .above = 0.5, .by_process = true },
};

static bool is_text(const char *text, const char *want)
{
	return !want || (text && strcmp(text, want) == 0);
}

const struct td_sampler *td_sampler_of(const struct td_source *s)
{
	const struct td_sampler *row = table;

	while (row < &table[TD_ARRAY_SIZE(table) - 1] &&
	       !(is_text(s->importer, row->importer) && is_text(s->layout, row->layout)))
		row++;
	return row;
}

const char *td_basis_name(enum td_basis basis)
{
	static const char *const names[] = {
		[TD_BASIS_EXACT] = "exact",
		[TD_BASIS_BOUNDS] = "bounds",
		[TD_BASIS_ESTIMATE] = "estimate",
		[TD_BASIS_CONFLICT] = "conflict",
	};

	return names[basis];
}
