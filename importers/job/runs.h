/* SPDX-License-Identifier: MIT */
#pragma once

#include "store/store.h"

/* Says which runs of the training program there are and which sources have something of each, and of how many boots
 * there are sources, if there are several. 0 or -ENOMEM. */
int td_say_runs(const struct td_store *st, size_t boots);
