/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The event sets as numbers; what they are is in collector/sets.c. Also compiled into the BPF object. */
#pragma once

enum td_set {
	TD_SET_FILE_IO,
	TD_SET_MEMORY,
	TD_SET_FAULTS,
	TD_SET_MALLOC,
	TD_SET_THREAD,
	TD_SET_SYNC,
	TD_SET_PTHREAD,
	TD_SET_WAIT,
	TD_SET_SOCKET_IO,
	TD_SET_SCHED,
	TD_SET_BLOCK,
	TD_SET_PAGECACHE,
	TD_SET_VFS,
	TD_SET_IO_URING,
	TD_NSETS,
};
