/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/units.h"
#include "tests/unit/check.h"

#define UNTOUCHED (-77)

struct parse_case {
	const char *text;
	int r;
	int64_t want;
};

static void test_durations(void)
{
	static const struct parse_case cases[] = {
		{ "500ms", 0, 500000000 },
		{ "1.5s", 0, 1500000000 },
		{ "0", 0, 0 },
		{ "1644092866077425393", 0, INT64_C(1644092866077425393) },
		{ "17ns", 0, 17 },
		{ "3us", 0, 3000 },
		{ "3\xc2\xb5s", 0, 3000 },
		{ "3\xce\xbcs", 0, 3000 },
		{ "2 m", 0, INT64_C(120000000000) },
		{ "2min", 0, INT64_C(120000000000) },
		{ "1h30m", 0, INT64_C(5400000000000) },
		{ " 1h 0.5s ", 0, INT64_C(3600500000000) },
		{ "1d", 0, INT64_C(86400000000000) },
		{ "0.000000001s", 0, 1 },
		{ "0.0000000019s", 0, 1 },
		{ "1.9ns", 0, 1 },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "9223372036854775808", -ERANGE, UNTOUCHED },
		{ "99999999999999999999", -ERANGE, UNTOUCHED },
		{ "106752d", -ERANGE, UNTOUCHED }, /* 2^63 ns are 106751.99 days */
		{ "106751d", 0, INT64_C(9223286400000000000) },
		{ "", -EINVAL, UNTOUCHED },
		{ " ", -EINVAL, UNTOUCHED },
		{ "ms", -EINVAL, UNTOUCHED },
		{ "-1s", -EINVAL, UNTOUCHED },
		{ "1.s", -EINVAL, UNTOUCHED },
		{ ".5s", -EINVAL, UNTOUCHED },
		{ "1S", -EINVAL, UNTOUCHED },
		{ "1mb", -EINVAL, UNTOUCHED },
		{ "1h30", -EINVAL, UNTOUCHED },
		{ "30 1h", -EINVAL, UNTOUCHED },
		{ "1e3", -EINVAL, UNTOUCHED },
		{ "5 s x", -EINVAL, UNTOUCHED },
	};
	int64_t ns = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		TD_CASE(cases[i].text);
		ns = UNTOUCHED;
		TD_CHECK_INT(td_parse_duration(cases[i].text, 1, &ns), cases[i].r);
		TD_CHECK_INT(ns, cases[i].want);
	}
	TD_CASE("bare seconds");
	TD_CHECK_INT(td_parse_duration("2.25", 1000000000, &ns), 0);
	TD_CHECK_INT(ns, INT64_C(2250000000));
	TD_CHECK_INT(td_parse_duration("2ms", 1000000000, &ns), 0);
	TD_CHECK_INT(ns, 2000000);
}

static void test_sizes(void)
{
	static const struct parse_case cases[] = {
		{ "64mb", 0, 64000000 },
		{ "4k", 0, 4096 },
		{ "4K", 0, 4096 },
		{ "4kB", 0, 4000 },
		{ "4KiB", 0, 4096 },
		{ "1.5GiB", 0, 1610612736 }, /* 3 * 2^29 */
		{ "2 GB", 0, 2000000000 },
		{ "1t", 0, INT64_C(1099511627776) },
		{ "512", 0, 512 },
		{ "512b", 0, 512 },
		{ "0.3k", 0, 307 }, /* 307.2 */
		{ "8388607t", 0, INT64_C(9223370937343148032) }, /* 2^63 - 2^40 */
		{ "8388608t", -ERANGE, UNTOUCHED },
		{ "4x", -EINVAL, UNTOUCHED },
		{ "4ki", -EINVAL, UNTOUCHED },
		{ "-4k", -EINVAL, UNTOUCHED },
		{ "4ms", -EINVAL, UNTOUCHED },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		int64_t bytes = UNTOUCHED;

		TD_CASE(cases[i].text);
		TD_CHECK_INT(td_parse_size(cases[i].text, &bytes), cases[i].r);
		TD_CHECK_INT(bytes, cases[i].want);
	}
}

struct format_case {
	int64_t value;
	const char *want;
};

static void check_format(char *(*format)(char *, size_t, int64_t), const struct format_case *cases,
			 size_t n)
{
	char buf[TD_UNITS_BUF];

	for (size_t i = 0; i < n; i++) {
		TD_CASE(cases[i].want);
		TD_CHECK_STR(format(buf, sizeof(buf), cases[i].value), cases[i].want);
		TD_CHECK(strncmp(format(buf, 4, cases[i].value), cases[i].want, 3) == 0);
		TD_CHECK(strlen(buf) <= 3);
	}
}

static void test_formats(void)
{
	static const struct format_case bytes[] = {
		{ 0, "0 B" },
		{ 999, "999 B" },
		{ 1000, "1.00 kB" },
		{ 1234567, "1.23 MB" },
		{ 40000, "40.0 kB" },
		{ 9994, "9.99 kB" },
		{ 9995, "10.0 kB" },
		{ 999499, "999 kB" },
		{ 999500, "1.00 MB" },
		{ -1536, "-1.54 kB" },
		{ INT64_MAX, "9.22 EB" },
		{ INT64_MIN, "-9.22 EB" },
		{ 512, "512 B" },
		{ 1024, "1 KiB" },
		{ 4096, "4 KiB" },
		{ 131072, "128 KiB" },
		{ 1048576, "1 MiB" },
		{ 4097, "4.10 kB" },
		{ 12288, "12.3 kB" },
		{ INT64_C(1) << 33, "8 GiB" },
		{ INT64_C(1) << 60, "1.15 EB" },
		{ -4096, "-4.10 kB" },
	};
	static const struct format_case durs[] = {
		{ 0, "0 ns" },
		{ 1, "1 ns" },
		{ 1234, "1.23 us" },
		{ 12345678, "12.3 ms" },
		{ 2500000000, "2.50 s" },
		{ 59949999999, "59.9 s" },
		{ 59950000000, "1m00s" },
		{ 65400000000, "1m05s" },
		{ 3599499999999, "59m59s" },
		{ 3599500000000, "1h00m" },
		{ 3725000000000, "1h02m" }, /* 3600 + 125 s */
		{ 86369999999999, "23h59m" },
		{ 86370000000000, "1d00h" },
		{ 273600000000000, "3d04h" }, /* 76 h */
		{ -12345678, "-12.3 ms" },
		{ -3725000000000, "-1h02m" },
		{ INT64_MAX, "106752d00h" },
	};
	static const struct format_case offsets[] = {
		{ 0, "0.000s" },
		{ 999999, "0.000s" },
		{ 12345678901, "12.345s" },
		{ 59999999999, "59.999s" },
		{ 60000000000, "1m00.000s" },
		{ 1070123000000, "17m50.123s" }, /* 1020 + 50 s */
		{ 3600000000000, "1h00m00.000s" },
		{ 93900000000000, "26h05m00.000s" }, /* 93600 + 300 s */
		{ INT64_MAX, "2562047h47m16.854s" },
		{ -999999, "0.000s" },
		{ -5000000, "-0.005s" },
		{ -61000000000, "-1m01.000s" },
	};
	static const struct format_case counts[] = {
		{ 0, "0" },
		{ 999, "999" },
		{ 1000, "1,000" },
		{ -1234567, "-1,234,567" },
		{ 100000, "100,000" },
		{ INT64_MIN, "-9,223,372,036,854,775,808" },
	};

	check_format(td_format_bytes, bytes, TD_ARRAY_SIZE(bytes));
	check_format(td_format_dur, durs, TD_ARRAY_SIZE(durs));
	check_format(td_format_count, counts, TD_ARRAY_SIZE(counts));
	check_format(td_format_offset, offsets, TD_ARRAY_SIZE(offsets));
	/* what --filter-time is given is what was printed, cut to the millisecond */
	for (size_t i = 0; i < TD_ARRAY_SIZE(offsets) && offsets[i].value >= 0; i++) {
		int64_t ns = -1;

		TD_CASE(offsets[i].want);
		TD_CHECK_INT(td_parse_duration(offsets[i].want, 1, &ns), 0);
		TD_CHECK_INT(ns, offsets[i].value / 1000000 * 1000000);
	}
}

int main(void)
{
	test_durations();
	test_sizes();
	test_formats();
	return td_check_result();
}
