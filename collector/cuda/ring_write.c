/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/cuda/ring_write.h"

#define FILE_SIZE (TD_CUDA_DATA_AT + TD_CUDA_SIZE)

/* The recorder takes a file once its magic is there, which is last. */
static struct td_cuda_ring *map(int fd)
{
	struct td_cuda_ring *ring;

	if (posix_fallocate(fd, 0, FILE_SIZE) !=
	    0) /* or a full file system would end the program */
		return NULL;
	ring = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		return NULL;
	ring->version = TD_CUDA_VERSION;
	ring->pid = (uint32_t)getpid();
	ring->size = TD_CUDA_SIZE;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(ring->magic, TD_CUDA_MAGIC, sizeof(TD_CUDA_MAGIC));
	return ring;
}

struct td_cuda_ring *td_ring_create(const char *dir)
{
	struct td_cuda_ring *ring;
	char path[4096];
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/%d" TD_CUDA_SUFFIX, dir, (int)getpid()) >=
	    sizeof(path))
		return NULL;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return NULL;
	ring = map(fd);
	if (!ring)
		(void)unlink(path);
	(void)close(fd);
	return ring;
}

void td_ring_unmap(struct td_cuda_ring *ring)
{
	(void)munmap(ring, FILE_SIZE);
}

bool td_ring_put(struct td_cuda_ring *ring, const void *record, size_t size)
{
	uint64_t written = ring->written, read = __atomic_load_n(&ring->read, __ATOMIC_ACQUIRE);
	char *data = (char *)ring + TD_CUDA_DATA_AT;
	size_t at = written % TD_CUDA_SIZE, first = TD_CUDA_SIZE - at;

	if (TD_CUDA_SIZE - (written - read) < size)
		return false;
	if (first > size)
		first = size;
	memcpy(data + at, record, first);
	memcpy(data, (const char *)record + first, size - first);
	__atomic_store_n(&ring->written, written + size, __ATOMIC_RELEASE);
	return true;
}
