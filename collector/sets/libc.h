/* SPDX-License-Identifier: MIT */
/* The functions of the C library that are hooked, by name. */
#pragma once

#include <stdint.h>

#include "collector/bpf/libc.h"

extern const char *const td_libc_names[TD_NLIBC];
