/* SPDX-License-Identifier: MIT */
/*
 * What a flight recorder holds in memory: the frames of the last seconds, and of everything before them only the
 * records that later ones refer to. For spool.c only.
 */
#pragma once

#include "collector/spool/frame.h"

struct td_spool_keep {
	struct td_spool_packer *packer; /* borrowed */
	uint64_t keep_ns;
	uint64_t max_bytes; /* 0: no limit */
	struct td_spool_frames recent;
	size_t lasting_bytes; /* of all frames in recent */
	struct td_spool_frames base; /* lasting records that are older */
	char *pending; /* those that are not in a frame of base yet; owned */
	size_t pending_len, pending_cap;
	uint64_t dropped_ns; /* end of the last frame that was dropped; 0: none */
};

void td_spool_keep_done(struct td_spool_keep *k);

/* Takes the frame, of which the records are given again; drops what is too old at its end, or too much. 0, -ENOMEM,
 * or -EFBIG: what must be kept alone is too much. */
int td_spool_keep_add(struct td_spool_keep *k, struct td_spool_frame *f, const void *records,
		      size_t size);

/* Hands out all that there is, in order, one frame at a time; *ret NULL at the end. 0, -ENOMEM or -EIO. */
int td_spool_keep_take(struct td_spool_keep *k, struct td_spool_frame **ret);

/* Writes all that there is to the file, from *offset on, which is moved behind it; it stays here. 0 or -errno. */
int td_spool_keep_write(struct td_spool_keep *k, int fd, uint64_t *offset);
