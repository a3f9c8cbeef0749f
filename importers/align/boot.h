/* SPDX-License-Identifier: MIT */
#pragma once

#include "store/store.h"

/* Fits the boot clock to the best kind of wall clock that was read beside it: UTC, local with the date, or a
 * local time of day. 0, with *ret_wall untouched if there is no such reading, or -ENOMEM. */
int td_align_boot(struct td_store *st, struct td_clock_fit *ret, enum td_clock *ret_wall);

/* Fits it to the readings of UTC that one source has beside it. 0, -ENODATA if it has none, or -ENOMEM. */
int td_align_boot_of(struct td_store *st, uint16_t source_id, struct td_clock_fit *ret);
