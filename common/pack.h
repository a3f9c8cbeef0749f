/* SPDX-License-Identifier: MIT */
/* The other way round from common/unpack.h. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Writes the bytes as one zstd frame with a checksum. 0 or -errno. */
int td_pack_zstd(const char *data, size_t len, FILE *out);
