/* SPDX-License-Identifier: MIT */
/* Reads and writes of a whole piece at its place in a file: not less, and not given up for a signal. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* 0 or -errno (-ENOSPC, ...); on failure a part may have been written. */
int td_write_at(int fd, const void *p, size_t size_bytes, uint64_t offset_bytes);

/* 0 or -errno; -EINVAL if the file ends before. */
int td_read_at(int fd, void *p, size_t size_bytes, uint64_t offset_bytes);
