/* SPDX-License-Identifier: MIT */
/* Where records go: BPF programs, samplers and the recorder itself all hand them to one of these. */
#pragma once

#include <stddef.h>

/* Takes one or more complete records of schema/wire.h, which it does not keep. 0 or -errno, which ends what the caller
 * does. */
typedef int td_sink(void *arg, const void *records, size_t size);

/* The same for a whole buffer of TD_SINK_BUFFER_BYTES, which it may keep: it puts another one of
 * that size into its place. */
#define TD_SINK_BUFFER_BYTES ((size_t)(1024 + 128) * 1024)
typedef int td_sink_buffer(void *arg, char **buffer, size_t size);
