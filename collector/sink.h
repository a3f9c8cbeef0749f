/* SPDX-License-Identifier: MIT */
/* Where records go: BPF programs, samplers and the recorder itself all hand them to one of these. */
#pragma once

#include <stddef.h>

/* Takes one or more complete records of schema/wire.h, which it does not keep. 0 or -errno, which ends what the caller
 * does. */
typedef int td_sink(void *arg, const void *records, size_t size);
