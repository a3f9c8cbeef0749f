/* SPDX-License-Identifier: MIT */
/* What the kernels of each GPU, and the calls that launched them, come to in the run and in each phase: launch_stat. */
#pragma once

#include "analyzer/scan/dims.h"
#include "common/keys.h"

#define TD_LAUNCH_RUN "(run)"
/* Where nothing else is asked for, and in launch_sum; the view has it, too. */
#define TD_LAUNCH_MAX_GAP_NS 100000

/* Of the kernels of a GPU that begin in a phase. */
struct td_launch_group {
	int64_t kernels, total_ns;
	int64_t known; /* kernels whose call is known */
	int64_t launches,
		launch_ns; /* calls that have a duration: of a graph's kernels the first one has it */
	int64_t gaps,
		gap_ns; /* kernels before which the GPU was idle, for the longest gap at most */
	int64_t starved, starved_ns; /* of these: launched when it was idle already */
	int64_t *delays; /* owned; while kernels are looked at: the time since the call began */
	size_t cap;
	int64_t twice_p50_ns; /* twice their median, if any is known */
	int64_t since_ns,
		wall_ns; /* begin of the phase (TD_NULL: the run), and how much of it the GPU's work spans */
};

struct td_launches {
	struct td_labels labels; /* of phases */
	struct td_keys keys; /* of the groups: lo is the label, hi the device */
	struct td_launch_group *groups; /* owned; as many as keys */
	size_t cap;
};

/* Of the database 'main': all kernels are looked at, unless the file holds the answer. phase: only
 * this one; NULL: the run and each phase. 0, or -errno with a message. */
int td_launches_load(sqlite3 *db, const char *phase, int64_t max_gap_ns, struct td_launches *ret,
		     struct td_err *err);
void td_launches_done(struct td_launches *l);
