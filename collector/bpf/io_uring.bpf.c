/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Requests of io_uring, from their submission to their completion, which another thread may see. What is told
 * of a completion changed with Linux 6.16, the name of a submission with 6.3.
 */
#include <linux/io_uring.h>

#include "collector/bpf/call.h"

/* later than the headers of the oldest kernel that we build on */
#define OP_READ_MULTISHOT 49
#define OP_RECV_ZC 58
#define OP_READV_FIXED 60
#define OP_WRITEV_FIXED 61
#define FD_IN_FIXED (1U << 31) /* SPLICE_F_FD_IN_FIXED */

/* Those that may complete several times, by their ring and user_data. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1 << 14);
	__type(key, struct td_request_key);
	__type(value, struct td_request);
} uring_repeats SEC(".maps");

/* the beginning of struct user_msghdr */
struct message {
	uint64_t name, name_len, iov, iov_len;
};

static __always_inline void note_message(struct td_request *s, uint64_t at)
{
	struct message m;

	if (bpf_probe_read_user(&m, sizeof(m), (const void *)at))
		return;
	s->asked = td_sum_of_buffers(m.iov, m.iov_len);
	s->flags |= TD_WIRE_CALL_HAS_ASKED;
}

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
	case OP_READV_FIXED:
	case OP_WRITEV_FIXED:
		s->asked = td_sum_of_buffers(BPF_CORE_READ(rw, addr), BPF_CORE_READ(rw, len));
		s->flags |= TD_WIRE_CALL_HAS_ASKED;
		break;
	case IORING_OP_SEND:
	case IORING_OP_RECV:
	case IORING_OP_SEND_ZC:
		s->asked = (uint32_t)BPF_CORE_READ((const struct io_sr_msg *)req, len);
		s->flags |= TD_WIRE_CALL_HAS_ASKED;
		return;
	case IORING_OP_SENDMSG:
	case IORING_OP_RECVMSG:
	case IORING_OP_SENDMSG_ZC:
		note_message(s, (uint64_t)BPF_CORE_READ((const struct io_sr_msg *)req, buf));
		return;
	default:
		return;
	}
	s->offset = BPF_CORE_READ(rw, kiocb.ki_pos);
	if (s->offset != (uint64_t)-1)
		s->flags |= TD_WIRE_CALL_HAS_OFFSET;
}

static __always_inline bool is_copy(uint32_t opcode)
{
	return opcode == IORING_OP_SPLICE || opcode == IORING_OP_TEE;
}

/* What is read by a request that copies: its own file is the one that it writes to. */
static __noinline int note_source(struct td_task *t, struct td_request *s)
{
	const struct io_splice *copy = (const struct io_splice *)s->io_kiocb;
	struct td_seen *seen;

	s->asked = BPF_CORE_READ(copy, len);
	s->flags |= TD_WIRE_CALL_HAS_ASKED;
	if (BPF_CORE_READ(copy, flags) & FD_IN_FIXED)
		return 0; /* a number in a table of the ring */
	s->fd = BPF_CORE_READ(copy, splice_fd_in);
	seen = &t->seen[s->fd & (TD_NSEEN - 1)];
	s->file = file_id(seen, t, file_of_fd(bpf_get_current_task_btf(), s->fd));
	s->offset = BPF_CORE_READ(copy, off_in);
	if (seen->seekable && s->offset != (uint64_t)-1)
		s->flags |= TD_WIRE_CALL_HAS_OFFSET;
	return 0;
}

/* The operation that has the name. */
static __always_inline uint32_t named_opcode(uint32_t opcode)
{
	switch (opcode) {
	case OP_READ_MULTISHOT:
		return IORING_OP_READ;
	case OP_RECV_ZC:
		return IORING_OP_RECV;
	case OP_READV_FIXED:
		return IORING_OP_READV;
	case OP_WRITEV_FIXED:
		return IORING_OP_WRITEV;
	default:
		return opcode < TD_OPS_IO_URING_OTHER ? opcode : TD_OPS_IO_URING_OTHER;
	}
}

/* May it complete several times? Those completions say but whose user_data they have. */
static __always_inline bool may_repeat(uint32_t opcode)
{
	return opcode == IORING_OP_POLL_ADD || opcode == IORING_OP_ACCEPT ||
	       opcode == IORING_OP_RECV || opcode == IORING_OP_RECVMSG ||
	       opcode == OP_READ_MULTISHOT || opcode == OP_RECV_ZC;
}

/* Does it name a file by its path? */
static __always_inline bool names_path(uint32_t opcode)
{
	const uint64_t those = 1ULL << IORING_OP_OPENAT | 1ULL << IORING_OP_OPENAT2 |
			       1ULL << IORING_OP_STATX | 1ULL << IORING_OP_UNLINKAT |
			       1ULL << IORING_OP_MKDIRAT | 1ULL << IORING_OP_RENAMEAT |
			       1ULL << IORING_OP_LINKAT | 1ULL << IORING_OP_SYMLINKAT |
			       1ULL << IORING_OP_SETXATTR | 1ULL << IORING_OP_GETXATTR;

	return opcode < 64 && those >> opcode & 1;
}

static __always_inline struct td_request_key repeats_key(const struct io_kiocb *req)
{
	return (struct td_request_key){ .request = BPF_CORE_READ(req, cqe.user_data),
					.owner = (uint64_t)BPF_CORE_READ(req, ctx) };
}

static __always_inline int submits(struct io_kiocb *req)
{
	struct td_request_key key = { .request = (uint64_t)req }, also;
	uint64_t ids = bpf_get_current_pid_tgid();
	struct td_request s = { .pid = ids >> 32, .tid = ids, .fd = NO_FD };
	struct td_task *t;
	uint32_t opcode;

	/* the kernel's thread that polls the ring makes no call of its own */
	if (!recording || !(t = current_watched()))
		return 0;
	opcode = BPF_CORE_READ(req, opcode);
	s.op = TD_OPS_OF_SET(TD_SET_IO_URING) + named_opcode(opcode);
	s.io_kiocb = (uint64_t)req;
	note_bytes(&s, req, opcode);
	if (names_path(opcode) || is_copy(opcode))
		note_root(t, bpf_get_current_task_btf());
	if (names_path(opcode))
		td_uring_keep_names(t, &s);
	else if (is_copy(opcode))
		note_source(t, &s);
	s.start_ns = bpf_ktime_get_boot_ns();
	if (bpf_map_update_elem(&async_requests, &key, &s, BPF_ANY)) {
		count_event(TD_SET_IO_URING, false);
		if (s.names)
			td_uring_forget_names(&s);
	}
	if (may_repeat(opcode)) {
		also = repeats_key(req);
		bpf_map_update_elem(&uring_repeats, &also, &s, BPF_ANY);
	}
	return 0;
}

/* While it is prepared, before it is submitted: its completion comes all the same. What it asks for
 * has been read in part or not at all, and what it was before may still be there. */
static __always_inline int refuses(const struct io_uring_sqe *sqe, struct io_kiocb *req)
{
	struct td_request_key key = { .request = (uint64_t)req };
	uint64_t ids = bpf_get_current_pid_tgid();
	struct td_request s = {
		.pid = ids >> 32, .tid = ids, .fd = NO_FD, .io_kiocb = (uint64_t)req
	};
	uint8_t opcode = 0;

	if (!recording || !current_watched())
		return 0;
	bpf_probe_read_kernel(&opcode, sizeof(opcode),
			      &sqe->opcode); /* req has 0 of an unknown one */
	s.op = TD_OPS_OF_SET(TD_SET_IO_URING) + named_opcode(opcode);
	s.start_ns = bpf_ktime_get_boot_ns();
	if (bpf_map_update_elem(&async_requests, &key, &s, BPF_ANY))
		count_event(TD_SET_IO_URING, false);
	return 0;
}

/* The file of the request; of one that has opened one, that. */
static __always_inline void add_file(struct draft *d, const struct io_kiocb *req, uint32_t opcode)
{
	struct task_struct *task = bpf_get_current_task_btf();
	uint64_t file = (uint64_t)BPF_CORE_READ(req, file);
	struct td_task *t;
	struct td_seen seen = {};

	if ((opcode == IORING_OP_OPENAT || opcode == IORING_OP_OPENAT2) && d->ret >= 0 &&
	    !BPF_CORE_READ((const struct io_open *)req, file_slot)) {
		d->fd = d->ret;
		file = file_of_fd(task, d->ret);
	}
	/* its own, or one that works for it and has its root */
	t = task_of(task);
	if (!file || !t)
		return;
	note_root(t, task);
	d->file = file_id(&seen, t, file);
	if (!seen.seekable)
		d->flags &= ~TD_WIRE_CALL_HAS_OFFSET;
}

/* A function of its own, as in calls.bpf.c: stack is what kernels up to 6.1 have least of. */
static __noinline int put_row(const struct draft *d)
{
	int r = put_call(d);

	count_event(TD_SET_IO_URING, r == 0);
	return r;
}

/* Of a request that has copied: puts what was read, and makes of it what was written. */
static __always_inline void put_source(struct draft *d, const struct io_kiocb *req, uint32_t opcode)
{
	const struct io_splice *copy = (const struct io_splice *)req;

	put_row(d);
	d->op = TD_OPS_OF_SET(TD_SET_IO_URING) +
		(opcode == IORING_OP_TEE ? TD_OPS_TEE_OUT : TD_OPS_SPLICE_OUT);
	d->fd = NO_FD;
	d->file = 0;
	d->dur_ns = 0;
	d->flags = TD_WIRE_CALL_OUT | TD_WIRE_CALL_HAS_ASKED;
	d->offset = BPF_CORE_READ(copy, off_out);
	if (d->offset != (uint64_t)-1) {
		d->offset -= d->ret; /* the kernel has moved it behind the data */
		d->flags |= TD_WIRE_CALL_HAS_OFFSET;
	}
}

static __always_inline void put_completed(const struct td_request *s, int32_t res, uint64_t now_ns)
{
	const struct io_kiocb *req = (const struct io_kiocb *)s->io_kiocb;
	uint32_t opcode = BPF_CORE_READ(req, opcode);
	struct draft d = { .ret = res, .file = s->file };

	d.start_ns = s->start_ns;
	d.dur_ns = now_ns - s->start_ns;
	d.asked = s->asked;
	d.offset = s->offset;
	d.flags = s->flags;
	d.pid = s->pid;
	d.tid = s->tid;
	d.fd = s->fd;
	d.op = s->op;
	if (is_copy(opcode) && res < 0) {
		put_row(&d);
		return;
	}
	if (is_copy(opcode))
		put_source(&d, req, opcode);
	add_file(&d, req, opcode);
	if (res >= 0 && (opcode == IORING_OP_RENAMEAT || opcode == IORING_OP_UNLINKAT ||
			 opcode == IORING_OP_CONNECT))
		__sync_fetch_and_add(&names_epoch, 1);
	if (s->names && d.fd == s->fd) /* it has opened none */
		count_event(TD_SET_IO_URING, td_uring_put_names(s, &d) == 0);
	else
		put_row(&d);
}

/* One of several completions of a request, which goes on. */
static __always_inline int repeats(uint64_t ring, uint64_t user_data, int32_t res)
{
	struct td_request_key key = { .request = user_data, .owner = ring };
	struct td_request *s = bpf_map_lookup_elem(&uring_repeats, &key);
	uint64_t now_ns = bpf_ktime_get_boot_ns();

	if (!s || !recording)
		return 0;
	put_completed(s, res, now_ns);
	s->start_ns = now_ns; /* the next one is waited for from here on */
	return 0;
}

static __always_inline int completes(uint64_t ring, uint64_t request, uint64_t user_data,
				     int32_t res)
{
	struct td_request_key key = { .request = request }, also;
	struct td_request *found, s;

	if (!request)
		return repeats(ring, user_data, res);
	found = bpf_map_lookup_elem(&async_requests, &key);
	if (!found)
		return 0;
	s = *found;
	bpf_map_delete_elem(&async_requests, &key);
	if (may_repeat(BPF_CORE_READ((const struct io_kiocb *)request, opcode))) {
		also = repeats_key((const struct io_kiocb *)request);
		found = bpf_map_lookup_elem(&uring_repeats, &also);
		if (found && found->io_kiocb == request) {
			s.start_ns = found->start_ns;
			bpf_map_delete_elem(&uring_repeats, &also);
		}
	}
	if (recording)
		put_completed(&s, res, bpf_ktime_get_boot_ns());
	if (s.names)
		td_uring_forget_names(&s);
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

SEC("tp_btf/io_uring_req_failed")
int BPF_PROG(req_failed_btf, const struct io_uring_sqe *sqe, struct io_kiocb *req)
{
	return refuses(sqe, req);
}

SEC("tp_btf/io_uring_complete")
int BPF_PROG(complete_cqe_btf, void *ring, void *req, struct io_uring_cqe *cqe)
{
	return completes((uint64_t)ring, (uint64_t)req, cqe->user_data, cqe->res);
}

SEC("tp_btf/io_uring_complete")
int BPF_PROG(complete_res_btf, void *ring, void *req, uint64_t user_data, int res)
{
	return completes((uint64_t)ring, (uint64_t)req, user_data, res);
}
