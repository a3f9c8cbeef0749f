/* SPDX-License-Identifier: MIT */
#include "store/derive/overlap.h"
#include "common/cleanup.h"

static void add(struct td_range *r, int64_t min, int64_t max)
{
	r->min += min;
	r->max += max;
}

/* Of a stretch of length p with I/O for i and the GPU busy for b, both lasted between b + i - p, or not at all,
 * and the shorter of the two. */
void td_overlap_add_stretch(struct td_overlap *o, int64_t length, const int64_t *io, unsigned n,
			    struct td_range busy)
{
	add(&o->busy, busy.min, busy.max);
	for (unsigned l = 0; l < n; l++) {
		add(&o->both[l], TD_MAX(busy.min + io[l] - length, 0), TD_MIN(busy.max, io[l]));
		add(&o->neither[l], TD_MAX(length - io[l] - busy.max, 0),
		    length - TD_MAX(busy.min, io[l]));
	}
}

void td_overlap_add(struct td_overlap *o, const struct td_overlap *more)
{
	add(&o->busy, more->busy.min, more->busy.max);
	for (int l = 0; l < TD_IO_LAYERS; l++) {
		add(&o->both[l], more->both[l].min, more->both[l].max);
		add(&o->neither[l], more->neither[l].min, more->neither[l].max);
	}
}

static void widen(struct td_range *r, struct td_range other)
{
	r->min = TD_MIN(r->min, other.min);
	r->max = TD_MAX(r->max, other.max);
}

void td_overlap_widen(struct td_overlap *o, const struct td_overlap *other, unsigned n)
{
	widen(&o->busy, other->busy);
	for (unsigned l = 0; l < n; l++) {
		widen(&o->both[l], other->both[l]);
		widen(&o->neither[l], other->neither[l]);
	}
}

static bool meet(struct td_range *r, struct td_range other)
{
	r->min = TD_MAX(r->min, other.min);
	r->max = TD_MIN(r->max, other.max);
	return r->min <= r->max;
}

bool td_overlap_meet(struct td_overlap *o, const struct td_overlap *other)
{
	struct td_overlap met = *o;
	bool agree = meet(&met.busy, other->busy);

	for (int l = 0; l < TD_IO_LAYERS; l++) {
		agree &= meet(&met.both[l], other->both[l]);
		agree &= meet(&met.neither[l], other->neither[l]);
	}
	if (agree)
		*o = met;
	else
		td_overlap_widen(o, other, TD_IO_LAYERS);
	return agree;
}

static void loosen(struct td_range *r, int64_t by, int64_t most)
{
	r->min = TD_MAX(r->min - by, 0);
	r->max = TD_MIN(r->max + by, most);
}

void td_overlap_loosen(struct td_overlap *o, int64_t length, const int64_t io[TD_IO_LAYERS],
		       int64_t busy_by, int64_t by)
{
	loosen(&o->busy, busy_by, length);
	for (int l = 0; l < TD_IO_LAYERS; l++) {
		loosen(&o->both[l], by, TD_MIN(io[l], o->busy.max));
		loosen(&o->neither[l], by, length - TD_MAX(io[l], o->busy.min));
	}
}

static void bind(struct td_row_builder *row, struct td_range r, bool known)
{
	td_row_i64(row, known ? r.min : TD_NULL);
	td_row_i64(row, known ? r.max : TD_NULL);
}

void td_overlap_bind(const struct td_overlap *o, struct td_row_builder *row,
		     const bool known[TD_IO_LAYERS])
{
	bind(row, o->busy, true);
	for (int l = 0; l < TD_IO_CAUSE; l++) {
		bind(row, o->both[l], known[l]);
		bind(row, o->neither[l], known[l]);
	}
}
