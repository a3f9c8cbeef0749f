/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "analyzer/timeline/scale.h"
#include "common/caldate.h"
#include "common/cleanup.h"

void td_scale_init(struct td_scale *s, const struct td_picture *p, double left, double width)
{
	*s = (struct td_scale){ INT64_MAX, INT64_MIN, left, width };
	for (size_t i = 0; i < p->nruns; i++) {
		const struct td_timeline *t = &p->runs[i];

		s->from_ns = TD_MIN(s->from_ns, t->start_ns - t->origin_ns);
		s->to_ns = TD_MAX(s->to_ns, t->end_ns - t->origin_ns);
	}
}

double td_scale_offset_x(const struct td_scale *s, int64_t offset_ns)
{
	double x = s->left + ((double)offset_ns - (double)s->from_ns) /
				     ((double)s->to_ns - (double)s->from_ns) * s->width;

	return TD_MAX(s->left, TD_MIN(x, s->left + s->width));
}

double td_scale_x(const struct td_scale *s, const struct td_timeline *t, int64_t ts_ns)
{
	return td_scale_offset_x(s, ts_ns - t->origin_ns);
}

int64_t td_scale_first(const struct td_scale *s, int64_t step_ns)
{
	int64_t past = s->from_ns % step_ns;

	if (past > 0)
		return s->from_ns + (step_ns - past);
	return s->from_ns - past;
}

/* "90 s", "1m30s", "1h01m": below a minute decimals as the step needs them. */
char *td_scale_label(char *buf, size_t size, int64_t offset_ns, int64_t step_ns)
{
	const char *sign = offset_ns < 0 ? "-" : "";
	uint64_t ns = offset_ns < 0 ? -(uint64_t)offset_ns : (uint64_t)offset_ns;
	uint64_t s = ns / TD_SEC_NS;
	int decimals = 0;

	for (int64_t unit = TD_SEC_NS; step_ns % unit != 0; unit /= 10)
		decimals++;
	if (decimals > 0)
		(void)snprintf(buf, size, "%s%.*f s", sign, decimals, (double)ns / TD_SEC_NS);
	else if (s < 120)
		(void)snprintf(buf, size, "%s%" PRIu64 " s", sign, s);
	else if (s < 7200)
		(void)snprintf(buf, size, "%s%" PRIu64 "m%02" PRIu64 "s", sign, s / 60, s % 60);
	else
		(void)snprintf(buf, size, "%s%" PRIu64 "h%02" PRIu64 "m", sign, s / 3600,
			       s / 60 % 60);
	return buf;
}
