/* SPDX-License-Identifier: MIT */
/*
 * The samples of one GPU from one source. What they say of a window depends on when exactly each was taken, of
 * which the printed time tells a part; so everything is worked out for some ways to place them.
 */
#pragma once

#include "store/derive/io_table.h"
#include "store/derive/overlap.h"
#include "store/derive/phases.h"
#include "store/derive/samplers.h"

#define TD_PLACES_MAX 28

struct td_series;

/* What is gathered about a window, from one or several stretches of it. */
struct td_gathered {
	int64_t wall_ns, io_ns[TD_IO_LAYERS];
	const struct td_io_table *io; /* borrowed */
	/* By where the sample before next was placed. The layers are those that the table uses, and
	 * one for all others. */
	struct td_overlap places[TD_PLACES_MAX];
	size_t at[TD_PLACES_MAX]; /* where that place was in the table */
	size_t window_at; /* where the stretch begins there */
	size_t next;
	/* of estimates: samples, their sum, the sum of the squared steps between neighbours, the last one */
	double n, sum, steps, last;
};

/* Of a GPU's samples from that source. */
int td_series_new(uint16_t source_id, const struct td_sampler *sampler, struct td_series **ret);
void td_series_free(struct td_series *s);
TD_DEFINE_CLEANUP(struct td_series *, td_series_free)

uint16_t td_series_source(const struct td_series *s);
const struct td_sampler *td_series_sampler(const struct td_series *s);

/* Samples in order of time; process_id 0: of the whole GPU. 0 or -ENOMEM. */
int td_series_add(struct td_series *s, const struct td_sample *sample, uint32_t process_id);

/* Adds the printed times, and where a stretch begins and ends that was surely sampled. No sample may come after
 * that. 0 or -ENOMEM. */
int td_series_times(struct td_series *s, struct td_times *times);

/* Does it say anything? After td_series_times(). */
bool td_series_any(const struct td_series *s);

/* Adds the times for the table of td_series_gather(). 0 or -ENOMEM. */
int td_series_points(const struct td_series *s, struct td_times *times);

/* When it was surely sampled: n stretches in order, which stay the series'. After td_series_times(). */
const struct td_interval *td_series_stretches(const struct td_series *s, size_t *n);

/* Was it surely sampled all the time? */
bool td_series_sampled(const struct td_series *s, int64_t from_ns, int64_t to_ns);

/* Was any of it? */
bool td_series_touches(const struct td_series *s, int64_t from_ns, int64_t to_ns);

/* Nothing is gathered yet. The table stays the caller's; td_series_points() must be points of it. */
void td_series_begin(const struct td_series *s, const struct td_io_table *io,
		     struct td_gathered *ret);

/* Adds what the samples say about the stretch, which was sampled, behind those before; its ends must be points of the
 * table. */
void td_series_gather(const struct td_series *s, int64_t from_ns, int64_t to_ns,
		      struct td_gathered *g);

/* What follows from all that was gathered. */
struct td_overlap td_series_conclude(const struct td_series *s, const struct td_gathered *g);
