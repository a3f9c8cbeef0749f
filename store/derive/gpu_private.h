/* SPDX-License-Identifier: MIT */
/* Shared by derive/gpu.c, which collects, derive/gpu_window.c, which says what is known of a
 * stretch of time, and derive/gpu_write.c. */
#pragma once

#include "common/keys.h"
#include "store/derive/gpu.h"
#include "store/derive/interval_index.h"
#include "store/derive/io_table.h"
#include "store/derive/kernels.h"
#include "store/derive/parties.h"
#include "store/derive/series.h"

/* Who tells about a GPU in a segment: nobody, its kernels, or one of its series. */
enum { TD_TELLER_NOBODY, TD_TELLER_KERNELS, TD_TELLER_SERIES };

/* What gpu_segment has of a segment. */
struct td_gpu_kept {
	enum td_basis basis;
	struct td_range busy, both[TD_IO_CAUSE], neither[TD_IO_CAUSE];
};

struct td_one_gpu {
	unsigned party; /* whose it is */
	struct td_series **series; /* the best one first */
	size_t nseries, cap;
	struct td_interval_index by_time; /* places of those that sampled anything */
	bool traced;
	struct td_meter busy, both[TD_IO_LAYERS]; /* of what was traced, by segment */
	struct td_busy_place
		at[TD_IO_LAYERS]; /* first of its busy intervals that may reach into the next I/O */
	unsigned *teller; /* by segment: the above; what is added to TD_TELLER_SERIES is which */
	struct td_gpu_kept *kept; /* by segment, once they were looked at */
};

/* What was in progress, as it looks to the GPUs of one party, and to those of none. */
struct td_gpu_side {
	struct td_meter meters[TD_IO_LAYERS]; /* until all has gone by, then in ... */
	struct td_io_table io;
	bool known[TD_IO_LAYERS]; /* was anything of it ever seen? */
};

struct td_gpu {
	const struct td_contents *in;
	struct td_kernels *kernels;
	struct td_one_gpu *gpus; /* by device id */
	size_t ngpus;
	struct td_keys series_keys; /* GPU and source */
	struct td_series **series; /* by key: one of the GPU's */
	size_t series_cap;
	const int64_t *cuts; /* where segments begin, and the end; borrowed */
	size_t ncuts;
	struct td_times points; /* the cuts, and the times that series ask for */
	struct td_parties *parties;
	struct td_gpu_side *sides; /* by party; none before td_gpu_cut() */
	unsigned nsides;
	bool finished; /* all I/O has gone by: the samples can be asked */
	struct td_gpu_window *windows; /* owned: of phases, the first ones, for who asks again */
	size_t nwindows, windows_cap;
};

/* A window that is being looked at. */
struct td_gpu_window {
	int64_t wall_ns, io_ns[TD_IO_LAYERS];
	enum td_basis basis;
	struct td_overlap overlap;
};

static inline const struct td_gpu_side *td_gpu_side_of(const struct td_gpu *g,
						       const struct td_one_gpu *gpu)
{
	return &g->sides[gpu->party];
}

/* What is known of a GPU in n intervals together, whose ends are cuts, or lie outside all of them. 0, or -ENOMEM. */
int td_gpu_look(const struct td_gpu *g, const struct td_one_gpu *gpu, const struct td_interval *of,
		size_t n, struct td_gpu_window *ret);
