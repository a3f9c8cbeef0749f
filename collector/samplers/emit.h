/* SPDX-License-Identifier: MIT */
/*
 * Records that user space makes itself (schema/wire.h), for what samples beside the BPF programs: numbers the
 * tracks, pads the texts. One struct td_emit serves a whole recording, so that a track's number is its own.
 */
#pragma once

#include <stdbool.h>

#include "collector/samplers/proc.h"
#include "collector/sink.h"
#include "schema/kinds.h"
#include "schema/wire.h"

struct td_emit {
	td_sink *sink;
	void *arg;
	uint32_t ntracks; /* so far */
};

#define TD_EMIT_NO_DEVICE 255

struct td_emit_track {
	const char *name, *unit;
	uint8_t device_kind; /* enum td_device_kind or TD_EMIT_NO_DEVICE */
	int16_t device_number;
	const char *device; /* its name; NULL: none */
	pid_t pid; /* 0: not of a process */
};

/* All return 0, -ENOMEM or what the sink returns. Texts are cut where their length has no room. */

/* *ret_track: the new number. */
int td_emit_track(struct td_emit *e, const struct td_emit_track *track, uint32_t *ret_track);

/* The value of the dur_ns before time_ns (CLOCK_BOOTTIME); NaN: could not be read. */
int td_emit_sample(struct td_emit *e, uint32_t track, uint64_t time_ns, uint64_t dur_ns,
		   double value);

/* What was aggregated, as a row of the table summary. */
struct td_emit_summary {
	const char *name, *key, *unit;
	double low, high; /* NaN: none */
	double value;
};
int td_emit_summary(struct td_emit *e, const struct td_emit_summary *summary);

/* A process that is there already. Twice does no harm. */
int td_emit_process(struct td_emit *e, const struct td_proc *p);

/* Something the user should know about the whole recording. kind: kebab-case. */
int td_emit_note(struct td_emit *e, const char *kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
