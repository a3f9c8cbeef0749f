/* SPDX-License-Identifier: MIT */
/* What draws timelines: a table, by the ending of the file's name. */
#pragma once

#include <stdio.h>

#include "analyzer/timeline/timeline.h"

struct td_picture {
	const struct td_timeline *runs; /* one, or two under each other on one axis */
	size_t nruns;
	const char *aligned_by; /* of two: the phase whose begin is 0; NULL: the begin of each */
	size_t width; /* columns of the terminal */
	bool colour, utf8; /* it can show */
};

struct td_renderer {
	const char *ending; /* of file names; NULL: the terminal's */
	size_t nbins, nbins_zoom, nprocesses; /* that it has a use for; nbins 0: the columns */
	bool tops;
	/* Writes the picture. Failures to write stay with out. -ENOMEM, -EFBIG: it would be larger
	 * than the renderer allows, fewer bins will do; or another -errno with a message. */
	int (*draw)(const struct td_picture *p, FILE *out, struct td_err *err);
};

extern const struct td_renderer *const td_renderers[]; /* NULL-ended; the first is the terminal's */

/* By the ending of a file's name; the terminal's where there is no name. NULL: no renderer writes such files. */
const struct td_renderer *td_renderer_find(const char *path);

/* The largest known value of the lane in the bins of its first grid, without those of strips; 0 if nothing is known. */
double td_lane_most(const struct td_timeline *t, const struct td_lane *lane);

/* A value with its unit as people read it. */
char *td_lane_value(char *buf, size_t size, enum td_lane_unit unit, double value);

/* The length of a step between marks of an axis of len_ns: 1, 2 or 5 times a power of ten up to a
 * second, then what clocks have. The smallest of which there are at most nsteps. */
int64_t td_axis_step(int64_t len_ns, size_t nsteps);
