/* SPDX-License-Identifier: MIT */
/* The sequences at the borders of RFC 3629, section 4; R stands for U+FFFD. */
#include "common/cleanup.h"
#include "common/utf8.h"
#include "tests/unit/check.h"

#define R "\xef\xbf\xbd"

#define TEXT(s) (s), sizeof(s) - 1

static const struct {
	const char *name, *in;
	size_t len;
	const char *want; /* NULL: valid as it is */
} cases[] = {
	{ "empty", TEXT(""), NULL },
	{ "ASCII", TEXT("a\tb\x7f"), NULL },
	{ "first and last of two bytes", TEXT("\xc2\x80\xdf\xbf"), NULL },
	{ "first and last of three bytes", TEXT("\xe0\xa0\x80\xef\xbf\xbf"), NULL },
	{ "around the surrogates", TEXT("\xed\x9f\xbf\xee\x80\x80"), NULL },
	{ "first and last of four bytes", TEXT("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"), NULL },
	{ "NUL", TEXT("a\0b"), "a" R "b" },
	{ "NUL among eight characters", TEXT("abcdefg\0abcdefgh"), "abcdefg" R "abcdefgh" },
	{ "many characters, others among them",
	  TEXT("0123456789\xc3\xa4"
	       "0123456789\x7f\x80z"),
	  "0123456789\xc3\xa4"
	  "0123456789\x7f" R "z" },
	{ "a continuation byte alone", TEXT("\x80z\xbf"), R "z" R },
	{ "overlong NUL", TEXT("\xc0\x80"), R R },
	{ "overlong in two bytes: U+007F", TEXT("\xc1\xbf"), R R },
	{ "overlong in three bytes: U+07FF", TEXT("\xe0\x9f\xbf"), R R R },
	{ "overlong in four bytes: U+FFFF", TEXT("\xf0\x8f\xbf\xbf"), R R R R },
	{ "first surrogate", TEXT("\xed\xa0\x80"), R R R },
	{ "last surrogate", TEXT("\xed\xbf\xbf"), R R R },
	{ "U+110000", TEXT("\xf4\x90\x80\x80"), R R R R },
	{ "five bytes", TEXT("\xf8\x88\x80\x80\x80"), R R R R R },
	{ "never in UTF-8", TEXT("\xfe\xff"), R R },
	{ "Latin-1 in the middle",
	  TEXT("gr\xfc\xdf"
	       "e"),
	  "gr" R R "e" },
	{ "cut after one of two", TEXT("a\xc3"), "a" R },
	{ "cut after two of three", TEXT("a\xe2\x82"), "a" R R },
	{ "cut after three of four", TEXT("a\xf0\x9f\x98"), "a" R R R },
	{ "a lead byte, then ASCII", TEXT("\xe2(\xa1"), R "(" R },
	{ "long, all ASCII up to 0x7f", TEXT("\x01 abcdefghijklm~\x7f 12345678"), NULL },
	{ "NUL in the middle of plain text", TEXT("abcdefghabc\0efghabcdefgh"),
	  "abcdefghabc" R "efghabcdefgh" },
	{ "NUL at the end of eight bytes", TEXT("abcdefg\0abcdefgh"), "abcdefg" R "abcdefgh" },
	{ "0x80 behind a byte of 1",
	  TEXT("abcdef\x01\x80"
	       "abcdefgh"),
	  "abcdef\x01" R "abcdefgh" },
	{ "two bytes across a step",
	  TEXT("abcdefg\xc3\xa4"
	       "abcdefg"),
	  NULL },
	{ "valid behind invalid", TEXT("\xff\xc3\xa4"), R "\xc3\xa4" },
};

/* Code points at the borders of the lengths, as RFC 3629 writes them. */
static void test_encode(void)
{
	static const struct {
		uint32_t cp;
		const char *want;
	} points[] = {
		{ 0x7f, "\x7f" },
		{ 0x80, "\xc2\x80" },
		{ 0x7ff, "\xdf\xbf" },
		{ 0x800, "\xe0\xa0\x80" },
		{ 0xffff, "\xef\xbf\xbf" },
		{ 0x10000, "\xf0\x90\x80\x80" },
		{ 0x10ffff, "\xf4\x8f\xbf\xbf" },
	};

	TD_CASE("encode");
	for (size_t i = 0; i < TD_ARRAY_SIZE(points); i++) {
		char got[5] = "";

		TD_CHECK_INT(td_utf8_encode(points[i].cp, got), strlen(points[i].want));
		TD_CHECK_STR(got, points[i].want);
	}
}

static void test_set(void)
{
	_cleanup_free_ char *text = NULL;

	TD_CASE("set");
	TD_CHECK_INT(td_utf8_set(&text, "a\xff"), 0);
	TD_CHECK_STR(text, "a" R);
	TD_CHECK_INT(td_utf8_set(&text, "b"), 0);
	TD_CHECK_STR(text, "b");
	TD_CHECK_INT(td_utf8_set(&text, NULL), 0);
	TD_CHECK(!text);
}

/* ASCII is looked at eight bytes at a time, the last of which may be looked at twice: what is none counts wherever it is. */
static void test_places(void)
{
	TD_CASE("places");
	for (size_t len = 1; len <= 24; len++) {
		for (size_t at = 0; at < len; at++) {
			_cleanup_free_ char *text = malloc(len);

			memset(text, 'a', len);
			TD_CHECK(td_utf8_valid(text, len));
			text[at] = '\0';
			TD_CHECK(!td_utf8_valid(text, len));
			text[at] = '\xff';
			TD_CHECK(!td_utf8_valid(text, len));
			text[at] = '\xc3'; /* with one byte of 10xxxxxx behind it */
			TD_CHECK(!td_utf8_valid(text, len));
			if (at + 1 < len)
				text[at + 1] = '\xa9';
			TD_CHECK_INT(td_utf8_valid(text, len), at + 1 < len);
		}
	}
}

int main(void)
{
	test_set();
	test_places();
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		/* of its exact size, so that reading behind it is seen */
		_cleanup_free_ char *in = malloc(cases[i].len);
		_cleanup_free_ char *copy = NULL;

		TD_CASE(cases[i].name);
		if (cases[i].len)
			memcpy(in, cases[i].in, cases[i].len);
		TD_CHECK_INT(td_utf8_valid(in, cases[i].len), !cases[i].want);
		copy = td_utf8_dup(in, cases[i].len);
		TD_CHECK_STR(copy, cases[i].want ? cases[i].want : cases[i].in);
		TD_CHECK_INT(td_utf8_valid(copy, strlen(copy)), true);
	}
	test_encode();
	return td_check_result();
}
