/* SPDX-License-Identifier: MIT */
#include "common/json/stream.h"
#include "common/strbuf.h"
#include "tests/unit/check.h"

struct opened {
	struct td_stream *in;
	struct td_err err;
	struct td_json_stream js;
};

static void opened_done(struct opened *o)
{
	td_stream_close(o->in);
}

static void open_text(struct opened *o, const char *text, size_t len)
{
	TD_CHECK_INT(td_stream_open_mem(text, len, &o->in), 0);
	td_json_stream_init(&o->js, o->in, &o->err);
}

/* What comes of an array, a word for each element: its text, "SPOILT:text", at the end "CUT:text" or "]". */
static void add_elements(struct td_strbuf *b, struct td_json_stream *js)
{
	struct td_str text;
	int r;

	while ((r = td_json_stream_element(js, &text)) > 0) {
		if (r != TD_JSON_GOT)
			td_strbuf_adds(b, r == TD_JSON_CUT ? "CUT:" : "SPOILT:");
		td_strbuf_add(b, text.p, text.len);
		if (r == TD_JSON_CUT)
			return;
		td_strbuf_addc(b, ' ');
	}
	TD_CHECK_INT(r, TD_JSON_CLOSED);
	td_strbuf_addc(b, ']');
}

static void test_elements(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "[]", "]" },
		{ " [ {\"a\":1} , 2, \"x\",,[3] ]", "{\"a\":1} 2 \"x\" [3] ]" },
		{ "[{\"a\":1},{\"b\"", "{\"a\":1} CUT:{\"b\"" },
		{ "[{\"a\":1},", "{\"a\":1} CUT:" },
		{ "[12", "CUT:12" },
		{ "[", "CUT:" },
		{ "[}{\"a\":1}]", "} {\"a\":1} ]" },
		/* brackets too many: the element does not end, but another begins behind a '}' */
		{ "[{\"a\":[[},{\"b\":2},{\"c\":3}]",
		  "SPOILT:{\"a\":[[},{\"b\":2},{\"c\":3}] {\"b\":2} {\"c\":3} ]" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(opened_done) struct opened o = { 0 };
		_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

		TD_CASE(cases[i].text);
		open_text(&o, cases[i].text, strlen(cases[i].text));
		TD_CHECK_INT(td_json_stream_enter(&o.js, '['), 1);
		add_elements(&got, &o.js);
		TD_CHECK_STR(td_strbuf_str(&got), cases[i].want);
	}
}

/* A quote too many makes one element of two; the second one is found again. */
static void test_spoilt(void)
{
	static const char text[] = "[{\"a\":\"b\"c\"},\n {\"d\":\"\"e\"}, {\"f\":1}]";
	_cleanup_(opened_done) struct opened o = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;
	struct td_str element;

	TD_CASE("spoilt");
	open_text(&o, text, strlen(text));
	TD_CHECK_INT(td_json_stream_enter(&o.js, '['), 1);
	TD_CHECK_INT(td_json_stream_element(&o.js, &element), TD_JSON_GOT);
	TD_CHECK(td_str_eq(element, "{\"a\":\"b\"c\"},\n {\"d\":\"\"e\"}"));
	td_json_stream_spoilt(&o.js);
	add_elements(&got, &o.js);
	TD_CHECK_STR(td_strbuf_str(&got), "SPOILT:{\"d\":\"\"e\"}, {\"f\":1}] {\"f\":1} ]");
}

static void test_keys(void)
{
	static const char text[] =
		"\n{\"a\": 12, \"b\": [1, 2],\n\"c\": {\"x\": \"}\"}, \"d\": null}";
	_cleanup_(opened_done) struct opened o = { 0 };
	struct td_str key, value;

	TD_CASE("keys");
	open_text(&o, text, strlen(text));
	TD_CHECK_INT(td_json_stream_enter(&o.js, '['), 0);
	TD_CHECK_INT(td_json_stream_enter(&o.js, '{'), 1);
	TD_CHECK_INT(td_json_stream_key(&o.js, &key), TD_JSON_GOT);
	TD_CHECK(td_str_eq(key, "a"));
	TD_CHECK_INT(td_json_stream_skip(&o.js), TD_JSON_GOT);
	TD_CHECK_INT(td_json_stream_key(&o.js, &key), TD_JSON_GOT);
	TD_CHECK(td_str_eq(key, "b"));
	TD_CHECK_INT(td_json_stream_value(&o.js, &value), TD_JSON_GOT);
	TD_CHECK(td_str_eq(value, "[1, 2]"));
	TD_CHECK_INT(td_json_stream_key(&o.js, &key), TD_JSON_GOT);
	TD_CHECK_INT(td_json_stream_skip(&o.js), TD_JSON_GOT);
	TD_CHECK_INT(td_json_stream_key(&o.js, &key), TD_JSON_GOT);
	TD_CHECK(td_str_eq(key, "d"));
	TD_CHECK_INT(td_json_stream_value(&o.js, &value), TD_JSON_GOT);
	TD_CHECK(td_str_eq(value, "null"));
	TD_CHECK_INT(td_json_stream_key(&o.js, &key), TD_JSON_CLOSED);
	TD_CHECK_INT(td_json_stream_peek(&o.js), 0);
}

static void test_bad_keys(void)
{
	static const struct {
		const char *text;
		int want;
	} cases[] = {
		{ "{", TD_JSON_CUT },      { "{\"a", TD_JSON_CUT },
		{ "{\"a\"", TD_JSON_CUT }, { "{\"a\" 1}", TD_JSON_SPOILT },
		{ "{1}", TD_JSON_SPOILT }, { "{}", TD_JSON_CLOSED },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(opened_done) struct opened o = { 0 };
		struct td_str key;

		TD_CASE(cases[i].text);
		open_text(&o, cases[i].text, strlen(cases[i].text));
		TD_CHECK_INT(td_json_stream_enter(&o.js, '{'), 1);
		TD_CHECK_INT(td_json_stream_key(&o.js, &key), cases[i].want);
	}
}

/* Elements that straddle the windows the text is read in, up to one that is too long. */
static void test_lengths(void)
{
	static const size_t lengths[] = { 1,       100,     65520, 65536,  300000,
					  1000000, 1100000, 50000, 262144, 7 };
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	_cleanup_(opened_done) struct opened o = { 0 };
	struct td_str element;

	TD_CASE("lengths");
	td_strbuf_addc(&text, '[');
	for (size_t i = 0; i < TD_ARRAY_SIZE(lengths); i++) {
		td_strbuf_adds(&text, i ? ",\n{\"a\":\"" : "{\"a\":\"");
		for (size_t k = 0; k < lengths[i]; k++)
			td_strbuf_addc(&text, "x{]y"[k % 4]);
		td_strbuf_adds(&text, "\"}");
	}
	td_strbuf_addc(&text, ']');
	open_text(&o, td_strbuf_str(&text), text.len);
	TD_CHECK_INT(td_json_stream_enter(&o.js, '['), 1);
	for (size_t i = 0; i < TD_ARRAY_SIZE(lengths); i++) {
		bool fits = lengths[i] + 8 <= TD_LINE_MAX;

		TD_CHECK_INT(td_json_stream_element(&o.js, &element),
			     fits ? TD_JSON_GOT : TD_JSON_SPOILT);
		TD_CHECK_INT(element.len, fits ? lengths[i] + 8 : TD_JSON_HEAD); /* {"a":""} */
	}
	TD_CHECK_INT(td_json_stream_element(&o.js, &element), TD_JSON_CLOSED);
}

/* A value that no window holds is skipped as a whole. */
static void test_long_value(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	_cleanup_(opened_done) struct opened o = { 0 };
	struct td_str key, value;

	TD_CASE("long value");
	td_strbuf_adds(&text, "{\"a\":[");
	for (int i = 0; i < 100000; i++)
		td_strbuf_adds(&text, "{\"b\":\"]}\\\"\\\\\"},{\"c\":[1]},");
	td_strbuf_adds(&text, "0],\"d\":7}");
	open_text(&o, td_strbuf_str(&text), text.len);
	TD_CHECK_INT(td_json_stream_enter(&o.js, '{'), 1);
	TD_CHECK_INT(td_json_stream_key(&o.js, &key), TD_JSON_GOT);
	TD_CHECK_INT(td_json_stream_value(&o.js, &value), TD_JSON_SPOILT);
	TD_CHECK_INT(td_json_stream_key(&o.js, &key), TD_JSON_GOT);
	TD_CHECK(td_str_eq(key, "d"));
	TD_CHECK_INT(td_json_stream_value(&o.js, &value), TD_JSON_GOT);
	TD_CHECK(td_str_eq(value, "7"));
}

/* Every element is spoilt so that the search for its end goes on to the end of the window: what is read
 * again stays in proportion. */
static void test_waste(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	_cleanup_(opened_done) struct opened o = { 0 };
	struct td_str element;
	int r, n = 0;

	TD_CASE("waste");
	td_strbuf_addc(&text, '[');
	for (int i = 0; i < 1000000; i++)
		td_strbuf_adds(&text, "{\"x\":[},");
	open_text(&o, td_strbuf_str(&text), text.len);
	TD_CHECK_INT(td_json_stream_enter(&o.js, '['), 1);
	while ((r = td_json_stream_element(&o.js, &element)) == TD_JSON_SPOILT)
		n++;
	TD_CHECK_INT(r, TD_JSON_CUT);
	/* 8 times 8 MB, and 1 MiB, of at least 1 MiB each */
	TD_CHECK(n > 0 && n < 80);
}

/* Where a part of an array may end: before the last object that begins like the first one, else before the last. */
static void test_whole_objects(void)
{
	static const struct {
		const char *text, *whole;
	} cases[] = {
		{ "{\"a\":1},{\"a\":2} ,\n {\"a\"", "{\"a\":1},{\"a\":2} ,\n " },
		/* within another one */
		{ ",{\"a\":1},{\"a\":[{\"b\":1},{\"b\":2}]}", ",{\"a\":1}," },
		{ "{\"a\":[{\"b\":1},{\"b\":2}]}", "{\"a\":[{\"b\":1}," },
		/* nothing of an object, no ',' */
		{ "{\"a\":1},{}", "" },
		{ "{\"a\":1} {\"a\":2}", "" },
		{ "{\"a\":1},", "" },
		{ "}", "" },
		{ "1,2,3", "" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		TD_CASE(cases[i].text);
		TD_CHECK_INT(td_json_whole_objects(cases[i].text, strlen(cases[i].text)),
			     strlen(cases[i].whole));
	}
}

/* Somebody else takes a part of the text, and gives some of it back. */
static void test_leave(void)
{
	static const char text[] = "[{\"a\":1},{\"a\":2},{\"a\":3},{\"a\":4}]";
	_cleanup_(opened_done) struct opened o = { 0 };
	struct td_str element;
	char taken[20];
	size_t len = 0;

	TD_CASE("leave");
	open_text(&o, text, sizeof(text) - 1);
	TD_CHECK_INT(td_json_stream_enter(&o.js, '['), 1);
	TD_CHECK_INT(td_json_stream_element(&o.js, &element), TD_JSON_GOT);
	TD_CHECK_INT(td_json_stream_position(&o.js), 8);
	td_json_stream_leave(&o.js);
	TD_CHECK_INT(td_json_stream_position(&o.js), 8);
	TD_CHECK_INT(
		td_stream_pieces(o.in, td_json_whole_objects, taken, sizeof(taken), &len, &o.err),
		1);
	TD_CHECK_INT(len, 9);
	TD_CHECK(memcmp(taken, ",{\"a\":2},", 9) == 0);
	TD_CHECK_INT(td_stream_put_back(o.in, taken + 1, 8), 0);
	TD_CHECK_INT(td_json_stream_element(&o.js, &element), TD_JSON_GOT);
	TD_CHECK(td_str_eq(element, "{\"a\":2}"));
	TD_CHECK_INT(td_json_stream_element(&o.js, &element), TD_JSON_GOT);
	TD_CHECK(td_str_eq(element, "{\"a\":3}"));
	TD_CHECK_INT(td_json_stream_position(&o.js), 24);
}

int main(void)
{
	test_elements();
	test_whole_objects();
	test_leave();
	test_spoilt();
	test_keys();
	test_bad_keys();
	test_lengths();
	test_long_value();
	test_waste();
	return td_check_result();
}
