/* SPDX-License-Identifier: MIT */
/* Numbers as strace prints them, inline since each line has many. */
#pragma once

#include "common/scan.h"

/* The number that the last n of the eight bytes before end are. false: they are no digits. */
static inline bool td_strace_fixed(const char *end, unsigned n, uint64_t *ret)
{
	uint64_t t = td_digits_at(end - 8) >> 8 * (8 - n) << 8 * (8 - n);

	if (td_digits_others(t))
		return false;
	*ret = td_digits_value(t);
	return true;
}

/* The digits that the eight bytes at p begin with, one to seven: how many, or 0. */
static inline unsigned td_strace_few_digits(const char *p, uint64_t *ret)
{
	uint64_t t = td_digits_at(p), others = td_digits_others(t);
	unsigned n = others ? (unsigned)__builtin_ctzll(others) / 8 : 0;

	if (n == 0)
		return 0;
	*ret = td_digits_value(t << (64 - 8 * n));
	return n;
}

/* "0.000018", all that there is from p to end: the durations of strace -T, mostly. false: another one. */
static inline bool td_strace_usual_duration(const char *p, const char *end, int64_t *ret_ns)
{
	uint64_t us;

	if (end - p != 8 || p[1] != '.' || !td_is_digit(*p) || !td_strace_fixed(end, 6, &us))
		return false;
	*ret_ns = (*p - '0') * INT64_C(1000000000) + (int64_t)us * 1000;
	return true;
}

/* "1795178410.000034 ": the times of strace -ttt. The blank, or NULL if it is none such. */
static inline const char *td_strace_usual_stamp(const char *p, const char *end, int64_t *ret_ns)
{
	uint64_t high, us;
	unsigned ten, one;

	if (end - p <= 17 || p[10] != '.' || p[17] != ' ' || !td_strace_fixed(p + 8, 8, &high) ||
	    !td_strace_fixed(p + 17, 6, &us))
		return NULL;
	ten = (unsigned char)(p[8] - '0');
	one = (unsigned char)(p[9] - '0');
	if (ten > 9 || one > 9)
		return NULL;
	*ret_ns = (int64_t)((high * 100 + ten * 10 + one) * 1000000000 + us * 1000);
	/* up to the year 2262 */
	return high < 92233720 ? p + 17 : NULL;
}

/* "1795178410.000034", "0.000018": what td_scan_fixed9() reads, for numbers that have a point with one to nine digits
 * behind it. Behind it, or NULL if it is none such: then td_scan_fixed9() has to look. */
static inline const char *td_strace_seconds(const char *p, const char *end, int64_t *ret_ns)
{
	static const uint32_t units[] = { 0,     100000000, 10000000, 1000000, 100000,
					  10000, 1000,      100,      10,      1 };
	uint64_t whole, fraction;
	const char *point = td_strace_usual_stamp(p, end, ret_ns);

	if (point)
		return point;
	if (td_strace_usual_duration(p, end, ret_ns))
		return end;
	point = td_scan_short_digits(p, end, &whole);
	if (!point || point == p || point == end || *point != '.' ||
	    whole > INT64_MAX / 1000000000 - 1)
		return NULL;
	p = td_scan_digits(point + 1, end, &fraction);
	if (!p || p == point + 1 || p - point > 10)
		return NULL;
	*ret_ns = (int64_t)(whole * 1000000000 + fraction * units[p - point - 1]);
	return p;
}
