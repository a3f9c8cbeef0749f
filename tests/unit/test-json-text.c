/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/json/text.h"
#include "tests/unit/check.h"

static struct td_str str(const char *text)
{
	return (struct td_str){ text, strlen(text) };
}

static const struct {
	const char *text;
	const char *value; /* what td_json_value() takes off; NULL: not JSON */
	const char *compact;
} values[] = {
	{ "null", "null", "null" },
	{ "true,", "true", "true" },
	{ " \t[1, 2.5 ,-3e+7]x", "[1, 2.5 ,-3e+7]", "[1,2.5,-3e+7]" },
	{ "{}", "{}", "{}" },
	{ "{ \"a b\" : { \"c\": [ ] } }", "{ \"a b\" : { \"c\": [ ] } }", "{\"a b\":{\"c\":[]}}" },
	{ "\"a\\\"b\\u00e9\\n\"", "\"a\\\"b\\u00e9\\n\"", "\"a\\\"b\\u00e9\\n\"" },
	{ "\"raw\ttab\"", "\"raw\ttab\"", "\"raw\\u0009tab\"" },
	{ "{\"N\": NaN, \"-I\": [-Infinity, -1, Infinity]}",
	  "{\"N\": NaN, \"-I\": [-Infinity, -1, Infinity]}", "{\"N\":null,\"-I\":[null,-1,null]}" },
	{ "19.768802821636200001", "19.768802821636200001", "19.768802821636200001" },
	{ "", NULL, NULL },
	{ "nul", NULL, NULL },
	{ "-", NULL, NULL },
	{ "1.", NULL, NULL },
	{ "1e", NULL, NULL },
	{ "\"open", NULL, NULL },
	{ "\"\\x\"", NULL, NULL },
	{ "\"\\u12g4\"", NULL, NULL },
	{ "\"\\", NULL, NULL },
	{ "[1,]", NULL, NULL },
	{ "[1 2]", NULL, NULL },
	{ "{\"a\" 1}", NULL, NULL },
	{ "{\"a\":}", NULL, NULL },
	{ "{a: 1}", NULL, NULL },
	{ "{\"a\": 1", NULL, NULL },
	{ "{'a': 1}", NULL, NULL },
};

static void test_values(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(values); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
		struct td_scan s = td_scan_of(values[i].text, strlen(values[i].text));
		struct td_str value = { NULL, 0 };
		bool ok = td_json_value(&s, &value);

		TD_CASE(values[i].text);
		TD_CHECK_INT(ok, values[i].value != NULL);
		if (!ok) {
			TD_CHECK(s.p == values[i].text);
			continue;
		}
		TD_CHECK(td_str_eq(value, values[i].value));
		td_json_add(&b, value);
		TD_CHECK_STR(td_strbuf_str(&b), values[i].compact);
	}
}

/* As deep as wanted, not as deep as the stack. */
static void test_depth(void)
{
	char text[20001];
	struct td_str value;

	TD_CASE("depth");
	memset(text, '[', 10000);
	memset(text + 10000, ']', 10000);
	for (size_t depth = 1; depth <= 10000; depth *= 10) {
		struct td_scan s = td_scan_of(text + 10000 - depth, 2 * depth);

		TD_CHECK_INT(td_json_value(&s, &value), depth <= 100);
	}
}

static void test_members(void)
{
	struct td_str object = str("{\"a\": 1, \"b\" : {\"a\": [2, 3]}, \"c\": \"x,y\"}");
	struct td_scan s = td_scan_of(object.p, object.len);
	struct td_str key, value, text;
	double number;

	TD_CASE("members");
	TD_CHECK(td_json_next(&s, &key, &value) && td_str_eq(key, "a") && td_str_eq(value, "1"));
	TD_CHECK(td_json_next(&s, &key, &value) && td_str_eq(key, "b"));
	TD_CHECK(td_json_next(&s, &key, &value) && td_str_eq(key, "c"));
	TD_CHECK(td_json_string(value, &text) && td_str_eq(text, "x,y"));
	TD_CHECK(!td_json_next(&s, &key, &value));
	TD_CHECK(td_str_eq(td_json_get(td_json_get(object, "b"), "a"), "[2, 3]"));
	TD_CHECK(td_json_get(object, "d").p == NULL);
	TD_CHECK(td_json_get(str("[1]"), "a").p == NULL);
	TD_CHECK(td_json_number(td_json_get(object, "a"), &number) && number == 1.0);
	TD_CHECK(td_json_number(str("-2.5e3"), &number) && number == -2500.0);
	TD_CHECK(!td_json_number(str("\"1\""), &number));
	TD_CHECK(!td_json_number(str("1e999"), &number));
	TD_CHECK(!td_json_number(str(""), &number));
	TD_CHECK(!td_json_string(str("1"), &text));
}

static void test_empty(void)
{
	static const char *const empty[] = { "", "null", "\"\"", "{}", "[]", "{ }", "[ \n]" };
	static const char *const full[] = { "0", "false", "\" \"", "[0]", "{\"a\":1}" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(empty); i++) {
		TD_CASE(empty[i]);
		TD_CHECK(td_json_is_empty(str(empty[i])));
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(full); i++) {
		TD_CASE(full[i]);
		TD_CHECK(!td_json_is_empty(str(full[i])));
	}
}

static void test_quoting(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("quoting");
	td_json_add_string(&b, str("say \"a\\b\"\n"));
	TD_CHECK_STR(td_strbuf_str(&b), "\"say \\\"a\\\\b\\\"\\u000a\"");
}

int main(void)
{
	test_values();
	test_depth();
	test_members();
	test_empty();
	test_quoting();
	return td_check_result();
}
