/* SPDX-License-Identifier: MIT */
/*
 * What a GPU did in a stretch of time, beside what I/O did: how long it was busy, how long it was busy with I/O in
 * progress, and how long neither was. Each is a range.
 */
#pragma once

#include <stdint.h>

#include "store/derive/causes.h"
#include "store/write/row_builder.h"

/* What can be in progress beside the work of a GPU: file I/O calls, block requests, and, each
 * moment put down to one of them, causes of idle time. */
enum td_io_layer {
	TD_IO_CALLS,
	TD_IO_BLOCKS,
	TD_IO_CAUSE, /* of the first cause, then those of the others */
	TD_IO_ANY_CAUSE = TD_IO_CAUSE + TD_NCAUSES,
	TD_IO_LAYERS
};

struct td_range {
	int64_t min, max;
};

struct td_overlap {
	struct td_range busy;
	struct td_range both[TD_IO_LAYERS], neither[TD_IO_LAYERS];
};

/* Adds what follows for a stretch of length, of which I/O of each of the first n layers was in
 * progress for io, from how long the GPU was busy, but not when. */
void td_overlap_add_stretch(struct td_overlap *o, int64_t length, const int64_t *io, unsigned n,
			    struct td_range busy);

void td_overlap_add(struct td_overlap *o, const struct td_overlap *more);

/* Either is true, which is not known: of the first n layers. */
void td_overlap_widen(struct td_overlap *o, const struct td_overlap *other, unsigned n);

/* Both are true. false if they cannot be: then it holds what either says. */
bool td_overlap_meet(struct td_overlap *o, const struct td_overlap *other);

/* How long the GPU was busy may be off by busy_by, in a stretch of that length, and how long with or without I/O by so
 * much. */
void td_overlap_loosen(struct td_overlap *o, int64_t length, const int64_t io[TD_IO_LAYERS],
		       int64_t busy_by, int64_t by);

/* The last columns of gpu_segment and gpu_phase: of calls and blocks. known: was I/O of the layer recorded at all? */
void td_overlap_bind(const struct td_overlap *o, struct td_row_builder *row,
		     const bool known[TD_IO_LAYERS]);
