/* SPDX-License-Identifier: MIT */
/*
 * Cursors over input, mostly one line of it. A scan never leaves [p, end); every td_scan_*() returns false and
 * leaves the cursor where it was if the text is not what was asked for. Nothing is copied.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/digits.h"

struct td_scan {
	const char *p;
	const char *end;
};

/* A piece of the line; valid as long as the line is. */
struct td_str {
	const char *p;
	size_t len;
};

static inline struct td_scan td_scan_of(const char *p, size_t len)
{
	return (struct td_scan){ p, len ? p + len : p }; /* NULL + 0 is undefined */
}

static inline bool td_scan_done(const struct td_scan *s)
{
	return s->p == s->end;
}

static inline struct td_str td_scan_rest(const struct td_scan *s)
{
	return (struct td_str){ s->p, (size_t)(s->end - s->p) };
}

static inline bool td_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Skips blanks and tabs; returns how many. */
static inline size_t td_scan_blanks(struct td_scan *s)
{
	const char *from = s->p;

	while (s->p < s->end && td_is_blank(*s->p))
		s->p++;
	return (size_t)(s->p - from);
}

static inline bool td_scan_char(struct td_scan *s, char c)
{
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

/* Inline, as are those below, so that the length of a constant text is one. */
static inline bool td_scan_literal(struct td_scan *s, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, text, n) != 0)
		return false;
	s->p += n;
	return true;
}

/* The decimal digits at p: where they end, which is p if there are none, and their value; NULL if it is
 * beyond 64 bits. */
static inline const char *td_scan_digits(const char *p, const char *end, uint64_t *ret)
{
	static const uint64_t powers[] = { 1,      10,      100,      1000,     10000,
					   100000, 1000000, 10000000, 100000000 };
	const char *from = p;
	uint64_t v = 0;

	while (end - p >= 8 && p - from <= 8) {
		uint64_t t = td_digits_at(p), others = td_digits_others(t);
		unsigned n = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;

		if (n == 0)
			break;
		v = v * powers[n] + td_digits_value(t << (64 - 8 * n));
		p += n;
		if (n == 8)
			continue;
		*ret = v;
		return p;
	}
	for (; p < end && td_is_digit(*p); p++) {
		unsigned d = (unsigned)(*p - '0');

		/* 19 digits always fit; only the 20th can overflow */
		if (p - from >= 19 && (v > UINT64_MAX / 10 || v * 10 > UINT64_MAX - d))
			return NULL;
		v = v * 10 + d;
	}
	*ret = v;
	return p;
}

/* As td_scan_digits(), soon done with a single digit: descriptors, results, seconds of a duration. */
static inline const char *td_scan_short_digits(const char *p, const char *end, uint64_t *ret)
{
	unsigned first = p < end ? (unsigned char)(*p - '0') : 10;

	if (first <= 9 && p + 1 < end && !td_is_digit(p[1])) {
		*ret = first;
		return p + 1;
	}
	return td_scan_digits(p, end, ret);
}

/* The next line of a text, without its end. One that nothing ends is only taken if takes_cut says so. */
static inline bool td_scan_line(struct td_scan *s, bool takes_cut, struct td_str *ret)
{
	size_t left = (size_t)(s->end - s->p);
	const char *newline = left ? memchr(s->p, '\n', left) : NULL;

	if (!left || (!newline && !takes_cut))
		return false;
	*ret = (struct td_str){ s->p, newline ? (size_t)(newline - s->p) : left };
	s->p += ret->len + (newline != NULL);
	if (ret->len && ret->p[ret->len - 1] == '\r')
		ret->len--;
	return true;
}

/* Decimal digits only, no sign, no blanks; false on overflow of the type. */
bool td_scan_u64(struct td_scan *s, uint64_t *ret);

/* As td_scan_u64() with an optional '-'. */
bool td_scan_i64(struct td_scan *s, int64_t *ret);

/* Hexadecimal digits, with or without 0x. */
bool td_scan_hex(struct td_scan *s, uint64_t *ret);

/* Digits, then '.' or ',' and up to nine digits of fraction (more are dropped): *ret in units of
 * 1e-9. "12.5" gives 12500000000. The fraction may be missing. */
bool td_scan_fixed9(struct td_scan *s, int64_t *ret);

/* A decimal number, '.' or ',' as decimal mark, optional sign; no exponent. */
bool td_scan_double(struct td_scan *s, double *ret);

/* A run of characters that are neither blank nor tab; false if there is none. */
bool td_scan_token(struct td_scan *s, struct td_str *ret);

/* HH:MM:SS with an optional fraction .nnnnnnnnn: nanoseconds since midnight. Accepts 24:00:00 not. */
bool td_scan_tod(struct td_scan *s, int64_t *ret_ns);

/* YYYY-MM-DDTHH:MM:SS[.fraction][Z] (a blank in place of T too), read as UTC: ns since the epoch. */
bool td_scan_iso(struct td_scan *s, int64_t *ret_ns);

/* Do n bytes agree? For short texts, for which a call of memcmp() costs more than the comparison: two loads that
 * overlap. */
static inline bool td_same_bytes(const char *p, const char *q, size_t n)
{
	uint64_t a[2], b[2];
	uint32_t c[2], d[2];

	if (n > 16)
		return memcmp(p, q, n) == 0;
	if (n >= 8) {
		memcpy(&a[0], p, 8);
		memcpy(&a[1], p + n - 8, 8);
		memcpy(&b[0], q, 8);
		memcpy(&b[1], q + n - 8, 8);
		return ((a[0] ^ b[0]) | (a[1] ^ b[1])) == 0;
	}
	if (n >= 4) {
		memcpy(&c[0], p, 4);
		memcpy(&c[1], p + n - 4, 4);
		memcpy(&d[0], q, 4);
		memcpy(&d[1], q + n - 4, 4);
		return ((c[0] ^ d[0]) | (c[1] ^ d[1])) == 0;
	}
	for (; n > 0; n--)
		if (p[n - 1] != q[n - 1])
			return false;
	return true;
}

static inline bool td_str_eq(struct td_str s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.p, text, s.len) == 0;
}

/* Nothing but blanks, tabs and the \r of lines that end in \r\n. */
static inline bool td_str_is_blank(struct td_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!td_is_blank(s.p[i]) && s.p[i] != '\r')
			return false;
	return true;
}

static inline bool td_str_starts(struct td_str s, const char *text)
{
	size_t n = strlen(text);

	return s.len >= n && memcmp(s.p, text, n) == 0;
}

static inline bool td_str_ends(struct td_str s, const char *text)
{
	size_t n = strlen(text);

	return s.len >= n && memcmp(s.p + s.len - n, text, n) == 0;
}

/* As memmem(), which goes from byte to byte: faster where the text has a character that p rarely has. */
const char *td_find(const char *p, size_t len, const char *text, size_t n);

/* First occurrence of text, or NULL, as of anything in nothing. */
static inline const char *td_str_find(struct td_str s, const char *text)
{
	return td_find(s.p, s.len, text, strlen(text));
}

/* Last occurrence of c, or NULL. */
static inline const char *td_str_rchr(struct td_str s, char c)
{
	return s.p && s.len ? memrchr(s.p, c, s.len) : NULL;
}
