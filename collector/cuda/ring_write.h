/* SPDX-License-Identifier: MIT */
/* The library's side of a ring (ring.h). No function waits for the recorder. Not for several threads at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "collector/cuda/ring.h"

/* Makes this process's file in the folder and maps it. NULL: it could not be made. */
struct td_cuda_ring *td_ring_create(const char *dir);
/* Forgets the mapping: the file stays for the recorder. */
void td_ring_unmap(struct td_cuda_ring *ring);

/* Adds a record, whose size is a multiple of 8. False: there is no room. */
bool td_ring_put(struct td_cuda_ring *ring, const void *record, size_t size);
