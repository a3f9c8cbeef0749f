/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/json/write.h"
#include "tests/unit/check.h"

/* What RFC 8259 wants of a string, and RFC 3629 of UTF-8. */
static void test_strings(void)
{
	static const struct {
		const char *text;
		size_t len; /* 0: up to NUL */
		const char *want;
	} cases[] = {
		{ "", 0, "\"\"" },
		{ "say \"a\\b\"\n", 0, "\"say \\\"a\\\\b\\\"\\n\"" },
		{ "\b\f\n\r\t\v\x1b\x7f", 0, "\"\\b\\f\\n\\r\\t\\u000b\\u001b\\u007f\"" },
		{ "x\0y", 3, "\"x\\u0000y\"" },
		{ "a/b", 0, "\"a/b\"" },
		{ "\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80", 0,
		  "\"\xc3\xa9\\u2028\xf0\x9f\x98\x80\"" }, /* e acute, U+2028, U+1F600 */
		{ "\xc2\x9b\xe2\x80\xae\xc2\xa0", 0, /* CSI, which a terminal obeys, and U+202E */
		  "\"\\u009b\\u202e\xc2\xa0\"" },
		{ "\xff|\xe2\x82|\xed\xa0\x80", 0, /* never valid, cut, a surrogate */
		  "\"\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd|"
		  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xe2\x82\"", 0, "\"\xef\xbf\xbd\xef\xbf\xbd\\\"\"" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
		const char *text = cases[i].text;

		TD_CASE(cases[i].want);
		td_json_add_string(
			&b, (struct td_str){ text, cases[i].len ? cases[i].len : strlen(text) });
		TD_CHECK_STR(td_strbuf_str(&b), cases[i].want);
	}
}

static void test_keys(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("keys");
	td_strbuf_addc(&b, '{');
	td_json_add_key(&b, "a\"");
	td_strbuf_addc(&b, '{');
	td_json_add_key(&b, "b");
	td_strbuf_adds(&b, "1}");
	td_json_add_key(&b, "c");
	td_strbuf_adds(&b, "2}");
	TD_CHECK_STR(td_strbuf_str(&b), "{\"a\\\"\":{\"b\":1},\"c\":2}");
}

int main(void)
{
	test_strings();
	test_keys();
	return td_check_result();
}
