/* SPDX-License-Identifier: MIT */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/scan.h"
#include "tests/unit/check.h"

static void test_numbers(void)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t want;
		size_t used;
	} cases[] = {
		{ "0", true, 0, 1 },
		{ "12 ", true, 12, 2 },
		{ "-467090038x", true, -467090038, 10 },
		{ "9223372036854775807", true, INT64_MAX, 19 },
		{ "-9223372036854775808", true, INT64_MIN, 20 },
		{ "9223372036854775808", false, 0, 0 },
		{ "-", false, 0, 0 },
		{ "", false, 0, 0 },
		{ " 1", false, 0, 0 },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		struct td_scan s = td_scan_of(cases[i].text, strlen(cases[i].text));
		int64_t v = 0;

		TD_CASE(cases[i].text);
		TD_CHECK(td_scan_i64(&s, &v) == cases[i].ok);
		TD_CHECK_INT(v, cases[i].want);
		TD_CHECK_INT(s.p - cases[i].text, cases[i].used);
	}
}

static void test_u64_limits(void)
{
	struct td_scan s = td_scan_of("18446744073709551615", 20);
	uint64_t v = 0;

	TD_CASE("2^64-1");
	TD_CHECK(td_scan_u64(&s, &v) && v == UINT64_MAX);
	s = td_scan_of("18446744073709551616", 20);
	TD_CHECK(!td_scan_u64(&s, &v));
	s = td_scan_of("0x561daa429a20", 14);
	TD_CHECK(td_scan_hex(&s, &v) && v == 0x561daa429a20);
}

/* Hexadecimal numbers of every length before every byte: what C's own scanner makes of the same text, and none of 17 digits. */
static void test_hex(void)
{
	static const char digits[] = "1aF09cD4e8B25f7A3";

	TD_CASE("hex");
	for (size_t n = 0; n <= 17; n++) {
		for (unsigned next = 0; next < 256; next++) {
			char text[24];
			struct td_scan s = { text, text + n + 1 };
			unsigned long long want;
			uint64_t got = 0;
			char *end;
			size_t len;

			memcpy(text, digits, n);
			text[n] = (char)next;
			text[n + 1] = '\0';
			len = strspn(text, "0123456789abcdefABCDEF");
			want = strtoull(len ? text : "0", &end, 16);
			TD_CHECK_INT(td_scan_hex(&s, &got), len > 0 && len <= 16);
			if (len > 0 && len <= 16) {
				TD_CHECK(got == want);
				TD_CHECK_INT(s.p - text, end - text);
			} else {
				TD_CHECK(s.p == text && got == 0);
			}
		}
	}
}

/* Numbers of every length before every byte, with and without eight bytes behind them to read at once. The
 * allocations are exact: the sanitizer sees a read behind them. */
static void test_digits(void)
{
	for (uint64_t v = 1, digits = 1; digits <= 20; v = v * 10 + digits++ % 10) {
		for (unsigned next = 0; next < 256; next++) {
			char text[64];
			int n = snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
			size_t len = (size_t)n + next % 12;
			char *copy = malloc(len);
			struct td_scan s = { copy, copy + len };
			uint64_t got = 0;

			memset(copy, (int)next, len);
			memcpy(copy, text, (size_t)n);
			if (next >= '0' && next <= '9')
				s.end = copy + n;
			TD_CHECK(td_scan_u64(&s, &got));
			TD_CHECK_INT(got, v);
			TD_CHECK_INT(s.p - copy, n);
			free(copy);
		}
	}
}

/* Epoch values from `date -u -d ... +%s`. */
static void test_times(void)
{
	struct td_scan s = td_scan_of("2022-02-05T20:27:46.077425393 x", 31);
	int64_t ns = 0;
	double d = 0;
	char buf[40];

	TD_CASE("iso");
	TD_CHECK(td_scan_iso(&s, &ns));
	TD_CHECK_INT(ns, INT64_C(1644092866077425393));
	TD_CHECK_STR(td_format_utc(buf, sizeof(buf), ns, 9), "2022-02-05T20:27:46.077425393Z");
	TD_CHECK_STR(td_format_utc(buf, sizeof(buf), -1, 3), "1969-12-31T23:59:59.999Z");
	s = td_scan_of("23:59:60.5", 10);
	TD_CHECK(td_scan_tod(&s, &ns));
	TD_CHECK_INT(ns, INT64_C(86400500000000));
	s = td_scan_of("24:00:00", 8);
	TD_CHECK(!td_scan_tod(&s, &ns));
	s = td_scan_of("2022-02-29T00:00:00", 19);
	TD_CHECK(!td_scan_iso(&s, &ns));
	s = td_scan_of("97,25", 5);
	TD_CHECK(td_scan_double(&s, &d) && d == 97.25);
	s = td_scan_of("1693.000040721>", 15);
	TD_CHECK(td_scan_fixed9(&s, &ns));
	TD_CHECK_INT(ns, INT64_C(1693000040721));
}

static const struct {
	const char *text;
	int64_t want_ns;
	int used;
} fixed[] = {
	{ "0", 0, 1 },
	{ "5.", 5000000000, 1 },
	{ "5.x", 5000000000, 1 },
	{ "5,5 ", 5500000000, 3 },
	{ "0.1234567899x", 123456789, 12 },
	{ "1.00000000012345", 1000000000, 16 },
	{ "000000000000000000000007.1", 7100000000, 26 },
};

static void test_fixed(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(fixed); i++) {
		struct td_scan s = td_scan_of(fixed[i].text, strlen(fixed[i].text));
		int64_t ns = -1;

		TD_CASE(fixed[i].text);
		TD_CHECK(td_scan_fixed9(&s, &ns));
		TD_CHECK_INT(ns, fixed[i].want_ns);
		TD_CHECK_INT(s.p - fixed[i].text, fixed[i].used);
	}
}

static void test_blank(void)
{
	static const struct {
		const char *text;
		bool want;
	} cases[] = {
		{ "", true }, { " \t", true }, { "\r", true }, { " x", false }, { "\n", false },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		TD_CASE(cases[i].text);
		TD_CHECK(td_str_is_blank((struct td_str){ cases[i].text, strlen(cases[i].text) }) ==
			 cases[i].want);
	}
	TD_CHECK(!td_str_is_blank((struct td_str){ "", 1 })); /* the terminating zero */
}

static void test_lines(void)
{
	const char *text = "a\r\n\nb";
	struct td_scan s = td_scan_of(text, strlen(text)), none = td_scan_of(NULL, 0);
	struct td_str line;

	TD_CASE("lines");
	TD_CHECK(td_scan_line(&s, false, &line) && td_str_eq(line, "a"));
	TD_CHECK(td_scan_line(&s, false, &line) && td_str_eq(line, ""));
	TD_CHECK(!td_scan_line(&s, false, &line));
	TD_CHECK_STR(s.p, "b");
	TD_CHECK(td_scan_line(&s, true, &line) && td_str_eq(line, "b"));
	TD_CHECK(!td_scan_line(&s, true, &line));
	TD_CHECK(!td_scan_line(&none, true, &line));
}

static void fill(char *text, size_t len, size_t letters, unsigned *seed)
{
	for (size_t i = 0; i < len; i++) {
		*seed = *seed * 1103515245 + 12345;
		text[i] = "Qa 0"[(*seed >> 16) % letters];
	}
}

/* Of any text over few characters, rare and frequent ones, memmem() finds the same. */
static void test_find(void)
{
	unsigned seed = 1, found = 0;
	char text[64], what[4];

	TD_CASE("find");
	for (unsigned i = 0; i < 100000; i++) {
		size_t len = i % sizeof(text), n = 1 + i / 7 % sizeof(what), used = 1 + i / 3 % 4;
		const char *want;

		fill(text, len, used, &seed);
		fill(what, n, used, &seed);
		want = memmem(text, len, what, n);
		found += want != NULL;
		TD_CHECK(td_find(text, len, what, n) == want);
	}
	TD_CHECK(found > 10000 && found < 90000);
	TD_CHECK(td_find(text, 1, "", 0) == text);
	TD_CHECK(!td_str_find((struct td_str){ NULL, 0 }, "a"));
	TD_CHECK(!td_str_find((struct td_str){ NULL, 0 }, ""));
}

int main(void)
{
	test_blank();
	test_find();
	test_lines();
	test_numbers();
	test_fixed();
	test_u64_limits();
	test_hex();
	test_digits();
	test_times();
	return td_check_result();
}
