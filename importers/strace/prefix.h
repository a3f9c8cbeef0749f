/* SPDX-License-Identifier: MIT */
/* What strace prints before the event: thread, time, number of the call, address. */
#pragma once

#include "common/scan.h"

#define TD_STRACE_NO_TID (-1) /* the line has no pid */
#define TD_STRACE_TIME_MAX                                                                         \
	INT64_C(8000000000000000000) /* ns; with a duration it stays below 2^63 */

enum td_strace_stamp {
	TD_STRACE_STAMP_UNDECIDED,
	TD_STRACE_STAMP_NONE,
	TD_STRACE_STAMP_EPOCH, /* -ttt */
	TD_STRACE_STAMP_TOD, /* -t, -tt */
	TD_STRACE_STAMP_DELTA, /* -r */
};

struct td_strace_prefix {
	int64_t tid;
	struct td_str comm; /* --decode-pids=comm, else {NULL, 0} */
	enum td_strace_stamp stamp;
	int64_t stamp_ns;
	bool in_seconds; /* it was printed without a fraction (-t) */
};

/* Never fails: a line may have none of it. s is left where the event begins. */
void td_strace_scan_prefix(struct td_scan *s, struct td_strace_prefix *ret);
