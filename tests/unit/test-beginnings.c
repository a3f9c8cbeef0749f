/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <xxhash.h>

#include "common/beginnings.h"
#include "tests/unit/check.h"

#define SIZE 70000

/* 64, 128, ... 2,048 are 32 places 64 bytes apart; 2,048 / 32 = 64 and 2,112 / 32 = 66 follow. */
static void test_places(void)
{
	TD_CASE("places");
	TD_CHECK_INT(td_beginnings_place(0), 0);
	TD_CHECK_INT(td_beginnings_place(1), 64);
	TD_CHECK_INT(td_beginnings_place(32), 2048);
	TD_CHECK_INT(td_beginnings_place(33), 2112);
	TD_CHECK_INT(td_beginnings_place(34), 2178);
}

static void fill(char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (char)(i * i >> 3);
}

/* Each is what the library says of the text up to there, however the text came. */
static void test_hashes(size_t piece)
{
	_cleanup_(td_beginnings_freep) struct td_beginnings *b = td_beginnings_new();
	static char text[SIZE];
	const char *hex;
	size_t n;

	TD_CASE("pieces");
	fill(text, sizeof(text));
	for (size_t at = 0; at < SIZE; at += piece)
		td_beginnings_update(b, text + at, TD_MIN(piece, SIZE - at));
	TD_CHECK_INT(td_beginnings_bytes(b), SIZE);
	hex = td_beginnings_text(b);
	n = strlen(hex) / TD_BEGINNINGS_DIGITS;
	TD_CHECK(td_beginnings_place(n) <= SIZE && td_beginnings_place(n + 1) > SIZE);
	for (size_t i = 1; i <= n; i++) {
		XXH128_hash_t want = XXH3_128bits(text, (size_t)td_beginnings_place(i));
		char digits[TD_BEGINNINGS_DIGITS + 1];

		(void)snprintf(digits, sizeof(digits), "%08x", (unsigned)(want.low64 & UINT32_MAX));
		TD_CHECK(memcmp(hex + (i - 1) * TD_BEGINNINGS_DIGITS, digits,
				TD_BEGINNINGS_DIGITS) == 0);
	}
}

int main(void)
{
	test_places();
	test_hashes(1);
	test_hashes(63);
	test_hashes(4096);
	test_hashes(SIZE);
	return td_check_result();
}
