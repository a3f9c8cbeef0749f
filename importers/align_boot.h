/* SPDX-License-Identifier: MIT */
#pragma once

#include "schema/store.h"

/* Fits the boot clock to the best kind of wall clock that was read beside it: UTC, local with the date, or a
 * local time of day. 0, with *ret_wall untouched if there is no such reading, or -ENOMEM. */
int td_align_boot(struct td_store *st, struct td_clock_fit *ret, enum td_clock *ret_wall);
