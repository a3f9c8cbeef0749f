/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>

/* A stream that packs what is written to it as one zstd frame, into *to, which it owns on success
 * (*to becomes NULL): fclose() ends the frame, closes that file, too, and fails with errno if any
 * of it failed. 0 or -ENOMEM. */
int td_zstd_file(FILE **to, FILE **ret);

/* The same into a file that stays the caller's, and open. */
int td_zstd_onto(FILE *to, FILE **ret);
