/* SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What every target defines; libFuzzer's interface, which AFL++ offers as well. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
