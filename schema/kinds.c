/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "schema/kinds.h"

const char *const td_clock_names[TD_NCLOCKS] = {
	[TD_CLOCK_NONE] = NULL,     [TD_CLOCK_UTC] = "utc",
	[TD_CLOCK_LOCAL] = "local", [TD_CLOCK_LOCAL_TOD] = "local-tod",
	[TD_CLOCK_BOOT] = "boot",   [TD_CLOCK_RELATIVE] = "relative",
};

const char *const td_state_names[] = {
	[TD_STATE_COMPLETE] = "complete",   [TD_STATE_CUT] = "cut",
	[TD_STATE_EMPTY] = "empty",         [TD_STATE_UNRECOGNISED] = "unrecognised",
	[TD_STATE_DUPLICATE] = "duplicate", [TD_STATE_FAILED] = "failed",
};

const char *const td_effect_names[] = {
	[TD_DROPPED] = "dropped",
	[TD_REPAIRED] = "repaired",
	[TD_NOTED] = "noted",
};

const char *const td_device_kind_names[] = {
	[TD_DEVICE_DISK] = "disk",
	[TD_DEVICE_GPU] = "gpu",
	[TD_DEVICE_CPU] = "cpu",
	[TD_DEVICE_NODE] = "node",
};

const char *const td_layer_names[TD_NLAYERS] = {
	[TD_LAYER_LIBC] = "libc",
	[TD_LAYER_SYSCALL] = "syscall",
	[TD_LAYER_VFS] = "vfs",
	[TD_LAYER_CUDA] = "cuda",
};

const char *const td_class_names[TD_NCLASSES] = {
	[TD_CLASS_UNKNOWN] = "unknown",       [TD_CLASS_REGULAR] = "regular",
	[TD_CLASS_DIRECTORY] = "directory",   [TD_CLASS_SHM] = "shm",
	[TD_CLASS_MEMFD] = "memfd",           [TD_CLASS_PIPE] = "pipe",
	[TD_CLASS_SOCKET] = "socket",         [TD_CLASS_EVENTFD] = "eventfd",
	[TD_CLASS_ANON_INODE] = "anon-inode", [TD_CLASS_DEVICE] = "device",
	[TD_CLASS_PROC_SYS] = "proc-sys",     [TD_CLASS_DELETED] = "deleted",
	[TD_CLASS_UNNAMED] = "unnamed",       [TD_CLASS_TERMINAL] = "terminal",
};

bool td_class_waits(enum td_class class)
{
	static const bool waits[TD_NCLASSES] = {
		[TD_CLASS_PIPE] = true,       [TD_CLASS_SOCKET] = true,  [TD_CLASS_EVENTFD] = true,
		[TD_CLASS_ANON_INODE] = true, [TD_CLASS_UNNAMED] = true, [TD_CLASS_TERMINAL] = true,
	};

	return waits[class];
}
