/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "analyzer/timeline/renderers.h"
#include "common/cleanup.h"
#include "common/units.h"
#include "common/caldate.h"

#define STEP_MAX_NS (INT64_C(1000) * 86400 * TD_SEC_NS)

const struct td_renderer *const td_renderers[] = { &td_renderer_terminal, &td_renderer_html,
						   &td_renderer_svg, NULL };

const struct td_renderer *td_renderer_find(const char *path)
{
	const char *dot;

	if (!path || strcmp(path, "-") == 0)
		return td_renderers[0];
	dot = strrchr(path, '.');
	for (size_t i = 1; dot && td_renderers[i]; i++)
		if (strcmp(dot + 1, td_renderers[i]->ending) == 0)
			return td_renderers[i];
	return NULL;
}

double td_lane_most(const struct td_timeline *t, const struct td_lane *lane)
{
	double most = 0;

	for (size_t s = 0; s < lane->nseries; s++)
		for (size_t i = 0; i < t->grids.items[0].n && !lane->series[s].is_strip; i++)
			if (lane->series[s].values[i] > most)
				most = lane->series[s].values[i];
	return most;
}

static int64_t whole(double value)
{
	return value >= 9e18 ? INT64_MAX : (int64_t)value;
}

char *td_lane_value(char *buf, size_t size, enum td_lane_unit unit, double value)
{
	char text[TD_UNITS_BUF];

	switch (unit) {
	case TD_LANE_SHARE:
		(void)snprintf(buf, size, "%.3g %%", value * 100);
		break;
	case TD_LANE_BYTES_PER_S:
		(void)snprintf(buf, size, "%s/s",
			       td_format_bytes(text, sizeof(text), whole(value)));
		break;
	case TD_LANE_BYTES:
		(void)td_format_bytes(buf, size, whole(value));
		break;
	case TD_LANE_PER_S:
		(void)snprintf(buf, size, "%.3g/s", value);
		break;
	case TD_LANE_NS:
		(void)td_format_dur(buf, size, whole(value));
		break;
	default:
		(void)snprintf(buf, size, "%.3g", value);
	}
	return buf;
}

int64_t td_axis_step(int64_t len_ns, size_t nsteps)
{
	static const int64_t clock_s[] = { 1,   2,   5,    10,   15,   30,    60,    120,   300,
					   600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400 };
	static const int digits[] = { 1, 2, 5 };
	int64_t least = len_ns / (int64_t)TD_MAX(nsteps, 1) + 1;

	for (int64_t power = 1; power < TD_SEC_NS; power *= 10)
		for (size_t i = 0; i < TD_ARRAY_SIZE(digits); i++)
			if (power * digits[i] >= least)
				return power * digits[i];
	for (size_t i = 0; i < TD_ARRAY_SIZE(clock_s); i++)
		if (clock_s[i] * TD_SEC_NS >= least)
			return clock_s[i] * TD_SEC_NS;
	for (int64_t step = 86400 * TD_SEC_NS; step < STEP_MAX_NS; step *= 10)
		for (size_t i = 0; i < TD_ARRAY_SIZE(digits); i++)
			if (step * digits[i] >= least)
				return step * digits[i];
	return TD_MAX(least, STEP_MAX_NS);
}
