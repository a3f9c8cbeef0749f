/* SPDX-License-Identifier: MIT */
/* Who wrote when: write_stat. */
#pragma once

#include "store/derive/calls_private.h"
#include "store/write/target.h"

/* When all calls went by, of bins as wide as they are in the end. 0 or -errno. */
int td_writes_write(const struct td_calls *c, const struct td_target *target, struct td_err *err);
