/* SPDX-License-Identifier: MIT */
/* The axis that the runs of a picture share: times are counted from the origin of each. */
#pragma once

#include "analyzer/timeline/render.h"

struct td_scale {
	int64_t from_ns, to_ns; /* from the origin */
	double left, width; /* where they are drawn, in whatever units */
};

void td_scale_init(struct td_scale *s, const struct td_picture *p, double left, double width);

/* Where a time of the run is. */
double td_scale_x(const struct td_scale *s, const struct td_timeline *t, int64_t ts_ns);
double td_scale_offset_x(const struct td_scale *s, int64_t offset_ns);

/* The first mark of an axis with that step. */
int64_t td_scale_first(const struct td_scale *s, int64_t step_ns);

/* What a mark says: no finer than its step. */
char *td_scale_label(char *buf, size_t size, int64_t offset_ns, int64_t step_ns);
