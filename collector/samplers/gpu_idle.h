/* SPDX-License-Identifier: MIT */
/*
 * A trigger of a flight recorder: a GPU has been idle for so long, 'gpu idle > 2s'. It is looked
 * for in the samples of utilisation (collector/samplers/gpu.h): a GPU idles while these are 0. It
 * comes once in such a time; a GPU has to work in between. A sample that could not be read is
 * neither.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

#define TD_GPU_IDLE_ANY (-1)

struct td_gpu_idle {
	int64_t longer_than_ns; /* 0: this is no trigger */
	int gpu; /* which one, or TD_GPU_IDLE_ANY */
	struct td_gpu_idle_state {
		uint64_t from_ns; /* it has been idle since then ... */
		uint64_t to_ns; /* ... until then; 0: it is not */
		bool told; /* of this time */
	} * states; /* by number; owned */
	unsigned nstates;
	bool has_come;
};

/* "gpu idle > 2s", "gpu 0 idle > 500ms". Is text meant as one at all? */
bool td_gpu_idle_is(const char *text);
/* 0 or -EINVAL with a text, *ret untouched then. */
int td_gpu_idle_parse(const char *text, struct td_gpu_idle *ret, struct td_err *err);
void td_gpu_idle_done(struct td_gpu_idle *t);

/* The utilisation of a GPU, in percent, in the dur_ns before time_ns; NaN: not known. 0 or -ENOMEM. */
int td_gpu_idle_add(struct td_gpu_idle *t, unsigned gpu, uint64_t time_ns, uint64_t dur_ns,
		    double percent);

/* Has it come since the last call? */
bool td_gpu_idle_take(struct td_gpu_idle *t);
