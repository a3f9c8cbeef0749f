/* SPDX-License-Identifier: MIT */
/* An io_uring without its library, for programs that make known requests. */
#pragma once

#include <linux/io_uring.h>
#include <sys/mman.h>

#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

struct ring {
	int fd;
	struct io_uring_params params;
	char *rings; /* submissions and completions in one mapping */
	struct io_uring_sqe *sqes;
};

static unsigned *in_ring(const struct ring *r, unsigned offset)
{
	return (unsigned *)(void *)(r->rings + offset);
}

/* Of 64 entries, with flags of IORING_SETUP_*. 0 or -1. */
static int open_ring(struct ring *r, unsigned flags)
{
	struct io_uring_params *p = &r->params;
	size_t sq, cq;

	*p = (struct io_uring_params){ .flags = flags, .sq_thread_idle = 2000 };
	r->fd = (int)syscall(SYS_io_uring_setup, 64, p);
	if (r->fd < 0 || !(p->features & IORING_FEAT_SINGLE_MMAP))
		return -1;
	sq = p->sq_off.array + p->sq_entries * sizeof(unsigned);
	cq = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
	r->rings = mmap(NULL, sq > cq ? sq : cq, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
			IORING_OFF_SQ_RING);
	r->sqes = mmap(NULL, p->sq_entries * sizeof(*r->sqes), PROT_READ | PROT_WRITE, MAP_SHARED,
		       r->fd, IORING_OFF_SQES);
	return r->rings == MAP_FAILED || (void *)r->sqes == MAP_FAILED ? -1 : 0;
}

/* Puts a request where the kernel finds it when it is asked to look. */
static void push(struct ring *r, const struct io_uring_sqe *sqe)
{
	struct io_uring_params *p = &r->params;
	unsigned tail = *in_ring(r, p->sq_off.tail), slot = tail & *in_ring(r, p->sq_off.ring_mask);

	r->sqes[slot] = *sqe;
	in_ring(r, p->sq_off.array)[slot] = slot;
	__atomic_store_n(in_ring(r, p->sq_off.tail), tail + 1, __ATOMIC_RELEASE);
}

/* The oldest completion, taken. False: there is none. */
static bool pop(struct ring *r, struct io_uring_cqe *ret)
{
	struct io_uring_params *p = &r->params;
	unsigned head = *in_ring(r, p->cq_off.head);
	struct io_uring_cqe *cqes = (void *)(r->rings + p->cq_off.cqes);

	if (head == __atomic_load_n(in_ring(r, p->cq_off.tail), __ATOMIC_ACQUIRE))
		return false;
	*ret = cqes[head & *in_ring(r, p->cq_off.ring_mask)];
	__atomic_store_n(in_ring(r, p->cq_off.head), head + 1, __ATOMIC_RELEASE);
	return true;
}
