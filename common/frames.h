/* SPDX-License-Identifier: MIT */
/*
 * zstd frames that stand alone: each is handed out when all of it was unpacked and its checksum
 * holds, or not at all, and after one that is damaged reading goes on with the next one that is
 * whole. For files that say so by what they begin
 * with: TD_FRAMES_MARK, a frame that zstd itself skips. To others a damaged frame is the end
 * (common/unpack.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/cleanup.h"

/* A skippable frame (RFC 8878, 3.1.2) of 16 bytes. */
#define TD_FRAMES_MARK "\x5b\x2a\x4d\x18\x10\0\0\0frames alone 1\n"
#define TD_FRAMES_MARK_SIZE sizeof(TD_FRAMES_MARK)
#define TD_FRAMES_MAX ((size_t)4 * 1024 * 1024) /* of a frame, packed and unpacked */

struct td_frames;

/* Up to size raw bytes: > 0 how many, 0 at the end, -errno. */
typedef ssize_t td_frames_source(void *arg, char *to, size_t size);

/* head: what was read already, from the mark on; copied. 0 or -ENOMEM. */
int td_frames_new(td_frames_source *source, void *arg, const char *head, size_t len,
		  struct td_frames **ret);
void td_frames_free(struct td_frames *f);
TD_DEFINE_CLEANUP(struct td_frames *, td_frames_free)

/* Up to size unpacked bytes: > 0 how many, 0 at the end, -errno of the source or -ENOMEM. */
ssize_t td_frames_read(struct td_frames *f, char *to, size_t size);

/* What was left out so far, in words; NULL: nothing. Lives as long as the object, changes with what is read. */
const char *td_frames_damage(struct td_frames *f);
