/* SPDX-License-Identifier: MIT */
/* Shared by derive/launches.c, which collects, and derive/launches_write.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/call_numbers.h"
#include "common/intern.h"
#include "store/derive/derivation.h"
#include "store/derive/phases.h"

/* What launch_sum has instead of a phase for the whole run. */
#define TD_LAUNCHING_RUN "(run)"

/* What schema/derived.sql says, and analyzer/scan/launches.h. */
#define TD_LAUNCHING_MAX_GAP_NS 100000

/* A kernel, from the low bits up: its begin after that of its stretch, and the gap before it; when
 * its call is known how long before it that began instead. Above both its GPU, and whether the call
 * is known. */
#define TD_LAUNCHING_OFFSET_BITS 32
#define TD_LAUNCHING_GAP_BITS 17
#define TD_LAUNCHING_DELAY_BITS (TD_LAUNCHING_OFFSET_BITS + TD_LAUNCHING_GAP_BITS)
#define TD_LAUNCHING_DEVICE_BITS 14
#define TD_LAUNCHING_KNOWN (UINT64_C(1) << 63)

_Static_assert(TD_LAUNCHING_MAX_GAP_NS < 1 << TD_LAUNCHING_GAP_BITS, "gaps fit");
_Static_assert(TD_LAUNCHING_DELAY_BITS + TD_LAUNCHING_DEVICE_BITS < 64,
	       "TD_LAUNCHING_KNOWN is above");

/* Of a GPU's kernels that begin in a phase. */
struct td_launching_group {
	int64_t kernels, total_ns, known, launches, launch_ns, gaps, gap_ns, starved, starved_ns;
};

struct td_launching_phase {
	struct td_interval on;
	uint32_t label;
};

/* From this kernel on, to the next stretch. */
struct td_launching_stretch {
	size_t first;
	int64_t base_ns;
	size_t labels, nlabels; /* of the phases that are on, in all labels of stretches */
};

struct td_launching_gpu {
	int64_t first_ns, end_ns; /* of its work; TD_NULL: there was none yet */
};

struct td_launching {
	struct td_store *st; /* borrowed */
	size_t budget;
	bool any_work;
	bool *on_clock; /* owned; by source id */
	bool *launches; /* owned; by op id */
	uint32_t kind_id; /* of the work before, and what that is */
	bool is_work, is_kernel;
	struct td_phases *phases;
	struct td_intern names; /* of phases: their labels are counted from 1 on, the run is 0 */
	struct td_launching_gpu *gpus; /* owned; by device id */
	size_t ngpus;
	/* Owned; by label, then by device id; NULL: no work came. */
	struct td_launching_group *groups;
	struct td_launching_phase *intervals; /* owned; in order of begin */
	size_t nintervals, intervals_cap;
	size_t begun, *active; /* so many have; of these the ones that are on (owned) */
	size_t nactive;
	int64_t same_until_ns; /* until then they are the same */
	struct td_launching_stretch *stretches; /* owned */
	size_t nstretches, stretches_cap;
	size_t stretch; /* the one that was found last */
	uint32_t *labels; /* owned; of stretches */
	size_t nlabels, labels_cap;
	uint64_t *kernels; /* owned */
	size_t n, cap;
	struct td_call_numbers calls; /* the last kernel of each, plus 1 */
	/* Owned; of kernels: of its call the next one, behind the last one the first; NULL: each has one. */
	uint32_t *next;
	size_t next_cap;
	bool given_up; /* there was too much */
};

/* From there on the next stretch has the kernels. */
static inline size_t td_launching_first_behind(const struct td_launching *l, size_t stretch)
{
	return stretch + 1 < l->nstretches ? l->stretches[stretch + 1].first : l->n;
}

static inline uint32_t td_launching_device(uint64_t kernel)
{
	return (uint32_t)(kernel >> TD_LAUNCHING_DELAY_BITS) &
	       ((1U << TD_LAUNCHING_DEVICE_BITS) - 1);
}

/* Frees what waits for calls and rows. */
void td_launching_give_back(struct td_launching *l);

/* The rows of launch_sum, when all calls have gone by, and then gives back. 0 or -errno. */
int td_launching_write(void *ud, const struct td_target *target, struct td_err *err);
