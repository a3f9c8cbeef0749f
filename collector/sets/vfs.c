/* SPDX-License-Identifier: MIT */
/* Functions of the kernel's file layer (collector/bpf/vfs.bpf.c). */
#include "collector/sets/provider.h"
#include "common/cleanup.h"

static const struct td_hook file_functions = {
	.name = "file functions",
	.ways = { { TD_WAY_FENTRY,
		    { "read_fentry", "write_fentry", "open_fentry", "unlink_fentry", "read_fexit",
		      "write_fexit", "open_fexit", "unlink_fexit" } },
		  { TD_WAY_KPROBE,
		    { "read_kprobe", "write_kprobe", "open_kprobe", "unlink_kprobe",
		      "read_kretprobe", "write_kretprobe", "open_kretprobe",
		      "unlink_kretprobe" } } },
};

static const char *const names[] = {
	[TD_VFS_READ] = "vfs_read",
	[TD_VFS_WRITE] = "vfs_write",
	[TD_VFS_OPEN] = "vfs_open",
	[TD_VFS_UNLINK] = "vfs_unlink",
};

const struct td_set_provider td_set_vfs = {
	.name = "vfs",
	.help = "vfs_read, vfs_write, vfs_open, vfs_unlink",
	.hooks = { &file_functions },
	.ops = { TD_LAYER_VFS, names, TD_ARRAY_SIZE(names) },
};
