/* SPDX-License-Identifier: MIT */
/*
 * Keys of maps that hold stacks: each begins and ends with a line break, frames in between, the innermost first.
 *
 *     @[
 *         vfs_read+1
 *         ksys_read+103
 *     , cat]: 12              kstack, comm
 */
#pragma once

#include "importers/bpftrace/maps.h"

/* If the key has a stack, keeps the value as a stack_total, and true. What else the key has, like
 * the name of the process, stands around the frames. Of two stacks the kernel's is the inner one,
 * else the first. */
bool td_stack_key(struct td_import *imp, const struct td_maps_value *v);
