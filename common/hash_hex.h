/* SPDX-License-Identifier: MIT */
/* A 128-bit hash in hexadecimal digits, as `xxhsum -H2` prints it. */
#pragma once

#include <stddef.h>
#include <xxhash.h>

/* The lowest digits of the number, as "%0*x" prints them, without a NUL: beginnings of each file
 * are hashed dozens of times. */
static inline void td_hex_digits(uint64_t number, char *ret, size_t digits)
{
	for (; digits-- > 0; number >>= 4)
		ret[digits] = "0123456789abcdef"[number & 15];
}

static inline void td_hash_hex(XXH128_hash_t hash, char ret_hex[33])
{
	td_hex_digits(hash.high64, ret_hex, 16);
	td_hex_digits(hash.low64, ret_hex + 16, 16);
	ret_hex[32] = '\0';
}
