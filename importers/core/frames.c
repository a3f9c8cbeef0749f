/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "importers/core/frames.h"

void td_frames_done(struct td_frames *f)
{
	free(f->frames);
}

int td_frames_add(struct td_frames *f, uint32_t symbol_id, uint32_t module_id)
{
	if (f->n == TD_FRAMES_MAX)
		return 0;
	if (td_grow(&f->frames, &f->cap, f->n) < 0)
		return -ENOMEM;
	f->frames[f->n++] = (struct td_frame){ symbol_id, module_id };
	return 0;
}

uint32_t td_frames_stack(struct td_frames *f, struct td_store *st, uint32_t outer_id)
{
	uint32_t id = outer_id;
	bool any = f->n > 0;

	while (f->n > 0) {
		const struct td_frame *frame = &f->frames[--f->n];

		id = td_store_stack(st, id, frame->symbol_id, frame->module_id);
	}
	return any ? id : 0;
}
