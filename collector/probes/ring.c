/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "collector/probes/ring.h"

int td_ring_open(struct td_ring_reader *r, int fd, size_t size_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	_cleanup_close_ int own_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	void *consumer, *producer;

	if (own_fd < 0)
		return -errno;
	consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (consumer == MAP_FAILED)
		return -errno;
	/* the data are there twice in a row, so that a record that wraps can be read at one go */
	producer = mmap(NULL, page + 2 * size_bytes, PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (producer == MAP_FAILED) {
		int r_mmap = -errno;

		munmap(consumer, page);
		return r_mmap;
	}
	*r = (struct td_ring_reader){
		.consumer = consumer,
		.producer = producer,
		.data = (const char *)producer + page,
		.size_bytes = size_bytes,
		.fd = own_fd,
		.next = *(uint64_t *)consumer,
	};
	own_fd = -1;
	return 0;
}

void td_ring_close(struct td_ring_reader *r)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!r->consumer)
		return;
	munmap(r->consumer, page);
	munmap((void *)(uintptr_t)r->producer, page + 2 * r->size_bytes);
	close(r->fd);
	*r = (struct td_ring_reader){ 0 };
}

uint64_t td_ring_end(struct td_ring_reader *r)
{
	uint64_t end = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE);

	r->peak_bytes = TD_MAX(r->peak_bytes, (size_t)(end - *r->consumer));
	return end;
}

const void *td_ring_next(struct td_ring_reader *r, uint64_t end, bool wait, size_t *ret_size)
{
	while (r->next < end) {
		const char *at = r->data + (r->next & (r->size_bytes - 1));
		uint32_t len;

		while ((len = __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE)) &
		       BPF_RINGBUF_BUSY_BIT) {
			if (!wait)
				return NULL;
			sched_yield();
		}
		*ret_size = len & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		r->next += (*ret_size + BPF_RINGBUF_HDR_SZ + 7) & ~(uint64_t)7;
		if (!(len & BPF_RINGBUF_DISCARD_BIT))
			return at + BPF_RINGBUF_HDR_SZ;
	}
	return NULL;
}

void td_ring_release(struct td_ring_reader *r)
{
	__atomic_store_n(r->consumer, r->next, __ATOMIC_RELEASE);
}

size_t td_ring_take_peak(struct td_ring_reader *r)
{
	size_t peak = r->peak_bytes;

	r->peak_bytes = 0;
	return peak;
}
