/* SPDX-License-Identifier: MIT */
/* What the system calls that are recorded mean to the BPF programs. */
#pragma once

#include "collector/bpf/shared.h"
#include "collector/sets/syscalls.h"

/* What its arguments mean. 0, or -ENOENT: the table of calls does not have it. */
int td_recorded_call_spec(const struct td_recorded_call *c, struct td_call_spec *ret);
