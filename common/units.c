/* SPDX-License-Identifier: MIT */
#include <strings.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/scan.h"
#include "common/units.h"

struct unit {
	const char *name;
	int64_t size;
};

static const struct unit dur_units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "\xc2\xb5s", 1000 }, /* U+00B5, micro sign */
	{ "\xce\xbcs", 1000 }, /* U+03BC, Greek mu */
	{ "ms", 1000000 },
	{ "s", TD_SEC_NS },
	{ "m", 60 * TD_SEC_NS },
	{ "min", 60 * TD_SEC_NS },
	{ "h", 3600 * TD_SEC_NS },
	{ "d", TD_DAY_NS },
};

static const struct unit size_units[] = {
	{ "b", 1 },
	{ "k", INT64_C(1) << 10 },
	{ "kib", INT64_C(1) << 10 },
	{ "kb", 1000 },
	{ "m", INT64_C(1) << 20 },
	{ "mib", INT64_C(1) << 20 },
	{ "mb", 1000000 },
	{ "g", INT64_C(1) << 30 },
	{ "gib", INT64_C(1) << 30 },
	{ "gb", INT64_C(1000000000) },
	{ "t", INT64_C(1) << 40 },
	{ "tib", INT64_C(1) << 40 },
	{ "tb", INT64_C(1000000000000) },
};

/* Digits with an optional fraction of which nine digits count: whole part and units of 1e-9. */
static int scan_number(struct td_scan *s, uint64_t *ret_whole, uint64_t *ret_frac)
{
	uint64_t unit = 100000000;

	if (s->p == s->end || !td_is_digit(*s->p))
		return -EINVAL;
	if (!td_scan_u64(s, ret_whole))
		return -ERANGE;
	*ret_frac = 0;
	if (s->end - s->p < 2 || s->p[0] != '.' || !td_is_digit(s->p[1]))
		return 0;
	for (s->p++; s->p < s->end && td_is_digit(*s->p); s->p++, unit /= 10)
		*ret_frac += unit * (uint64_t)(*s->p - '0');
	return 0;
}

/* The size of the unit at the cursor, 0 if it is none of the table. */
static int64_t scan_unit(struct td_scan *s, const struct unit *units, size_t n, bool any_case)
{
	struct td_str name = { s->p, 0 };

	while (s->p < s->end && !td_is_digit(*s->p) && *s->p != ' ')
		s->p++;
	name.len = (size_t)(s->p - name.p);
	for (size_t i = 0; i < n; i++)
		if (any_case ? strlen(units[i].name) == name.len &&
				       strncasecmp(units[i].name, name.p, name.len) == 0
			     : td_str_eq(name, units[i].name))
			return units[i].size;
	return 0;
}

static int parse(const char *text, const struct unit *units, size_t n, bool any_case, int64_t bare,
		 int64_t *ret)
{
	struct td_scan s = td_scan_of(text, strlen(text));
	unsigned __int128 sum = 0;
	bool first = true;

	(void)td_scan_blanks(&s);
	do {
		uint64_t whole, frac;
		int64_t unit;
		int r = scan_number(&s, &whole, &frac);

		if (r < 0)
			return r;
		(void)td_scan_blanks(&s);
		unit = first && td_scan_done(&s) ? bare : scan_unit(&s, units, n, any_case);
		if (unit <= 0)
			return -EINVAL;
		sum += (unsigned __int128)whole * (uint64_t)unit +
		       (unsigned __int128)frac * (uint64_t)unit / 1000000000;
		if (sum > INT64_MAX)
			return -ERANGE;
		first = false;
		(void)td_scan_blanks(&s);
	} while (!td_scan_done(&s));
	*ret = (int64_t)sum;
	return 0;
}

int td_parse_duration(const char *text, int64_t bare_ns, int64_t *ret_ns)
{
	return parse(text, dur_units, TD_ARRAY_SIZE(dur_units), false, bare_ns, ret_ns);
}

int td_parse_size(const char *text, int64_t *ret_bytes)
{
	return parse(text, size_units, TD_ARRAY_SIZE(size_units), true, 1, ret_bytes);
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* v as a number of at most three digits, rounded, times 10^exp. */
static uint64_t three_digits(uint64_t v, unsigned *ret_exp)
{
	uint64_t step = 1;
	unsigned e = 0;

	while ((v + step / 2) / step >= 1000) {
		step *= 10;
		e++;
	}
	*ret_exp = e;
	return (v + step / 2) / step;
}

/* units[i] is 1000^i. 10^exp = 1 is the first unit itself, 10, 100, 1000 are 0.01, 0.1 and 1 of the
 * second one, and so on. */
static char *format_scaled(char *buf, size_t size, bool neg, uint64_t v, const char *const *units)
{
	unsigned e, decimals;
	uint64_t digits = three_digits(v, &e);

	decimals = (3 - e % 3) % 3;
	(void)snprintf(buf, size, "%s%.*f %s", neg ? "-" : "", (int)decimals,
		       (double)digits / (decimals == 2   ? 100
					 : decimals == 1 ? 10
							 : 1),
		       units[(e + 2) / 3]);
	return buf;
}

char *td_format_bytes(char *buf, size_t size, int64_t bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	static const char *const binary[] = { "KiB", "MiB", "GiB", "TiB", "PiB" };
	unsigned exp = bytes > 0 ? (unsigned)__builtin_ctzll((uint64_t)bytes) : 0;

	if (exp >= 10 && bytes == INT64_C(1) << exp && exp / 10 <= TD_ARRAY_SIZE(binary)) {
		(void)snprintf(buf, size, "%u %s", 1U << exp % 10, binary[exp / 10 - 1]);
		return buf;
	}
	return format_scaled(buf, size, bytes < 0, magnitude(bytes), units);
}

char *td_format_dur(char *buf, size_t size, int64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	static const struct {
		uint64_t small_ns, per_big;
		const char *big, *small;
	} pairs[] = {
		{ TD_SEC_NS, 60, "m", "s" },
		{ 60 * TD_SEC_NS, 60, "h", "m" },
		{ 3600 * TD_SEC_NS, 24, "d", "h" },
	};
	const char *sign = ns < 0 ? "-" : "";
	uint64_t v = magnitude(ns), n = 0;
	size_t i = 0;

	if (v < 60 * TD_SEC_NS - TD_SEC_NS / 20) /* 59.95 s would print as 60.0 s */
		return format_scaled(buf, size, ns < 0, v, units);
	for (;; i++) { /* the first pair whose bigger unit stays below the next one */
		n = (v + pairs[i].small_ns / 2) / pairs[i].small_ns;
		if (i + 1 == TD_ARRAY_SIZE(pairs) || n < pairs[i].per_big * pairs[i + 1].per_big)
			break;
	}
	(void)snprintf(buf, size, "%s%llu%s%02llu%s", sign,
		       (unsigned long long)(n / pairs[i].per_big), pairs[i].big,
		       (unsigned long long)(n % pairs[i].per_big), pairs[i].small);
	return buf;
}

char *td_format_offset(char *buf, size_t size, int64_t ns)
{
	uint64_t ms = (ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns) / 1000000, s = ms / 1000;
	const char *sign = ns < 0 && ms ? "-" : "";
	unsigned rest = (unsigned)(ms % 1000), seconds = (unsigned)(s % 60);

	if (s < 60)
		(void)snprintf(buf, size, "%s%u.%03us", sign, seconds, rest);
	else if (s < 3600)
		(void)snprintf(buf, size, "%s%um%02u.%03us", sign, (unsigned)(s / 60), seconds,
			       rest);
	else
		(void)snprintf(buf, size, "%s%lluh%02um%02u.%03us", sign,
			       (unsigned long long)(s / 3600), (unsigned)(s / 60 % 60), seconds,
			       rest);
	return buf;
}

char *td_format_count(char *buf, size_t size, int64_t n)
{
	char text[TD_UNITS_BUF];
	char *p = text + sizeof(text) - 1;
	uint64_t v = magnitude(n);
	unsigned digits = 0;

	*p = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--p = ',';
		*--p = (char)('0' + v % 10);
		v /= 10;
		digits++;
	} while (v);
	if (n < 0)
		*--p = '-';
	(void)snprintf(buf, size, "%s", p);
	return buf;
}
