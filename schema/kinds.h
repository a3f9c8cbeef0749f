/* SPDX-License-Identifier: MIT */
/* What a row can be: the enumerations behind columns that hold words, and those words. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum td_clock {
	TD_CLOCK_NONE, /* no time stamps at all (ps) */
	TD_CLOCK_UTC, /* ns since the epoch */
	TD_CLOCK_LOCAL, /* local date and time, counted as if it were UTC */
	TD_CLOCK_LOCAL_TOD, /* local time of day; past midnight it counts on beyond 24 h */
	TD_CLOCK_BOOT, /* since boot (bpftrace nsecs) */
	TD_CLOCK_RELATIVE, /* since an unknown time */
	TD_NCLOCKS,
};
extern const char *const td_clock_names[TD_NCLOCKS]; /* as in source.clock */

enum td_state {
	TD_STATE_COMPLETE,
	TD_STATE_CUT,
	TD_STATE_EMPTY,
	TD_STATE_UNRECOGNISED,
	TD_STATE_DUPLICATE,
	TD_STATE_FAILED
};
extern const char *const td_state_names[];

enum td_effect { TD_DROPPED, TD_REPAIRED, TD_NOTED };
extern const char *const td_effect_names[];

enum td_class {
	TD_CLASS_UNKNOWN,
	TD_CLASS_REGULAR,
	TD_CLASS_DIRECTORY,
	TD_CLASS_SHM,
	TD_CLASS_MEMFD,
	TD_CLASS_PIPE,
	TD_CLASS_SOCKET,
	TD_CLASS_EVENTFD,
	TD_CLASS_ANON_INODE,
	TD_CLASS_DEVICE,
	TD_CLASS_PROC_SYS,
	TD_CLASS_DELETED,
	TD_CLASS_UNNAMED,
	TD_CLASS_TERMINAL,
	TD_NCLASSES,
};
extern const char *const td_class_names[TD_NCLASSES];

/* Waiting on a pipe, a socket, an eventfd or a terminal is no file I/O. What has no name is one of them
 * nearly always: a memfd is rare. As view waited_file. */
bool td_class_waits(enum td_class class);

enum td_device_kind { TD_DEVICE_DISK, TD_DEVICE_GPU, TD_DEVICE_CPU, TD_DEVICE_NODE };
extern const char *const td_device_kind_names[];

/* From the outside in: a call of one layer may be made of calls of the next. CUDA stands beside them. */
enum td_layer { TD_LAYER_LIBC, TD_LAYER_SYSCALL, TD_LAYER_VFS, TD_LAYER_CUDA, TD_NLAYERS };
extern const char *const td_layer_names[TD_NLAYERS];
