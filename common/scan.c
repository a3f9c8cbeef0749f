/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/scan.h"
#include "common/caldate.h"

bool td_scan_u64(struct td_scan *s, uint64_t *ret)
{
	uint64_t v;
	const char *p = td_scan_digits(s->p, s->end, &v);

	if (!p || p == s->p)
		return false;
	s->p = p;
	*ret = v;
	return true;
}

bool td_scan_i64(struct td_scan *s, int64_t *ret)
{
	struct td_scan t = *s;
	bool neg = td_scan_char(&t, '-');
	uint64_t v;

	if (!td_scan_u64(&t, &v) || v > (uint64_t)INT64_MAX + neg)
		return false;
	*s = t;
	*ret = neg ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

/* Values of hexadecimal digits, plus 1. */
static const uint8_t hex_digits[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

bool td_scan_hex(struct td_scan *s, uint64_t *ret)
{
	struct td_scan t = *s;
	const char *from, *max;
	uint64_t v = 0;
	unsigned digit = 0;

	(void)td_scan_literal(&t, "0x");
	from = t.p;
	max = t.end - from > 16 ? from + 16 : t.end;
	for (; t.p < max && (digit = hex_digits[(unsigned char)*t.p]); t.p++)
		v = v << 4 | (digit - 1);
	if (t.p == from || (t.p < t.end && hex_digits[(unsigned char)*t.p]))
		return false;
	*s = t;
	*ret = v;
	return true;
}

/* ".123456" or ",5": in units of 1e-9, up to nine digits; more are skipped. 0 if there is none. */
static int64_t scan_fraction9(struct td_scan *s)
{
	static const uint32_t units[] = { 0,     100000000, 10000000, 1000000, 100000,
					  10000, 1000,      100,      10,      1 };
	const char *p = s->p + 1, *sure;
	uint32_t v = 0;
	unsigned d;

	if (s->end - s->p < 2 || (*s->p != '.' && *s->p != ',') || !td_is_digit(*p))
		return 0;
	sure = s->end - p > 9 ? p + 9 : s->end;
	for (; p < sure && (d = (unsigned char)(*p - '0')) <= 9; p++)
		v = v * 10 + d;
	v *= units[p - s->p - 1];
	while (p < s->end && td_is_digit(*p))
		p++;
	s->p = p;
	return v;
}

bool td_scan_fixed9(struct td_scan *s, int64_t *ret)
{
	struct td_scan t = *s;
	uint64_t whole;

	if (!td_scan_u64(&t, &whole) || whole > INT64_MAX / 1000000000 - 1)
		return false;
	*ret = (int64_t)whole * 1000000000;
	*ret += scan_fraction9(&t);
	*s = t;
	return true;
}

bool td_scan_double(struct td_scan *s, double *ret)
{
	struct td_scan t = *s;
	bool neg = td_scan_char(&t, '-');
	double v = 0, unit = 1;
	uint64_t whole;

	if (!td_scan_u64(&t, &whole))
		return false;
	v = (double)whole;
	if (t.end - t.p >= 2 && (*t.p == '.' || *t.p == ',') && td_is_digit(t.p[1])) {
		uint64_t frac = 0;

		for (t.p++; t.p < t.end && td_is_digit(*t.p); t.p++) {
			if (unit < 1e15) {
				frac = frac * 10 + (unsigned)(*t.p - '0');
				unit *= 10;
			}
		}
		v += (double)frac / unit;
	}
	*s = t;
	*ret = neg ? -v : v;
	return true;
}

bool td_scan_token(struct td_scan *s, struct td_str *ret)
{
	const char *p = s->p;

	while (p < s->end && *p != ' ' && *p != '\t')
		p++;
	if (p == s->p)
		return false;
	*ret = (struct td_str){ s->p, (size_t)(p - s->p) };
	s->p = p;
	return true;
}

/* Exactly two digits below limit. */
static bool two_digits(struct td_scan *s, unsigned limit, unsigned *ret)
{
	unsigned v;

	if (s->end - s->p < 2 || !td_is_digit(s->p[0]) || !td_is_digit(s->p[1]))
		return false;
	v = (unsigned)(s->p[0] - '0') * 10 + (unsigned)(s->p[1] - '0');
	if (v >= limit)
		return false;
	s->p += 2;
	*ret = v;
	return true;
}

bool td_scan_tod(struct td_scan *s, int64_t *ret_ns)
{
	struct td_scan t = *s;
	unsigned hour, min, sec;
	int64_t ns;

	if (!two_digits(&t, 24, &hour) || !td_scan_char(&t, ':') || !two_digits(&t, 60, &min) ||
	    !td_scan_char(&t, ':') || !two_digits(&t, 61, &sec))
		return false;
	ns = ((int64_t)hour * 3600 + min * 60 + sec) * 1000000000;
	ns += scan_fraction9(&t);
	*s = t;
	*ret_ns = ns;
	return true;
}

bool td_scan_iso(struct td_scan *s, int64_t *ret_ns)
{
	struct td_scan t = *s;
	uint64_t year;
	unsigned month, day;
	int64_t tod;

	if (t.end - t.p < 19 || t.p[4] != '-' || !td_scan_u64(&t, &year) || year > 9999 ||
	    !td_scan_char(&t, '-') || !two_digits(&t, 13, &month) || !td_scan_char(&t, '-') ||
	    !two_digits(&t, 32, &day) || (!td_scan_char(&t, 'T') && !td_scan_char(&t, ' ')) ||
	    !td_scan_tod(&t, &tod) || !td_date_valid((int)year, (int)month, (int)day))
		return false;
	(void)td_scan_char(&t, 'Z');
	*s = t;
	*ret_ns = td_days_from_date((int)year, (int)month, (int)day) * TD_DAY_NS + tod;
	return true;
}

/* --- finding --- */

/* What traces and logs have most of, the most frequent last. */
static const unsigned char frequent[256] = {
	['j'] = 1,  ['v'] = 2,  ['k'] = 3,  ['w'] = 4,   ['y'] = 5,  ['('] = 6,   [')'] = 6,
	['='] = 7,  ['b'] = 8,  ['x'] = 9,  ['f'] = 10,  ['g'] = 11, ['u'] = 12,  ['h'] = 13,
	['m'] = 14, ['-'] = 15, ['l'] = 16, ['_'] = 17,  ['/'] = 18, ['p'] = 19,  ['d'] = 20,
	['c'] = 21, ['r'] = 22, ['s'] = 23, ['\n'] = 24, [':'] = 25, ['\t'] = 26, ['n'] = 27,
	['i'] = 28, ['o'] = 29, ['a'] = 30, ['t'] = 31,  ['e'] = 32, ['9'] = 33,  ['8'] = 33,
	['7'] = 33, ['6'] = 33, ['5'] = 33, ['4'] = 33,  ['3'] = 33, [','] = 34,  ['"'] = 35,
	['2'] = 36, ['1'] = 37, ['.'] = 38, ['0'] = 39,  [' '] = 40,
};

static size_t rarest(const char *text, size_t n)
{
	size_t at = 0;

	for (size_t i = 1; i < n; i++)
		if (frequent[(unsigned char)text[i]] < frequent[(unsigned char)text[at]])
			at = i;
	return at;
}

/* More of the character that is looked for than that, and it is not rare. */
#define OFTEN_BYTES 16
#define OFTEN_MIN 8

const char *td_find(const char *p, size_t len, const char *text, size_t n)
{
	size_t at = rarest(text, n), times = 0;
	const char *from = p, *last; /* where the text can begin, and where no more */

	if (len < n || !len)
		return NULL;
	if (!n)
		return p;
	last = p + len - n + 1;
	while (from < last && (from = memchr(from + at, text[at], (size_t)(last - from)))) {
		from -= at;
		if (memcmp(from, text, n) == 0)
			return from;
		from++;
		if (++times > OFTEN_MIN && times * OFTEN_BYTES > (size_t)(from - p))
			return memmem(from, (size_t)(p + len - from), text, n);
	}
	return NULL;
}
