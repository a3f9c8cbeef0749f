/* SPDX-License-Identifier: MIT */
/*
 * Hashes of the beginnings of a text: of its first 64 bytes, its first 128, ... each longer by 64
 * bytes or by 1/32 than the one before. They are a few hundred for any text, and by them one that
 * is the beginning of another is recognised when the other one cannot be read any more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cleanup.h"

#define TD_BEGINNINGS_DIGITS                                                                       \
	8 /* hexadecimal ones for each beginning: the low 32 bits of its XXH3-128 */

struct td_beginnings;

/* NULL without memory. */
struct td_beginnings *td_beginnings_new(void);
void td_beginnings_free(struct td_beginnings *b);
TD_DEFINE_CLEANUP(struct td_beginnings *, td_beginnings_free)

/* The text that comes next. Without memory for the hash of another beginning there are none. */
void td_beginnings_update(struct td_beginnings *b, const char *p, size_t len);

/* How much that was. */
int64_t td_beginnings_bytes(const struct td_beginnings *b);

/* XXH3-128 of all of it, as `xxhsum -H2` prints it. */
void td_beginnings_hash(const struct td_beginnings *b, char ret_hex[33]);

/* TD_BEGINNINGS_DIGITS for each beginning, in order of length; NULL without memory. Valid until the next update. */
const char *td_beginnings_text(const struct td_beginnings *b);

/* Of how many bytes those are that n beginnings tell of. */
int64_t td_beginnings_place(size_t n);
