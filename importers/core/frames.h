/* SPDX-License-Identifier: MIT */
/* Stacks are printed frame by frame, the innermost first; the store has them from the outermost on. */
#pragma once

#include "store/store.h"

#define TD_FRAMES_MAX 4096 /* of a stack; what called those is left out */

struct td_frame {
	uint32_t symbol_id, module_id; /* string; 0: unknown */
};

struct td_frames {
	struct td_frame *frames; /* the innermost first */
	size_t n, cap;
};

void td_frames_done(struct td_frames *f);

/* The frame that called those that are there. 0 or -ENOMEM. */
int td_frames_add(struct td_frames *f, uint32_t symbol_id, uint32_t module_id);

/* The stack of the frames, outer_id (0: none) around them; there are none then. 0: there were none, or no memory, which
 * the store remembers. */
uint32_t td_frames_stack(struct td_frames *f, struct td_store *st, uint32_t outer_id);
