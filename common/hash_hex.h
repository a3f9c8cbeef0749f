/* SPDX-License-Identifier: MIT */
/* A 128-bit hash in hexadecimal digits, as `xxhsum -H2` prints it. */
#pragma once

#include <stdio.h>
#include <xxhash.h>

static inline void td_hash_hex(XXH128_hash_t hash, char ret_hex[33])
{
	XXH128_canonical_t c;

	XXH128_canonicalFromHash(&c, hash);
	for (size_t i = 0; i < sizeof(c.digest); i++)
		(void)snprintf(ret_hex + 2 * i, 3, "%02x", c.digest[i]);
}
