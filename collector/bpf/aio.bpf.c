/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Requests of io_submit(). The kernel tells of none of their completions, so they end when the program is told:
 * when it calls io_getevents(). One that it takes out of the ring by itself, without a call, is unfinished.
 */
#include <linux/aio_abi.h>

#include "collector/bpf/call.h"

#define REQUESTS_MAX (1 << 16)

struct submitting {
	uint64_t iocbs; /* array of addresses */
	uint32_t first;
	uint32_t tgid, tid;
};

static __always_inline void put_request(const struct td_request *r, uint64_t now_ns, int64_t ret,
					uint32_t more_flags)
{
	struct draft d = { .ret = ret };

	d.start_ns = r->start_ns;
	d.dur_ns = now_ns - r->start_ns;
	d.asked = r->asked;
	d.offset = r->offset;
	d.flags = r->flags | more_flags;
	d.pid = r->pid;
	d.tid = r->tid;
	d.file = r->file;
	d.fd = r->fd;
	d.op = r->op;
	count_event(TD_SET_IO_URING, put_call(&d) == 0);
}

/* The one that number i of the array points to. */
static __always_inline uint64_t iocb_at(const struct submitting *s, uint32_t i)
{
	uint64_t at = 0;

	bpf_probe_read_user(&at, sizeof(at), (const void *)(s->iocbs + i * sizeof(at)));
	return at;
}

/* *ret_buffers: the array of them, of which r->asked is the length then. */
static __always_inline void note_bytes(struct td_request *r, const struct iocb *cb,
				       uint64_t *ret_buffers)
{
	switch (cb->aio_lio_opcode) {
	case IOCB_CMD_PREADV:
	case IOCB_CMD_PWRITEV:
		*ret_buffers = cb->aio_buf;
		break;
	case IOCB_CMD_PREAD:
	case IOCB_CMD_PWRITE:
		break;
	default:
		return;
	}
	r->asked = cb->aio_nbytes;
	r->offset = cb->aio_offset;
	r->flags = TD_WIRE_CALL_HAS_ASKED | TD_WIRE_CALL_HAS_OFFSET;
}

static __always_inline void note_file(struct td_request *r)
{
	struct td_task *t =
		current_recorded(); /* where struct td_seen takes no room on the stack */
	struct td_seen *seen;

	if (!t)
		return;
	seen = &t->seen[r->fd & (TD_NSEEN - 1)];
	r->file = file_id(seen, t, file_of_fd(bpf_get_current_task_btf(), r->fd));
	if (!seen->seekable)
		r->flags &= ~TD_WIRE_CALL_HAS_OFFSET;
}

/* What a request says of itself. Not a part of begin_one(), as all functions from the call down to the one that adds up
 * buffers, or the names of a path, have to do with 512 bytes of stack together. */
static __noinline int read_request(struct td_request *r, uint64_t request, uint64_t *ret_buffers)
{
	struct iocb cb;

	if (!r || !ret_buffers || !request ||
	    bpf_probe_read_user(&cb, sizeof(cb), (const void *)request))
		return -EFAULT;
	r->fd = cb.aio_fildes;
	r->op = TD_OPS_OF_SET(TD_SET_IO_URING);
	if (cb.aio_lio_opcode < TD_OPS_AIO_END - TD_OPS_AIO)
		r->op += TD_OPS_AIO + cb.aio_lio_opcode;
	else
		r->op += TD_OPS_IO_URING_OTHER;
	note_bytes(r, &cb, ret_buffers);
	return 0;
}

static long begin_one(uint32_t i, struct submitting *s)
{
	struct td_request_key key = { .request = iocb_at(s, i), .owner = s->tgid };
	struct td_request r = { .pid = s->tgid, .tid = s->tid }, *before;
	uint64_t buffers = 0;

	if (read_request(&r, key.request, &buffers))
		return 1; /* the kernel takes none from here on, either */
	if (buffers)
		r.asked = td_sum_of_buffers(buffers, r.asked);
	r.start_ns = bpf_ktime_get_boot_ns();
	note_file(&r);
	/* the same again: it was complete, and nobody was told */
	before = bpf_map_lookup_elem(&async_requests, &key);
	if (before)
		put_request(before, r.start_ns, 0, TD_WIRE_CALL_NO_RETURN);
	if (bpf_map_update_elem(&async_requests, &key, &r, BPF_ANY))
		count_event(TD_SET_IO_URING, false);
	return 0;
}

int td_aio_begin(uint64_t iocbs, uint64_t n)
{
	uint64_t ids = bpf_get_current_pid_tgid();
	struct submitting s = { .iocbs = iocbs, .tgid = ids >> 32, .tid = ids };

	bpf_loop(n < REQUESTS_MAX ? n : REQUESTS_MAX, begin_one, &s, 0);
	return 0;
}

static long forget_one(uint32_t i, struct submitting *s)
{
	struct td_request_key key = { .request = iocb_at(s, s->first + i), .owner = s->tgid };

	return bpf_map_delete_elem(&async_requests, &key) != 0;
}

int td_aio_taken(uint64_t iocbs, uint64_t n, int64_t taken)
{
	struct submitting s = { .iocbs = iocbs, .tgid = bpf_get_current_pid_tgid() >> 32 };

	if (taken < 0)
		taken = 0;
	if (n > REQUESTS_MAX)
		n = REQUESTS_MAX;
	if ((uint64_t)taken >= n)
		return 0;
	s.first = taken;
	bpf_loop(n - taken, forget_one, &s, 0);
	return 0;
}

struct reaping {
	uint64_t events;
	uint64_t now_ns;
	uint32_t tgid;
};

static long reap_one(uint32_t i, struct reaping *s)
{
	struct td_request_key key = { .owner = s->tgid };
	struct td_request r, *found;
	struct io_event event;

	if (bpf_probe_read_user(&event, sizeof(event),
				(const void *)(s->events + i * sizeof(event))))
		return 1;
	key.request = event.obj;
	found = bpf_map_lookup_elem(&async_requests, &key);
	if (!found)
		return 0; /* submitted before the recording */
	r = *found;
	if (bpf_map_delete_elem(&async_requests, &key) == 0)
		put_request(&r, s->now_ns, event.res, 0);
	return 0;
}

int td_aio_reaped(uint64_t events, int64_t n)
{
	struct reaping s = { .events = events,
			     .now_ns = bpf_ktime_get_boot_ns(),
			     .tgid = bpf_get_current_pid_tgid() >> 32 };

	if (n > 0)
		bpf_loop(n < REQUESTS_MAX ? n : REQUESTS_MAX, reap_one, &s, 0);
	return 0;
}
