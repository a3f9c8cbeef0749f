/* SPDX-License-Identifier: MIT */
/* What CUPTI's activity records mean: each becomes a record of schema/wire.h in the process's ring. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/cuda/cupti_abi.h"

/* The kinds that are asked for. */
struct td_activity_kind {
	uint32_t kind; /* enum td_cupti_kind */
	bool optional; /* not every version has it: nothing is said where it is refused */
	const char *name; /* in words */
	void (*take)(const void *record);
};
extern const struct td_activity_kind td_activity_kinds[];
extern const size_t td_activity_nkinds;

/* Before anything else; whole_graphs: a CUDA graph is one piece of work, and its kernels are not told. */
void td_activity_begin(const struct td_cupti *cupti, bool whole_graphs);

/* Asks CUPTI for a kind of records; of calls, only for those of functions that are of use, where it
 * can be asked so. CUPTI's
 * result: TD_CUPTI_SUCCESS also where the kind is of no use. */
int td_activity_enable(const struct td_activity_kind *kind);
void td_activity_disable(const struct td_activity_kind *kind);

/* The rest with the lock of td_teller and a ring. */

/* What is to be added to CUPTI's times for CLOCK_BOOTTIME. */
void td_activity_set_offset(int64_t offset_ns);

void td_activity_take(const void *record);
