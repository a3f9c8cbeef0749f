/* SPDX-License-Identifier: MIT */
/*
 * Kernels of NCCL and RCCL, which several ranks run together: which kernels they are, and which of
 * them are one collective. The import and a scan of the work must say the same: this is where it is
 * said. What is taken for one is written in queries/nccl.sql.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/scan.h"

/* The collective that a kernel of that name is of: its name without 'void ' in front and the
 * arguments behind, within the text; as the linker calls it where nobody could say it as C++ has
 * it. p NULL: it is none of them. */
struct td_str td_collective_name(struct td_str kernel);

/* Kernels of one collective of a GPU and process, and what follows from all of its ranks. Times in ns. */
struct td_collective_group {
	uint32_t of_id; /* of the collective */
	uint32_t device_id, process_id; /* 0: unknown */
	int64_t rank; /* of work of no process: that of its source; TD_NULL: unknown */

	/* what td_collectives_sum() adds up */
	int64_t kernels, timed, total_ns, max_ns; /* max_ns: TD_NULL without one that is timed */
	int64_t matched; /* of the kernels: the others of the collective are known */
	int64_t last; /* of these: they began last */
	int64_t late_ns; /* of the last ones, after the first of all */
	int64_t behind_ns; /* of all that are matched, after the first of all */
	int64_t waited_ns; /* of all that are matched, until the last of all */
	int64_t cost_ns; /* of the last ones, after the last but one */
	int64_t worst_ns,
		worst_start_ns; /* most of these, and when it was first; TD_NULL: none was last */
	int64_t clock_error_ns; /* the largest of their sources; TD_NULL: none is moved */
	bool alike; /* there are others of the collective, and each has as many kernels */

	/* of td_collectives_sum() */
	size_t collective, seen;
};

/* The clock of a source. */
struct td_collective_clock {
	bool is_used; /* kernels are of it */
	int64_t own_error_ns; /* of all its times; TD_NULL: unknown */
	const char *host; /* borrowed; NULL: unknown */
	bool is_moved; /* it is known by how much it is ahead of that of the first machine ... */
	int64_t ahead_ns, error_ns; /* ... by so much, and how well; else 0 and TD_NULL */
};

struct td_collective_kernel {
	int64_t start_ns, dur_ns; /* dur_ns: TD_NULL: unknown */
	uint32_t group;
	uint16_t source_id;
};

struct td_collectives {
	struct td_collective_group *groups; /* owned */
	size_t ngroups, groups_cap;
	struct td_collective_kernel *kernels; /* owned; in the order of their ids */
	size_t n, cap;
	bool clocks_agree; /* of all their sources: else only what is moved can be matched */
};

void td_collectives_done(struct td_collectives *c);

/* Adds a group, whose number is how many there were before. 0 or -ENOMEM. */
int td_collectives_add_group(struct td_collectives *c, uint32_t of_id, uint32_t device_id,
			     uint32_t process_id, int64_t rank);

/* Which kernels count; start_ns is by the clock of the first machine. NULL: all. */
struct td_collective_filter {
	bool (*counts)(const void *arg, const struct td_collective_group *g, int64_t start_ns);
	const void *arg;
};

/* Finds out what belongs together and adds up kernels that count into the groups. clocks: by
 * source_id, from 0 on; is_used is set here. 0 or -ENOMEM. */
int td_collectives_sum(struct td_collectives *c, struct td_collective_clock *clocks, size_t nclocks,
		       const struct td_collective_filter *filter);
