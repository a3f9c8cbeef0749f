/* SPDX-License-Identifier: MIT */
/*
 * Decimal digits, eight at a time in one word: as one little-endian number the first, most significant digit is
 * the lowest byte.
 */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TD_BYTES(x) (UINT64_C(0x0101010101010101) * (x)) /* eight of them */

static inline bool td_is_digit(char c)
{
	return (unsigned char)(c - '0') <= 9;
}

/* The eight characters at p, each less '0', which makes 0 to 9 of digits and more of all others. */
static inline uint64_t td_digits_at(const char *p)
{
	uint64_t t;

	memcpy(&t, p, sizeof(t));
	return le64toh(t) ^ TD_BYTES('0');
}

/* Which of them are no digits: bit 7 of the first such byte, and of some behind it. 0: all are digits. */
static inline uint64_t td_digits_others(uint64_t t)
{
	return ((t + TD_BYTES(0x76)) | t) & TD_BYTES(0x80);
}

/* The same, and of no other byte: for who asks of all eight. */
static inline uint64_t td_digits_all_others(uint64_t t)
{
	return (((t & TD_BYTES(0x7f)) + TD_BYTES(0x76)) | t) & TD_BYTES(0x80);
}

/* The number that eight digits are. If only the first n count, shift the others out at the top, t << 64 - 8 * n:
 * that puts zeros in front. Neighbours are joined to numbers of two, four and eight digits, each by a
 * multiplication. */
static inline uint64_t td_digits_value(uint64_t t)
{
	t = (t * 10 + (t >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	t = (t * 100 + (t >> 16)) & UINT64_C(0x0000ffff0000ffff);
	return (t * 10000 + (t >> 32)) & UINT64_C(0xffffffff);
}
