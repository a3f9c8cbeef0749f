/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/json/text.h"
#include "common/json/write.h"
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
	{ "\"raw\ttab\"", "\"raw\ttab\"", "\"raw\\ttab\"" },
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
	TD_CHECK(td_json_member(&s, &key, &value) > 0 && td_str_eq(key, "a") &&
		 td_str_eq(value, "1"));
	TD_CHECK(td_json_member(&s, &key, &value) > 0 && td_str_eq(key, "b"));
	TD_CHECK(td_json_member(&s, &key, &value) > 0 && td_str_eq(key, "c"));
	TD_CHECK(td_json_string(value, &text) && td_str_eq(text, "x,y"));
	TD_CHECK_INT(td_json_member(&s, &key, &value), 0);
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

static void test_end(void)
{
	static const struct {
		const char *text;
		int end; /* -1: none */
	} cases[] = {
		{ "\"a\",", 3 },
		{ "\"a\\\"b\" ", 6 },
		{ "\"a\\\\\" ", 5 },
		{ "\"a\\\\\\\" ", -1 },
		{ "\"abc", -1 },
		{ "12.5e3,", 6 },
		{ "N/A}", 3 },
		{ "12", -1 },
		{ "[1, [2], {\"a]\": \"}\"}]x", 21 },
		{ "{\"long enough for eight bytes\": 1234567890123456789}", 52 },
		{ "[[]", -1 },
		{ "{\"a\": \"", -1 },
		{ "", -1 },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		const char *text = cases[i].text, *e = td_json_end(text, text + strlen(text));

		TD_CASE(text);
		TD_CHECK_INT(e ? e - text : -1, cases[i].end);
	}
}

/* Brackets and quotes at every distance, as the scanner takes eight bytes at once. */
static void test_end_at_every_distance(void)
{
	static const char *const inner[] = { "\"]\"", "[]", "{}", "\"\\\"\"" };
	char text[64];

	for (size_t i = 0; i < TD_ARRAY_SIZE(inner); i++) {
		for (int before = 0; before < 20; before++) {
			for (int behind = 0; behind < 20; behind++) {
				int n = snprintf(text, sizeof(text), "[%*s%s%*s]", before, "",
						 inner[i], behind, "");

				TD_CASE(text);
				TD_CHECK(td_json_end(text, text + n) == text + n);
				TD_CHECK(!td_json_end(text, text + n - 1));
			}
		}
	}
}

static void test_loose_members(void)
{
	struct td_str object = str("{ \"a\": 1,, \"b\\\"\":[\"x\"]\n\"c\" :N/A }"), key, value;
	struct td_scan s = td_scan_of(object.p, object.len);

	TD_CASE("members");
	TD_CHECK_INT(td_json_member(&s, &key, &value), 1);
	TD_CHECK(td_str_eq(key, "a") && td_str_eq(value, "1"));
	TD_CHECK_INT(td_json_member(&s, &key, &value), 1);
	TD_CHECK(td_str_eq(key, "b\\\"") && td_str_eq(value, "[\"x\"]"));
	TD_CHECK_INT(td_json_member(&s, &key, &value), 1);
	TD_CHECK(td_str_eq(key, "c") && td_str_eq(value, "N/A"));
	TD_CHECK_INT(td_json_member(&s, &key, &value), 0);
	TD_CHECK(td_str_eq(td_json_get(object, "c"), "N/A"));
	TD_CHECK(!td_json_get(object, "d").p);
	TD_CHECK(!td_json_get(str("[\"c\", 1]"), "c").p);
}

static void test_no_members(void)
{
	static const char *const texts[] = { "{a: 1}",      "{\"a\" 1}", "{\"a\":}", "{\"a\": \"b}",
					     "{\"a\": ,1}", "{1}",       "{\"a",     "{" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(texts); i++) {
		struct td_scan s = td_scan_of(texts[i], strlen(texts[i]));
		struct td_str key, value;

		TD_CASE(texts[i]);
		TD_CHECK_INT(td_json_member(&s, &key, &value), -EBADMSG);
	}
}

static void test_decode(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "plain", "plain" },
		{ "a\\\"b\\\\c\\/d", "a\"b\\c/d" },
		{ "\\n\\t", "\n\t" },
		{ "\\u0041\\u00e9\\u20ac", "A\xc3\xa9\xe2\x82\xac" }, /* A, e acute, euro sign */
		{ "\\ud83d\\ude00", "\xf0\x9f\x98\x80" }, /* U+1F600 */
		{ "\\ud83dx", "\xef\xbf\xbdx" }, /* half of a pair: U+FFFD */
		{ "C:\\Users\\x", "C:\\Users\\x" }, /* not escaped as it should be */
		{ "\\u12", "\\u12" },
		{ "end\\", "end\\" },
	};
	_cleanup_(td_strbuf_done) struct td_strbuf buf = TD_STRBUF_INIT;

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		struct td_str got = td_json_decode(str(cases[i].text), &buf);

		TD_CASE(cases[i].text);
		TD_CHECK(td_str_eq(got, cases[i].want));
	}
}

static void test_fixed(void)
{
	static const struct {
		const char *text;
		int decimals;
		int64_t want; /* INT64_MIN: refused */
	} cases[] = {
		{ "1712195495519689.047", 3, INT64_C(1712195495519689047) },
		{ "4203669604595.407", 3, INT64_C(4203669604595407) },
		{ "12", 3, 12000 },
		{ "-1.5", 3, -1500 },
		{ "0.0004", 3, 0 },
		{ "0.0005", 3, 1 },
		{ "93.80399999999999", 3, 93804 },
		{ "1.25e3", 3, 1250000 },
		{ "125E-2", 0, 1 },
		{ "1.5e-07", 3, 0 },
		{ "5e-4", 3, 1 },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "9223372036854775808", 0, INT64_MIN },
		{ "9223372036854775.808", 3, INT64_MIN },
		{ "18446744073709551615", 0, INT64_MIN },
		{ "1e400", 0, INT64_MIN },
		{ "0e400", 0, 0 },
		{ "0.00000000000000000000000000012345678901234567890123", 3, 0 },
		{ "123456789012345678901234567890e-20", 0, INT64_C(1234567890) },
		{ "", 0, INT64_MIN },
		{ "-", 0, INT64_MIN },
		{ ".", 0, INT64_MIN },
		{ "1.2.3", 0, INT64_MIN },
		{ "1e", 0, INT64_MIN },
		{ "nan", 0, INT64_MIN },
		{ "12 ", 0, INT64_MIN },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		int64_t got;

		TD_CASE(cases[i].text);
		if (!td_json_fixed(str(cases[i].text), cases[i].decimals, &got))
			got = INT64_MIN;
		TD_CHECK_INT(got, cases[i].want);
	}
}

/* Where it says where an object ends, that is where td_json_end() and the members say. */
static void test_object_end(void)
{
	static const struct {
		const char *text;
		size_t len, n; /* len 0: it says nothing */
	} cases[] = {
		{ "{\"a\":1,\"b\":{\"c\":[\"}\"]}} x", 23, 2 },
		{ "{ ,\"a\" : \"\\\"}\" , ,\"b\":null\n}", 28, 2 },
		{ "{}", 2, 0 },
		{ "{\"a\":1", 0, 0 },
		{ "{\"a\":]}", 0, 0 },
		{ "{\"a\":}", 0, 0 },
		{ "{\"a\" 1}", 0, 0 },
		{ "{{\"a\":1}}", 0, 0 },
		{ "{\"a\":1]}", 0, 0 },
		{ "{\"a\":[}", 0, 0 },
		{ "{a:1}", 0, 0 },
		{ "[1]", 0, 0 },
		{ "\"a\"", 0, 0 },
		{ "", 0, 0 },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		const char *p = cases[i].text, *end = p + strlen(p), *e;
		struct td_json_object o = { .n = 7 };

		TD_CASE(cases[i].text);
		e = td_json_object_end(p, end, &o);
		TD_CHECK_INT(e ? e - p : 0, cases[i].len);
		TD_CHECK_INT(o.n, cases[i].n);
		if (e)
			TD_CHECK(e == td_json_end(p, end));
		if (o.n == 2)
			TD_CHECK(td_str_eq(o.members[0].key, "a") &&
				 td_str_eq(o.members[1].key, "b"));
	}
}

/* One member too many is left to others. */
static void test_many_members(void)
{
	for (int n = TD_JSON_MEMBERS_MAX; n <= TD_JSON_MEMBERS_MAX + 1; n++) {
		_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
		struct td_json_object o;

		td_strbuf_addc(&b, '{');
		for (int i = 0; i < n; i++)
			td_strbuf_addf(&b, "\"%d\":%d,", i, i);
		td_strbuf_addc(&b, '}');
		TD_CHECK(td_json_object_end(b.p, b.p + b.len, &o) ==
			 (n > TD_JSON_MEMBERS_MAX ? NULL : b.p + b.len));
		TD_CHECK_INT(o.n, n > TD_JSON_MEMBERS_MAX ? 0 : n);
	}
}

int main(void)
{
	test_object_end();
	test_many_members();
	test_end();
	test_end_at_every_distance();
	test_loose_members();
	test_no_members();
	test_decode();
	test_fixed();
	test_values();
	test_depth();
	test_members();
	test_empty();
	return td_check_result();
}
