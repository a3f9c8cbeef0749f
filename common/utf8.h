/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the valid sequence that the text begins with, and its code point; 0 if there is none (NUL
 * is not valid). len > 0. */
size_t td_utf8_decode(const char *text, size_t len, uint32_t *ret);

/* Writes the sequence of a code point (up to 0x10ffff, no surrogate) and returns its length. */
size_t td_utf8_encode(uint32_t cp, char ret[4]);

/* Is the text valid UTF-8 without NUL? (RFC 3629: no surrogates, no overlong forms.) */
bool td_utf8_valid(const char *p, size_t len);

/* A NUL-terminated copy in which every byte that is not part of valid UTF-8, and every NUL, is replaced
 * by U+FFFD. NULL when out of memory; the caller frees it. */
char *td_utf8_dup(const char *p, size_t len);

/* Replaces *p, which is owned, by such a copy of a text; NULL: by NULL. 0 or -ENOMEM, then *p is as it was. */
int td_utf8_set(char **p, const char *text);
