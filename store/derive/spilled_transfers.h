/* SPDX-License-Identifier: MIT */
/*
 * Transfers that wait in a temporary file until the last call has come: in parts, each of which comes back in the order in
 * which it went.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TD_SPILL_PARTS 64
/* So many come back at once, at most. */
#define TD_SPILL_EACH 512

struct td_spilled_transfer {
	int64_t offset_bytes;
	uint32_t done_bytes, process_id, file_id;
	uint16_t op_id;
};

struct td_spilled_transfers;

/* path: temporary file, borrowed. 0 or -ENOMEM. */
int td_spilled_transfers_new(const char *path, struct td_spilled_transfers **ret);
void td_spilled_transfers_free(struct td_spilled_transfers *s);

/* 0 or -errno. */
int td_spilled_transfers_add(struct td_spilled_transfers *s, unsigned part,
			     const struct td_spilled_transfer *t);

/* Calls fn with all of a part. 0, what fn returned that was less, or -errno. */
int td_spilled_transfers_each(struct td_spilled_transfers *s, unsigned part,
			      int (*fn)(void *arg, const struct td_spilled_transfer *t, size_t n),
			      void *arg);
