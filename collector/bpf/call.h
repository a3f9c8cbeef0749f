/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Records of calls, of whichever layer: in the shortest form that holds them. */
#pragma once

#include "collector/bpf/state.h"

/* A record whose form is not decided yet. */
struct draft {
	uint64_t start_ns, dur_ns;
	uint64_t asked, offset;
	int64_t ret;
	uint32_t pid, tid;
	uint32_t file;
	int32_t fd;
	uint32_t op;
	uint32_t flags; /* of TD_WIRE_CALL */
	uint32_t cold_pages;
};

static __always_inline void fill_call(struct td_wire_call *c, const struct draft *d, uint32_t kind,
				      uint32_t size)
{
	c->head.size = size;
	c->head.kind = kind;
	c->head.flags = d->flags;
	c->head.tid = d->tid;
	c->start_ns = d->start_ns;
	c->dur_ns = d->dur_ns;
	c->pid = d->pid;
	c->file = d->file;
	c->fd = d->fd;
	c->op = d->op;
	c->cold_pages = d->cold_pages;
	c->ret = d->ret;
}

static __always_inline int put_plain(void *ring, const struct draft *d)
{
	struct td_wire_call *c = bpf_ringbuf_reserve(ring, sizeof(*c), 0);

	if (!c)
		return -ENOSPC;
	fill_call(c, d, TD_WIRE_CALL, sizeof(*c));
	submit(ring, c, sizeof(*c));
	return 0;
}

static __always_inline int put_io(void *ring, const struct draft *d)
{
	struct td_wire_call_io *c = bpf_ringbuf_reserve(ring, sizeof(*c), 0);

	if (!c)
		return -ENOSPC;
	/* it begins like the others and differs from ret on */
	c->head.size = sizeof(*c);
	c->head.kind = TD_WIRE_CALL_IO;
	c->head.flags = d->flags;
	c->head.tid = d->tid;
	c->start_ns = d->start_ns;
	c->dur_ns = d->dur_ns;
	c->pid = d->pid;
	c->file = d->file;
	c->fd = d->fd;
	c->op = d->op;
	c->cold_pages = d->cold_pages;
	c->ret = d->ret;
	c->asked_bytes = d->asked;
	c->offset_bytes = d->offset;
	submit(ring, c, sizeof(*c));
	return 0;
}

static __always_inline int put_wide(void *ring, const struct draft *d)
{
	struct td_wire_call_wide *c = bpf_ringbuf_reserve(ring, sizeof(*c), 0);

	if (!c)
		return -ENOSPC;
	fill_call(&c->call, d, TD_WIRE_CALL_WIDE, sizeof(*c));
	c->asked_bytes = d->asked;
	c->offset_bytes = d->offset;
	submit(ring, c, sizeof(*c));
	return 0;
}

static __always_inline int put_call(const struct draft *d)
{
	void *ring = ring_here();

	if (!ring)
		return -ENOSPC;
	if (!(d->flags & (TD_WIRE_CALL_HAS_ASKED | TD_WIRE_CALL_HAS_OFFSET |
			  TD_WIRE_CALL_HAS_ADDRESS | TD_WIRE_CALL_COMM)))
		return put_plain(ring, d);
	if (d->asked >> 31 || d->ret != (int32_t)d->ret)
		return put_wide(ring, d);
	return put_io(ring, d);
}
