/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Requests of io_uring, from their submission to their completion, which another thread may see. What is told
 * of a completion changed with Linux 6.16, the name of a submission with 6.3.
 */
#include <linux/io_uring.h>

#include "collector/bpf/call.h"

/* What reads and writes ask for; those with buffers in a list do not say in one place how much. */
static __always_inline void note_bytes(struct td_request *s, const struct io_kiocb *req,
				       uint32_t opcode)
{
	const struct io_rw *rw = (const struct io_rw *)req;

	switch (opcode) {
	case IORING_OP_READ:
	case IORING_OP_WRITE:
	case IORING_OP_READ_FIXED:
	case IORING_OP_WRITE_FIXED:
		s->asked = BPF_CORE_READ(rw, len);
		s->flags |= TD_WIRE_CALL_HAS_ASKED;
		break;
	case IORING_OP_READV:
	case IORING_OP_WRITEV:
		s->asked = td_sum_of_buffers(BPF_CORE_READ(rw, addr), BPF_CORE_READ(rw, len));
		s->flags |= TD_WIRE_CALL_HAS_ASKED;
		break;
	default:
		return;
	}
	s->offset = BPF_CORE_READ(rw, kiocb.ki_pos);
	if (s->offset != (uint64_t)-1)
		s->flags |= TD_WIRE_CALL_HAS_OFFSET;
}

static __always_inline int submits(struct io_kiocb *req)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct td_task *t = bpf_task_storage_get(&tasks, task, NULL, 0);
	struct td_request_key key = { .request = (uint64_t)req };
	uint64_t ids = bpf_get_current_pid_tgid();
	struct td_request s = { .pid = ids >> 32, .tid = ids, .fd = NO_FD };
	uint32_t opcode;

	if (!recording || !t || t->watched != TD_WATCHED)
		return 0;
	opcode = BPF_CORE_READ(req, opcode);
	s.op = TD_OPS_OF_SET(TD_SET_IO_URING) +
	       (opcode < TD_OPS_IO_URING_OTHER ? opcode : TD_OPS_IO_URING_OTHER);
	note_bytes(&s, req, opcode);
	s.start_ns = bpf_ktime_get_boot_ns();
	if (bpf_map_update_elem(&async_requests, &key, &s, BPF_ANY))
		count_event(TD_SET_IO_URING, false);
	return 0;
}

static __always_inline int completes(uint64_t request, int32_t res)
{
	struct td_request_key key = { .request = request };
	struct td_request *s = bpf_map_lookup_elem(&async_requests, &key);
	struct io_kiocb *req = (struct io_kiocb *)request;
	struct td_seen seen = {};
	struct draft d = { .ret = res };
	uint64_t file;
	int r;

	if (!s)
		return 0;
	d.start_ns = s->start_ns;
	d.dur_ns = bpf_ktime_get_boot_ns() - s->start_ns;
	d.asked = s->asked;
	d.offset = s->offset;
	d.flags = s->flags;
	d.pid = s->pid;
	d.tid = s->tid;
	d.fd = s->fd;
	d.op = s->op;
	bpf_map_delete_elem(&async_requests, &key);
	if (!recording)
		return 0;
	file = (uint64_t)BPF_CORE_READ(req, file);
	if (file) {
		d.file = file_id(&seen, file);
		if (!seen.seekable)
			d.flags &= ~TD_WIRE_CALL_HAS_OFFSET;
	}
	r = put_call(&d);
	count_event(TD_SET_IO_URING, r == 0);
	return 0;
}

SEC("tp_btf/io_uring_submit_req")
int BPF_PROG(submit_req_btf, struct io_kiocb *req)
{
	return submits(req);
}

SEC("tp_btf/io_uring_submit_sqe")
int BPF_PROG(submit_sqe_btf, struct io_kiocb *req)
{
	return submits(req);
}

SEC("tp_btf/io_uring_complete")
int BPF_PROG(complete_cqe_btf, void *ring, void *req, struct io_uring_cqe *cqe)
{
	return completes((uint64_t)req, cqe->res);
}

SEC("tp_btf/io_uring_complete")
int BPF_PROG(complete_res_btf, void *ring, void *req, uint64_t user_data, int res)
{
	return completes((uint64_t)req, res);
}
