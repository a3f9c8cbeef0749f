/* SPDX-License-Identifier: MIT */
/* What a process tells the recorder, whoever in the library does: records of schema/wire.h in the
 * ring of this process. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "collector/cuda/numbers.h"
#include "collector/cuda/ring.h"
#include "schema/wire.h"

extern struct td_teller {
	pthread_mutex_t
		lock; /* of all that is here; held for microseconds, never across a call of the program's */
	struct td_cuda_ring *ring; /* NULL: nothing is told (any more) */
	uint32_t names; /* numbers given */
} td_teller;

/* Makes the ring in the folder that TD_CUDA_DIR names, the first time. A child of a fork() has
 * none. False: there is none. */
bool td_teller_begin(void);

uint64_t td_teller_clock_ns(clockid_t clock);

/* To the recorder, which says it to the user. kind: as of td_emit_note(). Without the lock. */
__attribute__((format(printf, 2, 3))) void td_tell_note(const char *kind, const char *fmt, ...);

/* The rest with the lock and a ring. */

/* Fills in kind and size, a multiple of 8. False: there is no room. */
bool td_tell(void *record, enum td_wire_kind kind, size_t size);

/* What a number, which is returned, stands for; 0: there is no room. Of longer names the first TD_NAME_MAX bytes. */
#define TD_NAME_MAX 4096
uint32_t td_tell_name(const char *name, size_t len);
