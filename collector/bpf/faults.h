/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What faults.bpf.c counts and collector/sets/faults.c makes records of. */
#pragma once

#include "collector/bpf/shared.h"

/* Page faults of a process in a stretch of time; two TD_WIRE_SAMPLE are made of it, with their tracks. */
#define TD_TRACK_FAULTS 0x40000000 /* from here on; those below are of user space */
#define TD_RAW_FAULTS_FIRST 1 /* record of the process: its tracks are not known yet */
struct td_raw_faults {
	struct td_wire_head head; /* kind TD_RAW_OF_SET(TD_SET_FAULTS); tid: of the process */
	uint64_t from_ns, to_ns;
	uint64_t minor, major;
	uint32_t track; /* of minor ones; that of major ones is the next */
	uint32_t pad;
};

/* The same while it is being counted. */
struct td_faults {
	uint64_t second; /* since boot */
	uint64_t from_ns; /* what is counted here came after that */
	uint64_t minor, major; /* in it */
	uint32_t track;
	uint32_t told; /* the tracks are known */
};
