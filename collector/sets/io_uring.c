/* SPDX-License-Identifier: MIT */
/* io_uring: its system calls and the older asynchronous ones, and its requests (collector/bpf/io_uring.bpf.c). */
#include <linux/aio_abi.h>
#include <linux/io_uring.h>

#include "collector/sets/provider.h"
#include "common/cleanup.h"

static const struct td_hook requests = {
	.name = "io_uring requests",
	.ways = { { TD_WAY_TP_BTF, { "submit_req_btf", "complete_cqe_btf", "req_failed_btf" } },
		  { TD_WAY_TP_BTF,
		    { "submit_req_btf", "complete_res_btf", "req_failed_btf" },
		    true },
		  { TD_WAY_TP_BTF,
		    { "submit_sqe_btf", "complete_res_btf", "req_failed_btf" },
		    true } },
};

/* By IORING_OP_*, of those that the oldest kernel we run on has. */
static const char *const names[] = {
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
	[TD_OPS_SPLICE_OUT] = "io_uring_splice:out",
	[TD_OPS_TEE_OUT] = "io_uring_tee:out",
	/* of io_submit() */
	[TD_OPS_AIO + IOCB_CMD_PREAD] = "aio_read",
	[TD_OPS_AIO + IOCB_CMD_PWRITE] = "aio_write",
	[TD_OPS_AIO + IOCB_CMD_FSYNC] = "aio_fsync",
	[TD_OPS_AIO + IOCB_CMD_FDSYNC] = "aio_fdatasync",
	[TD_OPS_AIO + IOCB_CMD_POLL] = "aio_poll",
	[TD_OPS_AIO + IOCB_CMD_NOOP] = "aio_noop",
	[TD_OPS_AIO + IOCB_CMD_PREADV] = "aio_readv",
	[TD_OPS_AIO + IOCB_CMD_PWRITEV] = "aio_writev",
};
_Static_assert(TD_OPS_IO_URING_OTHER >= IORING_OP_LAST, "operations that have no name");

/* A request that was under way at the end: nobody asked for its result, or the process was gone. */
static int put_unfinished(const void *key, const void *request, uint64_t now_ns, td_sink *sink,
			  void *arg)
{
	const struct td_request *r = request;
	struct td_wire_call_wide c = {
		.call = { .head = { .size = sizeof(c),
				    .kind = TD_WIRE_CALL_WIDE,
				    .flags = (uint8_t)(r->flags | TD_WIRE_CALL_NO_RETURN),
				    .tid = r->tid },
			  .start_ns = r->start_ns,
			  .pid = r->pid,
			  .file = r->names ? 0 : r->file,
			  .fd = r->fd,
			  .op = r->op },
		.asked_bytes = r->asked,
		.offset_bytes = r->offset,
	};

	(void)key;
	(void)now_ns;
	return sink(arg, &c, sizeof(c));
}

const struct td_set_provider td_set_io_uring = {
	.name = "io_uring",
	.help = "io_uring and asynchronous I/O: calls and requests",
	.on_by_default = true,
	.hooks = { &td_hook_calls, &requests },
	.ops = { TD_LAYER_SYSCALL, names, TD_ARRAY_SIZE(names) },
	.map = "async_requests",
	.put_entry = put_unfinished,
};
