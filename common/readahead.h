/* SPDX-License-Identifier: MIT */
/*
 * Unpacking on a thread of its own, some blocks ahead of who reads: reading, hashing and decompression
 * then cost no time of the parser's.
 */
#pragma once

#include "common/unpack.h"

struct td_readahead;

/* Begins. u is borrowed and the thread's until td_readahead_stop(); its source must never make a reader
 * wait for long, so it is no pipe and no terminal. 0 or -errno, then u is as it was. */
int td_readahead_start(struct td_unpack *u, struct td_readahead **ret);

/* As td_unpack_read(). */
ssize_t td_readahead_read(struct td_readahead *ra, char *to, size_t size);

/* td_unpack_raw_bytes() when the block was unpacked that was read from last. */
int64_t td_readahead_raw_bytes(const struct td_readahead *ra);

/* Frees ra; takes NULL. u is the caller's again. What was unpacked and not read is lost. */
void td_readahead_stop(struct td_readahead *ra);
TD_DEFINE_CLEANUP(struct td_readahead *, td_readahead_stop)
