/* SPDX-License-Identifier: MIT */
/* Shared by the files that implement collector/probes/probes.h. */
#pragma once

#include "collector/bpf/shared.h"
#include "collector/probes/plan.h"
#include "collector/probes/ring.h"
#include "collector/probes/uprobes.h"

#define TD_MAX_PROGRAMS 64
#define TD_LANES_MAX 16

struct td_bpf; /* the skeleton */
struct bpf_link;
struct bpf_program;

struct td_probes {
	struct td_probes_options options;
	struct td_plan plan;
	struct td_bpf *bpf; /* owned */
	struct td_program {
		struct bpf_program *prog; /* borrowed from bpf */
		struct bpf_link *link; /* owned */
	} programs[TD_MAX_PROGRAMS]; /* that run */
	size_t nprograms;
	struct td_uprobes uprobes;
	struct td_ring_reader rings[TD_MAX_RINGS]; /* of calls */
	unsigned nrings; /* power of two */
	size_t ring_bytes; /* each */
	struct td_ring_reader critical;
	int wake_fd; /* owned; epoll of all rings; -1: none */
	struct td_lane { /* records of calls on their way, as one thread has taken them */
		char *buffer; /* owned; NULL: not needed yet */
		size_t len;
	} lanes[TD_LANES_MAX];
	bool *recording; /* these are mapped from bpf's variables */
	uint32_t *watch_epoch;
	int64_t *watched_left;
	struct td_follow *follow;
	const uint64_t *signalled_ns;
	int counts_fd; /* borrowed from bpf */
	struct td_counts counts[TD_MAX_RINGS]; /* when td_probes_loss() was last called, ... */
	uint64_t counted_ns; /* ... which was then */
	uint64_t started_ns;
	uint64_t usage_due_ns; /* td_probes_usage() does nothing before that */
	int last_walks
		[TD_PLAN_HOOKS_MAX]; /* of each planned hook, over what is unfinished at the end; below 0: none */
	int stats_fd; /* BPF run times are counted while it is open; -1: not */
	uint64_t stats_from_ns, stats_to_ns; /* that time; 0: not yet */
	struct td_set_status status[TD_NSETS];
	size_t nstatus;
};

/* Loads, attaches and makes the rings for p->options; fills all that comes from that. 0 or -errno. */
int td_probes_load(struct td_probes *p, struct td_err *err);
void td_probes_unload(struct td_probes *p);
