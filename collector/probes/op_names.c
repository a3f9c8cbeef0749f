/* SPDX-License-Identifier: MIT */
#include <linux/io_uring.h>

#include "common/cleanup.h"
#include "collector/probes/libc.h"
#include "collector/probes/op_names.h"
#include "collector/probes/syscalls.h"
#include "schema/kinds.h"

static const char *const vfs_names[] = {
	[TD_VFS_READ] = "vfs_read",
	[TD_VFS_WRITE] = "vfs_write",
	[TD_VFS_OPEN] = "vfs_open",
	[TD_VFS_UNLINK] = "vfs_unlink",
};

/* By IORING_OP_*, of those that the oldest kernel we run on has. */
static const char *const uring_names[] = {
	[IORING_OP_NOP] = "io_uring_nop",
	[IORING_OP_READV] = "io_uring_readv",
	[IORING_OP_WRITEV] = "io_uring_writev",
	[IORING_OP_FSYNC] = "io_uring_fsync",
	[IORING_OP_READ_FIXED] = "io_uring_read_fixed",
	[IORING_OP_WRITE_FIXED] = "io_uring_write_fixed",
	[IORING_OP_POLL_ADD] = "io_uring_poll_add",
	[IORING_OP_POLL_REMOVE] = "io_uring_poll_remove",
	[IORING_OP_SYNC_FILE_RANGE] = "io_uring_sync_file_range",
	[IORING_OP_SENDMSG] = "io_uring_sendmsg",
	[IORING_OP_RECVMSG] = "io_uring_recvmsg",
	[IORING_OP_TIMEOUT] = "io_uring_timeout",
	[IORING_OP_TIMEOUT_REMOVE] = "io_uring_timeout_remove",
	[IORING_OP_ACCEPT] = "io_uring_accept",
	[IORING_OP_ASYNC_CANCEL] = "io_uring_async_cancel",
	[IORING_OP_LINK_TIMEOUT] = "io_uring_link_timeout",
	[IORING_OP_CONNECT] = "io_uring_connect",
	[IORING_OP_FALLOCATE] = "io_uring_fallocate",
	[IORING_OP_OPENAT] = "io_uring_openat",
	[IORING_OP_CLOSE] = "io_uring_close",
	[IORING_OP_FILES_UPDATE] = "io_uring_files_update",
	[IORING_OP_STATX] = "io_uring_statx",
	[IORING_OP_READ] = "io_uring_read",
	[IORING_OP_WRITE] = "io_uring_write",
	[IORING_OP_FADVISE] = "io_uring_fadvise",
	[IORING_OP_MADVISE] = "io_uring_madvise",
	[IORING_OP_SEND] = "io_uring_send",
	[IORING_OP_RECV] = "io_uring_recv",
	[IORING_OP_OPENAT2] = "io_uring_openat2",
	[IORING_OP_EPOLL_CTL] = "io_uring_epoll_ctl",
	[IORING_OP_SPLICE] = "io_uring_splice",
	[IORING_OP_PROVIDE_BUFFERS] = "io_uring_provide_buffers",
	[IORING_OP_REMOVE_BUFFERS] = "io_uring_remove_buffers",
	[IORING_OP_TEE] = "io_uring_tee",
	[IORING_OP_SHUTDOWN] = "io_uring_shutdown",
	[IORING_OP_RENAMEAT] = "io_uring_renameat",
	[IORING_OP_UNLINKAT] = "io_uring_unlinkat",
	[IORING_OP_MKDIRAT] = "io_uring_mkdirat",
	[IORING_OP_SYMLINKAT] = "io_uring_symlinkat",
	[IORING_OP_LINKAT] = "io_uring_linkat",
	[IORING_OP_MSG_RING] = "io_uring_msg_ring",
	[IORING_OP_FSETXATTR] = "io_uring_fsetxattr",
	[IORING_OP_SETXATTR] = "io_uring_setxattr",
	[IORING_OP_FGETXATTR] = "io_uring_fgetxattr",
	[IORING_OP_GETXATTR] = "io_uring_getxattr",
	[IORING_OP_SOCKET] = "io_uring_socket",
	[IORING_OP_URING_CMD] = "io_uring_cmd",
	[IORING_OP_SEND_ZC] = "io_uring_send_zc",
	[IORING_OP_SENDMSG_ZC] = "io_uring_sendmsg_zc",
	/* whatever came later */
	[TD_OPS_IO_URING_OTHER] = "io_uring_other",
};
_Static_assert(TD_OPS_IO_URING_OTHER >= IORING_OP_LAST, "operations that have no name");

/* Those that are numbered one after the other; NULL in names: none. */
static const struct {
	enum td_set set;
	enum td_layer layer;
	uint16_t first;
	const char *const *names;
	size_t n;
} groups[] = {
	{ TD_SET_VFS, TD_LAYER_VFS, TD_OPS_VFS, vfs_names, TD_ARRAY_SIZE(vfs_names) },
	{ TD_SET_IO_URING, TD_LAYER_SYSCALL, TD_OPS_IO_URING, uring_names,
	  TD_ARRAY_SIZE(uring_names) },
	{ TD_SET_PTHREAD, TD_LAYER_LIBC, TD_OPS_LIBC, td_libc_names, TD_LIBC_MALLOC },
};

static int emit(uint16_t op, enum td_layer layer, const char *name, td_sink *sink, void *arg)
{
	union {
		struct td_wire_op op;
		char bytes[sizeof(struct td_wire_op) + UINT8_MAX + 8];
	} buf = { .bytes = { 0 } };
	size_t len = strnlen(name, UINT8_MAX);

	buf.op = (struct td_wire_op){
		.head = { .size = (uint16_t)((sizeof(buf.op) + len + 7) & ~(size_t)7),
			  .kind = TD_WIRE_OP },
		.op = op,
		.layer = (uint8_t)layer,
		.name_len = (uint8_t)len,
	};
	memcpy(buf.bytes + offsetof(struct td_wire_op, name), name, len);
	return sink(arg, &buf, buf.op.head.size);
}

int td_ops_emit(uint32_t sets, td_sink *sink, void *arg)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < td_nsyscalls; i++)
		if (sets & (1u << td_syscalls[i].spec.set | 1u << td_syscalls[i].spec.file_set))
			r = emit(td_syscall_op(&td_syscalls[i]), TD_LAYER_SYSCALL,
				 td_syscalls[i].name, sink, arg);
	for (size_t i = 0; i < TD_ARRAY_SIZE(groups); i++)
		for (size_t k = 0; r == 0 && k < groups[i].n; k++)
			if (groups[i].names[k] && sets & 1u << groups[i].set)
				r = emit((uint16_t)(groups[i].first + k), groups[i].layer,
					 groups[i].names[k], sink, arg);
	return r;
}
