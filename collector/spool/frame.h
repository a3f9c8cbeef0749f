/* SPDX-License-Identifier: MIT */
/* A packed piece of a spool: one zstd frame. For spool*.c only. */
#pragma once

#include <stdint.h>

#include "common/cleanup.h"

struct td_spool_frame {
	struct td_spool_frame *next;
	uint64_t end_ns; /* CLOCK_BOOTTIME when it was ended */
	uint64_t events; /* records in it that are not td_spool_is_lasting() */
	char *lasting; /* flight recorder: a copy of those that are, unpacked; owned */
	size_t lasting_len;
	char *losses; /* a copy of what the records say of loss: that is not to be lost with them; owned */
	size_t losses_len;
	bool closing; /* td_spool_finish() was before it */
	size_t size;
	char data[];
};

static inline void td_spool_frame_free(struct td_spool_frame *f)
{
	if (!f)
		return;
	free(f->lasting);
	free(f->losses);
	free(f);
}
TD_DEFINE_CLEANUP(struct td_spool_frame *, td_spool_frame_free)

/* First in, first out. */
struct td_spool_frames {
	struct td_spool_frame *first, *last;
	size_t bytes; /* of all data */
};

void td_spool_frames_add(struct td_spool_frames *q, struct td_spool_frame *f);
struct td_spool_frame *td_spool_frames_take(struct td_spool_frames *q); /* NULL: empty */
void td_spool_frames_done(struct td_spool_frames *q);

struct td_spool_packer;

int td_spool_packer_new(struct td_spool_packer **ret);
void td_spool_packer_free(struct td_spool_packer *p);
TD_DEFINE_CLEANUP(struct td_spool_packer *, td_spool_packer_free)

/* 0, -ENOMEM, or -EIO: libzstd says no. The frame's other members are for the caller. */
int td_spool_pack(struct td_spool_packer *p, const void *data, size_t len,
		  struct td_spool_frame **ret);
/* What says that the frames of a file stand alone (common/frames.h); NULL when out of memory. */
struct td_spool_frame *td_spool_mark(void);

/* How large a frame of len bytes can become. */
size_t td_spool_bound(size_t len);

/* Is this what later records refer to, or what is true of the whole recording? Calls and the like are not. */
bool td_spool_is_lasting(unsigned kind);

struct td_spool_counts {
	uint64_t events, total; /* records that are not td_spool_is_lasting() and no losses; all */
	size_t loss_bytes; /* of TD_WIRE_LOSS */
};

/* Of complete records. */
struct td_spool_counts td_spool_count(const void *records, size_t size);

/* Copies the records that say what was lost: td_spool_counts.loss_bytes. */
void td_spool_copy_losses(char *to, const void *records, size_t size);
