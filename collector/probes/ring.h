/* SPDX-License-Identifier: MIT */
/*
 * The reading end of a BPF ring buffer. libbpf has one, too; this one tells how full the ring was, takes as
 * much as there is room for, and returns everything that was begun before a given moment, which is what
 * puts a file's record before the calls that refer to it. Layout: kernel/bpf/ringbuf.c, linux/bpf.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_ring_reader {
	uint64_t *consumer; /* mapped: position of the reader, ... */
	const uint64_t *producer; /* ... of the writers, followed by the data, twice */
	const char *data;
	size_t size_bytes; /* power of two */
	int fd; /* owned; of the map: polled, it tells that the programs have asked for its reader */
	uint64_t next; /* how far td_ring_next() has come */
	size_t peak_bytes;
};

/* fd: of the map; a copy of it is kept. 0 or -errno. */
int td_ring_open(struct td_ring_reader *r, int fd, size_t size_bytes);
void td_ring_close(struct td_ring_reader *r);

/* Where the writers are: what is before that has at least been begun. Also sees how full the ring is. */
uint64_t td_ring_end(struct td_ring_reader *r);

/* The next record before end, or NULL; valid until td_ring_release(). One that is just being
 * written is waited for, or is as if there were no more: its writer may have been interrupted,
 * which takes long where all CPUs are busy. */
const void *td_ring_next(struct td_ring_reader *r, uint64_t end, bool wait, size_t *ret_size);

/* Gives the room of everything that td_ring_next() has returned back to the writers. */
void td_ring_release(struct td_ring_reader *r);

/* The highest fill that td_ring_end() has seen since the last call. */
size_t td_ring_take_peak(struct td_ring_reader *r);
